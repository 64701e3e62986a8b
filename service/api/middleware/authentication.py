"""Authentication by API keys."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import stat
from collections.abc import Collection, Iterable
from pathlib import Path

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.error_answers import refuse
from service.errors import SettingsError, UnauthorizedError
from service.settings import Settings

logger = logging.getLogger(__name__)

MIN_KEY_LENGTH = 16

OPEN_PATHS = frozenset({"/health", "/ready", "/v1/test"})
"""Paths without authentication, for load balancers and other probes."""

_LISTS = re.compile(r"/voices|/languages|/v1/models(/.*)?|/v1/audio/(models|voices)", re.DOTALL)

_KEY = re.compile(rb"[\x21-\x7e]+")


class ApiKeys:
    """The accepted API keys. Only their digests are kept."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._digests = tuple({_digest(key): None for key in keys})

    def __len__(self) -> int:
        return len(self._digests)

    def __repr__(self) -> str:
        return f"<ApiKeys: {len(self)}>"

    @classmethod
    def read(cls, path: Path) -> ApiKeys:
        """Read a file of keys, one per line. Blank lines and lines that begin with # are skipped.

        Raises:
            SettingsError: the file cannot be read, has no key, has a key twice, or has a key with
                fewer than 16 characters, with spaces, or not in printable ASCII.
        """
        try:
            with path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                lines = file.read().splitlines()
        except OSError as error:
            raise SettingsError(f"api_keys_file {path}: {error.strerror}") from error
        numbers: dict[str, int] = {}
        for number, line in enumerate(lines, start=1):
            key = line.strip()
            if not key or key.startswith(b"#"):
                continue
            where = f"api_keys_file {path}, line {number}"
            if not _KEY.fullmatch(key):
                raise SettingsError(f"{where}: a key must be printable ASCII without spaces")
            if len(key) < MIN_KEY_LENGTH:
                raise SettingsError(
                    f"{where}: a key must have at least {MIN_KEY_LENGTH} characters"
                )
            first = numbers.setdefault(key.decode("ascii"), number)
            if first != number:
                raise SettingsError(f"{where}: the same key as in line {first}")
        if not numbers:
            raise SettingsError(f"api_keys_file {path}: the file has no key")
        if mode & stat.S_IROTH:
            logger.warning("every user of this machine can read %s; run chmod o-r on it", path)
        return cls(numbers)

    def accepts(self, candidate: str) -> bool:
        """Tell whether a key is accepted, in a time that does not depend on the key.

        The digest is compared with all digests, in constant time.
        """
        digest = _digest(candidate)
        found = False
        for known in self._digests:
            found |= hmac.compare_digest(known, digest)
        return found


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def is_list(path: str) -> bool:
    """Tell whether a path lists voices, models or languages, for which many clients send no key."""
    return _LISTS.fullmatch(path) is not None


def read_keys(settings: Settings) -> ApiKeys | None:
    """Return the keys of `api_keys_file`; None if no key is needed.

    Raises:
        SettingsError: the file cannot be used.
    """
    return None if settings.api_keys_file is None else ApiKeys.read(settings.api_keys_file)


class Authentication:
    """Require a key: `Authorization: Bearer KEY` or `X-API-Key: KEY`. Other requests get 401.

    A WebSocket is refused before its upgrade. `open_paths` and CORS preflight requests, which never
    have a key, are let in. With `open_lists` a request for a list is let in without a key, but not
    with an unknown one: clients ask for a list to find out whether their key is right.
    """

    def __init__(
        self,
        app: ASGIApp,
        keys: ApiKeys,
        open_paths: Collection[str] = OPEN_PATHS,
        *,
        open_lists: bool = False,
    ) -> None:
        self._app = app
        self._keys = keys
        self._open_paths = frozenset(open_paths)
        self._open_lists = open_lists

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket") or self._lets_in(scope):
            await self._app(scope, receive, send)
            return
        error = UnauthorizedError(
            "an API key is needed: send Authorization: Bearer KEY, or X-API-Key: KEY"
            if not any(_candidates(scope))
            else "the API key is unknown"
        )
        await refuse(scope, receive, send, error, {"WWW-Authenticate": "Bearer"})

    def _lets_in(self, scope: Scope) -> bool:
        if scope["path"] in self._open_paths or _is_preflight(scope):
            return True
        candidates = [candidate for candidate in _candidates(scope) if candidate]
        if not candidates and self._open_lists and is_list(scope["path"]):
            return True
        return any(self._keys.accepts(candidate) for candidate in candidates)


def _candidates(scope: Scope) -> Iterable[str]:
    headers = Headers(scope=scope)
    for value in headers.getlist("authorization"):
        scheme, _, credentials = value.partition(" ")
        if scheme.lower() == "bearer":
            yield credentials.strip()
    yield from headers.getlist("x-api-key")


def _is_preflight(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return (
        scope["type"] == "http"
        and scope["method"] == "OPTIONS"
        and "origin" in headers
        and "access-control-request-method" in headers
    )
