"""Web origins whose pages may use the service."""

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
    "X-Dropped",
    "Location",
    "X-Duration-S",
    "X-Execution-Provider",
    "X-Ignored",
    "X-Ignored-Fields",
    "X-Request-ID",
    "X-Sample-Rate-Hz",
)
"""Headers that pages of listed origins may read."""

_STAINLESS = (
    *("arch", "async", "custom-event-handler", "custom-poll-interval", "helper-method", "lang"),
    *("os", "package-version", "poll-helper", "raw-response", "read-timeout", "retry-count"),
    *("runtime", "runtime-version", "stream-helper", "timeout"),
)
"""What OpenAI's SDKs add to every request, after `x-stainless-`: openai-python 3.54 and openai-node
6.49. Starlette wants whole names, or lets in every header."""

ALLOWED_HEADERS = (
    *("authorization", "content-type", "x-api-key", "x-request-id", "xi-api-key"),
    *("openai-beta", "openai-organization", "openai-project"),
    "user-agent",  # which the SDKs set; only some browsers let them, and then ask
    *(f"x-stainless-{name}" for name in _STAINLESS),
)
"""Headers that pages of listed origins may send."""

EVERY_ORIGIN = "*"

_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#@*\[\]\s:]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def read_origins(listed: Iterable[str]) -> tuple[str, ...]:
    """Return `cors_origins` as browsers write them: lower case, without a default port.

    Raises:
        SettingsError: an item is not `scheme://host[:port]`, so it would never match.
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
    """Return scheme, host and port (empty if unknown) of an origin; None if it is not an origin."""
    match = _ORIGIN.fullmatch(text.lower())
    if match is None:
        return None
    scheme, host, port = match.groups()
    return scheme, host, port or _DEFAULT_PORTS.get(scheme, "")


class Origins:
    """Refuse requests of web pages, except those of listed origins and of the service itself.

    Browsers let any page open a WebSocket or send a simple POST to any address, loopback included.
    These get 403. What pages may read is controlled by CORS headers, which starlette's middleware
    adds if origins are listed. Requests without an `Origin` header do not come from pages.
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
                allow_methods=("GET", "HEAD", "POST", "DELETE"),
                allow_headers=ALLOWED_HEADERS,
                expose_headers=tuple(exposed_headers),
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket") or self._lets_in(scope):
            await self._app(scope, receive, send)
            return
        error = ForbiddenOriginError("the page's origin is not in cors_origins")
        await refuse(scope, receive, send, error)

    def _lets_in(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            return True  # it changes nothing, and the page cannot read the answer
        if EVERY_ORIGIN in self._allowed:
            return True
        return all(
            origin in self._allowed or _is_same(origin, headers.get("host", ""))
            for origin in headers.getlist("origin")
        )


def _is_same(origin: str, host: str) -> bool:
    """Tell whether an origin is that of the service; `host` is the Host header.

    Schemes are not compared, because a proxy may terminate TLS.
    """
    parts = split_origin(origin)
    return parts is not None and split_origin(f"{parts[0]}://{host}") == parts
