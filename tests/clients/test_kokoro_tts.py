"""Home Assistant with the integration beecho01/Kokoro-TTS.

Read: beecho01/Kokoro-TTS at 99c9d4e, d43893e, 1ccff49 and 46e7375, and a later config flow.

It was written for Kokoro-FastAPI, and sends that server's fields with every request.
"""

import base64

import pytest
from tests.clients.replay import JSON, LONG, TEXT, bearer, hear, hear_pcm, replay

AIOHTTP = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "HomeAssistant"}


def is_set_up(server, key):
    """Try a server as the set-up does; return what it would complain of."""
    headers = AIOHTTP if key in (None, "", "x", "not-needed") else {**AIOHTTP, **bearer(key)}
    status = replay(server, "GET", "/v1/models", headers).status
    return {401: "invalid_auth", 404: "cannot_connect"}.get(status, "server_error" if status >= 500 else "")


def say(server, **fields):
    """Speak with the newest version's fields; one of None is left out."""
    body = {
        "model": "kokoro", "input": TEXT, "voice": "af_heart", "response_format": "wav",
        "download_format": fields.get("response_format", "wav"), "speed": 0.9, "stream": False,
        "lang_code": "a", **fields,
    }  # fmt: skip
    body = {name: value for name, value in body.items() if value is not None}
    reply = replay(server, "POST", "/v1/audio/speech", {**AIOHTTP, **JSON, **bearer()}, body)
    assert reply.status == 200, reply.body
    if reply.media_type == "application/json":
        return base64.b64decode(reply.json()["audio"])
    return reply.body


def test_kokoro_tts_is_set_up_and_fills_its_lists(keyed):
    assert is_set_up(keyed, "sk-kokoro-0123456789abcdef") == ""
    assert is_set_up(keyed, "sk-somebody-elses-0123456789") == "invalid_auth"
    models = replay(keyed, "GET", "/v1/models", {**AIOHTTP, **bearer()}).json()["data"]
    assert "kokoro" in [model["id"] for model in models]
    voices = replay(keyed, "GET", "/v1/audio/voices", {**AIOHTTP, **bearer()}).json()["voices"]
    assert "af_heart" in [voice if isinstance(voice, str) else voice["id"] for voice in voices]


def test_kokoro_tts_is_set_up_without_a_key(server):
    for key in (None, "", "x", "not-needed"):
        assert is_set_up(server, key) == ""


@pytest.mark.parametrize("audio_format", ["mp3", "wav", "opus", "flac", "pcm"])
def test_kokoro_tts_gets_each_format_of_its_list_whole(keyed, audio_format):
    content = say(keyed, response_format=audio_format)
    assert (hear_pcm if audio_format == "pcm" else hear)(content).size


@pytest.mark.parametrize("fields", [
    pytest.param({"lang_code": None}, id="d43893e"), pytest.param({"lang_code": None, "stream": None}, id="1ccff49"),
    pytest.param({"lang_code": "b", "voice": "bf_emma"}, id="british"),
    pytest.param({"lang_code": "e", "voice": "ef_dora", "input": "Un momento."}, id="spanish"),
    pytest.param({"voice": "af_bella(2)+af_sky(1)"}, id="blend"),
    pytest.param({"input": LONG, "speed": 4.0}, id="quick"), pytest.param({"input": LONG, "speed": 0.25}, id="slow"),
])  # fmt: skip
def test_kokoro_tts_speaks_as_it_is_set_up(keyed, fields):
    assert hear(say(keyed, **fields)).size


def test_kokoro_tts_changes_the_volume(keyed):
    usual, soft = (hear(say(keyed, volume_multiplier=v)).astype(float) for v in (1.0, 0.5))
    assert abs(soft - usual / 2).max() <= 1
