"""Bounds on how long a request takes to come: its head at the connection, its body in ASGI."""

from __future__ import annotations

import asyncio
import logging
import socket
import uuid
from http import HTTPStatus
from typing import ClassVar

import anyio
import h11
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.api.error_answers import error_answer
from service.api.middleware.authentication import SECURITY_HEADERS

logger = logging.getLogger(__name__)

_CODE = "receive_timeout"

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
    then the connection is closed. `BodyTimeout` is for bodies that are still being read. An answer
    that is complete, but not read in time, is given up.
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
            self._refuse(408, _CODE, message)

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


class BodyTimeout:
    """Answer 408 to a request whose body is not complete in time; then the connection closes.

    The time counts from when the application first asks for the body. Whoever waits for the
    client to go away, after the body or after the answer has begun, waits as long as it takes.
    """

    def __init__(self, app: ASGIApp, receive_timeout_s: float) -> None:
        self._app = app
        self._receive_timeout_s = receive_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline: float | None = None
        complete = answering = late = False

        async def receive_in_time() -> Message:
            nonlocal deadline, complete, late
            if complete or answering:
                return await receive()
            if deadline is None:
                deadline = anyio.current_time() + self._receive_timeout_s
            with anyio.move_on_after(deadline - anyio.current_time()):
                message = await receive()
                complete = not message.get("more_body", False)
                return message
            if answering:  # it began while this waited
                return await receive()
            late = True
            # Of the kind that FastAPI does not turn into another while it reads a body.
            raise HTTPException(408)

        async def send_unless_late(message: Message) -> None:
            nonlocal answering
            if late:
                return  # what the application makes of the exception; the answer is below
            answering = True
            await send(message)

        try:
            await self._app(scope, receive_in_time, send_unless_late)
        except HTTPException:
            if not late:
                raise
        if late:
            message = f"the request's body did not come within {self._receive_timeout_s:g} s"
            answer = error_answer(scope, 408, _CODE, message, {"connection": "close"})
            await answer(scope, receive, send)
