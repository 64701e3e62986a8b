"""Chats, workflows, readers, Home Assistant, clients of other servers, replayed; for Wyoming see service/api/wyoming.

A replay sends the headers that the client's source sets and no others, so that nothing depends on
what another HTTP library would have added.
"""

import http.client
import io
import json
import wave
from base64 import b64decode
from contextlib import closing
from typing import NamedTuple
from urllib.parse import quote

import httpx
import numpy as np
import pytest

from tests.clients.environment import KEY, LONG, ORIGIN, TEXT, hear, hear_pcm

STRANGERS_KEY = "sk-somebody-elses-0123456789"
JSON = {"Content-Type": "application/json"}
LEFT_OUT = object()
"""The value of a usual field that a request does not have."""
SPEECH = "/v1/audio/speech"
FORMATS = {
    "mp3": ("audio/mpeg", (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")), "pcm": ("audio/pcm", b""),
    "aac": ("audio/aac", (b"\xff\xf1", b"\xff\xf9")), "wav": ("audio/wav", b"RIFF"), "flac": ("audio/flac", b"fLaC"),
    "opus": ("audio/ogg", b"OggS"),
}  # fmt: skip
"""The media type of each format, and how it may begin."""


def bearer(key=KEY):
    return {"Authorization": f"Bearer {key}"}


class Reply(NamedTuple):
    """An answer; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media_type(self):
        return self.headers["content-type"].partition(";")[0]

    def json(self):
        return json.loads(self.body)


def replay(server, method, path, headers, body=None):
    """Send a request, with Host and Content-Length beside the headers; the body becomes JSON."""
    url = httpx.URL(server.url)
    with closing(http.client.HTTPConnection(url.host, url.port, timeout=300)) as connection:
        connection.putrequest(method, path, skip_accept_encoding=True)
        content = None if body is None else json.dumps(body).encode()
        for name, value in {**headers, **({"Content-Length": len(content)} if content else {})}.items():
            connection.putheader(name, value)
        connection.endheaders(content)
        response = connection.getresponse()
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def speaker(headers, key=KEY, path=SPEECH, **usual):
    """Return what speaks as a client does: with its headers and its usual fields, of which others may be given."""

    def say(server, key=key, **fields):
        body = {name: value for name, value in {**usual, **fields}.items() if value is not LEFT_OUT}
        return replay(server, "POST", path, {**headers, **JSON, **({} if key is None else bearer(key))}, body)

    return say


def preflight(server, *names):
    """Ask as a browser does whether a page may send such headers; see that it may."""
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": ",".join(names)}
    reply = replay(server, "OPTIONS", SPEECH, {"Origin": ORIGIN, **asked})
    assert reply.status in (200, 204)
    assert reply.headers["access-control-allow-origin"] == ORIGIN
    assert set(names) <= set(reply.headers["access-control-allow-headers"].lower().split(", "))


def hear_aac(content):
    import av

    with av.open(io.BytesIO(content), format="aac") as container:
        frames = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
    return hear_pcm((np.concatenate(frames) * 32_767).clip(-32_768, 32_767).astype("<i2").tobytes())


def heard(reply):
    """Return the samples of an answer, which begins as its media type does."""
    assert reply.status == 200, reply.body
    ((form, start),) = [(form, start) for form, (kind, start) in FORMATS.items() if kind == reply.media_type]
    assert reply.body.startswith(start)
    return {"pcm": hear_pcm, "aac": hear_aac}.get(form, hear)(reply.body)


def misses(server, say, rows):
    """Return those fields of a client that are not answered with speech in the format of theirs, each with why."""
    missed = []
    for fields in rows:
        try:
            reply = say(server, **fields)
            assert heard(reply).size
            asked = fields.get("response_format")
            assert asked is None or reply.media_type == FORMATS[asked][0]
        except (AssertionError, RuntimeError) as error:  # also those of soundfile
            missed.append((fields, error))
    return missed


# LibreChat, with the providers `openai` and `localai`.
# Read: danny-avila/LibreChat at 6aa8eff and a newer stored TTSService.js; getVoices.js at 00b3bc3.
# Its fields are those of librechat.yaml; undefined ones are left out. It passes the answer on while it comes, as MP3.
# A text from 4,096 characters on is asked for in pieces of at most 1,000.

AXIOS = {
    "Accept": "application/json, text/plain, */*", "Accept-Encoding": "gzip, compress, deflate, br",
    "User-Agent": "axios/1.12",
}  # fmt: skip

librechat = speaker(AXIOS, input=TEXT, model="tts-1")


def test_librechat_speaks_and_names_the_voice_as_the_model(keyed, server):
    assert not misses(keyed, librechat, [
        {"model": "kokoro", "voice": "af_sky"}, {}, {"voice": "nova", "backend": "kokoro"},
        {"model": "bm_george", "backend": "kokoro"},
    ])  # fmt: skip
    assert librechat(keyed, model="bm_george").body == librechat(keyed, voice="bm_george").body != librechat(keyed).body
    # The word for a key that is not set.
    assert heard(librechat(server, "undefined", voice="nova")).size


def test_librechat_joins_the_answers_of_a_long_text(keyed):
    pieces = [librechat(keyed, input=text, voice="nova").body for text in (TEXT, LONG)]
    assert hear(b"".join(pieces)).size >= sum(hear(piece).size for piece in pieces) - 2 * 1_152


# LobeChat and its library @lobehub/tts.
# Read: npm @lobehub/tts 5.1.2; lobehub/lobehub at bb69396 (webapi/tts/openai/route.ts).
# Its server uses openai-node with three fields. The library may also ask from a browser, so the service must let the
# page in; it feeds any answer, errors too, to the audio decoder. A line break becomes a full stop, so a segment may be
# a full stop alone.

STAINLESS = {
    "X-Stainless-Lang": "js", "X-Stainless-Package-Version": "6.49.0", "X-Stainless-OS": "Linux",
    "X-Stainless-Arch": "x64", "X-Stainless-Runtime": "node", "X-Stainless-Retry-Count": "0",
    "X-Stainless-Runtime-Version": "v22.0.0", "X-Stainless-Timeout": "600",
}  # fmt: skip
OPENAIS_VOICES = ["alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer"]

lobechat = speaker({"Accept": "*/*", "User-Agent": "OpenAI/JS 6.49.0", **STAINLESS}, input=TEXT, model="tts-1")
in_a_browser = speaker({"Accept": "*/*", "Origin": ORIGIN}, input=TEXT, model="tts-1", voice="alloy")


def test_lobechats_server_speaks_with_each_voice_of_its_list(keyed):
    assert not misses(keyed, lobechat, [{"voice": voice} for voice in OPENAIS_VOICES])


def test_a_browser_with_lobechats_library_speaks(keyed):
    preflight(keyed, "authorization", "content-type")
    for text in (TEXT, ". "):
        reply = in_a_browser(keyed, input=text)
        assert (reply.status, reply.media_type) == (200, "audio/mpeg")
        assert reply.headers["access-control-allow-origin"] == ORIGIN
        assert reply.body


# n8n's node OpenAI, action "Generate audio".
# Read: npm @n8n/n8n-nodes-langchain 2.41.1, n8n-nodes-base 2.41.2 (the credential), @n8n/backend-network 1.15.1.
# A credential is good if it lists models. The node always sends all five fields, keeps the answer as a stream, and
# takes it for what it asked for.

N8N = {"accept": "*/*", "OpenAI-Organization": "", "User-Agent": "n8n"}
n8n = speaker(N8N, model="tts-1", input=TEXT, voice="alloy", response_format="mp3", speed=1)


def test_n8n_accepts_the_credential_and_speaks_with_all_of_its_lists(keyed):
    for key, status in ((bearer(), 200), (bearer(STRANGERS_KEY), 401)):
        assert replay(keyed, "GET", "/v1/models", {**N8N, **key}).status == status
    voices = ("alloy", "echo", "fable", "nova", "onyx", "shimmer")
    rows = [{"model": model, "voice": voice} for model in ("tts-1", "tts-1-hd") for voice in voices]
    rows += [{"response_format": form} for form in ("mp3", "opus", "aac", "flac")]
    assert not misses(keyed, n8n, [*rows, {"input": LONG, "speed": 4}, {"input": LONG, "speed": 0.3}])


# Open WebUI, with the engine "OpenAI" for speech.
# Read: PyPI open-webui 0.12.4 (routers/audio, utils/headers, the compiled front end); open-webui/open-webui at
# 6adde203 and 01fb3e46, which are older.
# Its server lists models and voices without the key, and falls back to OpenAI's names where that fails; it caches
# what its slim image can decode, which has no FFmpeg. `params` are the free JSON of AUDIO_TTS_OPENAI_PARAMS. Its
# browser asks for one sentence after the other; the first that fails ends the reading.

AIOHTTP = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "Python/3.11 aiohttp"}
FORWARDED = {
    "X-OpenWebUI-User-Name": quote("Zoë Müller"), "X-OpenWebUI-User-Id": "7f1c",
    "X-OpenWebUI-User-Email": "zoe@example.com", "X-OpenWebUI-User-Role": "user",
}  # fmt: skip
"""With ENABLE_FORWARD_USER_INFO_HEADERS."""

open_webui = speaker({**AIOHTTP, **FORWARDED}, input=TEXT, voice="alloy", model="tts-1")


def test_open_webui_lists_models_and_voices_without_the_key(keyed):
    # Version 0.12 asks the first path, older ones the second.
    for path, name in (("/v1/audio/models", "models"), ("/v1/models", "data")):
        listed = replay(keyed, "GET", path, AIOHTTP).json()[name]
        assert {"kokoro", "tts-1", "tts-1-hd"} <= {model["id"] for model in listed}
    voices = {one["id"]: one["name"] for one in replay(keyed, "GET", "/v1/audio/voices", AIOHTTP).json()["voices"]}
    assert {"af_heart", "bm_george", "alloy", "shimmer"} <= set(voices)
    assert all(voices.values())


def test_open_webui_speaks_with_listed_voices_and_what_its_administrator_likes(keyed):
    assert not misses(keyed, open_webui, [
        {"voice": "bm_george"}, {"response_format": "wav"}, {"response_format": "opus"}, {"response_format": "flac"},
        {"response_format": "pcm", "stream": True}, {"speed": "1.2", "lang_code": "a", "backend": "kokoro"},
        {"speed": None, "instructions": "softly", "seed": 7},
        {"normalization_options": {"normalize": True, "url_normalization": False}},
    ])  # fmt: skip


# OpenReader, and its former self OpenReader-WebUI.
# Read: richardr1126/OpenReader-WebUI at 04def62 and 1dcffc8; richardr1126/openreader at 801f0dc, 218e248 and bf74149.
# It speaks through openai-node. Where the list of voices has anything but strings, the new one takes its own list of
# Kokoro's 54. After a 400 or 422 it repeats the request with fewer fields, and sends fewer from then on, so no
# sentence may give one.

openreader = speaker(
    {"Accept": "application/octet-stream", "User-Agent": "OpenAI/JS 6.49.0"}, None,
    model="kokoro", voice="af_sarah", input=TEXT, speed=1, response_format="mp3",
)  # fmt: skip


def test_openreader_is_answered_at_once(server):
    assert not misses(server, openreader, [
        {"language": "en"}, {"language": "es", "voice": "ef_dora", "input": "Un momento."},
        {"voice": "af_heart(0.5)+bf_emma(0.5)"}, {"instructions": "Read as for a child."},
        {"input": LONG, "speed": 0.5}, {"input": LONG, "speed": 3}, {"key": "none"},  # what it says where it has none
    ])  # fmt: skip


# SillyTavern, with its extension "OpenAI compatible" for speech.
# Read: SillyTavern/SillyTavern at 414e28b and 11386ca (extensions/tts/openai-compatible.js), and a newer stored text
# of src/endpoints/openai.js.
# Voices come from a setting with commas, which is split without trimming. Its server sends five fields, an empty key
# where none is set, and takes whatever comes for MP3.

NODE_FETCH = {
    "Accept": "*/*", "Accept-Encoding": "gzip, deflate, br", "User-Agent": "node-fetch", "Connection": "close",
}  # fmt: skip
sillytavern = speaker(NODE_FETCH, "", input=TEXT, response_format="mp3", voice="alloy", speed=1, model="tts-1")


def test_sillytavern_speaks_with_the_voices_of_its_setting_at_both_ends_of_its_slider(server):
    voices = ("alloy", " echo", " Fable", "af_heart", " af_bella(2)+af_sky(1)")
    rows = [{"voice": voice} for voice in voices] + [{"input": LONG, "speed": speed} for speed in (4, 0.25)]
    assert not misses(server, sillytavern, rows)


# beecho01/Kokoro-TTS.
# Read: beecho01/Kokoro-TTS at 99c9d4e, d43893e, 1ccff49 and 46e7375, and a later config flow.
# It was written for Kokoro-FastAPI, and sends that server's fields with every request.

HOME_ASSISTANT = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "HomeAssistant"}
kokoro_tts = speaker(
    HOME_ASSISTANT, model="kokoro", input=TEXT, voice="af_heart", response_format="wav", download_format="wav",
    speed=0.9, stream=False, lang_code="a",
)  # fmt: skip


def test_kokoro_tts_is_set_up_and_fills_its_lists(keyed, server):
    for key, status in ((bearer(), 200), (bearer(STRANGERS_KEY), 401)):
        assert replay(keyed, "GET", "/v1/models", {**HOME_ASSISTANT, **key}).status == status
    # Where no key is set, it sends none.
    assert replay(server, "GET", "/v1/models", HOME_ASSISTANT).status == 200
    models = replay(keyed, "GET", "/v1/models", {**HOME_ASSISTANT, **bearer()}).json()["data"]
    assert "kokoro" in [model["id"] for model in models]
    voices = replay(keyed, "GET", "/v1/audio/voices", {**HOME_ASSISTANT, **bearer()}).json()["voices"]
    assert "af_heart" in [voice if isinstance(voice, str) else voice["id"] for voice in voices]


def test_kokoro_tts_speaks_as_it_is_set_up_in_each_format_of_its_list(keyed):
    formats = [{"response_format": form, "download_format": form} for form in ("mp3", "wav", "opus", "flac", "pcm")]
    assert not misses(keyed, kokoro_tts, [
        *formats, {"lang_code": LEFT_OUT}, {"lang_code": LEFT_OUT, "stream": LEFT_OUT},  # d43893e, 1ccff49
        {"lang_code": "b", "voice": "bf_emma"}, {"lang_code": "e", "voice": "ef_dora", "input": "Un momento."},
        {"voice": "af_bella(2)+af_sky(1)"}, {"input": LONG, "speed": 4.0}, {"input": LONG, "speed": 0.25},
    ])  # fmt: skip


# sfortis/openai_tts.
# Read: sfortis/openai_tts at 133236b, b3b3ebf, 8301df4, 28d4fdc and 917b282, and newer stored texts of
# openaitts_engine.py, config_flow.py, voice_listing.py, const.py and tts.py.
# A key is tried with the text ".". Voices are listed beside the speech path. The first bytes of the audio are checked
# for the format; errors of a voice become a notice to repair it. The user may add fields.

AGENT = {"User-Agent": "HomeAssistant-OpenAI-TTS"}
openai_tts = speaker(AGENT, input=TEXT, model="kokoro", voice="af_heart", response_format="mp3")


def test_openai_tts_keeps_a_key_that_says_a_full_stop_and_lists_voices(keyed):
    body = {"model": "tts-1", "input": ".", "voice": "alloy", "response_format": "mp3"}
    for key, status in ((bearer(), 200), (bearer(STRANGERS_KEY), 401)):
        assert replay(keyed, "POST", SPEECH, {**JSON, **key}, body).status == status
    listed = replay(keyed, "GET", "/v1/audio/voices?limit=100", {**AGENT, **bearer()}).json()
    listed = listed.get("items") or listed.get("data") or listed["voices"]
    assert {"af_heart", "bf_emma", "alloy"} <= {voice.get("id") or voice["voice_id"] for voice in listed}


def test_openai_tts_speaks_as_it_is_set_up_in_each_format(keyed):
    assert not misses(keyed, openai_tts, [
        *({"response_format": form} for form in ("mp3", "opus", "aac", "flac", "pcm", "wav")), {"voice": LEFT_OUT},
        {"voice": "af_bella(2)+af_sky(1)"}, {"input": LONG, "speed": 0.25}, {"input": LONG, "speed": 4.0},
        {"instructions": "Softly."}, {"lang_code": "b", "volume_multiplier": 1.5}, {"chunk_size": 200, "seed": -1},
    ])  # fmt: skip


def test_openai_tts_reads_events_to_their_end_mark(keyed):
    """One stored text of it asks for events, and fails without `[DONE]`."""
    events = speaker({**AGENT, "Accept": "text/event-stream"}, response_format="pcm", stream_format="sse")
    reply = events(keyed, input=TEXT, model="kokoro", voice="af_heart")
    assert reply.status == 200
    lines = [line.removeprefix("data: ") for line in reply.body.decode().splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    events = [json.loads(line) for line in lines[:-1]]
    deltas = [event["audio"] for event in events if event["type"] == "speech.audio.delta"]
    assert hear_pcm(b"".join(b64decode(delta) for delta in deltas)).size


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


def test_kokoro_fastapis_names_of_word_times(server):
    answer = kokoro_fastapi(server, response_format="wav", return_timestamps=True, stream=False).json()
    assert answer["audio_format"] == "audio/wav"
    samples = hear(b64decode(answer["audio"]))
    words = answer["timestamps"]
    assert [word["word"] for word in words] == ["One", "moment", "please"]
    times = [time for word in words for time in (word["start_time"], word["end_time"])]
    assert times == sorted(times)
    assert 0 <= times[0] < times[-1] <= samples.size / 24_000


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


# wyoming_openai, the bridge from Wyoming to OpenAI's API.
# Read: roryeckel/wyoming_openai at 099e57c (compatibility.py, handler.py, const.py), 66c3211 (an older
# compatibility.py), 071fdc4 and 5fc4a2b.
# At its start it finds out, without the key, whose server it talks to: first LocalAI, then Speaches, then Kokoro. It
# asks for WAV always, and passes on the samples while they come.

PROBE = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "AsyncOpenAI/Python"}


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


wyoming_openai = speaker(
    {
        "Accept": "application/octet-stream", "User-Agent": "AsyncOpenAI/Python 2.37.0", "X-Stainless-Lang": "python",
        "X-Stainless-Async": "async:asyncio", "x-stainless-retry-count": "0",
    },
    model="kokoro", voice="af_heart", input=TEXT, response_format="wav",
)  # fmt: skip


def test_wyoming_openai_speaks_whole_and_in_a_stream(keyed):
    assert not misses(keyed, wyoming_openai, [
        {}, {"speed": 0.9}, {"instructions": "Calmly."},
        {"lang_code": "b", "stream": True, "normalization_options": {"normalize": True}},
    ])  # fmt: skip
