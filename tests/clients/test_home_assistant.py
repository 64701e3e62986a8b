"""Home Assistant: its integrations Kokoro-TTS, openai_tts and Wyoming Protocol."""

import asyncio
import io
import json
import wave
from base64 import b64decode

import pytest
from tests.clients.replay import (
    JSON,
    LEFT_OUT,
    LONG,
    PUNCTUATION,
    SPEECH,
    STRANGERS_KEY,
    TEXT,
    bearer,
    hear,
    hear_pcm,
    heard,
    misses,
    replay,
    speaker,
)  # fmt: skip
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice

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


def test_kokoro_tts_changes_the_volume(keyed):
    usual, soft = (heard(kokoro_tts(keyed, volume_multiplier=v)).astype(float) for v in (1.0, 0.5))
    assert abs(soft - usual / 2).max() <= 1


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


# Wyoming Protocol, by the package `wyoming` that it uses.
# Read: PyPI homeassistant 2026.11.0 (components/wyoming/data.py, tts.py, config_flow.py), PyPI wyoming 1.10.2.
# It asks for the description on a connection of its own, takes the first program that is installed, and sends a voice
# only if the user chose one. Where the program takes text in parts, every text goes in parts, with the whole text once
# more before the end.

VOICES = (None, SynthesizeVoice(name="bm_george"))


class ServiceFailedError(Exception):
    """What Home Assistant shows to the user."""


def run(talk):
    return asyncio.run(asyncio.wait_for(talk, 240))


@pytest.fixture(scope="module")
def wyoming(start_server):
    """Host and port of a server that speaks Wyoming."""
    server = start_server("--wyoming", "tcp://127.0.0.1:0")
    host, _, port = server.wait_for(r"wyoming on tcp://(\S+)").rpartition(":")
    server.wait_until_ready()
    yield host, int(port)
    assert server.stop() == 0


async def events_of(client):
    """Yield what comes until the connection is closed; an error raises."""
    while (event := await client.read_event()) is not None:
        if Error.is_type(event.type):
            raise ServiceFailedError(Error.from_event(event).text)
        yield event


async def describe(address):
    async with AsyncTcpClient(*address) as client:
        await client.write_event(Describe().event())
        async for event in events_of(client):
            if Info.is_type(event.type):
                info = Info.from_event(event)
                assert info.satellite is None
                return next(program for program in info.tts if program.installed)
    raise AssertionError("the connection was closed")


async def say_whole(address, text, voice):
    """Speak a text at once; return a WAV file in the format of the first chunk, None where the connection broke."""
    content, chunks = io.BytesIO(), []
    async with AsyncTcpClient(*address) as client:
        await client.write_event(Synthesize(text=text, voice=voice).event())
        async for event in events_of(client):
            if AudioStop.is_type(event.type):
                with wave.open(content, "wb") as file:
                    file.setparams((chunks[0].channels, chunks[0].width, chunks[0].rate, 0, "NONE", ""))
                    file.writeframes(b"".join(chunk.audio for chunk in chunks))
                return content.getvalue()
            if AudioChunk.is_type(event.type):
                chunks.append(AudioChunk.from_event(event))
    return None


async def say_in_parts(address, parts, voice):
    """Speak a text while it is written; return the first start, and the samples after it."""
    async with AsyncTcpClient(*address) as client:

        async def write():
            await client.write_event(SynthesizeStart(voice=voice).event())
            for part in parts:
                await client.write_event(SynthesizeChunk(text=part).event())
            await client.write_event(Synthesize(text="".join(parts), voice=voice).event())
            await client.write_event(SynthesizeStop().event())

        writing = asyncio.create_task(write())
        start, samples = None, b""
        async for event in events_of(client):
            if start is not None and AudioChunk.is_type(event.type):
                samples += AudioChunk.from_event(event).audio
            elif start is None and AudioStart.is_type(event.type):
                start = AudioStart.from_event(event)
            elif SynthesizeStopped.is_type(event.type):
                break
        await writing
        return start, samples


def test_home_assistant_offers_each_voice_in_its_language(wyoming):
    program = run(describe(wyoming))
    assert program.name == "kokoro"
    assert all((program.attribution.url, program.version, program.supports_synthesize_streaming))
    offered = {}  # what people choose from: title and name of the voices of each language
    for voice in program.voices:
        for language in voice.languages if voice.installed else ():
            offered.setdefault(language, []).append((voice.description or voice.name, voice.name))
    assert {"en-US", "en-GB", "es", "pt-BR"} <= set(offered)
    assert "bm_george" in [name for _, name in offered["en-GB"]]
    for voices in offered.values():
        assert len({title for title, _ in voices}) == len(voices)


@pytest.mark.parametrize("voice", VOICES, ids=str)
def test_home_assistant_speaks_at_once_and_in_parts(wyoming, voice):
    content = run(say_whole(wyoming, TEXT, voice))
    assert content is not None
    assert hear(content).size
    for parts in ([LONG], [LONG[:3], LONG[3:21], LONG[21:]], [word + " " for word in LONG.split()]):
        start, samples = run(say_in_parts(wyoming, parts, voice))
        assert start is not None
        assert (start.rate, start.width, start.channels) == (24_000, 2, 1)
        assert hear_pcm(samples).size > 2 * start.rate


def test_home_assistant_is_told_of_a_voice_that_is_not_there(wyoming):
    nobody = SynthesizeVoice(name="af_hart")
    for say, text in ((say_whole, TEXT), (say_in_parts, [TEXT])):
        with pytest.raises(ServiceFailedError, match="did you mean af_heart"):
            run(say(wyoming, text, nobody))


def test_home_assistant_hears_the_end_of_a_text_of_punctuation(wyoming):
    start, samples = run(say_in_parts(wyoming, [PUNCTUATION], None))
    assert samples == b"" or start is not None
