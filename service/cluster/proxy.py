"""What Ray's proxies do for the service, as a middleware in each of them.

The variable RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH of the nodes names `middlewares`.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.error_answers import refuse
from service.api.middleware.access_log import request_identity
from service.errors import DeadlineError, NotReadyError, OverloadedError, ServiceError

logger = logging.getLogger(__name__)

_ATTEMPTS = 2

_MAX_KEPT_BYTES = 1 << 20
"""A request with a longer body is not tried again, for it would have to be kept."""

_OF_OPERATORS = (b"x-request-timeout-seconds", b"x-request-disconnect-disabled")
"""Headers by which Ray would let callers decide what the operator decides."""

_STARTS = (
    "http.response.start", "websocket.accept", "websocket.close", "websocket.http.response.start"
)  # fmt: skip


def middlewares() -> list[Middleware]:
    """Return the middleware of a proxy; Ray calls it."""
    return [Middleware(ProxyAnswers)]


class ProxyAnswers:
    """Has Ray's proxy answer as the service does.

    - A request has one id, which the proxy, the replica and the answer agree on.
    - What Ray refuses or gives up is answered by the service's own errors.
    - A request whose replica is lost before the answer began is tried once more.
    - An answer that was begun is broken off if it cannot be completed, never ended in good order.

    Args:
        app: Ray's proxy.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        identity = request_identity(Headers(scope=scope))
        kept = _KeptRequest(receive)
        for _ in range(_ATTEMPTS):
            answer = _Answer(send, identity, kept.forget)
            try:
                await self._app(_forwarded(scope, identity), kept.receive, answer.send)
            except Exception as error:
                if answer.begun:
                    raise
                logger.warning("request %s: %s in the proxy", identity, type(error).__name__)
            if kept.client_has_left:
                return
            if answer.begun and not answer.ended and scope["type"] == "http":
                raise RuntimeError(f"the answer to request {identity} broke off")
            if answer.begun:
                return
            if answer.refusal is not None:
                await _refuse(scope, receive, send, identity, answer.refusal)
                return
            if not kept.can_be_repeated:
                break
            logger.warning("request %s lost its replica before its answer began", identity)
        lost = NotReadyError("the replica that had the request was lost")
        await _refuse(scope, receive, send, identity, lost)


def _forwarded(scope: Scope, identity: str) -> Scope:
    """Return the scope for Ray, which changes it."""
    dropped = (*_OF_OPERATORS, b"x-request-id")
    headers = [pair for pair in scope["headers"] if pair[0].lower() not in dropped]
    headers.append((b"x-request-id", identity.encode()))
    if scope["type"] == "websocket":
        # Ray's limit is for requests; that of each turn of a session is the service's own.
        headers.append((b"x-request-timeout-seconds", b"0"))
    return {**scope, "headers": headers}


class _KeptRequest:
    """The messages of a request, kept while they are short enough to be sent once more."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._messages: list[Message] = []
        self._n_bytes = 0
        self._is_kept = True
        self._position = 0
        self.client_has_left = False

    @property
    def can_be_repeated(self) -> bool:
        """Tell whether all messages are kept; begin with the first one again."""
        self._position = 0
        return self._is_kept

    def forget(self) -> None:
        """Drop the messages; the request is not sent once more."""
        self._is_kept = False
        self._messages.clear()
        self._position = 0

    async def receive(self) -> Message:
        """Return the next message."""
        if self._position < len(self._messages):
            self._position += 1
            return self._messages[self._position - 1]
        message = await self._receive()
        if message["type"] in ("http.disconnect", "websocket.disconnect"):
            self.client_has_left = True
            return message
        self._n_bytes += len(message.get("body", b"") or message.get("bytes") or b"")
        self._n_bytes += len(message.get("text") or "")
        if self._n_bytes > _MAX_KEPT_BYTES:
            self.forget()
        if self._is_kept:
            self._messages.append(message)
            self._position += 1
        return message


class _Answer:
    """An answer on its way.

    Args:
        send: to the client.
        identity: of the request.
        begin: called when something of the answer is sent.

    Attributes:
        begun: whether something of it was sent.
        ended: whether all of it was.
        refusal: the error that stands for what Ray would have answered; None if there is none.
    """

    def __init__(self, send: Send, identity: str, begin: Callable[[], None]) -> None:
        self._send = send
        self._begin = begin
        self._identity = identity
        self._start: Message | None = None
        self.begun = self.ended = False
        self.refusal: ServiceError | None = None

    async def send(self, message: Message) -> None:
        """Pass a message on, unless it is of an answer of Ray's own.

        The head of an HTTP answer waits for its first bytes: until then the replica may be lost.
        """
        if self.refusal is not None:
            return
        if message["type"] in _STARTS:
            self.refusal = _refusal(message)
            if self.refusal is not None:
                return
            if "headers" in message:
                headers = MutableHeaders(raw=list(message["headers"]))
                del headers["x-request-id"]
                headers["x-request-id"] = self._identity
                message = {**message, "headers": headers.raw}
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._begin()
        self.begun = True
        if self._start is not None:
            start, self._start = self._start, None
            await self._send(start)
        self.ended = message["type"].endswith("body") and not message.get("more_body", False)
        await self._send(message)


def _refusal(message: Message) -> ServiceError | None:
    """Return the service's error for an answer of Ray's; None for one of the service."""
    headers = Headers(raw=list(message.get("headers", ())))
    # The service answers errors in JSON.
    if not headers.get("content-type", "").startswith("text/plain"):
        return None
    status = message.get("status", 200)
    if status == 404:
        return NotReadyError("no application is deployed yet")
    if status == 408:
        return DeadlineError("the request took longer than the proxy waits")
    if status in (429, 503):
        after_s = headers.get("retry-after", "")
        if not after_s.isdigit():
            return NotReadyError("no replica is ready")
        return OverloadedError("too many requests: all replicas are busy", int(after_s))
    return None


async def _refuse(
    scope: Scope, receive: Receive, send: Send, identity: str, error: ServiceError
) -> None:
    state = {**scope.get("state", {}), "request_id": identity}
    headers = {"x-request-id": identity}
    answered = {**scope, "state": state, "app": _shapes()}
    await refuse(answered, receive, send, error, headers)


@functools.cache
def _shapes() -> Any:
    """Return what stands for the application: the shapes of its errors, by path."""
    from service.api.app import ERROR_SHAPES  # takes half a second, which few proxies ever need

    shapes: Mapping[str, Any] = ERROR_SHAPES
    return SimpleNamespace(state=SimpleNamespace(error_shapes=shapes))
