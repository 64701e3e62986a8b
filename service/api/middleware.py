"""What happens around every request: an id, a bound on the body, one line in the log."""

from __future__ import annotations

import logging
import re
import time
import traceback
import uuid

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.errors import error_answer

logger = logging.getLogger("service.access")

_PROBES = ("/health", "/ready")
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._\-]{1,64}")


class RequestLog:
    """Give each request an id, and log one line when it is done; never its text.

    The id is the caller's `X-Request-ID` where that is a plain name of up to 64 characters, and
    goes back in the same header. Probes of health are logged at level debug.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        identity = given.decode() if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        # A copy: the server shares its own state among all requests.
        state = scope["state"] = {**scope.get("state", {}), "request_id": identity}
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", identity.encode())]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            # Without the message, which may quote the caller's text.
            frames = "".join(traceback.format_tb(error.__traceback__))
            logger.error("%s failed with %s\n%s", identity, type(error).__name__, frames)
            if status:
                raise  # half an answer is on its way: only breaking the connection is honest
            answer = error_answer(scope, 500, "internal_error", "something went wrong here")
            await answer(scope, receive, send_with_id)
        finally:
            # Probes come every few seconds.
            level = logging.DEBUG if scope["path"] in _PROBES else logging.INFO
            logger.log(
                level,
                "%s %s %s status=%d outcome=%s seconds=%.3f%s",
                identity,
                scope["method"],
                # A path that is no endpoint is the caller's own words.
                scope["path"] if status != 404 else "-",
                status,
                state.get("outcome", "ok" if status else "aborted"),
                time.perf_counter() - start,
                state.get("summary", ""),
            )


class BodyLimit:
    """Refuse a body of more than `max_bytes` with 413, by its declared or its real length."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        too_large = declared.isdigit() and int(declared) > self._max_bytes
        received = 0

        async def limited() -> Message:
            nonlocal received
            if too_large:
                raise self._refusal()
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise self._refusal()
            return message

        await self._app(scope, limited, send)

    def _refusal(self) -> HTTPException:
        return HTTPException(413, f"the body is larger than {self._max_bytes} bytes")
