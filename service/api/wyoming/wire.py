"""Wyoming's events on a connection, within bounds."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import anyio
from wyoming.event import Event, async_write_event

from service.api.patience import StalledError, send_patiently
from service.api.schemas import without_halves


class MalformedEventError(Exception):
    """What came is no event. Its message is for the client."""


class IdleError(Exception):
    """Nothing came for too long."""


class Wire:
    """One end of a connection.

    Args:
        reader: of the stream; its limit bounds the length of a header, and of the data and the
            payload after it.
        writer: of the stream.
        max_event_bytes: that limit.
        receive_timeout_s: seconds for the rest of an event after its first byte.
        send_timeout_s: seconds until a client that reads nothing is given up.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        max_event_bytes: int,
        receive_timeout_s: float,
        send_timeout_s: float,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._max_event_bytes = max_event_bytes
        self._receive_timeout_s = receive_timeout_s
        self._send_timeout_s = send_timeout_s
        self._sending = asyncio.Lock()
        self._is_closed = False

    async def receive(self, idle_s: float) -> Event | None:
        """Wait for the next event; return None where the client has left.

        Args:
            idle_s: seconds until its first byte.

        Raises:
            IdleError: it did not begin in time.
            MalformedEventError: it is none, too long, or did not end in time.
            ConnectionError: the connection broke.
        """
        with anyio.move_on_after(idle_s) as waiting:
            first = await self._reader.read(1)
        if waiting.cancelled_caught:
            raise IdleError
        if not first:
            return None
        with anyio.move_on_after(self._receive_timeout_s):
            try:
                return await self._receive(first)
            except asyncio.IncompleteReadError:
                return None
        raise MalformedEventError(f"an event did not end within {self._receive_timeout_s:g} s")

    async def _receive(self, first: bytes) -> Event:
        try:
            line = first if first == b"\n" else first + await self._reader.readuntil()
        except asyncio.LimitOverrunError:
            raise MalformedEventError("the header is too long") from None
        header = _parse(line, "header")
        kind = header.get("type")
        if not isinstance(kind, str):
            raise MalformedEventError("the header has no type")
        data = {} if header.get("data") is None else header["data"]
        if not isinstance(data, dict):
            raise MalformedEventError("the data is not an object")
        content = await self._receive_bytes(header, "data_length")
        await self._receive_bytes(header, "payload_length")  # nothing here takes audio
        return Event(kind, {**data, **_parse(content, "data")} if content else data)

    async def _receive_bytes(self, header: dict[str, Any], name: str) -> bytes:
        length = 0 if header.get(name) is None else header[name]
        if type(length) is not int or not 0 <= length <= self._max_event_bytes:
            raise MalformedEventError(f"{name} is not a number from 0 to {self._max_event_bytes}")
        return await self._reader.readexactly(length)

    async def send(self, event: Event) -> None:
        """Send an event.

        Raises:
            StalledError: the client reads nothing.
            ConnectionError: the connection broke.
        """
        async with self._sending:
            await send_patiently(async_write_event(event, self._writer), self._send_timeout_s)

    async def close(self) -> None:
        """Close the connection when the client has read what was sent, or after a time."""
        self._writer.close()
        try:
            with contextlib.suppress(OSError):
                await send_patiently(self._writer.wait_closed(), self._send_timeout_s)
            self._is_closed = True
        except StalledError:
            self.abort()

    def abort(self) -> None:
        """Close the connection at once, also while it closes."""
        if not self._is_closed:
            self._writer.transport.abort()


def _parse(content: bytes, name: str) -> dict[str, Any]:
    try:
        parsed = json.loads(without_halves(content.decode()))
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise MalformedEventError(f"the {name} is not a JSON object")
    return parsed
