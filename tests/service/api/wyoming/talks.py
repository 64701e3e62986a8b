"""Clients of Wyoming, by the package that Home Assistant uses, with texts to say to them."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncClient
from wyoming.error import Error
from wyoming.event import Event
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeVoice

T = TypeVar("T")

GUARD_S = 240
"""Who waits for longer hangs."""

SHORT = "Good day."
LONG = " ".join(["The birch canoe slid on the smooth planks, and nobody saw it go."] * 12)


class Talk:
    """A connection; `heard` has every event that came."""

    def __init__(self, uri):
        self.client = AsyncClient.from_uri(uri)
        self.heard: list[Event] = []

    async def __aenter__(self):
        await self.client.connect()
        return self

    async def __aexit__(self, kind, error, trace):
        await self.client.disconnect()

    async def send(self, *events):
        for event in events:
            await self.client.write_event(event.event())

    async def send_raw(self, content):
        writer = self.client._writer
        assert writer is not None
        writer.write(content)
        await writer.drain()

    async def receive(self):
        event = await self.client.read_event()
        assert event is not None, "the connection is closed"
        self.heard.append(event)
        return event

    async def until(self, kind):
        """Receive up to the next event of a kind."""
        while (event := await self.receive()).type != kind:
            pass
        return event

    async def until_closed(self):
        """Receive everything up to the end of the connection."""
        while (event := await self.client.read_event()) is not None:
            self.heard.append(event)

    async def say(self, text, **voice):
        """Have a text synthesized; return its samples."""
        await self.send(whole(text, **voice))
        n_before = len(self.heard)
        await self.until("audio-stop")
        return pcm(self.heard[n_before:])

    async def say_in_parts(self, *parts, **voice):
        """Have a text synthesized as Home Assistant does; return its samples."""
        n_before = len(self.heard)
        await self.send(start(**voice), *map(SynthesizeChunk, parts), whole("".join(parts)), SynthesizeStop())
        await self.until("synthesize-stopped")
        return pcm(self.heard[n_before:])

    @property
    def kinds(self):
        """The types of what was heard, with runs of chunks as one."""
        kinds: list[str] = []
        for event in self.heard:
            if not (AudioChunk.is_type(event.type) and kinds[-1:] == [event.type]):
                kinds.append(event.type)
        return kinds

    @property
    def error(self):
        """The last error that was heard."""
        return Error.from_event([event for event in self.heard if event.type == "error"][-1])


def whole(text, **voice):
    return Synthesize(text, SynthesizeVoice(**voice) if voice else None)


def start(**voice):
    return SynthesizeStart(SynthesizeVoice(**voice) if voice else None)


def pcm(events):
    """Return the samples of events, which begin and end as they must and tell the right times."""
    starts = [AudioStart.from_event(event) for event in events if AudioStart.is_type(event.type)]
    chunks = [AudioChunk.from_event(event) for event in events if AudioChunk.is_type(event.type)]
    (stop,) = (AudioStop.from_event(event) for event in events if AudioStop.is_type(event.type))
    n_bytes = 0
    for chunk in [*starts, *chunks]:
        assert (chunk.rate, chunk.width, chunk.channels) == (24_000, 2, 1)
        assert chunk.timestamp == n_bytes * 1000 // 48_000
        n_bytes += len(chunk.audio) if isinstance(chunk, AudioChunk) else 0
    assert stop.timestamp == n_bytes * 1000 // 48_000
    assert len(starts) == 1
    return b"".join(chunk.audio for chunk in chunks)


def run(talking):
    """Run a test's talk to its end."""
    return asyncio.run(asyncio.wait_for(talking, GUARD_S))
