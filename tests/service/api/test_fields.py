"""One field, or tags in the text, on every door: `volume`, `loudness`, `normalize`, `lexicon`, voice tags."""

import base64

import numpy as np
import pytest

from service.audio.encoding import to_int16
from service.audio.loudness import measure
from tests.service.api.speech_client import assert_refused, speak
from tests.service.api.websocket.sessions import config, opened, spoken

FAST = {"format": "pcm", "speed": 2.0}


def by_openai(server, text, **fields):
    body = {"input": text, "voice": "af_heart", "speed": 2.0, "response_format": "pcm", "stream": False, **fields}
    return server.client.post("/v1/audio/speech", json=body)


def phonemized(server, text, **fields):
    return server.client.post("/phonemize", json={"text": text, **fields}).raise_for_status().json()


def samples_of(pcm):
    return np.frombuffer(pcm, "<i2").astype(np.float32)


# `volume`: a gain in decibels.

SHORT_TEXT = "One moment, please."
PCM = {"text": SHORT_TEXT, **FAST}
LOUD_DB = 20.0


@pytest.fixture(scope="module")
def usual(remembering):
    """What every answer about volume says, at 0 dB."""
    return samples_of(speak(remembering, **PCM).content)


def amplified(usual, volume_db):
    """Return what the answer must be, within the rounding of what it is made from."""
    return to_int16(usual / 32_767 * np.float32(10 ** (volume_db / 20))).astype(np.float32)


@pytest.mark.parametrize("volume_db", [-60, -6.0, 0, LOUD_DB])
def test_volume_is_a_gain_in_decibels(remembering, usual, volume_db):
    answer = samples_of(speak(remembering, **PCM, volume=volume_db).content)
    assert np.abs(answer - amplified(usual, volume_db)).max() <= 1 + 10 ** (volume_db / 20) / 2
    if volume_db == LOUD_DB:  # limited and not clipped
        assert 32_000 < np.abs(answer).max() < 32_767


def test_a_stream_has_the_same_volume(remembering):
    fields = {**PCM, "volume": LOUD_DB, "decoding": "windows"}
    assert speak(remembering, **fields, stream=True).content == speak(remembering, **fields).content


def test_openai_multiplies_the_volume_with_its_own_factor(remembering):
    usual, louder, same = (
        samples_of(by_openai(remembering, SHORT_TEXT, **more).content)
        for more in ({}, {"volume": 6}, {"volume": -20, "volume_multiplier": 10})
    )
    assert np.abs(louder - amplified(usual, 6)).max() <= 2
    assert np.abs(same - usual).max() <= 1


def test_a_session_changes_the_volume_with_config(remembering):
    talk = spoken(remembering, "Good day.", config(volume=-20), "Good day.", config(), "Good day.")
    clauses = {}
    for message in talk.of("audio"):
        number = message["text_start"] // len("Good day.")
        clauses[number] = clauses.get(number, b"") + message["pcm"]
    peaks = [np.abs(samples_of(pcm)).max() for pcm in clauses.values()]
    assert peaks[1] == pytest.approx(peaks[0] / 10, rel=0.02, abs=1)
    assert peaks[2] == pytest.approx(peaks[0], rel=0.02)


# `loudness`: the whole answer at a loudness in LUFS, by the standard's own measure.

FINE = {"text": "The weather was fine, and everybody went out.", "format": "pcm"}
TOLERANCE_LU = 0.2
"""Of what the limiter takes away and what rounding adds."""


def loudness_of(pcm):
    """Return integrated loudness in LUFS and true peak in dBTP."""
    found = measure([samples_of(pcm) / 32_768])
    return found.lufs, found.peak_dbtp


@pytest.mark.parametrize(("lufs", "tolerance_lu"), [(-40, 0.2), (-28, 0.2), (-16, 0.2), (-14, 0.5)])
def test_an_answer_has_the_loudness_that_was_asked_for(remembering, lufs, tolerance_lu):
    usual, answer = (speak(remembering, **FINE, **more).content for more in ({}, {"loudness": lufs}))
    measured, peak = loudness_of(answer)
    assert abs(measured - lufs) < tolerance_lu
    assert peak < -0.9
    assert len(answer) == len(usual)
    assert abs(loudness_of(usual)[0] - lufs) > TOLERANCE_LU


def test_times_of_words_stay_at_another_loudness(remembering):
    usual, answer = (speak(remembering, **FINE, timestamps="word", **more).json() for more in ({}, {"loudness": -30}))
    assert answer["words"] == usual["words"]
    assert abs(loudness_of(base64.b64decode(answer["audio"]))[0] + 30) < TOLERANCE_LU


def test_openai_takes_loudness_where_the_answer_is_whole(remembering):
    assert abs(loudness_of(by_openai(remembering, FINE["text"], loudness=-30).content)[0] + 30) < TOLERANCE_LU
    refused = by_openai(remembering, FINE["text"], loudness=-30, stream=True)
    assert_refused(refused, 400, "invalid_request", "set stream to false")


# `normalize`: what is read how.

URL = "Go to https://example.com/a."
SHORT = {"urls": "short"}


def test_normalize_is_heard_on_every_door(remembering):
    said = speak(remembering, text="Go to example dot com.", **FAST).content
    assert said != speak(remembering, text=URL, **FAST).content
    assert said == speak(remembering, text=URL, normalize=SHORT, **FAST).content
    answer = by_openai(remembering, URL, normalization_options={**SHORT, "url_normalization": True})
    assert answer.content == said
    assert answer.headers["x-ignored-fields"] == "normalization_options.url_normalization"
    session = spoken(remembering, config(speed=2.0, normalize=SHORT), URL)
    assert session.pcm == spoken(remembering, config(speed=2.0), "Go to example dot com.").pcm
    answer = phonemized(remembering, "Go 🎉 to https://example.com/ab.", normalize={**SHORT, "emoji": "name"})
    assert answer["normalized"] == "Go party popper to example dot com."


# `lexicon`: words are said as the request says.

NAMES = "Ask Zorvath, or Quarrik."
LEXICON = {"zorvath": "/ʃəvˈɔn/", "Quarrik": "win"}


def test_words_are_said_as_the_lexicon_says(server):
    def phonemes(text, **fields):
        return phonemized(server, text, **fields)["phonemes"]

    wanted = phonemes("Ask [Zorvath](/ʃəvˈɔn/), or win.")
    assert phonemes(NAMES, lexicon=LEXICON) == wanted
    assert phonemes(NAMES, lexicon={}) == phonemes(NAMES, lexicon=None) == phonemes(NAMES) != wanted
    assert speak(server, text=NAMES, lexicon=LEXICON, **FAST).content == speak(server, phonemes=wanted, **FAST).content
    with_it, without = (
        by_openai(server, text, **more).content
        for text, more in ((NAMES, {"lexicon": LEXICON}), ("Ask Zorvath, or win.", {}))
    )
    assert len(with_it) > 20_000
    assert with_it != without


def test_a_session_has_the_lexicon_of_its_last_config(server):
    with opened(server) as session:
        for fields in ({"lexicon": LEXICON}, {}):
            session.exchange("config", "ready", speed=2.0, timestamps="phoneme", **fields)
            session.say("Zorvath.\n")
            session.exchange("flush", "flushed")
        said = [
            "".join(phoneme["symbol"] for word in message["words"] for phoneme in word["phonemes"])
            for message in session.of("audio")
            if message["words"]
        ]
        assert said[0] == "ʃəvˈɔn"
        assert said[-1] != said[0]
        assert session.exchange("config", "error", lexicon={"a": "/k@/"})["error"]["code"] == "invalid_lexicon"
        session.finish()


@pytest.mark.parametrize(("lexicon", "code", "named"), [
    ({"Zorvath": "/k@/"}, "invalid_lexicon", "entry 1 ('Zorvath'): '@'"),
    ({"a": "b", "Zorvath": ""}, "invalid_lexicon", "'Zorvath'"), ({"": "b"}, "invalid_lexicon", "''"),
    ({"a": "b", "A": "b"}, "invalid_lexicon", "entry 2 ('A'): an earlier entry"),
    ({"a" * 65: "b"}, "invalid_lexicon", "65 characters; the limit is 64"),
    ({f"a{number}": "b" for number in range(1000)}, "invalid_lexicon", "1000 words"),
    ({"a": 1}, "invalid_request", "lexicon: Input should be an object with strings"),
    (["a"], "invalid_request", "lexicon: Input should be an object with strings"),
    ("a", "invalid_request", "lexicon: Input should be an object with strings"),
])  # fmt: skip
def test_a_lexicon_that_cannot_be_used_is_refused(server, lexicon, code, named):
    for path in ("/synthesize", "/phonemize"):
        answer = server.client.post(path, json={"text": NAMES, "lexicon": lexicon})
        assert_refused(answer, 422, code, named)
        assert len(answer.content) < 1000
    assert_refused(by_openai(server, NAMES, lexicon=lexicon), 400, code, named)


# Tags that set the voice inside a text.

TAGGED = "One day. [voice:bm_lewis]Two days.[/voice] Three days."


def test_the_words_between_tags_are_said_by_their_voice(server):
    tagged = speak(server, text=TAGGED, **FAST).content
    ssml = '<speak>One day. <voice name="bm_lewis">Two days.</voice> Three days.</speak>'
    assert tagged == speak(server, text=ssml, ssml=True, **FAST).content
    assert tagged != speak(server, text="One day. Two days. Three days.", **FAST).content


@pytest.mark.parametrize(("text", "fields", "words"), [
    (NAMES, {"lexicon": LEXICON}, "Ask Zorvath or Quarrik"), (TAGGED, {}, "One day Two days Three days"),
])  # fmt: skip
def test_times_are_those_of_the_words_as_they_were_sent(server, text, fields, words):
    found = speak(server, text=text, speed=2.0, timestamps="word", **fields).json()["words"]
    assert " ".join(word["text"] for word in found) == words
    assert all(text[word["text_start"] : word["text_end"]] == word["text"] for word in found)


def test_wrong_tags_are_refused_by_every_door(server):
    for text, code in (
        ("[voice:nobody]Hi.[/voice]", "unknown_voice"), ("Hi.[/voice]", "invalid_markup"),
    ):  # fmt: skip
        answers = [
            server.client.post(path, json={"text": text})
            for path in ("/synthesize", "/v1/text-to-speech/af_heart", "/phonemize")
        ]
        for answer in (*answers, by_openai(server, text)):
            assert answer.status_code in (400, 422)
            assert code in answer.text


def test_a_session_goes_on_with_the_voice_of_a_tag(server):
    tagged = spoken(server, config(speed=2.0), "[voice:bm_lewis]One day.\n", "Two days.[/voice]\n")
    assert not tagged.of("error")
    assert tagged.pcm != spoken(server, config(speed=2.0), "One day.\n", "Two days.\n").pcm


# What is refused.


@pytest.mark.parametrize(("fields", "named"), [
    *[({"volume": volume}, "volume") for volume in (-60.1, 20.1, "6", None)],
    ({"loudness": -20, "stream": True}, "set stream to false"), ({"loudness": -20, "volume": 6}, "not both"),
    ({"loudness": 0}, "loudness"), ({"loudness": -51}, "loudness"),
    *[({"normalize": choices}, "normalize") for choices in (
        {"urls": "none"}, {"url": "short"}, {"markdown": "no"}, {"numbers_as": 1}, "short",
    )],
])  # fmt: skip
def test_other_values_are_refused(remembering, fields, named):
    assert_refused(speak(remembering, **PCM, **fields), 422, "invalid_request", named)
