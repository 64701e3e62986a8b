"""Home Assistant: its integrations Kokoro-TTS and openai_tts; that of Wyoming is replayed in service/api/wyoming."""

import json
from base64 import b64decode

from tests.clients.replay import (
    JSON,
    LEFT_OUT,
    LONG,
    SPEECH,
    STRANGERS_KEY,
    TEXT,
    bearer,
    hear_pcm,
    misses,
    replay,
    speaker,
)  # fmt: skip

# beecho01/Kokoro-TTS.
# Read: beecho01/Kokoro-TTS at 99c9d4e, d43893e, 1ccff49 and 46e7375, and a later config flow.
# It was written for Kokoro-FastAPI, and sends that server's fields with every request.

AIOHTTP = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "HomeAssistant"}
kokoro_tts = speaker(
    AIOHTTP, model="kokoro", input=TEXT, voice="af_heart", response_format="wav", download_format="wav", speed=0.9,
    stream=False, lang_code="a",
)  # fmt: skip


def test_kokoro_tts_is_set_up_and_fills_its_lists(keyed, server):
    for key, status in ((bearer(), 200), (bearer(STRANGERS_KEY), 401)):
        assert replay(keyed, "GET", "/v1/models", {**AIOHTTP, **key}).status == status
    # Where no key is set, it sends none.
    assert replay(server, "GET", "/v1/models", AIOHTTP).status == 200
    models = replay(keyed, "GET", "/v1/models", {**AIOHTTP, **bearer()}).json()["data"]
    assert "kokoro" in [model["id"] for model in models]
    voices = replay(keyed, "GET", "/v1/audio/voices", {**AIOHTTP, **bearer()}).json()["voices"]
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
GONE = {"invalid_voice", "voice_not_found", "voice_deleted", "voice_does_not_exist"}


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


def test_openai_tts_tells_that_a_voice_is_gone(keyed):
    reply = openai_tts(keyed, voice="af_hart")
    assert 400 <= reply.status < 500
    assert reply.status not in (401, 402, 403, 429)
    error = reply.json()["error"]
    assert {error.get("type"), error["code"]} & GONE or "unknown voice" in error["message"]
