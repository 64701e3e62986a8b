"""SSML at the doors: the modes, what is told, and marks."""

import json

import pytest

from tests.service.api.speech_client import speak

DOCUMENT = (
    '<speak>\n<mark name="here"/>Hello <amazon:effect name="whispered">there</amazon:effect>,'
    ' <prosody contour="(0%,+20Hz)">you</prosody>.</speak>'
)
IGNORED = [("amazon:effect", None, 2, 26), ("prosody", "contour", 2, 90)]
HEADER = "amazon:effect 2:26, prosody contour 2:90"


def places(ignored):
    return [(one["element"], one.get("attribute"), one["line"], one["column"]) for one in ignored]


def test_what_is_ignored_is_told_by_every_answer(server):
    answer = speak(server, text=DOCUMENT, ssml=True, timestamps="word")
    assert answer.headers["x-ignored"] == HEADER
    body = answer.json()
    assert places(body["ignored"]) == IGNORED
    assert [word["text"] for word in body["words"]] == ["Hello", "there", "you"]
    assert body["marks"] == [{"name": "here", "text_start": 8, "time_s": body["words"][0]["start_s"]}]
    assert speak(server, text=DOCUMENT, ssml=True).headers["x-ignored"] == HEADER
    preview = server.client.post("/phonemize", json={"text": DOCUMENT, "ssml": True}).json()
    assert places(preview["ignored"]) == IGNORED
    assert preview["normalized"] == "Hello there, you."


def test_a_stream_of_events_tells_it_at_its_end(server):
    answer = speak(server, text=DOCUMENT, ssml=True, timestamps="word", stream=True, format="pcm")
    events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert places(events[-1]["ignored"]) == IGNORED
    assert [mark["name"] for event in events for mark in event.get("marks", ())] == ["here"]
    assert answer.headers["x-ignored"] == HEADER


def test_strict_mode_refuses_it_and_false_reads_it_as_text(server):
    answer = server.client.post("/synthesize", json={"text": DOCUMENT, "ssml": "strict"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_markup")
    normalized = {
        mode: server.client.post("/phonemize", json={"text": text, "ssml": mode}).json()["normalized"]
        for mode, text in ((True, DOCUMENT), ("auto", DOCUMENT), (False, DOCUMENT))
    }
    assert normalized[True] == normalized["auto"] != normalized[False]
    plain = server.client.post("/phonemize", json={"text": "1 < 2", "ssml": "auto"}).json()
    assert plain["normalized"] == "one is less than two"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/audio/speech", {"input": DOCUMENT, "response_format": "wav"}),
        ("/", {"text": DOCUMENT}),
        ("/v1/text-to-speech/af_heart", {"text": DOCUMENT, "enable_ssml_parsing": True}),
        ("/v1/audio/speech", {"input": DOCUMENT, "ssml": True}),
    ],
)
def test_doors_of_other_clients_take_a_text_that_opens_like_ssml(server, path, body):
    answer = server.client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-ignored"] == HEADER


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/audio/speech", {"input": DOCUMENT, "ssml": False}),
        ("/v1/text-to-speech/af_heart", {"text": DOCUMENT}),
        ("/synthesize", {"text": DOCUMENT}),
    ],
)
def test_others_take_it_for_text(server, path, body):
    assert "x-ignored" not in server.client.post(path, json=body).headers


def test_subtitles_have_no_markup(server):
    answer = speak(server, text=DOCUMENT, ssml=True, format="srt")
    assert "Hello there, you." in answer.text
