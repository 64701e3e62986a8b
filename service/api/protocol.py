"""HTTP/1.1 with limits for a request's head, for connections, and for reading an answer."""

from __future__ import annotations

import asyncio
import logging
import socket
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import ClassVar

import h11
from starlette.types import Scope
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from service.api.connections import Connections, abort
from service.api.error_answers import RECEIVE_TIMEOUT, error_answer
from service.api.middleware.security_headers import SECURITY_HEADERS

logger = logging.getLogger(__name__)

SEND_BUFFER_BYTES = 131_072
"""Size of a connection's buffer in the kernel; Linux doubles it. By default it grows to 4 MB: 90 s
of audio that are made for a client that reads nothing, and that a ping has to wait behind."""

_LARGE_HEAD = 431
_NO_PLACE = 503
_SOON = {"retry-after": "1"}

_READ_BYTES = 8192
"""Size of a read. asyncio's own 256 KiB may hold ten thousand small WebSocket messages, which are
all handled before the event loop does anything else."""

_READS_OF_UPLOAD = 3
"""A body that comes in so many reads with its head is an upload that goes on. One of two reads may
be a head and what was sent with it, of which nothing follows."""

_LINGER_S = 1.0
"""How long a client that was refused may still send: it reads the answer after what it sends."""


class _Connection(h11.Connection):
    """One side of HTTP/1.1 that takes no head over a limit, whether it comes in parts or at once.

    h11's own limit is for what is incomplete. The last read may complete a larger head.

    Attributes:
        has_large_head: whether the last error was that.
    """

    def __init__(self, max_head_bytes: int) -> None:
        super().__init__(h11.SERVER, max_head_bytes)
        self._max_head_bytes = max_head_bytes
        self.has_large_head = False

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self.their_state is not h11.IDLE:
            return super().next_event()
        n_before = len(self.trailing_data[0])
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            self.has_large_head = error.error_status_hint == _LARGE_HEAD
            raise
        n_read = n_before - len(self.trailing_data[0])
        if isinstance(event, h11.Request) and n_read > self._max_head_bytes:
            self.has_large_head = True
            raise h11.RemoteProtocolError("the head is too large", _LARGE_HEAD)
        return event


class _Flow(FlowControl):
    """Tells when reading goes on that was paused: from then on the client is waited for."""

    def __init__(self, transport: asyncio.Transport, goes_on: Callable[[], None]) -> None:
        super().__init__(transport)
        self._goes_on = goes_on

    def resume_reading(self) -> None:
        was_paused = self.read_paused
        super().resume_reading()
        if was_paused:
            self._goes_on()


class Protocol(H11Protocol):
    """HTTP/1.1 with limits.

    A connection for which there is no place gets 503, and a head over its limit 431. A head that is
    not complete in time gets 408. The time counts from the connection, and on a kept-alive
    connection from the first byte of the next request; how long it may idle before that is
    uvicorn's own setting. The rest of a body that is already answered has the same time, then the
    connection is closed. `middleware.limits.BodyTimeout` limits bodies that are still read. If a
    complete answer is not read in time, the connection is closed.

    A connection is served from when a request is complete. Before that it may have to leave its
    place to another, with 408 if a request is begun and its answer is not.
    """

    open_connections: ClassVar[Connections]
    max_head_bytes: ClassVar[int]
    receive_timeout_s: ClassVar[float]
    send_timeout_s: ClassVar[float]
    conn: _Connection
    _deadline: asyncio.TimerHandle | None = None
    _is_websocket = False
    _is_refused = False
    _n_reads = 0  # since a request whose body is not complete began

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the first head; called by asyncio."""
        self.conn = _Connection(self.max_head_bytes)
        super().connection_made(transport)
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        self.flow = _Flow(transport, self._tell_whether_served)
        if hasattr(transport, "max_size"):  # asyncio's; other event loops have none
            transport.max_size = _READ_BYTES
        # For clients that read nothing: a graceful close would wait for them.
        self.app_state = {**self.app_state, "abort": partial(abort, transport)}
        if self.open_connections.open(transport, self._leave):
            self._wait()
        else:
            self._refuse(
                _NO_PLACE, "overloaded", "too many connections are open", _SOON, lingers=False
            )

    def data_received(self, data: bytes) -> None:
        """Take what was received, but not after a refusal; called by asyncio."""
        if not self._is_refused:
            self._n_reads += 1
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time; called by asyncio."""
        self.open_connections.closed(self.transport)
        self._stop_waiting()
        super().connection_lost(exc)
        # After a reset uvicorn leaves this timer, which holds this object.
        self._unset_keepalive_if_required()

    def handle_events(self) -> None:
        """Handle what was received, and start or stop the time."""
        super().handle_events()
        # An incomplete head, or the rest of a body that nobody reads any more.
        unread = self.conn.their_state is h11.SEND_BODY and self.conn.our_state is h11.DONE
        if self._has_part_of_head() or unread:
            self._wait()
        else:
            self._stop_waiting()
        self._tell_whether_served()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to the protocol of WebSockets; called by `handle_events`."""
        self._is_websocket = True
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """Go on to the next request; called by the request-response cycle."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self.loop.call_later(self.send_timeout_s, self._give_up_unread)
        if self.conn.their_state is h11.SEND_BODY and not self.transport.is_closing():
            self._wait()
        self._tell_whether_served()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, or has too large a head, with the usual error body."""
        if self.conn.has_large_head:
            message = f"the request's head is larger than {self.max_head_bytes} bytes"
            self._refuse(_LARGE_HEAD, "head_too_large", message)
        else:
            self._refuse(400, "invalid_http", "the request is not HTTP")

    def _has_part_of_head(self) -> bool:
        return self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])

    def _has_part_of_request(self) -> bool:
        """Tell whether a body is waited for whose request is not answered."""
        return self.conn.their_state is h11.SEND_BODY and self.conn.our_state is not h11.DONE

    def _tell_whether_served(self) -> None:
        if not self._has_part_of_request():
            self._n_reads = 0
        receives = self._has_part_of_request() and not self.flow.read_paused
        is_answered = self.cycle is None or self.cycle.response_complete
        if self._is_websocket or self.transport.get_write_buffer_size():
            self.open_connections.busy(self.transport)
        elif receives and self._n_reads >= _READS_OF_UPLOAD:
            self.open_connections.uploading(self.transport)
        elif receives or is_answered:
            self.open_connections.idle(self.transport)
        else:
            self.open_connections.busy(self.transport)

    def _leave(self) -> None:
        """Make room for another connection at once."""
        begun = self._has_part_of_head() or self._has_part_of_request()
        can_answer = self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE)
        if self._is_refused or not (begun and can_answer):
            abort(self.transport)
            return
        message = "the rest of the request did not come while others waited for its place"
        self._refuse(408, RECEIVE_TIMEOUT, message, lingers=False)

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

    def _refuse(
        self,
        status: int,
        code: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        *,
        lingers: bool = True,
    ) -> None:
        """Answer without the application, and close.

        Args:
            status: of the answer.
            code: likewise.
            message: likewise.
            headers: likewise, beside the usual ones.
            lingers: whether to read for some time what the client still sends.
        """
        self._stop_waiting()
        # An answer is already being sent; another cannot follow it.
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        if self.conn.our_state is h11.SEND_RESPONSE and self.cycle is not None:
            self.cycle.disconnected = True  # the application must not answer as well
        identity = uuid.uuid4().hex
        logger.debug("connection %s closed: %s", identity, code)
        scope: Scope = {"type": "http", "state": {"request_id": identity}}
        answer_headers = {**SECURITY_HEADERS, "connection": "close", **(headers or {})}
        answer = error_answer(scope, status, code, message, answer_headers)
        raw_headers = [*answer.raw_headers, (b"x-request-id", identity.encode())]
        for event in (
            h11.Response(
                status_code=status, headers=raw_headers, reason=HTTPStatus(status).phrase.encode()
            ),
            h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        if not lingers:
            self.transport.close()
            self._give_up_unread()
            return
        # Closed with bytes unread, the connection would be reset, and the answer lost.
        self._is_refused = True
        self.transport.write_eof()
        self.loop.call_later(_LINGER_S, self.transport.close)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """WebSockets that count as open connections until they are closed."""

    open_connections: ClassVar[Connections]

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place; called by asyncio."""
        self.open_connections.closed(self.transport)
        super().connection_lost(exc)


def protocol_classes(
    connections: Connections, max_head_bytes: int, receive_timeout_s: float, send_timeout_s: float
) -> tuple[type[Protocol], type[WebSocketProtocol]]:
    """Return a `Protocol` with these limits, and one for WebSockets.

    They are for `uvicorn.Config(http=..., ws=...)`.
    """
    limits = {
        "open_connections": connections,
        "max_head_bytes": max_head_bytes,
        "receive_timeout_s": receive_timeout_s,
        "send_timeout_s": send_timeout_s,
    }
    return (
        type("LimitedProtocol", (Protocol,), limits),
        type("CountedWebSocket", (WebSocketProtocol,), {"open_connections": connections}),
    )
