"""Run the application under uvicorn until it is told to stop."""

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
"""For which a thread may run Python while others wait, the event loop's among them; Python's own
5 ms are felt several times in each answer."""

_CLOSE_S = 5
"""For connections to close when nothing is spoken any more."""


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT; requests in flight are finished first.

    Raises:
        StartupError: the model, the voices, the library or the provider cannot be had, the
            settings do not go together, or the address is taken.
        SynthesisError: the self-test failed.
    """
    failures: list[Exception] = []

    def fail(error: Exception) -> None:
        failures.append(error)
        server.should_exit = True

    app = create_app(settings, fail)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol_class(settings.receive_timeout_s, settings.send_timeout_s),
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        ws="websockets-sansio",
        ws_max_size=max_body_bytes(settings),
        ws_per_message_deflate=False,  # speech does not shrink
        # The answer to a ping comes when the speech sent before it was read.
        ws_ping_timeout=settings.send_timeout_s,
        timeout_graceful_shutdown=_CLOSE_S,
        log_config=None,
        access_log=False,
        server_header=False,
    )
    server = _Server(config, app.state.service)
    sys.setswitchinterval(_SWITCH_S)
    # uvicorn raises a signal again that made it stop; having stopped for it is enough.
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        server.run()
    except SystemExit as error:  # how uvicorn says that it cannot listen
        raise StartupError(f"cannot listen on {settings.host}:{settings.port}") from error
    if failures:
        raise failures[0]


class _Server(uvicorn.Server):
    """Stops listening, lets requests and sessions finish for a set time, cancels the others.

    Reads the user's lexicon again on SIGHUP.
    """

    def __init__(self, config: uvicorn.Config, service: ServiceState) -> None:
        super().__init__(config)
        self._service = service

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        service = self._service
        asyncio.get_running_loop().add_signal_handler(
            signal.SIGHUP, service.executor.submit, service.reload_lexicon
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
