"""Every request's id, log line and metrics."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from contextlib import ExitStack

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected

from service.api.error_answers import error_answer
from service.api.patience import StalledError, abort_of
from service.api.request_record import record_request
from service.api.state import ServiceState
from service.errors import ServiceError
from service.logs import describe

logger = logging.getLogger("service.access")

_PROBES = ("/health", "/ready", "/metrics", "/v1/test")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._\-]{1,64}")
_BROKEN = "request %s failed after its answer had started: %s"
_STARTS = ("http.response.start", "websocket.http.response.start", "websocket.accept")


def request_identity(headers: Headers) -> str:
    """Return the id of a request: the caller's `X-Request-ID` if it can be one, else a new one."""
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


class AccessLog:
    """Give each request an id, and log one line when it is done; never its text.

    The id is the caller's `X-Request-ID` if that has up to 64 letters, digits, `.`, `_` and `-`.
    It is returned in the same header. Probes are logged at level debug. An answer that fails after
    its headers were sent is left incomplete, so the server breaks the connection.
    """

    def __init__(self, app: ASGIApp, service: ServiceState) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        headers = Headers(scope=scope)
        identity = request_identity(headers)
        # A copy: the server shares its own state among all requests.
        scope["state"] = {**scope.get("state", {}), "request_id": identity}
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] in _STARTS:
                status = message.get("status", 101)
                message["headers"] = [
                    *message.get("headers", []),
                    (b"x-request-id", identity.encode()),
                ]
            await send(message)

        metrics, telemetry = self._service.metrics, self._service.telemetry
        with ExitStack() as stack:
            is_http = scope["type"] == "http"
            stack.enter_context(
                metrics.request_in_flight() if is_http else metrics.websocket_open()
            )
            span = stack.enter_context(telemetry.span("request", headers=headers))
            try:
                await self._app(scope, receive, send_with_id)
            except ClientDisconnected:
                scope["state"]["outcome"] = "aborted"  # a WebSocket, before it was accepted
            except asyncio.CancelledError:
                scope["state"].setdefault("outcome", "aborted")  # the server stops waiting
                raise
            except Exception as error:
                if status:
                    _break(scope, error, self._service.settings.send_timeout_s)
                else:
                    logger.error("request %s failed: %s", identity, describe(error))
                    answer = error_answer(scope, 500, "internal_error", "internal error")
                    await answer(scope, receive, send_with_id)
            finally:
                state = scope["state"]
                record_request(
                    self._service,
                    span,
                    # Probes come every few seconds.
                    level=logging.DEBUG if scope["path"] in _PROBES else logging.INFO,
                    identity=identity,
                    method=scope.get("method", "WEBSOCKET"),
                    path=self._endpoint(scope) or "-",
                    status=status,
                    outcome=state.get("outcome", "ok" if status else "aborted"),
                    key=state.get("key"),
                    seconds=time.perf_counter() - start,
                    statistics=state.get("statistics"),
                )

    def _endpoint(self, scope: Scope) -> str | None:
        """Return the endpoint's path; None for an unknown path, which must not be logged."""
        if scope["path"] in self._service.endpoints:
            return str(scope["path"])
        return getattr(scope.get("route"), "path_format", None)


def _break(scope: Scope, error: Exception, send_timeout_s: float) -> None:
    """Note why a started answer fails.

    The server closes the connection when the client has read what was sent, or after a timeout.
    """
    state = scope["state"]
    if isinstance(error, StalledError):
        state["outcome"] = "stalled"
        abort_of(state)()
        return
    asyncio.get_running_loop().call_later(send_timeout_s, abort_of(state))
    # Starlette wraps exceptions that it has handlers for.
    reason = error.__cause__ if isinstance(error.__cause__, ServiceError) else error
    if isinstance(reason, ServiceError):
        state["outcome"] = reason.code
        if reason.status == 500:
            logger.error(_BROKEN, state["request_id"], reason.message)
        elif reason.status != 499:
            logger.error(_BROKEN, state["request_id"], reason.code)
    else:
        state["outcome"] = "internal_error"
        logger.error(_BROKEN, state["request_id"], describe(error))
