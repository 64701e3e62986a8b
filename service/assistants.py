"""The command `mcp`: an assistant starts it, and talks to it on standard input and output."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import httpx
from mcp.server.mcpserver.exceptions import ToolError

from service.api.app import create_app
from service.api.mcp.door import quiet_log
from service.api.mcp.service_client import ServiceClient, connections_within
from service.api.mcp.tools import Machine, SpeechServer
from service.complete_files import write_whole
from service.errors import ServiceError
from service.playback import find_player, play_pcm
from service.settings import KEY_VARIABLE, Settings


def talk(settings: Settings, server: str | None) -> None:
    """Serve an assistant until it closes standard input.

    Args:
        settings: of the service that this process is.
        server: address of one that runs already, and is asked instead; None for none.
    """
    anyio.run(_talk, settings, server)


async def _talk(settings: Settings, server: str | None) -> None:
    quiet_log()
    service = _own_service(settings) if server is None else _other_service(server)
    async with service as client:
        await SpeechServer(client, _ThisMachine()).run_stdio_async()


@asynccontextmanager
async def _own_service(settings: Settings) -> AsyncIterator[ServiceClient]:
    """Yield this process as a service without a port, whose model is loaded meanwhile."""
    loaded = anyio.Event()
    failures: list[Exception] = []

    def stop(error: Exception | None) -> None:
        failures.extend([error] if error is not None else [])
        loaded.set()

    async def is_ready() -> None:
        await loaded.wait()
        if failures:
            raise ToolError(f"the service cannot start: {failures[0]}")

    off = {"wyoming": None, "wyoming_zeroconf": None, "mcp": False, "page": False}
    settings = settings.model_copy(update=off)
    app = create_app(settings, stop, loaded.set)
    async with app.router.lifespan_context(app), connections_within(app) as connections:
        yield ServiceClient(connections, is_ready)


@asynccontextmanager
async def _other_service(server: str) -> AsyncIterator[ServiceClient]:
    key = os.environ.get(KEY_VARIABLE)
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=server, headers=headers, timeout=None) as connections:
        yield ServiceClient(connections)


class _ThisMachine(Machine):
    """Plays and writes where this process runs, which an assistant started for its user."""

    async def play(self, pcm: bytes) -> None:
        try:
            await anyio.to_thread.run_sync(lambda: play_pcm(find_player(), pcm))
        except ServiceError as error:
            raise ToolError(f"{error}, or ask for output=file or audio") from error

    async def write(self, file: str, content: bytes) -> Path:
        path = Path(file).expanduser().resolve()
        if path.exists():  # a model may name any file of its user
            raise ToolError(f"{path} is there already, and is not replaced")
        try:
            await anyio.to_thread.run_sync(write_whole, path, content)
        except OSError as error:
            raise ToolError(f"{path} cannot be written: {error.strerror}") from error
        return path

    async def read(self, file: str) -> tuple[str, bytes]:
        path = Path(file).expanduser().resolve()
        try:
            return path.name, await anyio.to_thread.run_sync(path.read_bytes)
        except OSError as error:
            raise ToolError(f"{path} cannot be read: {error.strerror}") from error
