"""HTTP/1.1 with bounds on how long the head of a request takes to come, and on what is unread."""

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

_SEND_BUFFER_BYTES = 131_072
"""Of a connection, in the kernel; Linux doubles it. Left alone it grows to 4 MB: 90 s of speech
that are made for a client who reads none of it, and that a ping has to wait behind."""


_READ_BYTES = 8192
"""Taken from a connection at a time; asyncio's 256 KiB may hold ten thousand small messages of a
WebSocket, which are all looked at before anybody else has a turn."""


class Protocol(H11Protocol):
    """HTTP/1.1 that waits only so long for what a client has to send.

    A head that is not complete in time gets 408: counted from the connection, and on a kept-alive
    connection from the first byte of the next request (how long it may idle before that is
    uvicorn's own setting). The rest of a body whose answer is already given gets the same time,
    then the connection is closed. `middleware.limits.BodyTimeout` is for bodies that are still
    being read. An answer that is complete, but not read in time, is given up.
    """

    receive_timeout_s: ClassVar[float]
    send_timeout_s: ClassVar[float]
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first head; asyncio calls this."""
        super().connection_made(transport)
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        if hasattr(transport, "max_size"):  # asyncio's own; other event loops have none
            transport.max_size = _READ_BYTES

        def abort() -> None:
            # asyncio's own fails after a connection that was closed with something left to send.
            if connection.fileno() != -1:
                transport.abort()

        # For who finds that the client reads nothing: closing in good order would wait for it.
        self.app_state = {**self.app_state, "abort": abort}
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting; asyncio calls this."""
        self._stop_waiting()
        super().connection_lost(exc)
        # uvicorn forgets this of a connection that was reset: a timer that holds us, whom we hold.
        self._unset_keepalive_if_required()

    def handle_events(self) -> None:
        """Take what has come, and see whether more must."""
        super().handle_events()
        # A head that has begun, or the rest of a body that nobody reads any more.
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        unread = self.conn.their_state is h11.SEND_BODY and self.conn.our_state is h11.DONE
        if begun or unread:
            self._wait()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Go on to the next request; the request-response cycle calls this."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self.loop.call_later(self.send_timeout_s, self._give_up_unread)
        if self.conn.their_state is h11.SEND_BODY and not self.transport.is_closing():
            self._wait()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, in the shape of every error."""
        self._refuse(400, "invalid_http", "this is not HTTP, or the head of the request is too big")

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
            message = f"the request's head did not come within {self.receive_timeout_s:g} s"
            self._refuse(408, RECEIVE_TIMEOUT, message)

    def _give_up_unread(self) -> None:
        # Closing in good order would wait for it to be read.
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Answer outside of the application, and close."""
        self._stop_waiting()
        # Half an answer, or a whole one, is on its way: another cannot follow it.
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
    """Return the `Protocol` that gives clients so many seconds; for `uvicorn.Config(http=...)`.

    How long a head may be is uvicorn's own `h11_max_incomplete_event_size`; over it is 400.
    """
    timeouts = {"receive_timeout_s": receive_timeout_s, "send_timeout_s": send_timeout_s}
    return type("TimedProtocol", (Protocol,), timeouts)
