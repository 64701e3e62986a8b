import random
import re
from types import SimpleNamespace

import numpy as np
import pytest
from bench.deadline import Deadline
from bench.likeness import Likeness, jump_ratios, loudness_changes, percentiles
from bench.processes import ChildError
from bench.renderings import Case, Renderings
from bench.speaker import save
from bench.variants import VARIANTS
from bench.windows import __main__ as command
from bench.windows import comparison, seams, sentences, sound, ways
from bench.windows.comparison import compare
from bench.windows.seams import draw_seams, stretch
from bench.windows.sentences import LONGEST_S, SHORTEST_S, lengths_s, put_together
from bench.windows.sound import renderings_of
from bench.windows.ways import PUBLISHED, WHOLE, WINDOWS
from service.model.durations import SAMPLES_PER_FRAME
from service.model.parity import log_spectral_distance
from service.speech.windows import FADE_SAMPLES, Seams, windows_of

from service.text import load_vocabulary

VOICES = ("af_heart", "bf_emma")
N_FRAMES = 200
N_SAMPLES = N_FRAMES * SAMPLES_PER_FRAME
DURATIONS = (50, 150)
SEAMS = [window.first * SAMPLES_PER_FRAME for window in windows_of(N_FRAMES, soon=True) if window.first]
CASES = [Case(f"Sentence {n}.", f"sˈɛntəns {n}.", voice) for n in range(3) for voice in VOICES]


def noise(seed=0):
    """Return noise whose jumps are all of the same size, about."""
    return np.random.default_rng(seed).uniform(-0.1, 0.1, N_SAMPLES).astype(np.float32)


def sine(hz=200.0):
    return np.float32(0.3) * np.sin(2 * np.pi * hz * np.arange(N_SAMPLES) / 24_000)


def test_lengths_are_spread_evenly_from_the_shortest_to_the_longest():
    found = lengths_s(64)
    assert (found[0], found[-1], len(found)) == (SHORTEST_S, LONGEST_S, 64)
    assert np.ptp(np.diff(found)) < 1e-9


def test_sentences_are_as_long_as_they_shall_be_in_the_language_of_their_voice():
    cases = sentences.sentences(VOICES, 8)
    assert [case.voice for case in cases] == list(VOICES) * 8
    assert len({case.key for case in cases}) == 16
    known = load_vocabulary()
    for case, length_s in zip(cases, lengths_s(16), strict=True):
        n_tokens = len(known.token_ids(case.phonemes))
        assert n_tokens == len(case.phonemes) <= 500
        wanted = sentences.n_tokens(length_s, case.voice)
        assert wanted - 5 <= n_tokens <= wanted
        assert case.text.count(".") + case.text.count("?") + case.text.count("!") >= 1


@pytest.mark.parametrize("n_tokens", [10, 35, 60, 137, 200])
def test_what_is_put_together_is_nearly_as_long_as_wanted_and_never_longer(n_tokens):
    lengths = random.Random(0).choices(range(10, 40), k=60)
    pool = [(f"Text {n}.", f"{n:x<{length}}") for n, length in enumerate(lengths)]
    before = len(pool)
    text, phonemes = put_together(pool, n_tokens)
    assert n_tokens - 3 <= len(phonemes) <= n_tokens
    assert text.count("Text") == phonemes.count(" ") + 1 == before - len(pool)
    taken = {part.rstrip("x") for part in phonemes.split()}
    assert not taken & {one.rstrip("x") for _, one in pool}


@pytest.mark.parametrize("pool", [[], [("A long one.", "x" * 20)]], ids=["empty", "too long"])
def test_nothing_is_put_together_of_what_does_not_fit(pool):
    with pytest.raises(ValueError, match=r"."):
        put_together(pool, 10)


def test_the_fade_is_that_of_the_seams():
    """One window is nought, the next one 1, and so on: what is neither is a fade."""
    joiner, parts, middles = Seams(N_FRAMES), [], []
    for number, window in enumerate(windows_of(N_FRAMES, soon=True)):
        first, last = window.in_context(N_FRAMES)
        level = np.full((last - first) * SAMPLES_PER_FRAME, number % 2, np.float32)
        parts.append(joiner.join(window, level))
        middles.append(joiner.last)
    samples = np.concatenate(parts)
    faded = np.flatnonzero((samples > 0) & (samples < 1))
    assert len(middles[1:]) == len(SEAMS)
    for seam in middles[1:]:
        near = faded[np.abs(faded - seam) < 2 * FADE_SAMPLES]
        assert (near.min(), near.max()) == (seam - FADE_SAMPLES + 1, seam + FADE_SAMPLES - 2)
    assert len(faded) == len(SEAMS) * (2 * FADE_SAMPLES - 2)


def test_change_of_loudness_is_the_change_of_level():
    right = noise()
    assert loudness_changes(right, right, 0) == pytest.approx(0, abs=1e-6)
    changes = loudness_changes(right, right * 10 ** (-3 / 20), 0)
    assert changes == pytest.approx(-3, abs=1e-3)
    assert changes.size == N_SAMPLES / 60


def test_change_of_loudness_is_looked_for_where_it_is_loud_from_the_start_on():
    right = noise()
    right[N_SAMPLES // 2 :] *= 0.01
    other = right.copy()
    other[: N_SAMPLES // 4] *= 4
    other[N_SAMPLES * 3 // 4 :] *= 4
    changes = loudness_changes(right, other, N_SAMPLES // 4 + 2400)
    assert 0 < changes.size < N_SAMPLES / 4 / 60 + 2400 / 60
    assert changes == pytest.approx(0, abs=1e-6)
    assert loudness_changes(right, other, 0).max() > 11


def test_a_rendering_that_is_silent_is_far_too_quiet():
    assert loudness_changes(noise(), np.zeros(N_SAMPLES), 0).max() < -60


def test_percentiles_are_of_all_changes_together():
    ones = [Likeness(0.0, np.full(90, 1.0)), Likeness(0.0, np.full(10, -5.0))]
    assert percentiles(ones) == pytest.approx([-5.0, 1.0, 1.0])
    with pytest.raises(ChildError, match="silent"):
        percentiles([Likeness(0.0, np.zeros(0))])


def test_a_distance_counts_what_is_quiet():
    right = noise()
    right[N_SAMPLES // 2 :] *= 1e-4
    other = right.copy()
    other[N_SAMPLES // 2 :] *= 10 ** (-10 / 20)
    assert Likeness.of(right, other, 0).distance_db == pytest.approx(5, abs=0.1)
    assert log_spectral_distance(right, other) < 0.1


@pytest.mark.parametrize("offset", [-FADE_SAMPLES, 0, FADE_SAMPLES])
def test_a_click_where_windows_are_switched_is_a_large_jump(offset):
    samples = sine()
    clean, faded = jump_ratios(samples, SEAMS)
    assert clean.shape == (len(SEAMS), 3)
    assert clean.max() < 1.01
    assert faded.max() < 1.01
    samples[SEAMS[1] + offset :] += 0.1
    switched, faded = jump_ratios(samples, SEAMS)
    places = [-FADE_SAMPLES, 0, FADE_SAMPLES]
    assert np.argwhere(switched > 2).tolist() == [[1, places.index(offset)]]
    assert np.flatnonzero(faded > 2).tolist() == [1]


def test_a_click_elsewhere_in_a_fade_is_of_the_fade_alone():
    samples = sine()
    samples[SEAMS[0] + 100] += 0.3
    switched, faded = jump_ratios(samples, SEAMS)
    assert switched.max() < 1.01
    assert np.flatnonzero(faded > 2).tolist() == [0]


def test_what_is_large_is_told_by_the_rest_of_the_samples():
    samples = sine()
    for seam in SEAMS:
        samples[seam - FADE_SAMPLES : seam + FADE_SAMPLES] += noise()[seam - FADE_SAMPLES : seam + FADE_SAMPLES]
    _, faded = jump_ratios(samples, SEAMS)
    assert (faded > 5).all()


def unchanged(case, samples):
    return samples


@pytest.fixture
def store(tmp_path):
    """Give what three ways of saying have said.

    `change` is of the windows' sound, `durations` are others of one sentence.
    """

    def fill(change=unchanged, durations=None):
        renderings = Renderings(tmp_path, Deadline(1))
        for label in (WHOLE, WINDOWS, PUBLISHED):

            def say(case, path, label=label):
                samples = sine(200 + CASES.index(case))
                told = (durations or {}).get(label, DURATIONS) if case == CASES[2] else DURATIONS
                if label == WINDOWS:
                    samples = change(case, samples)
                samples = np.float32(samples[: sum(told) * SAMPLES_PER_FRAME])
                save(path, samples, told, SEAMS)
                return told

            renderings.fill(label, "a model", CASES, say)
        return renderings

    return fill


def click(case, samples):
    samples = samples.copy()
    samples[SEAMS[0] :] += 0.1 * (case == CASES[2])
    return samples


def louder(case, samples):
    """Add 1.5 dB in every sentence, at the end."""
    samples = samples.copy()
    samples[-N_SAMPLES // 4 :] *= 10 ** (1.5 / 20)
    return samples


def noisy(case, samples):
    return samples + 0.01 * noise()


@pytest.mark.parametrize(
    ("side", "changed", "wrong", "missed"),
    [
        ("native", {}, 0, []),
        ("native", {"durations": {WINDOWS: (51, 149)}}, 0, ["equal durations"]),
        ("native", {"durations": {PUBLISHED: (50, 149)}}, 0, ["equal durations"]),
        ("stock", {"durations": {PUBLISHED: (50, 149)}}, 0, ["equal durations"]),
        ("float32", {"durations": {PUBLISHED: (50, 149)}}, 0, []),
        ("float32", {"durations": {WINDOWS: (51, 149)}}, 0, ["equal durations"]),
        ("native", {"change": louder}, 0, ["change of loudness"]),
        ("native", {"change": noisy}, 0, ["log-spectral distance"]),
        ("native", {"change": click}, 0, ["switched"]),
        ("native", {}, 1, ["misheard words"]),
    ],
)
def test_windows_pass_only_where_no_bound_is_missed(store, monkeypatch, side, changed, wrong, missed):
    def listener(renderings):
        return lambda label, cases: [wrong if label == WINDOWS else 0 for _ in cases]

    monkeypatch.setattr(comparison, "listener", listener)
    report, met = compare(side, CASES, store(**changed))
    lines = [line for line in report.splitlines() if "**no**" in line]
    assert met is (not missed)
    assert len(lines) == len(missed)
    assert all(name in line for name, line in zip(missed, lines, strict=True))


def test_renderings_of_which_none_is_as_long_as_the_whole_are_a_failure(store):
    with pytest.raises(ChildError, match="same length"):
        compare("native", [CASES[2]], store(durations={WINDOWS: (50, 149)}))


def test_a_picture_has_the_seams_that_are_most_and_least_alike(store):
    def change(case, samples):
        return samples + np.float32(0.01) * noise() * (case == CASES[3])

    picture = draw_seams(CASES, store(change))
    titles = re.findall(r">((?:most|median|least)[^<]*)<", picture)
    assert [title.partition(":")[0] for title in titles] == ["most alike", "median", "least alike"]
    assert [title.endswith(", 0.0 dB apart") for title in titles] == [True, True, False]
    assert CASES[3].voice in titles[2]
    assert picture.count("data:image/png") == 6


def test_a_seam_in_a_pause_is_not_drawn(store):
    silent = np.zeros(N_SAMPLES, np.float32)
    renderings = store()
    for case in CASES:
        save(renderings._path(WHOLE, case), silent, DURATIONS)
    with pytest.raises(ChildError, match="every seam is in a pause"):
        draw_seams(CASES, renderings)


def test_a_voice_says_more_tokens_in_more_time_but_never_too_many():
    counts = [sentences.n_tokens(length_s, "af_heart") for length_s in (3, 6, 12, 60)]
    assert counts == sorted(counts)
    assert counts[1] > 2 * counts[0]
    assert counts[-1] == sentences.MOST_TOKENS
    assert sentences.n_tokens(12, "af_nicole") < counts[2]


def test_sentences_without_a_second_around_a_seam_cannot_be_drawn(store, monkeypatch):
    monkeypatch.setattr(seams, "SEEN_S", 2 * N_SAMPLES / 24_000)
    with pytest.raises(ChildError, match="every seam is in a pause"):
        draw_seams(CASES, store())


def test_a_stretch_has_its_seam_in_the_middle():
    samples = np.arange(N_SAMPLES)
    assert stretch(samples, 24_000)[12_000] == 24_000
    assert stretch(samples, 6_000).size == 18_000


def test_a_model_without_windows_is_told():
    model = SimpleNamespace(statistics=None, prepared=SimpleNamespace(detail="as it is"))
    with pytest.raises(ChildError, match="cannot be decoded in windows: as it is"):
        ways.in_windows(model)


def test_what_was_said_is_not_said_again_unless_something_else_speaks(tmp_path):
    renderings, asked = Renderings(tmp_path, Deadline(1)), []

    def say(case, path):
        asked.append(case)
        save(path, np.float32([0.25, 1e-6]), [1])
        return [1]

    for identity in ("one", "one", "another"):
        renderings.fill(WINDOWS, identity, CASES, say)
    assert asked == CASES * 2
    assert renderings.samples(WINDOWS, CASES[0]).tolist() == np.float32([0.25, 1e-6]).tolist()


def test_sides_do_not_mix_but_for_the_published_model(tmp_path):
    asked = []

    def say(case, path, level):
        asked.append(level)
        save(path, np.float32([level]), [1])
        return [1]

    for _ in range(2):
        for number, side in enumerate(VARIANTS):
            renderings = renderings_of(side, tmp_path, 1)
            for label, level in ((WHOLE, number), (WINDOWS, number + 10), (PUBLISHED, 20)):
                identity = "the published model" if label == PUBLISHED else f"a model, {side}"
                renderings.fill(label, identity, CASES[:1], lambda case, path, level=level: say(case, path, level))
                renderings.keep(label, "words", CASES[:1], lambda case, level=level: level)
    assert asked == [0, 10, 20, 1, 11, 2, 12]
    for number, side in enumerate(VARIANTS):
        renderings = renderings_of(side, tmp_path, 1)
        for label, level in ((WHOLE, number), (WINDOWS, number + 10), (PUBLISHED, 20)):
            assert renderings.samples(label, CASES[0]).tolist() == [level]
            assert renderings.keep(label, "words", CASES[:1], lambda case: -1) == [level]
    assert sorted(folder.name for folder in tmp_path.iterdir()) == [
        "published", "whole", "whole of float32", "whole of stock",
        "windows", "windows of float32", "windows of stock",
    ]  # fmt: skip


def test_sections_of_the_native_side_have_the_plain_names(monkeypatch):
    def measure(side, options):
        return f"of {side}", side != "stock"

    monkeypatch.setattr(command, "MEASUREMENTS", dict.fromkeys(("sound", "compute"), measure))
    options = SimpleNamespace(sides=["native", "stock"], names=["sound", "compute"])
    found = [(each.name, each.report, each.met) for each in command._sections(options)]
    assert found == [
        ("windows: sound", "of native", True),
        ("windows: compute", "of native", True),
        ("windows: sound of stock", "of stock", False),
        ("windows: compute of stock", "of stock", False),
    ]
    about = next(command._sections(options)).about
    assert [text.partition(":")[0] for text in about.split("\n\n")] == ["Side", "Sound"]


@pytest.mark.parametrize(
    ("side", "write", "drawn"), [("native", True, True), ("native", False, False), ("float32", True, False)]
)
def test_only_the_native_side_is_drawn(monkeypatch, tmp_path, side, write, drawn):
    rendered = []
    monkeypatch.setattr(sound, "PICTURE", tmp_path / "seams.svg")
    monkeypatch.setattr(sound, "STORE", tmp_path / "store")
    monkeypatch.setattr(sound, "sentences", lambda voices, count: CASES)
    monkeypatch.setattr(sound, "render", lambda side, cases, renderings: rendered.append(side))
    monkeypatch.setattr(sound, "compare", lambda side, cases, renderings: ("tables", True))
    monkeypatch.setattr(sound, "draw_seams", lambda cases, renderings: "a picture")
    options = SimpleNamespace(voices="af_heart", sentences=1, minutes=1.0, write=write)
    assert sound.measure_sound(side, options) == ("tables", True)
    assert rendered == [side]
    assert (tmp_path / "seams.svg").exists() is drawn


def test_what_tells_no_durations_cannot_be_compared(tmp_path):
    with pytest.raises(ChildError, match="durations"):
        Renderings(tmp_path, Deadline(1)).fill("whole", "a model", CASES, lambda *_: [])
