"""Open WebUI, with the engine "OpenAI" for speech.

Read: PyPI open-webui 0.12.4 (routers/audio, utils/headers, the compiled front end);
open-webui/open-webui at 6adde203 and 01fb3e46, which are older.

Its server lists models and voices without the key, and falls back to OpenAI's names where that
fails. Its browser asks for one sentence after the other; the first that fails ends the reading.
"""

from urllib.parse import quote

import pytest
from tests.clients.replay import JSON, LONG, PUNCTUATION, TEXT, bearer, hear, hear_pcm, replay

AIOHTTP = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "Python/3.11 aiohttp"}

FORWARDED = {
    "X-OpenWebUI-User-Name": quote("Zoë Müller"), "X-OpenWebUI-User-Id": "7f1c",
    "X-OpenWebUI-User-Email": "zoe@example.com", "X-OpenWebUI-User-Role": "user",
}  # fmt: skip
"""With ENABLE_FORWARD_USER_INFO_HEADERS."""


def models(server):
    """List the models as version 0.12 does; older ones ask the first path only."""
    reply = replay(server, "GET", "/v1/audio/models", AIOHTTP)
    if reply.status >= 400:
        reply = replay(server, "GET", "/v1/models", AIOHTTP)
    listed = reply.json()
    return [model["id"] for model in listed.get("models") or listed["data"]]


def voices(server):
    reply = replay(server, "GET", "/v1/audio/voices", AIOHTTP)
    assert reply.status < 400
    return {voice["id"]: voice["name"] for voice in reply.json()["voices"]}


def say(server, text, params=None, voice="alloy"):
    """Speak a sentence; `params` are the free JSON of AUDIO_TTS_OPENAI_PARAMS."""
    body = {"input": text, "voice": voice, "model": "tts-1", **(params or {})}
    headers = {**AIOHTTP, **JSON, **bearer(), **FORWARDED}
    return replay(server, "POST", "/v1/audio/speech", headers, body)


def stored(reply):
    """Decode what its server would put into its cache."""
    assert reply.status == 200
    if reply.media_type in ("audio/pcm", "audio/l16", "audio/raw"):
        return hear_pcm(reply.body)
    # What its slim image takes, which has no FFmpeg.
    assert reply.media_type in {
        *("audio/mpeg", "audio/mp3", "audio/wav", "audio/x-wav", "audio/ogg", "audio/opus"),
        *("audio/webm", "audio/flac", "audio/aac", "audio/mp4"),
    }
    return hear(reply.body)


def test_open_webui_lists_models_and_voices_without_the_key(keyed):
    assert {"kokoro", "tts-1", "tts-1-hd"} <= set(models(keyed))
    listed = voices(keyed)
    assert {"af_heart", "bm_george", "alloy", "shimmer"} <= set(listed)
    assert all(listed.values())


def test_open_webui_reads_aloud_with_a_voice_it_has_listed(keyed):
    for voice in ("bm_george", "alloy"):
        reply = say(keyed, TEXT, voice=voice)
        assert reply.media_type == "audio/mpeg"
        assert stored(reply).size


@pytest.mark.parametrize("params", [
    {"response_format": "wav"}, {"response_format": "opus"}, {"response_format": "flac"},
    {"response_format": "pcm", "stream": True}, {"speed": "1.2", "lang_code": "a", "backend": "kokoro"},
    {"speed": None, "instructions": "softly", "seed": 7},
    {"normalization_options": {"normalize": True, "url_normalization": False}},
])  # fmt: skip
def test_open_webui_adds_what_its_administrator_likes(keyed, params):
    assert stored(say(keyed, TEXT, params)).size


def test_open_webui_reads_on_after_a_sentence_of_punctuation(keyed):
    replies = [say(keyed, sentence) for sentence in (TEXT, PUNCTUATION, LONG)]
    assert [reply.status for reply in replies] == [200, 200, 200]
    assert all(reply.media_type == "audio/mpeg" and reply.body for reply in replies)


def test_open_webui_shows_the_message_of_an_error(keyed):
    reply = say(keyed, TEXT, voice="af_hart")
    assert reply.status >= 400
    assert "did you mean af_heart?" in f"External: {reply.json()['error']['message']}"
