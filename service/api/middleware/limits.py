"""Limits of a body: its size, and the time to receive it."""

from __future__ import annotations

from collections.abc import Mapping

import anyio
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.error_answers import RECEIVE_TIMEOUT, error_answer


class BodyLimit:
    """Refuse a body that is too long, by its declared or its real length, with 413.

    Args:
        app: what follows.
        max_bytes: that a body may have.
        of_paths: the same for single paths; None for none.
    """

    def __init__(
        self, app: ASGIApp, max_bytes: int, of_paths: Mapping[str, int] | None = None
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._of_paths = dict(of_paths or {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        max_bytes = self._of_paths.get(scope["path"], self._max_bytes)
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        too_large = declared.isdigit() and int(declared) > max_bytes
        received = 0

        async def limited() -> Message:
            nonlocal received
            if too_large:
                raise _refusal(max_bytes)
            message = await receive()
            received += len(message.get("body", b""))
            if received > max_bytes:
                raise _refusal(max_bytes)
            return message

        await self._app(scope, limited, send)


def _refusal(max_bytes: int) -> HTTPException:
    return HTTPException(413, f"the body is larger than {max_bytes} bytes")


class BodyTimeout:
    """Answer 408 to a request whose body is not complete in time, and close the connection.

    The time counts from when the application first asks for the body. Waiting for a disconnect,
    after the body or after the answer has started, has no limit.
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
            if answering:  # the answer started meanwhile
                return await receive()
            late = True
            # FastAPI does not convert this exception while it reads a body.
            raise HTTPException(408)

        async def send_unless_late(message: Message) -> None:
            nonlocal answering
            if late:
                return  # the application's answer to the exception; ours is below
            answering = True
            await send(message)

        try:
            await self._app(scope, receive_in_time, send_unless_late)
        except HTTPException:
            if not late:
                raise
        if late:
            message = f"the request's body did not arrive within {self._receive_timeout_s:g} s"
            answer = error_answer(scope, 408, RECEIVE_TIMEOUT, message, {"connection": "close"})
            await answer(scope, receive, send)
