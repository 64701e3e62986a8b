"""The application for an ASGI server of one's own choice; see docs/hosting.md."""

from __future__ import annotations

import sys
from typing import cast

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.app import create_app as create_service_app
from service.api.state import ServiceState
from service.errors import ServiceError
from service.heap import share_freed_memory
from service.logs import configure_logging
from service.settings import Settings, load_settings


def create_app(settings: Settings | None = None) -> FastAPI:
    """Make the application for another ASGI server than `kokoro-service serve`.

    The startup of its lifespan ends when the model speaks, or fails with one line that names the
    cause. Its shutdown waits `shutdown_timeout_s` for requests in progress; a server that ends
    connections before its lifespan calls `drain` first. The process gets the service's memory
    set-up, and its log unless one is configured.

    Args:
        settings: of the service; None reads them from the environment and the file that
            `KOKORO_CONFIG` names. `port` and what limits the reading of a request's head or of an
            answer are the server's own affair.

    Raises:
        StartupError: the settings contradict each other, or a file that they name cannot be used.
    """
    settings = load_settings() if settings is None else settings
    share_freed_memory()
    configure_logging(settings.log_level, settings.log_format)
    app = create_service_app(settings)
    app.add_middleware(_StartupFailure)
    return app


async def drain(app: FastAPI) -> None:
    """Admit no more requests, and return when those in progress have ended.

    WebSocket sessions finish their text and are closed with 1001. What is left after
    `shutdown_timeout_s` is cancelled.
    """
    await cast("ServiceState", app.state.service).drain()


class _StartupFailure:
    """Tell the server in one line why the service cannot start, not by a traceback."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_cause(message: Message) -> None:
            # Starlette sends it while it handles the exception.
            cause = sys.exc_info()[1]
            if isinstance(cause, ServiceError) and message["type"] == "lifespan.startup.failed":
                message = {**message, "message": f"kokoro-service: {cause}"}
            await send(message)

        await self._app(scope, receive, send_cause)
