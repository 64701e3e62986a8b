"""What SSML, tags and dialogues become, and how it sounds."""

import time
from pathlib import Path

import numpy as np
import pytest

from service.errors import MarkupError
from service.speech import Delivery, Planner, Speaker, Turn, Utterance, VoiceLibrary
from service.speech.voice_choice import VoiceChooser
from service.text import VoiceWish

try:
    import tomllib
except ImportError:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[3]
DOCUMENTS = tomllib.loads((REPOSITORY / "tests/data/ssml_documents.toml").read_text(encoding="utf-8"))["document"]


def told(ignored):
    return [f"{one.names} {one.line}:{one.column}" for one in ignored]


@pytest.mark.parametrize("document", DOCUMENTS, ids=[document["name"] for document in DOCUMENTS])
def test_documents_of_the_clouds_are_read_and_what_is_ignored_is_told(synthesizer, document):
    preview = synthesizer.planner.preview(Utterance(document["source"], "ssml"), "even")
    assert " ".join(preview.normalized.split()) == document["heard"]
    assert list(dict.fromkeys(chunk.blend.name for chunk in preview.chunks)) == document["voices"]
    assert told(preview.ignored) == document["ignored"]


def plan(synthesizer, content, **fields):
    utterance = Utterance(f"<speak>{content}</speak>", "ssml", **fields)
    return synthesizer.plan(utterance, Delivery(timed=True, read_first=True))


def manners(synthesizer, content, **fields):
    return [chunk.manner for chunk in plan(synthesizer, content, **fields).chunks]


def say(synthesizer, content, **fields):
    return list(synthesizer.stream(plan(synthesizer, content, **fields)))


def joined(segments):
    return np.concatenate([segment.samples for segment in segments])


def test_the_setting_makes_all_ssml_strict(synthesizer):
    planner = Planner(
        synthesizer.planner.front_end, LIBRARY, default_voice="af_heart", max_text_length=100, strict_ssml=True
    )
    with pytest.raises(MarkupError, match="'mark' is not allowed"):
        planner.preview(Utterance("<speak>a<mark name='m'/></speak>", "ssml"), "even")
    assert planner.preview(Utterance("<speak>a</speak>", "auto"), "even").normalized == "a"


LIBRARY = VoiceLibrary(REPOSITORY / "voices")
SENTENCE = "The birch canoe slid on the smooth planks."


def test_prosody_becomes_the_manner_of_its_chunks(synthesizer):
    content = "A. <prosody rate='50%' volume='-6dB' pitch='+2st'>B. <prosody volume='+6dB'>C.</prosody></prosody>"
    first, second, third = manners(synthesizer, content)
    assert (first.speed, first.gain, first.pitch) == (1.0, 1.0, 0.0)
    assert (second.speed, second.pitch) == (0.5, 2.0)
    assert second.gain == pytest.approx(0.501, abs=1e-3)
    assert (third.speed, third.gain, third.pitch) == (0.5, 1.0, 2.0)


def test_speed_beyond_the_limits_is_clamped_and_told(synthesizer):
    made = plan(synthesizer, f"<prosody rate='400%'>{SENTENCE}</prosody>", speed=2.0)
    assert [chunk.speed for chunk in made.chunks] == [6.0]
    assert [one.names for one in made.coverage.ignored] == ["prosody rate"]


@pytest.mark.thorough
@pytest.mark.parametrize("volume", ["silent", "-20dB", "+6dB", "+20dB"])
def test_a_volume_changes_neither_times_nor_what_is_beside_it(synthesizer, volume):
    def said(volume):
        return say(synthesizer, f"One fine <prosody volume='{volume}'>day we went</prosody> out again.")

    plain, changed = said("-0.001dB"), said(volume)
    for one, other in zip(plain, changed, strict=True):
        assert other.samples.size == one.samples.size
        assert [word.start_s for word in other.words] == [word.start_s for word in one.words]
    before, within, after = (segment.samples for segment in changed)
    assert (before == plain[0].samples).all()
    assert (after == plain[2].samples).all()
    assert np.abs(within).max() < 1.0
    # Between two gains there is silence, in which nobody hears a step.
    assert max(np.abs(before[-24:]).max(), np.abs(within[:24]).max(), np.abs(within[-24:]).max()) < 2e-2
    heard = np.abs(plain[1].samples) > 1e-2
    if volume == "silent":
        assert not within.any()
        return
    gain_db = 20 * np.log10(np.abs(within[heard] / plain[1].samples[heard]))
    steps = np.abs(np.diff(gain_db)) / np.diff(np.flatnonzero(heard))
    assert steps.max() <= 1.01 / 24 + 1e-3  # a decibel in a millisecond
    assert gain_db.max() == pytest.approx(float(volume.removesuffix("dB")), abs=0.02)


@pytest.mark.thorough
def test_pitch_moves_the_voice_and_leaves_the_length(synthesizer):
    def pitch_hz(samples):
        voiced = samples[np.argmax(np.convolve(np.square(samples), np.ones(2400), "valid")) :][:2400]
        likeness = np.correlate(voiced, voiced, "full")[voiced.size - 1 :]
        lag = 60 + int(np.argmax(likeness[60:300]))
        return 24_000 / lag

    plain = joined(say(synthesizer, SENTENCE))
    for semitones in (-4, 2):
        moved = joined(say(synthesizer, f"<prosody pitch='{semitones:+d}st'>{SENTENCE}</prosody>"))
        assert abs(moved.size - plain.size) < 2_400
        ratio = pitch_hz(moved) / pitch_hz(plain)
        assert 12 * np.log2(ratio) == pytest.approx(semitones, abs=1.5)


@pytest.mark.parametrize("wanted_s", [2.0, 5.0])
def test_duration_sets_the_length_of_the_speech(synthesizer, wanted_s):
    samples = joined(say(synthesizer, f"<prosody duration='{wanted_s}s'>{SENTENCE}</prosody>"))
    heard = np.flatnonzero(np.abs(samples) > 1e-2)
    assert (heard[-1] - heard[0]) / 24_000 == pytest.approx(wanted_s, rel=0.02)
    assert [m.speed for m in manners(synthesizer, f"<prosody amazon:max-duration='60s'>{SENTENCE}</prosody>")] == [1.0]


def test_a_tone_sounds_instead_of_an_expletive(synthesizer):
    samples = joined(say(synthesizer, "<say-as interpret-as='expletive'>wonderful</say-as>"))
    loud = samples[np.abs(samples) > 0.05]
    assert loud.size > 4_800
    spectrum = np.abs(np.fft.rfft(samples))
    assert np.argmax(spectrum) * 24_000 / samples.size == pytest.approx(1_000, abs=10)


def test_marks_are_where_the_words_are(synthesizer):
    content = (
        "One <mark name='a'/>two <mark name='b'/><break time='1s'/><mark name='c'/>three."
        "<bookmark mark='d'/><break time='500ms'/><mark name='e'/>"
    )
    segments = say(synthesizer, content)
    words = [word for segment in segments for word in segment.words]
    marks = {mark.name: mark.time_s for segment in segments for mark in segment.marks}
    frame_s = 0.025
    assert list(marks) == list("abcde")
    assert marks["a"] == pytest.approx(words[1].start_s, abs=frame_s)
    assert words[1].end_s - frame_s <= marks["b"] < words[2].start_s - 0.9
    assert marks["c"] == pytest.approx(words[2].start_s, abs=frame_s)
    assert marks["d"] == pytest.approx(words[2].end_s, abs=0.1)
    end_s = segments[-1].start_s + segments[-1].duration_s
    assert marks["e"] == pytest.approx(end_s, abs=frame_s)


def test_the_silences_of_azure_are_between_sentences(synthesizer):
    content = (
        "<mstts:silence type='Sentenceboundary-exact' value='2s'/><mstts:silence type='comma' value='1s'/>Go, you. Up."
    )
    chunks = list(plan(synthesizer, content).chunks)
    assert [chunk.pause_s for chunk in chunks] == [1.25, 2.0, 2.0]


@pytest.mark.parametrize(
    ("wish", "language", "voice", "is_told"),
    [
        (VoiceWish(("af_sky",)), "en-us", "af_sky", False), (VoiceWish(("AF_Sky",)), None, "af_sky", False),
        (VoiceWish(("en-US-GuyNeural",)), None, "am_michael", True), (VoiceWish(("Amy",)), "fr", "bf_emma", True),
        (VoiceWish(("en-AU-WilliamNeural",)), None, "bm_george", True), (VoiceWish(("echo",)), None, "am_echo", True),
        (VoiceWish(("fr-CA-Wavenet-B",)), "en-us", "ff_siwis", True),
        (VoiceWish(("it-IT-DiegoNeural",)), None, "im_nicola", True),
        (VoiceWish(("ja-JP-Standard-C",)), None, "jm_kumo", True),
        (VoiceWish(("zh-CN-YunxiNeural",)), None, "zm_yunjian", True),
        (VoiceWish(("de-DE-ConradNeural",)), "en-us", None, True),
        (VoiceWish(("Microsoft Zira Desktop",)), None, "af_heart", True),
        (VoiceWish((), "male"), "en-gb", "bm_george", False), (VoiceWish((), None, ("es",)), "en-us", "ef_dora", False),
        (VoiceWish((), "female", variant=2), "en-gb", "bf_isabella", False),
        (VoiceWish((), "male", ("fr",), ordering=("gender", "languages")), None, "am_michael", True),
        (VoiceWish((), "male", ("fr",), required=frozenset({"gender"}), keeps=True), "en-us", "am_michael", True),
        (VoiceWish((), "male", ("fr",), required=frozenset({"gender", "languages"}), keeps=True), "en-us", None, True),
        (VoiceWish(("Nobody",)), "en-us", None, True), (VoiceWish((), "neutral"), "en-us", "af_heart", True),
    ],
)  # fmt: skip
def test_a_voice_is_chosen_among_those_that_there_are(wish, language, voice, is_told):
    choice = VoiceChooser(LIBRARY, {}).choose(wish, language)
    if voice is not None:
        assert choice.blend is not None
        assert choice.blend.name == voice
    assert bool(choice.reason) == is_told


def test_each_foreign_voice_has_a_voice_of_its_own_and_keeps_it():
    chooser = VoiceChooser(LIBRARY, {"anna": "bf_lily"})
    names = ["Joanna", "Salli", "Kendra", "Joanna", "anna"]
    voices = [chooser.choose(VoiceWish((name,), start=at), "en-us").blend.name for at, name in enumerate(names)]
    assert voices[0] == voices[3]
    assert len(set(voices[:3])) == 3
    assert voices[4] == "bf_lily"


def test_a_speaker_named_like_its_voice_has_its_speed_once(synthesizer):
    cast = {"af_sky": Speaker("af_sky", speed=0.8)}
    turns = (Turn(0, 3, "af_sky"),)
    for utterance in (
        Utterance("Hi.", voice="AF_SKY", cast=cast), Utterance("[voice:af_sky]Hi.", cast=cast),
        Utterance("Hi.", turns=turns, cast=cast),
        Utterance("<speak><voice name='af_sky'>Hi.</voice></speak>", "ssml", cast=cast),
    ):  # fmt: skip
        (chunk,) = synthesizer.plan(utterance, Delivery(read_first=True)).chunks
        assert (chunk.blend.name, chunk.speed) == ("af_sky", 0.8)


def test_a_dialogue_is_said_in_turns(synthesizer):
    text = "Hello there.\n\nHi, Anna!"
    turns = (Turn(0, 12, "anna", pause_s=1.0), Turn(14, 23, "af_sky", speed=2.0))
    utterance = Utterance(text, turns=turns, cast={"anna": Speaker("bf_emma", gain=0.5)})
    first, second = synthesizer.plan(utterance, Delivery(read_first=True)).chunks
    assert (first.blend.name, first.manner.gain, first.pause_s) == ("bf_emma", 0.5, 1.0)
    assert (second.blend.name, second.speed) == ("af_sky", 2.0)
    assert [text[word.text_start : word.text_end] for word in (*first.words, *second.words)] == [
        "Hello",
        "there",
        "Hi",
        "Anna",
    ]


def test_voices_of_other_systems_are_found_once_for_each_kind(synthesizer, monkeypatch):
    found = []
    find = VoiceChooser._find_alike
    monkeypatch.setattr(VoiceChooser, "_find_alike", lambda self, *wish: found.append(wish) or find(self, *wish))
    content = " ".join(f"<voice name='en-US-Ava{n}Neural'>so</voice>" for n in range(100))
    plan(synthesizer, content)
    assert len(found) == 1


PROSE = (
    "The birch canoe slid on the smooth planks, and it was easy to tell the depth of a well by the sound of a stone"
    " that falls into its water. Rice is often served in round bowls; the juice of lemons makes fine punch."
)
WORDS = PROSE.split()
EACH_WORD = {
    "voices": "<voice name='{voice}'>{word}</voice>",
    "voices of other systems": "<voice name='en-US-{word}{n}Neural'>{word}</voice>",
    "rates": "<prosody rate='{n}%' pitch='+1st' volume='-{n}dB'>{word}</prosody>",
    "kinds": "<say-as interpret-as='characters'>{word}</say-as>",
    "breaks": "{word}<break time='10ms'/>",
    "languages": "<lang xml:lang='en-{country}'>{word}</lang>",
    "marks": "<mark name='m{n}'/>{word}",
    "turns": "<mstts:turn speaker='{word}'>{word}</mstts:turn>",
    "unknown": "<x{n} a='b'>{word}</x{n}>",
    "tags": "[voice:{voice}][rate:1.{n}]{word}",
}


EVEN, ODD = {"voice": "af_sky", "country": "US"}, {"voice": "am_adam", "country": "GB"}


@pytest.mark.alone
@pytest.mark.parametrize(
    "kind",
    [
        "kinds",
        "tags",
        *(pytest.param(one, marks=pytest.mark.thorough) for one in EACH_WORD if one not in ("kinds", "tags")),
    ],
)
def test_a_document_costs_no_more_than_as_much_text_and_grows_like_it(synthesizer, kind):
    """Five times as much as ordinary text of its length is allowed; and no square of its length."""

    def cost(text, kind):
        def once():
            started = time.process_time()
            list(synthesizer.plan(Utterance(text, kind), Delivery(read_first=True)).chunks)
            return time.process_time() - started

        return min(once() for _ in range(3))

    def document(times):
        content = " ".join(
            EACH_WORD[kind].format(
                word=word, n=n % 50 + 30, voice=("af_sky", "am_adam")[n % 2], country=("US", "GB")[n % 2]
            )
            for n, word in enumerate(WORDS * times)
        )
        return (content, "text") if kind == "tags" else (f"<speak>{content}</speak>", "ssml")

    long, form = document(6)
    ordinary = " ".join(WORDS * 60)[: len(long)]
    assert cost(long, form) < 5 * cost(ordinary, "text")
    assert cost(long, form) < 3 * 2 * cost(*document(2)) + 0.01
