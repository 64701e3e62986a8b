"""The application: routes, middleware, error answers, and the model's life."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI

from service import __version__
from service.api import errors
from service.api.middleware import BodyLimit, RequestLog
from service.api.routes import router
from service.api.state import ServiceState
from service.settings import Settings

_BYTES_PER_CHARACTER = 12
"""A character beyond the basic plane as JSON may write it: two escapes of six bytes."""

_BODY_OVERHEAD_BYTES = 16_384
"""Room for the other fields and for white space."""


def create_app(settings: Settings, on_failure: Callable[[Exception], None]) -> FastAPI:
    """Make the application. It answers `/health` at once and loads the model meanwhile.

    Args:
        settings: of the service.
        on_failure: called where the model cannot be loaded; the server should stop then.
    """
    state = ServiceState(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async def load() -> None:
            try:
                await anyio.to_thread.run_sync(state.load)
            except Exception as error:  # handed on: it must stop the server, not this task
                on_failure(error)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(load)
            yield
        await anyio.to_thread.run_sync(state.close)

    app = FastAPI(
        title="Kokoro text-to-speech",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,  # it would load scripts from elsewhere
        redoc_url=None,
    )
    app.state.service = state
    app.include_router(router)
    errors.install(app)
    max_bytes = settings.max_text_length * _BYTES_PER_CHARACTER + _BODY_OVERHEAD_BYTES
    app.add_middleware(BodyLimit, max_bytes=max_bytes)
    app.add_middleware(RequestLog)
    return app
