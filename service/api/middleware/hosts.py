"""Host names that the service answers to, and the addresses it may listen on."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection, Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.api_keys import ApiKeys
from service.api.error_answers import refuse
from service.api.middleware.origins import split_origin
from service.errors import ForbiddenOriginError, SettingsError
from service.settings import Settings


def check_exposure(settings: Settings, keys: ApiKeys | None) -> None:
    """Refuse to listen on other interfaces than loopback without authentication.

    Raises:
        SettingsError: `host` has an address other than loopback, and there are neither keys nor
            `insecure`; or `host` has no address.
    """
    if keys or settings.insecure or is_loopback(settings.host):
        return
    raise SettingsError(
        f"host {settings.host} can be reached from other machines: set api_keys_file to a file of "
        "API keys, or --insecure if something else controls access"
    )


def is_loopback(host: str) -> bool:
    """Tell whether all addresses of a host are reached from this machine only.

    Raises:
        SettingsError: it has no address.
    """
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


class Hosts:
    """Answer only to known host names: protection against DNS rebinding.

    For a service that listens on loopback without keys. A web page whose name is made to point to
    127.0.0.1 has the same origin as the service, as far as the browser knows, but its name is in
    the `Host` header. Addresses, localhost and `names` are let in, and so are requests without the
    header, which no browser sends.
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
            "the Host header is neither localhost nor an address; behind a proxy, set "
            "api_keys_file or insecure, or add the public origin to cors_origins"
        )
        await refuse(scope, receive, send, error)

    def _lets_in(self, scope: Scope) -> bool:
        return all(self._knows(host) for host in Headers(scope=scope).getlist("host"))

    def _knows(self, header: str) -> bool:
        parts = split_origin(f"http://{header}")
        if parts is None:
            return False
        name = parts[1].rstrip(".")
        return name in self._names or name.endswith(".localhost") or _is_address(name)


class LoopbackOnly:
    """Answer only at addresses of loopback, and at Unix sockets.

    For a service without keys that another server hosts: `check_exposure` knows what the settings
    say, and not where that server listens.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an ASGI connection."""
        if scope["type"] not in ("http", "websocket") or _is_local(scope.get("server")):
            await self._app(scope, receive, send)
            return
        error = ForbiddenOriginError(
            "the service can be reached from other machines and has no keys: set api_keys_file, or "
            "insecure if something else controls access"
        )
        await refuse(scope, receive, send, error)


def _is_local(server: Sequence[object] | None) -> bool:
    """Tell whether ASGI's `server` is on loopback; a Unix socket has no port, or no address."""
    if server is None or server[1] is None:
        return True
    host = str(server[0]).partition("%")[0]
    if not _is_address(host):
        return host == "localhost"
    return _unmapped(ipaddress.ip_address(host)).is_loopback


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
