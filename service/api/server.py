"""Run the application with uvicorn until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket

import uvicorn

from service.api.app import create_app
from service.api.connections import most_connections
from service.api.protocol import protocol_classes
from service.api.sockets import ACCEPTED_AT_ONCE, close, let_wait, listen
from service.api.state import ServiceState
from service.errors import StartupError
from service.settings import Settings

logger = logging.getLogger(__name__)

_MAX_HEAD_BYTES = 32_768
_CLOSE_S = 5
"""Time for connections to close after the last request."""

_EVERY_ADDRESS = ("0.0.0.0", "::")


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests in progress are finished first.

    Raises:
        StartupError: the model, the voices, the library or the provider cannot be used, the
            settings contradict each other, or the address is in use; that is found out first.
        SynthesisError: the self-test failed.
    """
    failures: list[Exception] = []

    def stop(error: Exception | None) -> None:
        if error is not None:
            failures.append(error)
        server.should_exit = True

    def tell_ready() -> None:
        for_browsers = "ready: open %s in a browser, or send requests there"
        message = for_browsers if settings.page else "ready: listening on %s"
        logger.info(message, url, extra={"url": url})

    allowed = most_connections(settings.max_connections)
    settings = settings.model_copy(update={"max_connections": allowed})
    app = create_app(settings, stop, tell_ready)
    service: ServiceState = app.state.service
    http, websockets = protocol_classes(
        service.connections,
        _MAX_HEAD_BYTES,
        settings.receive_timeout_s,
        settings.send_timeout_s,
    )
    config = uvicorn.Config(
        app,
        http=http,
        ws=websockets,
        ws_max_size=service.max_body_bytes,
        ws_per_message_deflate=False,  # audio does not compress
        # A ping is answered after the audio that was sent before it is read.
        ws_ping_timeout=settings.send_timeout_s,
        backlog=ACCEPTED_AT_ONCE,
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
        listening = listen(settings.host, settings.port)
    except OSError as error:
        where = f"{settings.host}:{settings.port}"
        advice = "; choose another with --port, or a free one with --port 0"
        reason = f"{error.strerror or error}{advice if error.errno == errno.EADDRINUSE else ''}"
        raise StartupError(f"cannot listen on {where}: {reason}") from error
    port = listening[0].getsockname()[1]
    url = _url("localhost" if settings.host in _EVERY_ADDRESS else settings.host, port)
    where = _url(settings.host, port)
    logger.info("running on %s (Ctrl+C stops it); the model is loaded first", where)
    try:
        server.run(listening)
    finally:
        close(listening)
    if failures:
        raise failures[0]


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Server(uvicorn.Server):
    """Stop listening, let requests and sessions finish for some time, then cancel the others.

    Read the lexicons and the API keys again on SIGHUP.
    """

    def __init__(self, config: uvicorn.Config, service: ServiceState) -> None:
        super().__init__(config)
        self._service = service

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        let_wait(sockets or [])
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
