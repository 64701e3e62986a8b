"""A session with the running service, for short texts that are often broken off."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from service.errors import StartupError

SAMPLE_RATE_HZ = 24_000
_OPENING_S = 5.0
"""Longest time of the handshake; a service on the same machine answers in milliseconds."""


class ServiceUnreachableError(StartupError):
    """The service cannot be reached, or broke off; the message says where it was looked for."""


@dataclass(frozen=True)
class Piece:
    """Some speech.

    Attributes:
        pcm: int16 samples, mono, 24 kHz.
        marks: names of marks, and the byte of `pcm` before which each sounds, in order.
    """

    pcm: bytes
    marks: tuple[tuple[str, int], ...] = ()


class SpeechSession:
    """Speaks SSML documents, one at a time. One thread speaks; any other one may cancel.

    It connects when it first speaks, and again after the service was gone.

    Args:
        server: address of the service, such as `http://localhost:8880`.
        key: its API key; None if it needs none.
    """

    def __init__(self, server: str, key: str | None = None) -> None:
        self._server = server.rstrip("/")
        self._headers = {} if key is None else {"X-API-Key": key}
        # Whoever cancels comes before a whole document or behind it: the answer to a `flush` behind
        # a `cancel` would be taken for that of the next one.
        self._lock = threading.RLock()
        self._connection: _Connection | None = None
        self._manner: Mapping[str, object] | None = None
        self._n_spoken = 0  # documents

    def connect(self) -> None:
        """Connect, unless it is connected already.

        Raises:
            ServiceUnreachableError: nobody answers, or refuses.
        """
        with self._lock:
            if self._connection is not None and not self._connection.is_lost.is_set():
                return
            self._connection, self._manner = None, None
            address = urlsplit(self._server)
            place = (address.hostname or "localhost", address.port or 80)
            url = f"ws{self._server.removeprefix('http')}/synthesize/stream"
            try:
                # A socket of our own: one that the library makes may go through a proxy.
                plain = socket.create_connection(place, timeout=_OPENING_S)
                opened = connect(
                    url, sock=plain, additional_headers=self._headers, compression=None,
                    max_size=None, open_timeout=_OPENING_S,
                )  # fmt: skip
            except (OSError, WebSocketException, ValueError) as error:
                message = f"no service can be used at {self._server}: {error}"
                raise ServiceUnreachableError(message) from error
            self._connection = _Connection(opened)

    def speak(self, document: str, manner: Mapping[str, object]) -> Generator[Piece, None, None]:
        """Yield the speech of a document while it is made; less if it is cancelled.

        It is cancelled too if the iterator is closed before its end.

        Args:
            document: SSML.
            manner: fields of the message `config`.

        Raises:
            ServiceUnreachableError: the service cannot be reached, or broke off.
        """
        self.connect()
        with self._lock:
            self._n_spoken += 1
            if manner != self._manner:
                self._send(type="config", ssml=True, **manner)
                self._manner = manner
            self._send(type="text", text=document)
            self._send(type="flush")
        try:
            yield from self._pieces()
        except GeneratorExit:
            self.cancel()
            raise

    def _pieces(self) -> Generator[Piece, None, None]:
        while (message := self._next()) is not None:
            if message["type"] == "audio":
                pcm = b""
                while len(pcm) < message["n_bytes"]:
                    part = self._take()
                    if part is None:
                        return
                    pcm += part
                yield Piece(pcm, tuple(_marks(message)))
            elif message["type"] == "flushed":
                return
            elif message["type"] == "error" and "text_start" not in message:
                self.close()
                raise ServiceUnreachableError(message["error"]["message"])

    def cancel(self) -> None:
        """End the speech in progress at once. What comes of it after that is dropped."""
        with self._lock:
            connection = self._connection
            if connection is None:
                return
            connection.n_cancelled += 1
            connection.received.put(_Cancelled(self._n_spoken))
            with suppress(ConnectionClosed):  # whoever speaks finds out
                connection.socket.send('{"type": "cancel"}')

    def close(self) -> None:
        """Disconnect."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.socket.close()

    def _send(self, **message: object) -> None:
        connection = self._connection
        try:
            if connection is None:
                raise ServiceUnreachableError("the session was closed")
            connection.socket.send(json.dumps(message))
        except ConnectionClosed as error:
            raise self._lost() from error

    def _take(self) -> Any:
        """Return what comes next; None if the speech in progress is cancelled."""
        connection = self._connection
        if connection is None:
            raise ServiceUnreachableError("the session was closed")
        while True:
            item = connection.received.get()
            if item is None:
                raise self._lost()
            if isinstance(item, _Cancelled):
                if item.n_spoken == self._n_spoken:
                    return None
            elif connection.n_cancelled:  # of earlier speech
                if isinstance(item, str) and json.loads(item)["type"] == "cancelled":
                    with self._lock:
                        connection.n_cancelled -= 1
            else:
                return item

    def _next(self) -> dict[str, Any] | None:
        item = self._take()
        return None if item is None else json.loads(item)

    def _lost(self) -> ServiceUnreachableError:
        self.close()
        return ServiceUnreachableError(f"the service at {self._server} broke off")


@dataclass(frozen=True)
class _Cancelled:
    """What is said as document of this number is not wanted."""

    n_spoken: int


class _Connection:
    """A socket, and what comes on it, by a thread; None is its end.

    Attributes:
        socket: see above.
        received: messages and frames, and cancellations among them.
        n_cancelled: speech that is cancelled, and whose `cancelled` has not come.
        is_lost: set when it has ended.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.received: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.n_cancelled = 0
        self.is_lost = threading.Event()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        with suppress(ConnectionClosed):  # said by what follows
            for item in self.socket:
                self.received.put(item)
        self.is_lost.set()
        self.received.put(None)


def _marks(message: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for mark in message.get("marks") or ():
        place = 2 * round((mark["time_s"] - message["start_s"]) * SAMPLE_RATE_HZ)
        yield mark["name"], min(max(place, 0), message["n_bytes"])
