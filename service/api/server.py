"""Run the application under uvicorn until it is told to stop."""

from __future__ import annotations

import logging
import signal

import uvicorn

from service.api.app import create_app
from service.errors import StartupError
from service.settings import Settings

logger = logging.getLogger(__name__)


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests in flight are finished first.

    Raises:
        StartupError: the model, the voices, the library or the provider cannot be had, or the
            address is taken.
        SynthesisError: the self-test failed.
    """
    failures: list[Exception] = []

    def fail(error: Exception) -> None:
        failures.append(error)
        server.should_exit = True

    config = uvicorn.Config(
        create_app(settings, fail),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
    )
    server = uvicorn.Server(config)
    # uvicorn raises a signal again that made it stop; having stopped for it is enough.
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        server.run()
    except SystemExit as error:  # how uvicorn says that it cannot listen
        raise StartupError(f"cannot listen on {settings.host}:{settings.port}") from error
    if failures:
        raise failures[0]
