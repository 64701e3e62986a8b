"""HTTP/1.1 with time limits for receiving a request's head and for reading its answer."""

from __future__ import annotations

import asyncio
import logging
import socket
import uuid
from http import HTTPStatus
from typing import ClassVar

import h11
from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.api.error_answers import RECEIVE_TIMEOUT, error_answer
from service.api.middleware.security_headers import SECURITY_HEADERS

logger = logging.getLogger(__name__)

SEND_BUFFER_BYTES = 131_072
"""Size of a connection's buffer in the kernel; Linux doubles it. By default it grows to 4 MB: 90 s
of audio that are made for a client that reads nothing, and that a ping has to wait behind."""


_READ_BYTES = 8192
"""Size of a read. asyncio's own 256 KiB may hold ten thousand small WebSocket messages, which are
all handled before the event loop does anything else."""


class Protocol(H11Protocol):
    """HTTP/1.1 with time limits.

    A head that is not complete in time gets 408. The time counts from the connection, and on a
    kept-alive connection from the first byte of the next request; how long it may idle before that
    is uvicorn's own setting. The rest of a body that is already answered has the same time, then
    the connection is closed. `middleware.limits.BodyTimeout` limits bodies that are still read. If
    a complete answer is not read in time, the connection is closed.
    """

    receive_timeout_s: ClassVar[float]
    send_timeout_s: ClassVar[float]
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the first head; called by asyncio."""
        super().connection_made(transport)
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        if hasattr(transport, "max_size"):  # asyncio's; other event loops have none
            transport.max_size = _READ_BYTES

        def abort() -> None:
            # asyncio's abort fails if the connection was closed with data left to send.
            if connection.fileno() != -1:
                transport.abort()

        # For clients that read nothing: a graceful close would wait for them.
        self.app_state = {**self.app_state, "abort": abort}
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time; called by asyncio."""
        self._stop_waiting()
        super().connection_lost(exc)
        # After a reset uvicorn leaves this timer, which holds this object.
        self._unset_keepalive_if_required()

    def handle_events(self) -> None:
        """Handle what was received, and start or stop the time."""
        super().handle_events()
        # An incomplete head, or the rest of a body that nobody reads any more.
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        unread = self.conn.their_state is h11.SEND_BODY and self.conn.our_state is h11.DONE
        if begun or unread:
            self._wait()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Go on to the next request; called by the request-response cycle."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self.loop.call_later(self.send_timeout_s, self._give_up_unread)
        if self.conn.their_state is h11.SEND_BODY and not self.transport.is_closing():
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP with the usual error body."""
        self._refuse(400, "invalid_http", "the request is not HTTP, or its head is too large")

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.receive_timeout_s, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self._unset_keepalive_if_required()
            message = f"the request's head did not arrive within {self.receive_timeout_s:g} s"
            self._refuse(408, RECEIVE_TIMEOUT, message)

    def _give_up_unread(self) -> None:
        # A graceful close would wait for the client to read.
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Answer without the application, and close."""
        self._stop_waiting()
        # An answer is already being sent; another cannot follow it.
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        if self.conn.our_state is h11.SEND_RESPONSE:
            self.cycle.disconnected = True  # the application must not answer as well
        identity = uuid.uuid4().hex
        logger.debug("connection %s closed: %s", identity, code)
        scope: Scope = {"type": "http", "state": {"request_id": identity}}
        answer_headers = {**SECURITY_HEADERS, "connection": "close"}
        answer = error_answer(scope, status, code, message, answer_headers)
        headers = [*answer.raw_headers, (b"x-request-id", identity.encode())]
        for event in (
            h11.Response(
                status_code=status, headers=headers, reason=HTTPStatus(status).phrase.encode()
            ),
            h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def protocol_class(receive_timeout_s: float, send_timeout_s: float) -> type[Protocol]:
    """Return a `Protocol` with these time limits, for `uvicorn.Config(http=...)`.

    The limit of a head's size is uvicorn's `h11_max_incomplete_event_size`; beyond it is 400.
    """
    timeouts = {"receive_timeout_s": receive_timeout_s, "send_timeout_s": send_timeout_s}
    return type("TimedProtocol", (Protocol,), timeouts)
