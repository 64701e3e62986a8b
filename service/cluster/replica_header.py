"""The header that tells which replica answered."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_STARTS = ("http.response.start", "websocket.accept")


class ReplicaHeader:
    """Adds `X-Replica` to every answer and to every WebSocket that is accepted.

    Args:
        app: the application.
        replica: Ray's id of this replica, which its log files and the label `replica` of the
            metrics have too.
    """

    def __init__(self, app: ASGIApp, replica: str) -> None:
        self._app = app
        self._header = (b"x-replica", replica.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""

        async def send_with_replica(message: Message) -> None:
            if message["type"] in _STARTS:
                message = {**message, "headers": [*message.get("headers", ()), self._header]}
            await send(message)

        await self._app(scope, receive, send_with_replica)
