"""Home Assistant's integration Wyoming Protocol, by the package `wyoming` that it uses.

Read: PyPI homeassistant 2026.11.0 (components/wyoming/data.py, tts.py, config_flow.py), PyPI
wyoming 1.10.2.

It asks for the description on a connection of its own, takes the first program that is installed,
and sends a voice only if the user chose one. Where the program takes text in parts, every text goes
in parts, with the whole text once more before the end.
"""

import asyncio
import io
import wave

import pytest
from tests.clients.replay import LONG, PUNCTUATION, TEXT, hear, hear_pcm
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice


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


async def describe(address):
    async with AsyncTcpClient(*address) as client:
        await client.write_event(Describe().event())
        while (event := await client.read_event()) is not None:
            if Info.is_type(event.type):
                info = Info.from_event(event)
                assert info.satellite is None
                return next(program for program in info.tts if program.installed)
    raise AssertionError("the connection was closed")


def voices_by_language(program):
    """Return what people choose from: title and id of the voices of each language."""
    found = {}
    for voice in program.voices:
        for language in voice.languages if voice.installed else ():
            found.setdefault(language, []).append((voice.description or voice.name, voice.name))
    return {language: sorted(voices) for language, voices in found.items()}


def as_wav(chunks):
    """Return a file in the format of the first chunk."""
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setframerate(chunks[0].rate)
        file.setsampwidth(chunks[0].width)
        file.setnchannels(chunks[0].channels)
        for chunk in chunks:
            file.writeframes(chunk.audio)
    return content.getvalue()


async def say_whole(address, text, voice):
    """Speak a text at once; return a WAV file, None where the connection broke."""
    async with AsyncTcpClient(*address) as client:
        await client.write_event(Synthesize(text=text, voice=voice).event())
        chunks = []
        while (event := await client.read_event()) is not None:
            if Error.is_type(event.type):
                raise ServiceFailedError(Error.from_event(event).text)
            if AudioStop.is_type(event.type):
                return as_wav(chunks)
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
        while (event := await client.read_event()) is not None:
            if Error.is_type(event.type):
                raise ServiceFailedError(Error.from_event(event).text)
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
    assert program.attribution.url
    assert program.version
    assert program.supports_synthesize_streaming
    offered = voices_by_language(program)
    assert {"en-US", "en-GB", "es", "pt-BR"} <= set(offered)
    assert "bm_george" in [name for _, name in offered["en-GB"]]
    for voices in offered.values():
        titles = [title for title, _ in voices]
        assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("voice", [None, SynthesizeVoice(name="bm_george")], ids=str)
def test_home_assistant_speaks_at_once(wyoming, voice):
    content = run(say_whole(wyoming, TEXT, voice))
    assert content is not None
    assert hear(content).size


@pytest.mark.parametrize("voice", [None, SynthesizeVoice(name="bm_george")], ids=str)
@pytest.mark.parametrize(
    "parts",
    [[LONG], [LONG[:3], LONG[3:21], LONG[21:]], [word + " " for word in LONG.split()]],
    ids=["one", "three", "words"],
)
def test_home_assistant_speaks_in_parts(wyoming, parts, voice):
    start, samples = run(say_in_parts(wyoming, parts, voice))
    assert start is not None
    assert (start.rate, start.width, start.channels) == (24_000, 2, 1)
    assert hear_pcm(samples).size > 2 * start.rate


def test_home_assistant_is_told_of_a_voice_that_is_not_there(wyoming):
    nobody = SynthesizeVoice(name="af_hart")
    with pytest.raises(ServiceFailedError, match="did you mean af_heart"):
        run(say_whole(wyoming, TEXT, nobody))
    with pytest.raises(ServiceFailedError, match="did you mean af_heart"):
        run(say_in_parts(wyoming, [TEXT], nobody))


def test_home_assistant_hears_the_end_of_a_text_of_punctuation(wyoming):
    start, samples = run(say_in_parts(wyoming, [PUNCTUATION], None))
    assert samples == b"" or start is not None
