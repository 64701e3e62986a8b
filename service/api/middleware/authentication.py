"""Who may use the service: API keys, addresses, web origins; and the headers that browsers obey."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import os
import re
import socket
import stat
from collections.abc import Collection, Iterable
from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.error_answers import error_answer
from service.errors import ForbiddenOriginError, ServiceError, SettingsError, UnauthorizedError
from service.settings import Settings

logger = logging.getLogger(__name__)

MIN_KEY_LENGTH = 16

OPEN_PATHS = frozenset({"/health", "/ready"})
"""What load balancers ask for, who have no key."""

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

_KEY = re.compile(rb"[\x21-\x7e]+")
_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#@*\[\]\s:]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class ApiKeys:
    """The keys that let callers in; only their digests are kept."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._digests = tuple({_digest(key): None for key in keys})

    def __len__(self) -> int:
        return len(self._digests)

    def __repr__(self) -> str:
        return f"<ApiKeys: {len(self)}>"

    @classmethod
    def read(cls, path: Path) -> ApiKeys:
        """Read a file of keys: one a line; blank lines and lines that begin with # are skipped.

        Raises:
            SettingsError: the file cannot be read, holds no key, one twice, or one that is shorter
                than 16 characters or has others than printable ASCII without spaces.
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
                raise SettingsError(f"{where}: a key is printable ASCII without spaces")
            if len(key) < MIN_KEY_LENGTH:
                raise SettingsError(f"{where}: a key has {MIN_KEY_LENGTH} characters or more")
            first = numbers.setdefault(key.decode("ascii"), number)
            if first != number:
                raise SettingsError(f"{where}: the key of line {first} again")
        if not numbers:
            raise SettingsError(f"api_keys_file {path}: there is no key in it")
        if mode & stat.S_IROTH:
            logger.warning("every user of this machine can read %s: chmod o-r it", path)
        return cls(numbers)

    def accepts(self, candidate: str) -> bool:
        """Tell whether a key is one of these, in a time that does not depend on which or how far.

        Digests of equal length are compared, all of them, whatever is found first.
        """
        digest = _digest(candidate)
        found = False
        for known in self._digests:
            found |= hmac.compare_digest(known, digest)
        return found


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def read_keys(settings: Settings) -> ApiKeys | None:
    """Return the keys of `api_keys_file`, or None where no key is asked for.

    Raises:
        SettingsError: the file cannot be used.
    """
    return None if settings.api_keys_file is None else ApiKeys.read(settings.api_keys_file)


def check_exposure(settings: Settings, keys: ApiKeys | None) -> None:
    """Refuse to listen wider than this machine where everyone would be let in.

    Raises:
        SettingsError: `host` is not a loopback address, or a name of others as well, and there
            are neither keys nor `insecure`; or the name has no address.
    """
    if keys or settings.insecure or _is_loopback(settings.host):
        return
    raise SettingsError(
        f"host {settings.host} can be reached from other machines: set api_keys_file to a file of "
        "API keys, or --insecure where something else keeps strangers out"
    )


def _is_loopback(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"host {host} has no address: {error}") from error
    # Scoped addresses come as fe80::1%eth0.
    addresses = (ipaddress.ip_address(str(item[4][0]).partition("%")[0]) for item in found)
    return all(_unmapped(address).is_loopback for address in addresses)


def _unmapped(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def read_origins(listed: Iterable[str]) -> tuple[str, ...]:
    """Return `cors_origins` as browsers write them: lower case, without a default port.

    Raises:
        SettingsError: one is not `scheme://host[:port]`, and would never match.
    """
    return tuple(item if item == EVERY_ORIGIN else _listed_origin(item) for item in listed)


def _listed_origin(text: str) -> str:
    origin = _split_origin(text)
    if origin is None:
        raise SettingsError(
            f"cors_origins: {text!r} is not an origin such as https://app.example.com"
        )
    scheme, host, port = origin
    return f"{scheme}://{host}" + (f":{port}" if port != _DEFAULT_PORTS.get(scheme, "") else "")


def _split_origin(text: str) -> tuple[str, str, str] | None:
    match = _ORIGIN.fullmatch(text.lower())
    if match is None:
        return None
    scheme, host, port = match.groups()
    return scheme, host, port or _DEFAULT_PORTS.get(scheme, "")


def install(app: FastAPI, settings: Settings, keys: ApiKeys | None) -> None:
    """Add what stands between the network and the endpoints, in its order.

    To be called before `RequestLog` is added, which must be outside, and `SecurityHeaders` outside
    of that.

    Raises:
        SettingsError: as `check_exposure` and `read_origins` do.
    """
    check_exposure(settings, keys)
    origins = read_origins(settings.cors_origins)
    if keys is not None:
        app.add_middleware(Authentication, keys=keys)
    app.add_middleware(Origins, allowed=origins)
    # With a key, a page that got here under a false name still has none; `insecure` says that
    # something else looks after it; and "*" lets every page in anyway.
    if keys is None and not settings.insecure and EVERY_ORIGIN not in origins:
        names = [origin[1] for origin in map(_split_origin, origins) if origin]
        app.add_middleware(Hosts, names={settings.host.lower(), *names})


class Authentication:
    """Let in who brings a key: `Authorization: Bearer KEY` or `X-API-Key: KEY`; others get 401.

    A WebSocket is refused before its upgrade. Open are `open_paths`, and the questions that
    browsers ask before cross-origin requests, which never bring a key.
    """

    def __init__(
        self, app: ASGIApp, keys: ApiKeys, open_paths: Collection[str] = OPEN_PATHS
    ) -> None:
        self._app = app
        self._keys = keys
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket") or self._lets_in(scope):
            await self._app(scope, receive, send)
            return
        error = UnauthorizedError(
            "send an API key: Authorization: Bearer KEY, or X-API-Key: KEY"
            if not any(_candidates(scope))
            else "this API key is not known"
        )
        await _refuse(scope, receive, send, error, {"WWW-Authenticate": "Bearer"})

    def _lets_in(self, scope: Scope) -> bool:
        if scope["path"] in self._open_paths or _is_preflight(scope):
            return True
        return any(self._keys.accepts(candidate) for candidate in _candidates(scope))


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
        await _refuse(scope, receive, send, error)

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
    parts = _split_origin(origin)
    return parts is not None and _split_origin(f"{parts[0]}://{host}") == parts


class Hosts:
    """Answer only under known names, for a service that listens on loopback and asks for no key.

    A page whose own name is made to point to 127.0.0.1 (DNS rebinding) is of the same origin as
    the service, as far as the browser knows; its name in the `Host` header gives it away. An
    address, localhost and `names` are let in, and requests without the header: no browser's.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset({"localhost", *names})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket") or self._lets_in(scope):
            await self._app(scope, receive, send)
            return
        error = ForbiddenOriginError(
            "the Host header is neither localhost nor an address; for a service behind a proxy set "
            "api_keys_file or insecure, or list its public origin in cors_origins"
        )
        await _refuse(scope, receive, send, error)

    def _lets_in(self, scope: Scope) -> bool:
        return all(self._knows(host) for host in Headers(scope=scope).getlist("host"))

    def _knows(self, header: str) -> bool:
        parts = _split_origin(f"http://{header}")
        if parts is None:
            return False
        name = parts[1].rstrip(".")
        return name in self._names or name.endswith(".localhost") or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What tells browsers to do nothing with an answer."""


class SecurityHeaders:
    """Put `SECURITY_HEADERS` on every answer that does not say otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message.setdefault("headers", [])
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    error: ServiceError,
    headers: dict[str, str] | None = None,
) -> None:
    # For a WebSocket, starlette answers by the extension websocket.http.response.
    answer = error_answer(scope, error.status, error.code, error.message, headers)
    await answer(scope, receive, send)
