"""Servers of a small application behind the middleware."""

from contextlib import ExitStack

import httpx
import pytest
from fastapi import FastAPI, WebSocket
from service.api.api_keys import read_keys
from service.api.callers import Callers
from service.api.middleware.protection import install
from service.api.middleware.security_headers import SecurityHeaders
from service.settings import Settings
from tests.service.api.asgi_server import Identified, serving
from tests.service.api.middleware.small_application import KEY_FILE, write


@pytest.fixture(scope="session")
def start():
    """Serve a small application behind what the settings ask for; a client for it.

    All are stopped after the last test, for stopping takes longer than most tests.
    """
    with ExitStack() as stack:

        def start(**settings):
            app = FastAPI()

            @app.get("/health")
            @app.get("/voices")
            async def read():
                return "read"

            @app.post("/synthesize")
            async def write():
                return "written"

            @app.websocket("/stream")
            async def stream(websocket: WebSocket):
                await websocket.accept()
                await websocket.send_text("open")
                if websocket.headers.get("x-wait"):
                    await websocket.receive_text()
                await websocket.close()

            chosen = Settings.model_validate(settings)
            install(app, chosen, Callers(read_keys(chosen)), is_hosted=False)
            port = stack.enter_context(serving(SecurityHeaders(Identified(app))))
            return stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}"))

        yield start


@pytest.fixture(scope="session")
def keyed(start, tmp_path_factory):
    return start(api_keys_file=write(tmp_path_factory.mktemp("keyed") / "keys", KEY_FILE), private_lists=True)


@pytest.fixture(scope="session")
def local(start):
    return start()
