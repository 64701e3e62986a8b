"""The address at which Wyoming is served."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from service.api.middleware.hosts import is_loopback
from service.errors import SettingsError
from service.settings import Settings


@dataclass(frozen=True)
class TcpAddress:
    """A host and a port; port 0 stands for a free one."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tcp://{host}:{self.port}"


@dataclass(frozen=True)
class UnixAddress:
    """The path of a socket."""

    path: Path

    def __str__(self) -> str:
        return f"unix://{self.path}"


@dataclass(frozen=True)
class StdioAddress:
    """Standard input and output."""


Address = TcpAddress | UnixAddress | StdioAddress


def read_address(settings: Settings) -> Address | None:
    """Return the address of the setting `wyoming`; None if it is not set.

    Raises:
        SettingsError: the URI is malformed; or it can be reached from other machines without
            `insecure`; or `wyoming_zeroconf` is set, and the address is not TCP.
    """
    address = _parse(settings.wyoming) if settings.wyoming is not None else None
    if settings.wyoming_zeroconf is not None and not isinstance(address, TcpAddress):
        raise SettingsError("wyoming_zeroconf needs a tcp:// address in wyoming")
    if isinstance(address, TcpAddress) and not (settings.insecure or is_loopback(address.host)):
        raise SettingsError(
            f"wyoming {address.host} can be reached from other machines, and Wyoming has no keys: "
            "set --insecure if something else controls access"
        )
    return address


def _parse(uri: str) -> Address:
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError as error:  # such as a port that is not a number
        raise SettingsError(f"wyoming {uri}: {error}") from error
    if parts.query or parts.fragment or parts.username is not None:
        raise SettingsError(f"wyoming {uri}: nothing may follow or precede the address")
    if parts.scheme == "tcp" and host and port is not None and not parts.path:
        return TcpAddress(host, port)
    if parts.scheme == "unix" and not parts.netloc and parts.path:
        return UnixAddress(Path(parts.path))
    if parts.scheme == "stdio" and not parts.netloc and not parts.path:
        return StdioAddress()
    raise SettingsError(f"wyoming {uri} is none of tcp://HOST:PORT, unix:///PATH and stdio://")
