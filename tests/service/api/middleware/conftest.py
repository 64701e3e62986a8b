"""Servers of a small application behind the middleware."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, WebSocket

from service.api.api_keys import read_keys
from service.api.callers import Callers
from service.api.middleware.protection import install
from service.api.middleware.security_headers import SecurityHeaders
from service.settings import Settings
from tests.service.api.asgi_server import Identified, serving
from tests.service.api.middleware.small_application import KEY_FILE, Start, write


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return write(tmp_path / "keys", KEY_FILE)


@pytest.fixture(scope="session")
def start() -> Iterator[Start]:
    """Serve a small application behind what the settings ask for; a client for it.

    All are stopped after the last test, for stopping takes longer than most tests.
    """
    with ExitStack() as stack:

        def start(**settings: object) -> httpx.Client:
            app = FastAPI()

            @app.get("/health")
            @app.get("/voices")
            async def read() -> str:
                return "read"

            @app.post("/synthesize")
            async def write() -> str:
                return "written"

            @app.websocket("/stream")
            async def stream(websocket: WebSocket) -> None:
                await websocket.accept()
                await websocket.send_text("open")
                if websocket.headers.get("x-wait"):
                    await websocket.receive_text()
                await websocket.close()

            chosen = Settings.model_validate(settings)
            install(app, chosen, Callers(read_keys(chosen)), is_hosted=False)
            port = stack.enter_context(serving(SecurityHeaders(Identified(app))))
            client = httpx.Client(base_url=f"http://127.0.0.1:{port}")
            return stack.enter_context(client)

        yield start


@pytest.fixture(scope="session")
def keyed(start: Start, tmp_path_factory: pytest.TempPathFactory) -> httpx.Client:
    keys = write(tmp_path_factory.mktemp("keyed") / "keys", KEY_FILE)
    return start(api_keys_file=keys, private_lists=True)


@pytest.fixture(scope="session")
def local(start: Start) -> httpx.Client:
    return start()
