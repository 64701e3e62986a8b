"""Authentication by API keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from contextlib import ExitStack
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.api_keys import ApiKey
from service.api.callers import Callers
from service.api.error_answers import refuse
from service.errors import KeyLimitError, UnauthorizedError

OPEN_PATHS = frozenset({"/health", "/ready", "/v1/test"})
"""Paths without authentication, for load balancers and other probes."""

WITHIN = "kokoro.within"
"""Key of the scope of a request that the service sends to itself, for a caller whom it let in."""

_LISTS = re.compile(
    r"/voices|/languages|/v1/models(/.*)?|/v1/audio/(models|voices)|/v[12]/voices(/.*)?", re.DOTALL
)

_PAGE = re.compile(r"/|/docs|/page/.*", re.DOTALL)

_SUBPROTOCOL = "bearer."
"""What a subprotocol begins with that is a key: browsers can send no headers with a WebSocket."""


def is_list(path: str) -> bool:
    """Tell whether a path lists voices, models or languages, for which many clients send no key."""
    return _LISTS.fullmatch(path) is not None


class Authentication:
    """Require a key. Requests without one get 401.

    It comes as `Authorization: Bearer KEY`, as `X-API-Key: KEY`, or as `xi-api-key: KEY`, which
    ElevenLabs' clients send; for a WebSocket also as the subprotocol `bearer.KEY`, where characters
    that a subprotocol cannot have are percent-encoded. A WebSocket is refused before its upgrade.
    `open_paths` and CORS preflight requests, which never have a key, are let in, and with
    `open_page` the files of the page. With `open_lists` a request for a list
    is let in without a key, but not with an unknown one: clients ask for a list to find out whether
    their key is right. A key with as many requests as it may have gets 429. The name of the key, or
    None, is in the state of the request.
    """

    def __init__(
        self,
        app: ASGIApp,
        callers: Callers,
        open_paths: Collection[str] = OPEN_PATHS,
        *,
        open_lists: bool = False,
        open_page: bool = False,
    ) -> None:
        self._app = app
        self._callers = callers
        self._open_paths = frozenset(open_paths)
        self._open_lists = open_lists
        self._open_page = open_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket") or self._is_open(scope):
            await self._app(scope, receive, send)
            return
        key = self._identify(scope)
        if key is None:
            error = UnauthorizedError(
                "an API key is needed: send Authorization: Bearer KEY, or X-API-Key: KEY"
                if not any(_candidates(scope))
                else "the API key is unknown"
            )
            await refuse(scope, receive, send, error, {"WWW-Authenticate": "Bearer"})
            return
        scope["state"]["key"] = key.name
        with ExitStack() as stack:
            try:
                free = stack.enter_context(self._callers.request(key))
            except KeyLimitError as refusal:
                await refuse(scope, receive, send, refusal)
                return
            await self._app(scope, receive, _freeing(send, free))

    def _is_open(self, scope: Scope) -> bool:
        if scope.get(WITHIN):
            return True
        if scope["path"] in self._open_paths or _is_preflight(scope):
            return True
        # Reading only: `POST /` speaks, for clients of piper.
        is_reading = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if self._open_page and is_reading and _PAGE.fullmatch(scope["path"]):
            return True
        return self._open_lists and is_list(scope["path"]) and not any(_candidates(scope))

    def _identify(self, scope: Scope) -> ApiKey | None:
        keys = self._callers.keys
        if keys is None:
            return None
        found = (keys.find(candidate) for candidate in _candidates(scope))
        return next((key for key in found if key is not None), None)


def _freeing(send: Send, free: Callable[[], None]) -> Send:
    """Return a `send` that frees the place of a request before its client has the whole answer.

    Otherwise the next request of a client that may have only one could come too early.
    """
    left = -1  # unknown

    async def freeing(message: Message) -> None:
        nonlocal left
        if message["type"] == "http.response.start":
            left = int(dict(message["headers"]).get(b"content-length", -1))
        elif message["type"] == "http.response.body":
            left -= len(message.get("body", b""))
            if left == 0 or not message.get("more_body", False):
                free()
        await send(message)

    return freeing


def _candidates(scope: Scope) -> Iterable[str]:
    headers = Headers(scope=scope)
    for value in headers.getlist("authorization"):
        scheme, _, credentials = value.partition(" ")
        if scheme.lower() == "bearer":
            yield credentials.strip()
    for name in ("x-api-key", "xi-api-key"):
        yield from headers.getlist(name)
    for subprotocol in scope.get("subprotocols", ()):
        if subprotocol.startswith(_SUBPROTOCOL):
            key = subprotocol.removeprefix(_SUBPROTOCOL)
            yield key
            yield unquote(key)


def _is_preflight(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return (
        scope["type"] == "http"
        and scope["method"] == "OPTIONS"
        and "origin" in headers
        and "access-control-request-method" in headers
    )
