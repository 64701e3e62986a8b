"""What an assistant asks of the service, over HTTP: of this one, or of one that runs elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.middleware.authentication import WITHIN

_ANY_HOST = "http://localhost"


async def _at_once() -> None:
    """Wait for nothing: a service that is not ready says so itself."""


class ServiceClient:
    """Asks a service. Every refusal is a ToolError with the message that the service gives.

    Args:
        connections: to the service; closed by who made them.
        is_ready: waits until the service has loaded, and raises ToolError if it cannot.
    """

    def __init__(
        self,
        connections: httpx.AsyncClient,
        is_ready: Callable[[], Awaitable[None]] = _at_once,
    ) -> None:
        self._connections = connections
        self._is_ready = is_ready

    async def ask(
        self, method: str, path: str, *, most_bytes: int | None = None, **options: Any
    ) -> httpx.Response:
        """Send a request, and return the answer with its body.

        Args:
            method: of the request.
            path: likewise.
            most_bytes: of the body; None for any number.
            options: those of httpx.

        Raises:
            ToolError: the service refuses it, or is not there; or the body is longer.
        """
        await self._is_ready()
        try:
            async with self._connections.stream(method, path, **options) as answer:
                length = int(answer.headers.get("content-length", 0))
                if most_bytes is not None and answer.is_success and length > most_bytes:
                    raise ToolError(f"{path} has {length} bytes, and at most {most_bytes} are sent")
                await answer.aread()
        except httpx.TransportError as error:
            where = self._connections.base_url
            message = f"no service answers at {where}: start it with kokoro-service serve"
            raise ToolError(message) from error
        if answer.is_error:
            raise ToolError(_message(answer))
        return answer


def _message(answer: httpx.Response) -> str:
    try:
        error = answer.json()["error"]
        return f"{error['message']} ({error['code']})"
    except (ValueError, KeyError, TypeError):  # of something between, such as a proxy
        return f"the service answers with status {answer.status_code}"


def connections_within(app: ASGIApp) -> httpx.AsyncClient:
    """Return connections to an application of this process.

    A request on them is one of whoever the running task works for. It needs no key of its own, and
    does not count as another one of its key.
    """

    async def within(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, WITHIN: True}, receive, send)

    transport = httpx.ASGITransport(within, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url=_ANY_HOST, timeout=None)
