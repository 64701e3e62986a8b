"""Which web origins may use the service."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.error_answers import refuse
from service.errors import ForbiddenOriginError, SettingsError

EXPOSED_HEADERS = (
    "Retry-After",
    "X-Cache",
    "X-Chunk-Count",
    "X-Compute-S",
    "X-Duration-S",
    "X-Execution-Provider",
    "X-Request-ID",
    "X-Sample-Rate-Hz",
)
"""Headers of answers that a page of a listed origin may read."""

EVERY_ORIGIN = "*"

_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#@*\[\]\s:]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def read_origins(listed: Iterable[str]) -> tuple[str, ...]:
    """Return `cors_origins` as browsers write them: lower case, without a default port.

    Raises:
        SettingsError: one is not `scheme://host[:port]`, and would never match.
    """
    return tuple(item if item == EVERY_ORIGIN else _listed_origin(item) for item in listed)


def _listed_origin(text: str) -> str:
    origin = split_origin(text)
    if origin is None:
        raise SettingsError(
            f"cors_origins: {text!r} is not an origin such as https://app.example.com"
        )
    scheme, host, port = origin
    return f"{scheme}://{host}" + (f":{port}" if port != _DEFAULT_PORTS.get(scheme, "") else "")


def split_origin(text: str) -> tuple[str, str, str] | None:
    """Return scheme, host and port (empty where nobody knows it) of an origin; None of others."""
    match = _ORIGIN.fullmatch(text.lower())
    if match is None:
        return None
    scheme, host, port = match.groups()
    return scheme, host, port or _DEFAULT_PORTS.get(scheme, "")


class Origins:
    """Keep pages of other web origins out, but for listed ones.

    Browsers let any page open a WebSocket, and send simple POSTs, to any address that they reach,
    a loopback one too: those get 403 here. What they only may not read (CORS) they are told by
    the headers of starlette's middleware, which is in place where an origin is listed. Requests
    without an `Origin` header are no page's.
    """

    def __init__(
        self,
        app: ASGIApp,
        allowed: Collection[str],
        exposed_headers: Collection[str] = EXPOSED_HEADERS,
    ) -> None:
        self._allowed = frozenset(allowed)
        self._app = app
        if allowed:
            self._app = CORSMiddleware(
                app,
                allow_origins=tuple(allowed),
                allow_methods=("GET", "POST"),
                allow_headers=("authorization", "content-type", "x-api-key", "x-request-id"),
                expose_headers=tuple(exposed_headers),
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket") or self._lets_in(scope):
            await self._app(scope, receive, send)
            return
        error = ForbiddenOriginError("cors_origins does not list the web origin of this page")
        await refuse(scope, receive, send, error)

    def _lets_in(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            return True  # nothing is done for it that its page could see
        if EVERY_ORIGIN in self._allowed:
            return True
        return all(
            origin in self._allowed or _is_same(origin, headers.get("host", ""))
            for origin in headers.getlist("origin")
        )


def _is_same(origin: str, host: str) -> bool:
    """Tell whether a page's origin is the address it asks; `host` is the Host header.

    Schemes are not compared: a proxy may have taken TLS away.
    """
    parts = split_origin(origin)
    return parts is not None and split_origin(f"{parts[0]}://{host}") == parts
