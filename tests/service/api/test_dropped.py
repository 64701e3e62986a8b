"""One odd character costs no text: every door drops it, tells of it, and says the rest."""

import json
import re

import pytest
from service.api.schemas import without_halves
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
