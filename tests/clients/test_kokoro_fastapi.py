"""Requests as remsky/Kokoro-FastAPI's documents and examples show them.

Read: remsky/Kokoro-FastAPI at 02ecef7 (README), 153217a and 032990d, and newer stored texts of
schemas.py, openai_compatible.py and main.py.

Whoever comes from that server sends its fields. What it has under /dev is not here; word times come
with `return_timestamps` instead.
"""

import base64

import pytest
from tests.clients.replay import JSON, LONG, TEXT, hear, hear_pcm, replay

REQUESTS = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "python-requests"}


def say(server, **fields):
    body = {"input": TEXT, "voice": "af_bella", **fields}
    reply = replay(server, "POST", "/v1/audio/speech", {**REQUESTS, **JSON}, body)
    assert reply.status == 200, reply.body
    return reply


@pytest.mark.parametrize("fields", [
    pytest.param({}, id="no-model"), pytest.param({"model": "kokoro", "voice": "af_sky+af_bella"}, id="equal-blend"),
    pytest.param({"voice": "af_bella(2) + af_heart(1)"}, id="weighted-blend"),
    pytest.param({"voice": "alloy+nova"}, id="blend-of-openais-names"),
    pytest.param({"stream": False, "speed": 1.0}, id="whole"),
    pytest.param({"return_download_link": True, "download_format": "wav"}, id="download-link"),
    pytest.param({"lang_code": "b", "voice": "bf_emma"}, id="language"),
    pytest.param({"lang_code": "en-gb", "voice": "af_bella"}, id="language-by-code"),
    pytest.param({"normalization_options": {"normalize": False, "unit_normalization": True}}, id="normalization"),
    pytest.param({"allow_voice_tags": False, "voice_aliases": None}, id="voice-tags"),
])  # fmt: skip
@pytest.mark.parametrize("audio_format", ["mp3", "wav"])
def test_kokoro_fastapis_requests_are_answered(server, fields, audio_format):
    reply = say(server, response_format=audio_format, **fields)
    content = bytearray(reply.body)
    if audio_format == "wav":  # its clients take sizes of 0xFFFFFFFF for "until the end"
        place = content.index(b"data")
        content[place + 4 : place + 8] = (len(content) - place - 8).to_bytes(4, "little")
        content[4:8] = (len(content) - 8).to_bytes(4, "little")
    assert hear(bytes(content)).size


def test_kokoro_fastapis_stream_of_samples(server):
    reply = say(server, input=LONG, response_format="pcm", stream=True, model="kokoro")
    assert reply.media_type == "audio/pcm"
    assert "content-length" not in reply.headers
    assert hear_pcm(reply.body).size


def test_kokoro_fastapis_volume_and_numbers(server):
    pcm = {"response_format": "pcm", "stream": False}
    usual, soft = (hear_pcm(say(server, volume_multiplier=volume, **pcm).body).astype(float) for volume in (1.0, 0.5))
    assert abs(soft - usual / 2).max() <= 1
    price = "It costs $5.50 in all."
    as_words, as_digits = (
        say(server, input=price, normalization_options={"normalize": on}, **pcm).body for on in (True, False)
    )
    assert as_words != as_digits


def test_kokoro_fastapis_names_of_word_times(server):
    answer = say(server, response_format="wav", return_timestamps=True, stream=False).json()
    assert answer["audio_format"] == "audio/wav"
    samples = hear(base64.b64decode(answer["audio"]))
    words = answer["timestamps"]
    assert [word["word"] for word in words] == ["One", "moment", "please"]
    times = [time for word in words for time in (word["start_time"], word["end_time"])]
    assert times == sorted(times)
    assert 0 <= times[0] < times[-1] <= samples.size / 24_000


def test_kokoro_fastapis_lists(server):
    listed = replay(server, "GET", "/v1/audio/voices", REQUESTS).json()["voices"]
    names = replay(server, "GET", "/v1/audio/voices?legacy=true", REQUESTS).json()["voices"]
    assert [voice["id"] for voice in listed] == names
    models = replay(server, "GET", "/v1/models", REQUESTS).json()["data"]
    assert {"tts-1", "tts-1-hd", "kokoro"} <= {model["id"] for model in models}
    assert replay(server, "GET", "/v1/models/kokoro", REQUESTS).json()["id"] == "kokoro"
    assert replay(server, "GET", "/v1/test", REQUESTS).json() == {"status": "ok"}
    assert replay(server, "GET", "/health", REQUESTS).status == 200
