"""wyoming_openai, the bridge from Wyoming to OpenAI's API.

Read: roryeckel/wyoming_openai at 099e57c (compatibility.py, handler.py, const.py), 66c3211 (an
older compatibility.py), 071fdc4 and 5fc4a2b.

At its start it finds out, without the key, whose server it talks to: first LocalAI, then Speaches,
then Kokoro. It asks for WAV always, and passes on the samples while they come.
"""

import struct

import pytest
from tests.clients.replay import JSON, PUNCTUATION, TEXT, bearer, hear_pcm, replay, replaying

PROBE = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "AsyncOpenAI/Python"}

SDK = {
    "Accept": "application/octet-stream", "User-Agent": "AsyncOpenAI/Python 2.37.0",
    "X-Stainless-Lang": "python", "X-Stainless-Async": "async:asyncio",
    "x-stainless-retry-count": "0",
}  # fmt: skip

OPEN_END = 0xFFFFFFFF


def detect(server):
    if 200 <= replay(server, "GET", "/v1/readyz", PROBE).status < 300:
        return "LocalAI"
    if replay(server, "GET", "/health", PROBE).body == b"OK":
        return "Speaches"
    test = replay(server, "GET", "/v1/test", PROBE)
    if test.status == 200 and test.json()["status"] == "ok":
        return "Kokoro"
    return "OpenAI"


def voices(server, path="/v1/audio/voices"):
    listed = replay(server, "GET", path, PROBE).json()
    if isinstance(listed, dict):
        listed = listed["voices"]
    return [voice if isinstance(voice, str) else voice.get("id") or voice["name"] for voice in listed]


def read_header(start):
    """Return rate, place of the samples and their number of bytes; None where more must come."""
    assert start[:4] == b"RIFF"
    assert start[8:12] == b"WAVE"
    place, rate_hz = 12, 0
    while place + 8 <= len(start):
        name, size = struct.unpack("<4sI", start[place : place + 8])
        if name == b"data":
            return rate_hz, place + 8, size
        if name == b"fmt ":
            kind, channels, rate_hz, _, _, bits = struct.unpack("<HHIIHH", start[place + 8 : place + 24])
            assert (kind, channels, bits) == (1, 1, 16)
        place += 8 + size + size % 2
    return None


def say(server, text, **fields):
    """Speak a sentence; return the rate and the samples, read 2,048 bytes at a time."""
    body = {"model": "kokoro", "voice": "af_heart", "input": text, "response_format": "wav", **fields}
    headers = {**SDK, **JSON, **bearer()}
    header, content = None, b""
    with replaying(server, "POST", "/v1/audio/speech", headers, body) as response:
        assert response.status == 200
        while part := response.read(2048):
            content += part
            header = header or read_header(content)
    assert header is not None
    rate_hz, place, size = header
    samples = content[place:]
    assert size in (len(samples), OPEN_END)
    return rate_hz, samples


def test_wyoming_openai_recognizes_a_server_with_kokoros_voices(keyed):
    assert detect(keyed) == "Kokoro"


@pytest.mark.parametrize("path", ["/v1/audio/voices", "/v1/audio/voices?legacy=true"], ids=["new", "strings-only"])
def test_wyoming_openai_lists_voices_without_the_key(keyed, path):
    listed = voices(keyed, path)
    assert {"af_heart", "bm_george"} <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("fields", [
    {}, {"speed": 0.9}, {"instructions": "Calmly."},
    {"lang_code": "b", "stream": True, "normalization_options": {"normalize": True}},
])  # fmt: skip
def test_wyoming_openai_passes_samples_on(keyed, fields):
    rate_hz, samples = say(keyed, TEXT, **fields)
    assert rate_hz == 24_000
    assert hear_pcm(samples).size


def test_wyoming_openai_is_not_stopped_by_a_sentence_of_punctuation(keyed):
    rate_hz, samples = say(keyed, PUNCTUATION)
    assert rate_hz == 24_000
    assert 0 < len(samples) < rate_hz * 2
