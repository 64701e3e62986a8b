"""Run the application with uvicorn until it is stopped."""

from __future__ import annotations

import asyncio
import signal
import socket

import uvicorn

from service.api.app import create_app
from service.api.protocol import protocol_class
from service.api.state import ServiceState
from service.errors import StartupError
from service.settings import Settings

_MAX_HEAD_BYTES = 32_768
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
    service: ServiceState = app.state.service
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol_class(settings.receive_timeout_s, settings.send_timeout_s),
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        ws="websockets-sansio",
        ws_max_size=service.max_body_bytes,
        ws_per_message_deflate=False,  # audio does not compress
        # A ping is answered after the audio that was sent before it is read.
        ws_ping_timeout=settings.send_timeout_s,
        timeout_graceful_shutdown=_CLOSE_S,
        log_config=None,
        access_log=False,
        server_header=False,
    )
    server = _Server(config, service)
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
        # A second Ctrl-C forces the exit.
        await self._service.drain(lambda: self.force_exit)
        await super().shutdown(sockets)
