"""Clients of piper's server."""

import io
import wave

import pytest

from service.text import LANGUAGES
from tests.service.api.speech_client import log_line, speak

TEXT = "Good morning."

# What clients send beside the text. piper's own page sends the text alone; pipecat's service sends
# `voice` too, null where it has none.
ALL_FIELDS = {
    "voice": "en_US-lessac-medium", "speaker": "p225", "speaker_id": 0, "length_scale": 1.0,
    "noise_scale": 0.667, "noise_w": 0.8, "noise_w_scale": 0.8, "sentence_silence": 0.2,
}  # fmt: skip
BODIES = ({}, {"voice": None}, ALL_FIELDS)


def ask(server, **fields):
    return server.client.post("/", json={"text": TEXT, **fields})


@pytest.fixture(scope="module")
def own(server):
    return speak(server, text=TEXT).content


def test_a_client_of_piper_gets_its_wav_file(server, own):
    for fields in BODIES:
        answer = ask(server, **fields)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "audio/wav"
        assert answer.content == own, fields
    with wave.open(io.BytesIO(own)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
    assert ask(server, length_scale=0.5).content == speak(server, text=TEXT, speed=2.0).content


def test_piper_s_fields_are_taken_where_its_newer_server_has_them(server, own):
    fields = {name: value for name, value in ALL_FIELDS.items() if name != "sentence_silence"}
    assert speak(server, text=TEXT, **fields).content == own
    assert speak(server, text=TEXT, sentence_silence=0.2).status_code == 422


def test_a_voice_of_piper_speaks_as_the_default_voice_of_its_language(server):
    identity = "piper-in-spanish"
    body = {"text": "Buenos días.", "voice": "es_MX-ald-medium"}
    answer = server.client.post("/", json=body, headers={"X-Request-ID": identity})
    assert answer.content == speak(server, text=body["text"], voice="ef_dora").content
    server.wait_for(r"ef_dora speaks for a voice of piper in es")
    line = log_line(server, identity)
    assert "voice=ef_dora" in line
    assert "path=/ " in line
    assert not any("ald" in entry or "Buenos" in entry for entry in server.log)
    assert ask(server, voice="en_GB-alan-low").content == speak(server, text=TEXT, voice="bf_emma").content


def test_every_language_has_a_voice_of_its_own(server):
    listed = {voice["name"]: voice["language"] for voice in server.client.get("/voices").json()["voices"]}
    spoken = [one for one in LANGUAGES.values() if one.default_voice is not None]
    assert [listed[one.default_voice] for one in spoken] == [one.code for one in spoken]


def test_a_language_without_voices_is_spoken_by_one_that_is_named(server):
    message = "the model has no voice for German"
    text = {"text": "Guten Tag, Jörg!"}
    refused = server.client.post("/synthesize", json=text | {"language": "de"})
    assert refused.status_code == 422, refused.text
    assert message in refused.text
    assert "set voice to one of another" in refused.text
    assert message in ask(server, voice="de_DE-thorsten-medium").text
    named = server.client.post("/synthesize", json=text | {"language": "de", "voice": "if_sara"})
    assert named.status_code == 200, named.text
    assert len(named.content) > 10_000
    assert server.client.post("/phonemize", json=text | {"language": "de"}).status_code == 200
    marked = {"text": '<speak>Hello. <lang xml:lang="de">Guten Tag.</lang></speak>', "ssml": True}
    assert server.client.post("/synthesize", json=marked).status_code == 200
    (listed,) = [one for one in server.client.get("/languages").json()["languages"] if one["code"] == "de"]
    assert (listed["available"], listed["voices"]) == (True, 0)


def test_what_cannot_be_said_is_an_error(server):
    for fields, code in (
        ({"voice": "de_DE-thorsten-high"}, "language_unavailable"), ({"voice": "lessac"}, "unknown_voice"),
        ({"voice": "en_US-lessac"}, "unknown_voice"), ({"length_scale": 9}, "invalid_request"),
        ({"text": " "}, "empty_text"), ({"text": None}, "invalid_request"),
    ):  # fmt: skip
        answer = ask(server, **fields)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, code), fields


def test_what_cannot_be_pronounced_is_a_short_silence(server):
    with wave.open(io.BytesIO(ask(server, text="...").content)) as file:
        assert file.readframes(file.getnframes()) == bytes(2 * 4_800)  # 0.2 s


def test_nothing_is_said_for_a_get(server):
    assert not server.client.get("/", params={"text": TEXT}).headers["content-type"].startswith("audio/")
