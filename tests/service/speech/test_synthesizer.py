from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from service import errors
from service.errors import NotReadyError
from service.loading import load_synthesizer
from service.settings import Settings
from service.speech import Delivery, Planner, Utterance, VoiceLibrary
from service.speech.chunking import MAX_CHUNK_LENGTH
from service.speech.plan import Coverage
from service.speech.planning import MOST_PHONEMES
from service.text import LANGUAGES, FrontEnd, Passage, UserLexicon, parse
from tests.opened_models import open_small

SENTENCE = "The birch canoe slid on the smooth planks."


def speak(synthesizer, utterance, *, gain=1.0):
    plan = synthesizer.plan(utterance, Delivery(gain=gain))
    segments = list(synthesizer.stream(plan))
    return np.concatenate([segment.samples for segment in segments])


def phonemes_of(synthesizer, text):
    front_end = synthesizer.planner.front_end
    (passage,) = parse(text)
    assert isinstance(passage, Passage)
    return " ".join(reading.phonemes for reading in front_end.read(passage, "en-us"))


def assert_audible(samples):
    assert samples.dtype == np.float32
    assert np.isfinite(samples).all()
    assert 0.01 < np.sqrt(np.mean(samples**2)) < 0.5
    assert np.abs(samples).max() < 1.5


GREETINGS = {
    "en-us": "Good morning.", "en-gb": "Good morning.", "es": "Buenos días.", "fr": "Bonjour à tous.",
    "hi": "नमस्ते दुनिया।", "it": "Buongiorno a tutti.", "pt-br": "Bom dia a todos.",
}  # fmt: skip
IN_PHONEMES = {"ja": "koɲɲiʨiβa.", "zh": "ni↓ xɑʊ↓."}
VOICES = [voice.name for voice in VoiceLibrary(Path(__file__).resolve().parents[3] / "voices").voices]


@pytest.mark.parametrize("voice", [VOICES[0], *(pytest.param(name, marks=pytest.mark.thorough) for name in VOICES[1:])])
def test_every_voice_speaks_its_language(synthesizer, voice):
    language = synthesizer.planner.voices.resolve(voice).language
    kind = "phonemes" if language in IN_PHONEMES else "text"
    samples = speak(synthesizer, Utterance((GREETINGS | IN_PHONEMES)[language], kind, voice))
    assert_audible(samples)
    assert 0.6 < samples.size / 24_000 < 4


@pytest.mark.thorough
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_voice_may_read_another_language(synthesizer, language):
    if synthesizer.planner.front_end.readers.is_available(language):
        assert synthesizer.plan(Utterance("a", voice="af_heart", language=language)).language == language
    else:
        with pytest.raises(errors.LanguageUnavailableError, match=" needs "):
            synthesizer.plan(Utterance("a", language=language))


def test_a_blend_is_neither_of_its_voices(synthesizer):
    one, other, blend = (
        speak(synthesizer, Utterance("Good morning.", voice=voice))
        for voice in ("af_bella", "af_sky", "af_bella(2)+af_sky(1)")
    )
    assert_audible(blend)
    for pure in (one, other):
        n = min(pure.size, blend.size)
        assert not np.allclose(pure[:n], blend[:n], atol=1e-2)


@pytest.mark.thorough
@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_speed_halves_and_doubles_the_duration(synthesizer, speed):
    text = f"{SENTENCE} Glue the sheet to the dark blue background."
    normal, other = (speak(synthesizer, Utterance(text, speed=each)).size for each in (1.0, speed))
    assert other / normal == pytest.approx(1 / speed, rel=0.1)


@pytest.mark.parametrize(
    "n_characters", [pytest.param(400, marks=pytest.mark.thorough), pytest.param(5_000, marks=pytest.mark.slow)]
)
def test_a_long_text_comes_out_whole(synthesizer, n_characters):
    text = (
        "Rice is often served in round bowls, and the juice of lemons makes fine punch. The box was thrown beside the "
        "parked truck; nobody knew why. Four hours of steady work faced us! Did the boy there come back when the sun "
        "was low? " * 25
    )[:n_characters]
    segments = list(synthesizer.stream(synthesizer.plan(Utterance(text))))
    assert len(segments) > 1
    said = " ".join(segment.phonemes for segment in segments)
    assert said.split() == phonemes_of(synthesizer, text).split()
    assert all(len(segment.phonemes) <= MAX_CHUNK_LENGTH for segment in segments)
    samples = np.concatenate([segment.samples for segment in segments])
    assert_audible(samples)
    # Readers say 12 to 20 characters a second.
    assert n_characters / 20 < samples.size / 24_000 < n_characters / 12
    # No stretch of silence in it is longer than a pause between sentences, the ends aside.
    loud = np.flatnonzero(np.abs(samples) > 1e-3)
    assert np.diff(loud).max() / 24_000 < 0.8


@pytest.mark.thorough
@pytest.mark.parametrize(("voice", "speed"), [
    ("af_nicole", 0.75), *(pytest.param("af_heart", speed, marks=pytest.mark.slow) for speed in (1.0, 0.5)),
])  # fmt: skip
def test_no_chunk_is_much_longer_than_ten_seconds(synthesizer, voice, speed):
    text = " ".join([SENTENCE.rstrip(".").lower()] * round(9 * speed))
    plan = synthesizer.plan(Utterance(text, voice=voice, speed=speed))
    assert 7 < max(segment.duration_s for segment in synthesizer.stream(plan)) < 12


def test_phonemes_are_said_as_they_are(small_synthesizer):
    phonemes = phonemes_of(small_synthesizer, SENTENCE)
    by_text = speak(small_synthesizer, Utterance(SENTENCE))
    np.testing.assert_array_equal(by_text, speak(small_synthesizer, Utterance(phonemes, "phonemes")))


@pytest.mark.parametrize(("utterance", "error"), [
    *((Utterance(text), errors.EmptyTextError) for text in ("", " \n\t\u2003")),
    (Utterance(" ", "phonemes"), errors.EmptyTextError),
    *((Utterance(text), errors.NothingToSayError) for text in ("\x00\x1b\ud800\ue000", "... !")),
    (Utterance(".ˈ ", "phonemes"), errors.NothingToSayError),
    (Utterance("\u13a0."), errors.InvalidTextError),
    (Utterance("həl4O", "phonemes"), errors.UnknownSymbolError),
    *((Utterance("a" * 20_001, kind), errors.TextTooLongError) for kind in ("text", "phonemes")),
    (Utterance("a", voice="af_nobody"), errors.UnknownVoiceError),
    *((Utterance("a", voice=voice), errors.InvalidBlendError) for voice in ("af_heart(0)", "")),
    *((Utterance("a", speed=speed), errors.InvalidRequestError) for speed in (0.24, 6.01, float("nan"))),
    (Utterance("a", language="tlh"), errors.LanguageUnavailableError),
    (Utterance("<speak>a", "ssml"), errors.MarkupError), (Utterance("[pause:x] a"), errors.MarkupError),
    (Utterance("a[pause:50s]" * 13), errors.InvalidRequestError),
])  # fmt: skip
def test_what_cannot_be_said_is_refused_with_a_4xx(small_synthesizer, utterance, error):
    with pytest.raises(error) as caught:
        small_synthesizer.plan(utterance)
    assert 400 <= caught.value.status < 500


def test_a_synthesizer_that_is_closed_or_has_no_such_voice_says_so(tmp_path, model_file, cache_dir):
    synthesizer = open_small(tmp_path)
    plan = synthesizer.plan(Utterance(SENTENCE))
    synthesizer.close()
    synthesizer.close()
    with pytest.raises(NotReadyError):
        next(synthesizer.stream(plan))
    with pytest.raises(errors.UnknownVoiceError):
        load_synthesizer(Settings(cache_dir=cache_dir, voice="af_nobody"), print)


def test_the_self_test_notices_silence(small_synthesizer, monkeypatch):
    assert small_synthesizer.self_test() > 0
    kind = type(small_synthesizer.model)
    infer = kind.infer

    def silent(*arguments, **options):
        inference = infer(*arguments, **options)
        inference.samples[:] *= 1e-3
        return inference

    monkeypatch.setattr(kind, "infer", silent)
    with pytest.raises(errors.SynthesisError, match="silent"):
        small_synthesizer.self_test()


def zeros(samples):
    """Return the lengths of the stretches of digital silence, those of a few samples aside."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], samples == 0, [0]]).astype(int)))
    lengths = edges[1::2] - edges[::2]
    return [int(length) for length in lengths if length > 100]


def test_a_pause_is_silence_of_exactly_its_length_at_the_ends_too(synthesizer):
    samples = speak(synthesizer, Utterance("One.[pause:1.5s]Two[pause:250ms] three.", speed=2.0))
    # A sample at either side may be one that was faded to nothing.
    assert zeros(samples) == [pytest.approx(36_000, abs=2), pytest.approx(6_000, abs=2)]
    samples = speak(synthesizer, Utterance("[pause:1s]Hello.[pause:0.5s][pause:0.25s]"))
    assert zeros(samples) == [pytest.approx(24_000, abs=2), pytest.approx(18_000, abs=2)]
    assert samples[0] == samples[-1] == 0
    alone = speak(synthesizer, Utterance("[pause:0.1s]"))
    np.testing.assert_array_equal(alone, np.zeros(2_400, np.float32))


def test_a_text_with_nothing_to_pronounce_may_be_a_silence(small_synthesizer):
    for text, kind in ((".", "text"), ("<speak>…</speak>", "ssml")):
        samples = speak(small_synthesizer, Utterance(text, kind, silence_s=0.25))
        assert samples.size == 6_000
        assert not samples.any()
        with pytest.raises(errors.NothingToSayError):
            small_synthesizer.plan(Utterance(text, kind))
    with pytest.raises(errors.EmptyTextError):
        small_synthesizer.plan(Utterance(" ", silence_s=0.25))
    assert speak(small_synthesizer, Utterance("Yes.", silence_s=0.25)).any()


def test_gain_is_a_factor_of_the_samples(small_synthesizer):
    said = Utterance("Yes.[pause:100ms]")
    plain, half = speak(small_synthesizer, said), speak(small_synthesizer, said, gain=0.5)
    assert plain.any()
    assert np.array_equal(half, plain * np.float32(0.5))


def test_markup_changes_voice_and_rate(synthesizer):
    ssml = (
        "<speak>One two three. <voice name='am_adam'>One two three.</voice>"
        "<prosody rate='200%'>One two three.</prosody></speak>"
    )
    chunks = list(synthesizer.plan(Utterance(ssml, "ssml")).chunks)
    assert [chunk.blend.parts[0][0].name for chunk in chunks] == ["af_heart", "am_adam", "af_heart"]
    assert [chunk.speed for chunk in chunks] == [1.0, 1.0, 2.0]
    assert [chunk.is_last for chunk in chunks] == [False, False, True]
    assert len({chunk.phonemes for chunk in chunks}) == 1


def test_a_book_is_read_while_its_beginning_is_spoken(synthesizer, monkeypatch):
    planner = synthesizer.planner
    monkeypatch.setattr(planner, "_max_text_length", 1 << 22)
    book = " ".join(f"{SENTENCE} This is sentence {n}." for n in range(16_000))
    assert len(book) > 1_000_000
    read_block = Mock(wraps=planner.front_end._read_block)
    monkeypatch.setattr(planner.front_end, "_read_block", read_block)
    chunks = iter(planner.plan(Utterance(book), Delivery()).chunks)
    assert next(chunks).phonemes
    assert read_block.call_count <= 2
    for _ in range(20):
        next(chunks)
    assert 2 <= read_block.call_count <= 6


@pytest.fixture
def brief(small_synthesizer, monkeypatch):
    """Return a planner of texts of two thousand characters at most."""
    monkeypatch.setattr(small_synthesizer.planner, "_max_text_length", 2_000)
    return small_synthesizer.planner


_PASSAGES = "".join(f"<voice name='{voice}'>{SENTENCE * 15}</voice>" for voice in ("am_adam", "af_sky") * 2)


@pytest.mark.parametrize(("utterance", "place"), [
    (Utterance("a\x00b"), r"U\+0000 at position 2"), (Utterance("a\x1bb"), r"U\+001B at position 2"),
    (Utterance("a\ud800b"), r"U\+D800 at position 2"), (Utterance("go \ue000 on"), r"U\+E000. at position 4"),
    (Utterance(f"{SENTENCE} " * 100 + "Now \u13a0."), r"U\+13A0"),
    (Utterance(f"<speak>{_PASSAGES}Now \u13a0.</speak>", "ssml"), r"U\+13A0"),
])  # fmt: skip
def test_a_character_that_cannot_be_read_is_dropped_and_told_or_refused_before_anything_is_said(
    small_synthesizer, utterance, place
):
    planner = small_synthesizer.planner
    front_end = FrontEnd(planner.front_end.readers.espeak, strict=True)
    strict = Planner(front_end, planner.voices, default_voice="af_heart", max_text_length=20_000)
    with pytest.raises(errors.InvalidTextError, match=place):
        strict.plan(utterance, Delivery())
    plan = small_synthesizer.plan(utterance)
    assert list(plan.chunks)
    (told,) = plan.coverage.dropped
    assert utterance.text[slice(*told)] in "\x00\x1b\ud800\ue000\u13a0"


@pytest.mark.parametrize(("text", "language"), [("≥" * 800, "en-us"), ("≤" * 2_000, "fr"), ("√2" * 1_000, "es")])
def test_a_text_that_is_too_long_in_words_is_refused_before_it_is_read(brief, monkeypatch, text, language):
    monkeypatch.setattr(brief.front_end, "_read_block", lambda *_: pytest.fail("it was read"))
    utterance = Utterance(text, language=language)
    with pytest.raises(errors.TextTooLongError, match="in words more than 16000"):
        brief.plan(utterance, Delivery())
    with pytest.raises(errors.TextTooLongError):
        brief.preview(utterance, "even")


def test_respellings_count_for_the_length_in_words(brief):
    lexicon = UserLexicon.of_words({"a": "so it goes " * 11})
    with pytest.raises(errors.TextTooLongError):
        brief.plan(Utterance("a " * 900, lexicon=lexicon), Delivery())
    assert brief.plan(Utterance("a " * 90, lexicon=lexicon), Delivery()).chunks


def test_a_text_of_too_many_phonemes_is_refused_before_all_of_it_is_read(brief, monkeypatch):
    lexicon = UserLexicon.of_words({"go": f"/{'kˈOkəɹO ' * 15}/"})
    text, limit, read = "Go, go. " * 200, MOST_PHONEMES * 2_000, []

    def counted(self, reading):
        read.append(len(reading.phonemes))
        add(self, reading)

    add = Coverage.add
    monkeypatch.setattr(Coverage, "add", counted)
    with pytest.raises(errors.TextTooLongError, match=f"more than {limit} phonemes"):
        brief.preview(Utterance(text, lexicon=lexicon), "even")
    assert limit < sum(read) <= limit + max(read)
    # Part of a document, it is as long as it is.
    part = Utterance(text, lexicon=lexicon, is_part=True)
    assert sum(len(chunk.phonemes) for chunk in brief.plan(part, Delivery()).chunks) > limit


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en-us", "es", "hi", "ja", "zh"])
def test_rows_of_figures_may_be_as_long_as_any_text(brief, language):
    assert brief.plan(Utterance("1,234,567 " * 200, language=language), Delivery()).language == language
