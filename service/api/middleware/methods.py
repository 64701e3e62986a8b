"""The methods of a path: HEAD and OPTIONS beside those that its endpoints have."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.error_answers import error_answer


class Methods:
    """Answer HEAD like GET without a body, OPTIONS with 204, and unknown methods with 405.

    204 and 405 name the methods of the path in `Allow`. Unknown paths are left to the application.
    A CORS preflight does not get here where origins are listed.
    """

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes = [route for route in routes if isinstance(route, Route)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        routes = [] if scope["type"] != "http" else self._routes_of(scope)
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
            # The server leaves out the body, by the method of its own scope.
            await self._app({**scope, "method": "GET"}, receive, send)
        else:
            await self._app(scope, receive, send)

    def _routes_of(self, scope: Scope) -> list[Route]:
        return [route for route in self._routes if route.matches(scope)[0] is not Match.NONE]
