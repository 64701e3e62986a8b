"""What every door tolerates: odd characters, which are dropped and told, and other names of formats and languages."""

import json
import re

import pytest

from service.api.schemas import without_halves
from service.audio import FORMATS
from service.audio.formats import _FORMAT_OF
from tests.service.api.elevenlabs.stream_socket import StreamSocket
from tests.service.api.speech_client import KEYS, assert_refused, bearer, log_line, speak
from tests.service.api.websocket.sessions import opened

ODD = {
    "bullet": "\uf0b7", "citation": "\ue200cite\ue202turn0search1\ue201", "escape": "\x1b", "backspace": "\x08",
    "noncharacter": "\ufffe", "surrogate": "\ud83d", "unassigned": "\u0378", "letter": "\u13a0",
}  # fmt: skip
TEXT = "Good {} day."
PLAIN = "Good  day."


def post(server, path, body, headers=()):
    """Send JSON in ASCII, in which there may be lone surrogates."""
    headers = {"content-type": "application/json", **dict(headers)}
    return server.client.post(path, content=json.dumps(body), headers=headers)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_synthesize_says_the_rest_and_tells(server, odd):
    plain = speak(server, text=PLAIN)
    answer = post(server, "/synthesize", {"text": TEXT.format(odd)})
    assert answer.status_code == 200, answer.text
    assert answer.content == plain.content
    assert answer.headers["x-dropped"] == f"5-{5 + len(odd)}"
    assert "x-dropped" not in plain.headers


@pytest.mark.parametrize(("path", "name"), [
    ("/v1/audio/speech", "input"), ("/v1/text-to-speech/af_heart", "text"),
    ("/v1/text-to-speech/af_heart/stream", "text"), ("/v1/text-to-speech/af_heart/with-timestamps", "text"),
    ("/", "text"),
])  # fmt: skip
def test_other_doors_tell_in_the_same_header(server, path, name):
    fields = {"model": "tts-1", "voice": "af_heart"} if path == "/v1/audio/speech" else {}
    for odd in ODD.values():
        answer = post(server, path, {name: TEXT.format(odd), **fields})
        assert answer.status_code == 200, (odd, answer.text)
        assert answer.headers["x-dropped"] == f"5-{5 + len(odd)}"


def test_phonemize_and_times_tell_the_characters(server):
    text = "One \ud800 two\ue000 \x1b three."
    told = [("\ufffd", 4, 5), ("\ue000", 9, 10), ("\x1b", 11, 12)]
    bodies = [
        post(server, "/phonemize", {"text": text}).json(),
        post(server, "/synthesize", {"text": text, "timestamps": "word"}).json(),
    ]
    events = post(server, "/synthesize", {"text": text, "timestamps": "word", "stream": True, "format": "pcm"}).text
    bodies.append(json.loads(re.findall("data: (.*)", events)[-1]))
    for body in bodies:
        assert [(d["text"], d["text_start"], d["text_end"]) for d in body["dropped"]] == told
    assert [(w["text"], w["text_start"]) for w in bodies[1]["words"]] == [("One", 0), ("two", 6), ("three", 13)]


def test_a_word_around_an_odd_character_can_be_told(server):
    answer = post(server, "/synthesize", {"text": "5\ud800km", "timestamps": "word"}).json()
    assert answer["words"][0]["text"] == "5\ufffdkm"
    assert [d["text_start"] for d in answer["dropped"]] == [1]


def test_a_long_header_is_cut(server):
    spans = speak(server, text="a \ue000 " * 40).headers["x-dropped"].split(", ")
    assert spans[:2] == ["2-3", "6-7"]
    assert (len(spans), spans[-1]) == (33, "...")


def test_a_websocket_tells_with_the_first_segment_of_a_clause(server):
    with opened(server) as talk:
        talk.say("Good day. Bad \ud83d\ue000 day.")
        talk.finish()
    told = [span for message in talk.of("audio") for span in message.get("dropped", [])]
    assert told == [{"text": "\ufffd\ue000", "text_start": 14, "text_end": 16}]
    assert not talk.of("error")


def test_the_log_has_the_number_and_never_the_text(server):
    identity = "the-dropped"
    server.client.post("/synthesize", json={"text": "a \ue000 b \u13a0 c"}, headers={"x-request-id": identity})
    assert "dropped=2" in log_line(server, identity)


def test_strict_characters_refuses_with_the_place(secured):
    for odd in (odd for name, odd in ODD.items() if name != "unassigned"):
        for path in ("/synthesize", "/phonemize"):
            answer = post(secured, path, {"text": TEXT.format(odd)}, bearer(KEYS[0]))
            assert_refused(answer, 422, "invalid_text", f"U+{ord(odd[0]):04X}", "position 6")
    assert post(secured, "/synthesize", {"text": PLAIN}, bearer(KEYS[0])).status_code == 200


@pytest.mark.parametrize(("written", "whole"), [
    (r'"a\ud800b"', r'"a\ufffdb"'), (r'"\udc00\ud83d"', r'"\ufffd\ufffd"'), (r'"\uD83D\uDE00"', r'"\uD83D\uDE00"'),
    (r'"\ud83d\ud83d\ude00"', r'"\ufffd\ud83d\ude00"'), (r'"\\\\ud800"', r'"\\\\ud800"'),
    (r'"\\u00e9 \n \" \ud800"', r'"\\u00e9 \n \" \ufffd"'),
])  # fmt: skip
def test_halves_of_pairs_are_replaced_in_json(written, whole):
    assert without_halves(written) == whole


SILENCE = "[pause:0.1s]"
NAMES = [
    ("MP3", "mp3"), ("audio/mpeg", "mp3"), (" Mp3 ", "mp3"), (".mp3", "mp3"),
    ("ogg", "opus"), ("audio/ogg; codecs=opus", "opus"), ("OGG_OPUS", "opus"),
    ("m4a", "aac"), ("MP4", "aac"), ("audio/aac", "aac"),
    ("WAVE", "wav"), ("audio/x-wav", "wav"), ("x-wav", "wav"),
    ("s16le", "pcm"), ("raw", "pcm"), ("audio/x-flac", "flac"),
    ("ulaw", "mulaw"), ("PCMU", "mulaw"), ("mu-law", "mulaw"), ("audio/basic", "mulaw"),
    ("PCMA", "alaw"), ("A-law", "alaw"), ("WAV_ULAW", "wav_mulaw"),
]  # fmt: skip


def synthesized(server, audio_format):
    return server.client.post("/synthesize", json={"text": SILENCE, "format": audio_format})


def spoken(server, audio_format):
    return server.client.post("/v1/audio/speech", json={"input": SILENCE, "response_format": audio_format})


@pytest.mark.parametrize("ask", [synthesized, spoken])
def test_a_format_may_have_another_name(server, ask):
    known = {audio_format: ask(server, audio_format) for audio_format in FORMATS}
    for name, audio_format in NAMES:
        answer = ask(server, name)
        assert answer.status_code == 200, (name, answer.text)
        assert answer.headers["content-type"] == known[audio_format].headers["content-type"], name
        if audio_format != "opus":  # its serial number is random
            assert answer.content == known[audio_format].content, name


def test_every_synonym_is_one_word_of_one_format():
    for name, audio_format in _FORMAT_OF.items():
        assert name == name.lower()
        assert "-" not in name
        assert FORMATS[audio_format]
    assert {*FORMATS} <= {*_FORMAT_OF}


@pytest.mark.parametrize("name", ["wma", "", "audio/", "mp", "audio/l16", "m4b", 5])
def test_other_formats_are_refused_with_those_that_there_are(server, name):
    for answer in (synthesized(server, name), spoken(server, name)):
        assert answer.status_code in (400, 422)
        message = answer.json()["error"]["message"]
        assert all(f"'{known}'" in message for known in FORMATS)


def test_subtitles_have_names_in_any_case_too(server):
    assert synthesized(server, "VTT").text.startswith("WEBVTT")
    assert synthesized(server, "SRT").status_code == 200


def test_formats_of_elevenlabs_have_other_names_too(server):
    for name, known in (("MP3_44100_128", "mp3_44100_128"), ("mulaw_8000", "ulaw_8000"), ("PCMA_8000", "alaw_8000")):
        answers = [
            server.client.post(f"/v1/text-to-speech/af_heart?output_format={one}", json={"text": SILENCE})
            for one in (name, known)
        ]
        assert answers[0].content == answers[1].content
        with StreamSocket(server.url, query=f"output_format={name}") as socket:
            assert socket.say(f"{SILENCE} ").audio
    refused = server.client.post("/v1/text-to-speech/af_heart?output_format=mp3", json={"text": SILENCE})
    assert refused.status_code == 400
    assert "mp3_44100_128" in refused.text


def test_formats_of_a_session_have_other_names_too(server):
    with opened(server) as talk:
        for name, known in (("PCMU", "mulaw"), ("audio/pcma", "alaw"), ("S16LE", "pcm_s16le")):
            assert talk.exchange("config", "ready", format=name)["format"] == known
        assert "'pcm'" in talk.exchange("config", "error", format="mp3")["error"]["message"]
        talk.finish()


@pytest.mark.parametrize(
    ("tag", "code"), [("fr_FR", "fr"), ("es-419", "es"), ("pt-PT", "pt-br"), ("en-AU", "en-gb"), ("EN", "en-us")]
)
def test_a_language_may_have_any_tag_at_every_door(server, tag, code):
    text = "Taxi, 12."
    assert server.client.post("/phonemize", json={"text": text, "language": tag}).json()["language"] == code
    said = []
    for one in (tag, code):
        said.append([
            server.client.post(path, json=body).content
            for path, body in (
                ("/synthesize", {"text": text, "language": one}),
                ("/v1/audio/speech", {"input": text, "lang_code": one, "response_format": "pcm"}),
                ("/v1/text-to-speech/af_heart?output_format=pcm_24000",
                 {"text": text, "language_code": one}),
            )
        ])  # fmt: skip
    assert said[0] == said[1]
    with opened(server) as talk:
        assert talk.exchange("config", "ready", language=tag)["language"] == code
        message = talk.exchange("config", "error", language="tlh")["error"]["message"]
        assert message.startswith("unknown language 'tlh'; available: en-us, ")
        talk.finish()
