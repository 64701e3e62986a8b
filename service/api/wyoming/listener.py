"""Where clients of Wyoming come in: TCP, a Unix socket, or standard input and output."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from service.api.connections import Connections, abort
from service.api.protocol import SEND_BUFFER_BYTES
from service.api.sockets import ACCEPTED_AT_ONCE, close, let_wait, listen, listen_at
from service.api.wyoming.address import TcpAddress, UnixAddress
from service.errors import StartupError

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]
"""Serves a client. Must not raise."""


class Listener:
    """Listens at an address from the beginning; lets clients in when it is told to.

    Args:
        address: where to listen.
        connections: that are open, of all doors.

    Attributes:
        address: with the port in use.

    Raises:
        StartupError: the address is in use or does not exist.
    """

    def __init__(self, address: TcpAddress | UnixAddress, connections: Connections) -> None:
        self.address = address
        self._connections = connections
        self._clients: set[asyncio.Future[None]] = set()
        self._sockets: list[socket.socket] = []
        try:
            if isinstance(address, TcpAddress):
                self._sockets = listen(address.host, address.port)
                port = self._sockets[0].getsockname()[1]
                self.address = replace(address, port=port)
            else:
                self._sockets = [listen_at(address.path)]
        except OSError as error:
            reason = error.strerror or error
            raise StartupError(f"wyoming: cannot listen on {address}: {reason}") from error

    @asynccontextmanager
    async def serving(
        self, serve: Serve, max_event_bytes: int
    ) -> AsyncIterator[Callable[[], None]]:
        """Let clients in, and serve each in a task of its own; yields what stops listening.

        The block is left when all clients have left; they are cancelled if it fails.

        Args:
            serve: serves a client.
            max_event_bytes: limit of a stream's reader.
        """

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._accept(serve, reader, writer)

        is_tcp = isinstance(self.address, TcpAddress)
        start: Any = asyncio.start_server if is_tcp else asyncio.start_unix_server
        servers: list[asyncio.Server] = [
            await start(accept, sock=one, limit=max_event_bytes, backlog=ACCEPTED_AT_ONCE)
            for one in self._sockets
        ]
        let_wait(self._sockets)

        def stop() -> None:
            for server in servers:
                server.close()

        try:
            yield stop
            while self._clients:
                await asyncio.wait(self._clients)
        finally:
            stop()
            for client in self._clients:
                client.cancel()
            await asyncio.gather(*self._clients, return_exceptions=True)

    def _accept(
        self, serve: Serve, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        transport = writer.transport
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        if not self._connections.open(transport):
            abort(transport)
            return
        client = asyncio.ensure_future(serve(reader, writer))
        self._clients.add(client)

        def forget(client: asyncio.Future[None]) -> None:
            self._clients.discard(client)
            self._connections.closed(transport)

        client.add_done_callback(forget)

    def close(self) -> None:
        """Stop listening, and leave no socket behind. May be called again."""
        close(self._sockets)
        if isinstance(self.address, UnixAddress):
            self.address.path.unlink(missing_ok=True)


async def standard_streams(
    max_event_bytes: int,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return standard input and output as a connection.

    What else is written to standard output goes to standard error from now on.

    Raises:
        StartupError: they are files, which cannot be waited for.
    """
    if not (_can_be_waited_for(0) and _can_be_waited_for(1)):
        raise StartupError("wyoming: standard input and output must be pipes, not files")
    loop = asyncio.get_running_loop()
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    reader = asyncio.StreamReader(max_event_bytes)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    closing = asyncio.StreamReaderProtocol(asyncio.StreamReader())
    transport, _ = await loop.connect_write_pipe(lambda: closing, output)
    return reader, asyncio.StreamWriter(transport, closing, None, loop)


def _can_be_waited_for(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)
