"""Home Assistant with the integration sfortis/openai_tts.

Read: sfortis/openai_tts at 133236b, b3b3ebf, 8301df4, 28d4fdc and 917b282, and newer stored texts
of openaitts_engine.py, config_flow.py, voice_listing.py, const.py and tts.py.

A key is tried with the text ".". Voices are listed beside the speech path. The first bytes of the
audio are checked for the format; errors of a voice become a notice to repair it.
"""

import io
import json
import wave
from base64 import b64decode

import pytest
from tests.clients.replay import JSON, LONG, TEXT, bearer, hear, hear_aac, hear_pcm, replay

AGENT = {"User-Agent": "HomeAssistant-OpenAI-TTS"}

KOKORO = {"model": "kokoro", "voice": "af_heart", "response_format": "mp3"}
"""Its preset for Kokoro."""

GONE = {"invalid_voice", "voice_not_found", "voice_deleted", "voice_does_not_exist"}


def say(server, extra=None, **fields):
    """Speak; `extra` is the user's `extra_payload`. A field of None is left out."""
    body = {"input": TEXT, **KOKORO, **fields, **(extra or {})}
    body = {name: value for name, value in body.items() if value is not None}
    return replay(server, "POST", "/v1/audio/speech", {**AGENT, **JSON, **bearer()}, body)


def voice_ids(server):
    headers = {**AGENT, **bearer()}
    listed = replay(server, "GET", "/v1/audio/voices?limit=100", headers).json()
    if isinstance(listed, dict):
        listed = listed.get("items") or listed.get("data") or listed["voices"]
    return [voice if isinstance(voice, str) else voice.get("id") or voice["voice_id"] for voice in listed]


def is_of(audio_format, start):
    """Tell whether audio begins as its format does."""
    if audio_format in ("mp3", "aac") and start[0] == 0xFF and start[1] & 0xE0 == 0xE0:
        return True
    starts = {"mp3": b"ID3", "opus": b"OggS", "flac": b"fLaC", "wav": b"RIFF", "pcm": b""}
    return audio_format in starts and start.startswith(starts[audio_format])


def test_openai_tts_keeps_a_key_that_says_a_full_stop(keyed):
    body = {"model": "tts-1", "input": ".", "voice": "alloy", "response_format": "mp3"}
    headers = {**JSON, **bearer()}
    assert replay(keyed, "POST", "/v1/audio/speech", headers, body).status == 200
    wrong = {**JSON, **bearer("sk-somebody-elses-0123456789")}
    assert replay(keyed, "POST", "/v1/audio/speech", wrong, body).status == 401


def test_openai_tts_lists_voices(keyed):
    assert {"af_heart", "bf_emma", "alloy"} <= set(voice_ids(keyed))


@pytest.mark.parametrize("audio_format", ["mp3", "opus", "aac", "flac", "pcm"])
def test_openai_tts_takes_each_format(keyed, audio_format):
    reply = say(keyed, response_format=audio_format)
    assert reply.status == 200, reply.body
    assert is_of(audio_format, reply.body[:1024])
    hearing = {"aac": hear_aac, "pcm": hear_pcm}.get(audio_format, hear)
    assert hearing(reply.body).size


def test_openai_tts_reads_wav_whole_and_repairs_its_length(keyed):
    content = bytearray(say(keyed, response_format="wav").body)
    place = content.index(b"data")
    if content[place + 4 : place + 8] == b"\xff\xff\xff\xff":
        content[place + 4 : place + 8] = (len(content) - place - 8).to_bytes(4, "little")
        content[4:8] = (len(content) - 8).to_bytes(4, "little")
    with wave.open(io.BytesIO(bytes(content))) as file:
        assert file.getparams()[:3] == (1, 2, 24_000)
        assert hear_pcm(file.readframes(file.getnframes())).size


@pytest.mark.parametrize("fields", [
    pytest.param({"voice": None}, id="no-voice"), pytest.param({"voice": "af_bella(2)+af_sky(1)"}, id="blend"),
    pytest.param({"input": LONG, "speed": 0.25}, id="slow"), pytest.param({"input": LONG, "speed": 4.0}, id="quick"),
    pytest.param({"instructions": "Softly."}, id="instructions"),
    pytest.param({"extra": {"lang_code": "b", "volume_multiplier": 1.5}}, id="extra"),
    pytest.param({"extra": {"chunk_size": 200, "seed": -1}}, id="unknown-extra"),
])  # fmt: skip
def test_openai_tts_speaks_as_it_is_set_up(keyed, fields):
    reply = say(keyed, **fields)
    assert reply.status == 200, reply.body
    assert is_of("mp3", reply.body)
    assert hear(reply.body).size


def test_openai_tts_reads_events_to_their_end_mark(keyed):
    """One stored text of it asks for events, and fails without `[DONE]`."""
    body = {"input": TEXT, **KOKORO, "response_format": "pcm", "stream_format": "sse"}
    headers = {**AGENT, **JSON, **bearer(), "Accept": "text/event-stream"}
    reply = replay(keyed, "POST", "/v1/audio/speech", headers, body)
    assert reply.status == 200
    lines = [line.removeprefix("data: ") for line in reply.body.decode().splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    events = [json.loads(line) for line in lines[:-1]]
    deltas = [event["audio"] for event in events if event["type"] == "speech.audio.delta"]
    assert hear_pcm(b"".join(b64decode(delta) for delta in deltas)).size


def test_openai_tts_tells_that_a_voice_is_gone(keyed):
    reply = say(keyed, voice="af_hart")
    assert 400 <= reply.status < 500
    assert reply.status not in (401, 402, 403, 429)
    error = reply.json()["error"]
    assert {error.get("type"), error["code"]} & GONE or "unknown voice" in error["message"]
