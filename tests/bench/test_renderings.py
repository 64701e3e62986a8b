"""What is spoken for a comparison: which sentences, by which model, and when anew."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from bench import pace, speech
from bench.deadline import Deadline, OutOfTimeError
from bench.processes import ChildError
from bench.quality import duration_cases
from bench.renderings import Case, Renderings
from bench.speaker import save
from bench.variants import VARIANTS
from bench.windows import sentences, ways
from bench.windows.sentences import LONGEST_S, SHORTEST_S, lengths_s, put_together
from bench.windows.sound import renderings_of
from bench.windows.ways import PUBLISHED, WHOLE, WINDOWS
from service.model.durations import SAMPLES_PER_FRAME
from service.speech.chunking import MAX_CHUNK_LENGTH, MIN_CHUNK_LENGTH
from service.speech.windows import FADE_SAMPLES, Seams, windows_of
from service.text import Espeak, load_vocabulary

VOICES = ("af_heart", "bf_emma")
CASES = [Case(f"Sentence {n}.", f"sˈɛntəns {n}.", voice) for n in range(3) for voice in VOICES]
CASE, OTHER = CASES[:2]


def test_sentences_are_as_long_as_they_shall_be_in_the_language_of_their_voice():
    spread = lengths_s(16)
    assert (spread[0], spread[-1]) == (SHORTEST_S, LONGEST_S)
    assert np.ptp(np.diff(spread)) < 1e-9
    cases = sentences.sentences(VOICES, 8)
    assert [case.voice for case in cases] == list(VOICES) * 8
    assert len({case.key for case in cases}) == 16
    known = load_vocabulary()
    for case, length_s in zip(cases, spread, strict=True):
        n_tokens = len(known.token_ids(case.phonemes))
        assert n_tokens == len(case.phonemes) <= 500
        wanted = sentences.n_tokens(length_s, case.voice)
        assert wanted - 5 <= n_tokens <= wanted
        assert case.text.count(".") + case.text.count("?") + case.text.count("!") >= 1


def test_what_is_put_together_is_nearly_as_long_as_wanted_and_never_longer():
    for n_tokens in (10, 35, 60, 137, 200):
        lengths = random.Random(0).choices(range(10, 40), k=60)
        pool = [(f"Text {n}.", f"{n:x<{length}}") for n, length in enumerate(lengths)]
        text, phonemes = put_together(pool, n_tokens)
        assert n_tokens - 3 <= len(phonemes) <= n_tokens
        assert text.count("Text") == phonemes.count(" ") + 1 == len(lengths) - len(pool)
        taken = {part.rstrip("x") for part in phonemes.split()}
        assert not taken & {one.rstrip("x") for _, one in pool}
    for pool in ([], [("A long one.", "x" * 20)]):
        with pytest.raises(ValueError, match=r"."):
            put_together(pool, 10)


def test_phonemes_and_chunks_are_as_long_as_asked_for():
    for n_tokens in (2, 14, 96, 398, 510):
        phonemes = speech.phonemes(n_tokens)
        assert len(load_vocabulary().token_ids(phonemes)) == n_tokens == len(phonemes)
        assert phonemes.endswith(".")
    for language in ("en-us", "es"):
        chunks = pace._chunks(Espeak(), language)
        assert len(chunks) == pace.N_CHUNKS
        assert all(MIN_CHUNK_LENGTH <= len(chunk) <= MAX_CHUNK_LENGTH for chunk in chunks)
    cases = list(duration_cases(1))
    assert len({case.voice for case in cases}) == len(cases) == 54


def test_the_fade_is_that_of_the_seams():
    """One window is nought, the next one 1, and so on: what is neither is a fade."""
    joiner, parts, middles = Seams(200), [], []
    for number, window in enumerate(windows_of(200, soon=True)):
        first, last = window.in_context(200)
        parts.append(joiner.join(window, np.full((last - first) * SAMPLES_PER_FRAME, number % 2, np.float32)))
        middles.append(joiner.last)
    samples = np.concatenate(parts)
    faded = np.flatnonzero((samples > 0) & (samples < 1))
    for seam in middles[1:]:
        near = faded[np.abs(faded - seam) < 2 * FADE_SAMPLES]
        assert (near.min(), near.max()) == (seam - FADE_SAMPLES + 1, seam + FADE_SAMPLES - 2)
    assert len(faded) == len(middles[1:]) * (2 * FADE_SAMPLES - 2) > 0


@pytest.fixture
def renderings(tmp_path):
    return Renderings(tmp_path, Deadline(1))


def test_what_was_found_out_is_kept_past_the_deadline(renderings, tmp_path):
    asked = []
    for _ in range(2):
        assert renderings.keep("native", "words", [CASE], lambda case: asked.append(case) or 3) == [3]
    assert asked == [CASE]
    late = Renderings(tmp_path, Deadline(-1))
    with pytest.raises(OutOfTimeError):
        late.keep("native", "words", [CASE, OTHER], lambda case: 4)
    assert late.keep("native", "words", [CASE], lambda case: 4) == [3]


def test_what_another_model_has_said_is_thrown_away(tmp_path):
    asked = []
    for identity, n_asked in (("a model", 1), ("a model", 1), ("another one", 2)):
        renderings = Renderings(tmp_path, Deadline(1))
        renderings.begin("native", identity)
        renderings.keep("native", "words", [CASE], asked.append)
        assert len(asked) == n_asked


def test_distances_are_measured_anew_when_the_published_model_is_another(renderings):
    for label in ("published", "native"):
        renderings.begin(label, "the same model")
    for name in ("distances", "words"):
        renderings.keep("native", name, [CASE], lambda case: 3)
    renderings.begin("published", "another one")
    assert renderings.keep("native", "distances", [CASE], lambda case: 4) == [4]
    assert renderings.keep("native", "words", [CASE], lambda case: 4) == [3]


def test_what_was_said_is_not_said_again_unless_something_else_speaks(renderings):
    asked = []

    def say(case, path):
        asked.append(case)
        save(path, np.float32([0.25, 1e-6]), [1])
        return [1]

    for identity in ("one", "one", "another"):
        renderings.fill(WINDOWS, identity, CASES, say)
    assert asked == CASES * 2
    assert renderings.samples(WINDOWS, CASE).tolist() == np.float32([0.25, 1e-6]).tolist()
    with pytest.raises(ChildError, match="durations"):
        renderings.fill(WHOLE, "a model", CASES, lambda *_: [])


def test_sides_do_not_mix_but_for_the_published_model(tmp_path):
    asked, ways_of_sides = [], [
        (side, label, level)
        for number, side in enumerate(VARIANTS)
        for label, level in ((WHOLE, number), (WINDOWS, number + 10), (PUBLISHED, 20))
    ]  # fmt: skip
    for side, label, level in ways_of_sides * 2:
        made = renderings_of(side, tmp_path, 1)

        def say(case, path, level=level):
            asked.append(level)
            save(path, np.float32([level]), [1])
            return [1]

        identity = "the published model" if label == PUBLISHED else f"a model, {side}"
        made.fill(label, identity, [CASE], say)
        made.keep(label, "words", [CASE], lambda case, level=level: level)
    assert asked == [0, 10, 20, 1, 11, 2, 12]
    for side, label, level in ways_of_sides:
        made = renderings_of(side, tmp_path, 1)
        assert made.samples(label, CASE).tolist() == [level]
        assert made.keep(label, "words", [CASE], lambda case: -1) == [level]


def test_a_model_without_windows_is_told():
    model = SimpleNamespace(statistics=None, prepared=SimpleNamespace(detail="as it is"))
    with pytest.raises(ChildError, match="cannot be decoded in windows: as it is"):
        ways.in_windows(model)
