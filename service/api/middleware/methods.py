"""The methods of a path: HEAD and OPTIONS beside those that its endpoints have."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.error_answers import error_answer

HEAD_ONLY = "kokoro.head_only"
"""Key of a scope whose answer leaves without its body, so that nobody need make it."""


class Methods:
    """Answer HEAD like GET without a body, OPTIONS with 204, and unknown methods with 405.

    204 and 405 name the methods of the path in `Allow`. A path with a slash too many is answered
    with 307, to the path without it on the same host, whatever the caller names in `Host`. Other
    unknown paths are left to the application. A CORS preflight does not get here where origins are
    listed.

    Args:
        app: what follows.
        routes: of the application, none of them within others.
    """

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes = [route for route in routes if isinstance(route, Route)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # First, since a name at the end of a path may have slashes in it, but not at its end.
        if place := self._place_without_slash(scope):
            await Response(status_code=307, headers=place)(scope, receive, send)
            return
        routes = self._routes_of(scope)
        if not routes:
            await self._app(scope, receive, send)
            return
        methods = {"OPTIONS"}.union(*(route.methods or () for route in routes))
        if "GET" in methods:
            methods.add("HEAD")
        headers = {"Allow": ", ".join(sorted(methods))}
        method = scope["method"]
        scope["route"] = routes[0]  # for the log
        if method == "OPTIONS":
            await Response(status_code=204, headers=headers)(scope, receive, send)
        elif method not in methods:
            answer = error_answer(scope, 405, "method_not_allowed", "Method Not Allowed", headers)
            await answer(scope, receive, send)
        elif method == "HEAD":
            # A range is for GET alone: RFC 9110, 14.2.
            fields = [field for field in scope["headers"] if field[0] != b"range"]
            # The server leaves out the body, by the method of its own scope.
            asked = {**scope, "method": "GET", "headers": fields, HEAD_ONLY: True}
            await self._app(asked, receive, send)
        else:
            await self._app(scope, receive, send)

    def _routes_of(self, scope: Scope) -> list[Route]:
        return [route for route in self._routes if route.matches(scope)[0] is not Match.NONE]

    def _place_without_slash(self, scope: Scope) -> dict[str, str] | None:
        """Return where the path is without its last slash; None if nothing is there either."""
        path = scope["path"].rstrip("/")
        # With two slashes at its beginning it would name a host.
        if path == scope["path"] or path.startswith("//"):
            return None
        if not self._routes_of({**scope, "path": path}):
            return None
        query = scope["query_string"].decode("latin-1")
        return {"Location": quote(path) + (f"?{query}" if query else "")}
