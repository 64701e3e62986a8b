"""Run the application with uvicorn until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys

import uvicorn

from service.api.app import create_app, max_body_bytes
from service.api.protocol import protocol_class
from service.api.state import ServiceState
from service.errors import StartupError
from service.settings import Settings

logger = logging.getLogger(__name__)

_MAX_HEAD_BYTES = 32_768
_SWITCH_S = 0.001
"""How long a thread may run Python while others wait, such as the event loop's. Python's default,
5 ms, delays each answer several times."""

_CLOSE_S = 5
"""Time for connections to close after the last request."""


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests in progress are finished first.

    Raises:
        StartupError: the model, the voices, the library or the provider cannot be used, the
            settings contradict each other, or the address is in use.
        SynthesisError: the self-test failed.
    """
    failures: list[Exception] = []

    def stop(error: Exception | None) -> None:
        if error is not None:
            failures.append(error)
        server.should_exit = True

    app = create_app(settings, stop)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol_class(settings.receive_timeout_s, settings.send_timeout_s),
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        ws="websockets-sansio",
        ws_max_size=max_body_bytes(settings),
        ws_per_message_deflate=False,  # audio does not compress
        # A ping is answered after the audio that was sent before it is read.
        ws_ping_timeout=settings.send_timeout_s,
        timeout_graceful_shutdown=_CLOSE_S,
        log_config=None,
        access_log=False,
        server_header=False,
    )
    server = _Server(config, app.state.service)
    sys.setswitchinterval(_SWITCH_S)
    # uvicorn raises the signal again after it has stopped; ignore it.
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        server.run()
    except SystemExit as error:  # uvicorn cannot listen
        raise StartupError(f"cannot listen on {settings.host}:{settings.port}") from error
    if failures:
        raise failures[0]


class _Server(uvicorn.Server):
    """Stop listening, let requests and sessions finish for some time, then cancel the others.

    Read the lexicons and the API keys again on SIGHUP.
    """

    def __init__(self, config: uvicorn.Config, service: ServiceState) -> None:
        super().__init__(config)
        self._service = service

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        service = self._service
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGHUP, service.executor.submit, service.reload
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        admission, timeout_s = self._service.admission, self._service.settings.shutdown_timeout_s
        logger.info(
            "stopping: %d requests and %d sessions have %g s to finish",
            admission.n_requests,
            admission.n_sessions,
            timeout_s,
        )
        # A second Ctrl-C forces the exit.
        await admission.close(timeout_s, lambda: self.force_exit)
        await super().shutdown(sockets)
