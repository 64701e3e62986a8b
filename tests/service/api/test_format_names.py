"""Formats by other names, in any case, at every door; languages by any tag of theirs."""

import pytest
from service.audio.formats import _FORMAT_OF
from tests.service.api.elevenlabs.stream_socket import StreamSocket
from tests.service.api.websocket.sessions import opened

from service.audio import FORMATS

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
