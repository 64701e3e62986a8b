"""Clients of other servers: Kokoro-FastAPI, piper, and Wyoming's bridge to OpenAI's API."""

import base64
import io
import struct
import wave

import pytest
from tests.clients.replay import (
    JSON,
    LONG,
    PUNCTUATION,
    SPEECH,
    TEXT,
    bearer,
    hear,
    hear_pcm,
    heard,
    misses,
    replay,
    replaying,
    speaker,
)  # fmt: skip

# remsky/Kokoro-FastAPI, as its documents and examples show requests.
# Read: remsky/Kokoro-FastAPI at 02ecef7 (README), 153217a and 032990d, and newer stored texts of schemas.py,
# openai_compatible.py and main.py.
# Whoever comes from that server sends its fields. What it has under /dev is not here; word times come with
# `return_timestamps` instead.

REQUESTS = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "python-requests"}
kokoro_fastapi = speaker(REQUESTS, None, input=TEXT, voice="af_bella")


@pytest.mark.parametrize("audio_format", ["mp3", "wav"])
def test_kokoro_fastapis_requests_are_answered(server, audio_format):
    rows = [
        {}, {"model": "kokoro", "voice": "af_sky+af_bella"}, {"voice": "af_bella(2) + af_heart(1)"},
        {"voice": "alloy+nova"}, {"stream": False, "speed": 1.0}, {"lang_code": "b", "voice": "bf_emma"},
        {"return_download_link": True, "download_format": "wav"}, {"lang_code": "en-gb"},
        {"normalization_options": {"normalize": False, "unit_normalization": True}},
        {"allow_voice_tags": False, "voice_aliases": None},
    ]  # fmt: skip
    assert not misses(server, kokoro_fastapi, [{"response_format": audio_format, **fields} for fields in rows])


def test_kokoro_fastapis_stream_of_samples(server):
    reply = kokoro_fastapi(server, input=LONG, response_format="pcm", stream=True, model="kokoro")
    assert reply.media_type == "audio/pcm"
    assert "content-length" not in reply.headers
    assert heard(reply).size


def test_kokoro_fastapis_names_of_word_times(server):
    answer = kokoro_fastapi(server, response_format="wav", return_timestamps=True, stream=False).json()
    assert answer["audio_format"] == "audio/wav"
    samples = hear(base64.b64decode(answer["audio"]))
    words = answer["timestamps"]
    assert [word["word"] for word in words] == ["One", "moment", "please"]
    times = [time for word in words for time in (word["start_time"], word["end_time"])]
    assert times == sorted(times)
    assert 0 <= times[0] < times[-1] <= samples.size / 24_000


def test_kokoro_fastapis_lists(server):
    def listed(path):
        reply = replay(server, "GET", path, REQUESTS)
        assert reply.status == 200
        return reply.json()

    assert [voice["id"] for voice in listed("/v1/audio/voices")["voices"]] == (
        listed("/v1/audio/voices?legacy=true")["voices"]
    )
    assert {"tts-1", "tts-1-hd", "kokoro"} <= {model["id"] for model in listed("/v1/models")["data"]}
    assert listed("/v1/models/kokoro")["id"] == "kokoro"
    assert listed("/v1/test") == {"status": "ok"}
    assert listed("/health")


# piper's HTTP server.
# Read: rhasspy/piper at 2fa4c2c1; PyPI piper-tts 1.3.0, 1.4.2, 1.5.0 and 1.8.0; PyPI pipecat-ai 1.14.0
# (services/piper), which test_installed_clients.py runs.
# Up to 1.4 the path is `/`, from 1.5 on `/synthesize`. A voice that the server does not have is no error there. The
# clients read the samples after a header of 44 bytes.

CURL = {"User-Agent": "curl/8.5.0", "Accept": "*/*"}
piper, piper_1_5 = (speaker(CURL, None, path, text=TEXT) for path in ("/", "/synthesize"))


def heard_by_piper(reply):
    """Return the number of samples."""
    assert heard(reply).size
    with wave.open(io.BytesIO(reply.body)) as file:
        assert file.readframes(file.getnframes()) == reply.body[44:]
    return hear_pcm(reply.body[44:]).size


@pytest.mark.parametrize("say", [piper, piper_1_5], ids=["1.4", "1.5"])
def test_pipers_clients_are_answered(server, say):
    for fields in (
        {}, {"voice": None}, {"voice": "en_US-lessac-medium", "speaker": None}, {"voice": "en_GB-alan-low"},
        {"voice": "es_MX-ald-medium", "text": "Un momento."}, {"voice": "pt_PT-tugão-medium", "text": "Um momento."},
        {"speaker": "p225", "speaker_id": 3}, {"noise_scale": 0.667, "noise_w_scale": 0.8},
        {"noise_w": 0.8, "length_scale": 1.0}, {"voice": "af_heart"},
    ):  # fmt: skip
        assert heard_by_piper(say(server, **fields)), fields


def test_pipers_length_scale_is_the_inverse_of_speed(server):
    quick, slow = (heard_by_piper(piper(server, length_scale=scale)) for scale in (0.7, 1.6))
    assert 1.8 * quick < slow


def test_pipers_voices_choose_the_language(server):
    by_piper, by_kokoro, usual = (
        piper(server, text="Mais oui.", **voice).body
        for voice in ({"voice": "fr_FR-siwis-medium"}, {"voice": "ff_siwis"}, {})
    )
    assert by_piper == by_kokoro != usual


# wyoming_openai, the bridge from Wyoming to OpenAI's API.
# Read: roryeckel/wyoming_openai at 099e57c (compatibility.py, handler.py, const.py), 66c3211 (an older
# compatibility.py), 071fdc4 and 5fc4a2b.
# At its start it finds out, without the key, whose server it talks to: first LocalAI, then Speaches, then Kokoro. It
# asks for WAV always, and passes on the samples while they come, 2,048 bytes at a time.

PROBE = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "AsyncOpenAI/Python"}
SDK = {
    "Accept": "application/octet-stream", "User-Agent": "AsyncOpenAI/Python 2.37.0", "X-Stainless-Lang": "python",
    "X-Stainless-Async": "async:asyncio", "x-stainless-retry-count": "0",
}  # fmt: skip
OPEN_END = 0xFFFFFFFF


def test_wyoming_openai_recognizes_a_server_with_kokoros_voices(keyed):
    assert not 200 <= replay(keyed, "GET", "/v1/readyz", PROBE).status < 300  # LocalAI
    assert replay(keyed, "GET", "/health", PROBE).body != b"OK"  # Speaches
    test = replay(keyed, "GET", "/v1/test", PROBE)
    assert (test.status, test.json()["status"]) == (200, "ok")
    for path in ("/v1/audio/voices", "/v1/audio/voices?legacy=true"):
        listed = replay(keyed, "GET", path, PROBE).json()["voices"]
        names = [voice if isinstance(voice, str) else voice.get("id") or voice["name"] for voice in listed]
        assert {"af_heart", "bm_george"} <= set(names)
        assert len(names) == len(set(names))


def read_header(start):
    """Return rate, place of the samples and their number of bytes; None where more must come."""
    assert (start[:4], start[8:12]) == (b"RIFF", b"WAVE")
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


@pytest.mark.parametrize("fields", [
    {}, {"speed": 0.9}, {"instructions": "Calmly."}, {"input": PUNCTUATION},
    {"lang_code": "b", "stream": True, "normalization_options": {"normalize": True}},
])  # fmt: skip
def test_wyoming_openai_passes_samples_on(keyed, fields):
    body = {"model": "kokoro", "voice": "af_heart", "input": TEXT, "response_format": "wav", **fields}
    header, content = None, b""
    with replaying(keyed, "POST", SPEECH, {**SDK, **JSON, **bearer()}, body) as response:
        assert response.status == 200
        while part := response.read(2048):
            content += part
            header = header or read_header(content)
    rate_hz, place, size = header
    samples = content[place:]
    assert size in (len(samples), OPEN_END)
    assert rate_hz == 24_000
    assert 0 < len(samples) < rate_hz * 2 if "input" in fields else hear_pcm(samples).size
