"""MCP over HTTP: the endpoint `/mcp`, which is off unless the setting `mcp` is on."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.mcp.service_client import ServiceClient, connections_within
from service.api.mcp.tools import SpeechServer

PATH = "/mcp"

_OWN_CHECKS = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The service's middleware has looked at host, origin and key before."""


class Door:
    """Answers assistants over streamable HTTP, each request by itself: there are no sessions.

    Args:
        app: of the service, which the tools ask.
        max_body_bytes: of a request.

    Attributes:
        route: the endpoint. GET would open a stream on which nothing comes, so it has none.
    """

    def __init__(self, app: ASGIApp, max_body_bytes: int) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._manager: StreamableHTTPSessionManager | None = None
        self.route = Route(PATH, self, methods=["POST"], include_in_schema=False)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Answer within the block."""
        quiet_log()
        async with connections_within(self._app) as connections:
            server = SpeechServer(ServiceClient(connections), None)
            server.streamable_http_app(
                json_response=True,
                stateless_http=True,
                transport_security=_OWN_CHECKS,
                max_request_body_size=self._max_body_bytes,
            )
            manager = server.session_manager
            async with manager.run():
                self._manager = manager
                yield
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        assert self._manager is not None  # requests come while the application lives
        await self._manager.handle_request(scope, receive, send)


def quiet_log() -> None:
    """Keep from the log what the SDK and httpx tell of requests: they may quote a caller."""
    for name in ("mcp", "httpx"):
        logging.getLogger(name).setLevel(logging.WARNING)
