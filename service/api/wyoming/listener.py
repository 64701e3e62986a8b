"""Where clients of Wyoming come in: TCP, a Unix socket, or standard input and output."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

from service.api.protocol import SEND_BUFFER_BYTES
from service.api.wyoming.address import TcpAddress, UnixAddress
from service.errors import StartupError

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]
"""Serves a client. Must not raise."""

_SOCKET_MODE = 0o660
"""Who may connect to a Unix socket: its owner, and its group."""


@asynccontextmanager
async def listening(
    address: TcpAddress | UnixAddress, serve: Serve, max_event_bytes: int
) -> AsyncIterator[tuple[TcpAddress | UnixAddress, Callable[[], None]]]:
    """Let clients in, and serve each in a task of its own.

    The block is left when all clients have left; they are cancelled if it fails.

    Args:
        address: where to listen.
        serve: serves a client.
        max_event_bytes: limit of a stream's reader.

    Yields:
        The address, with the port in use, and what stops listening.

    Raises:
        StartupError: the address is in use or does not exist.
    """
    clients: set[asyncio.Future[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        client = asyncio.ensure_future(serve(reader, writer))
        clients.add(client)
        client.add_done_callback(clients.discard)

    try:
        server = await _start(address, accept, max_event_bytes)
    except OSError as error:
        raise StartupError(f"wyoming: cannot listen on {address}: {error}") from error
    try:
        yield _in_use(address, server), server.close
        while clients:
            await asyncio.wait(clients)
    finally:
        server.close()
        if isinstance(address, UnixAddress):
            address.path.unlink(missing_ok=True)
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)


async def _start(
    address: TcpAddress | UnixAddress,
    accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None],
    max_event_bytes: int,
) -> asyncio.Server:
    if isinstance(address, TcpAddress):
        return await asyncio.start_server(accept, address.host, address.port, limit=max_event_bytes)
    return await asyncio.start_unix_server(accept, sock=_bind(address.path), limit=max_event_bytes)


def _in_use(address: TcpAddress | UnixAddress, server: asyncio.Server) -> TcpAddress | UnixAddress:
    if isinstance(address, UnixAddress):
        return address
    return TcpAddress(address.host, server.sockets[0].getsockname()[1])


def _bind(path: Path) -> socket.socket:
    """Return a socket at a path that nobody listens at yet."""
    bound = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket() and not _answers(path):
            path.unlink()  # of a process that was killed
        bound.bind(str(path))
        # Nobody can connect before it listens.
        path.chmod(_SOCKET_MODE)
    except OSError:
        bound.close()
        raise
    return bound


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        return True


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
