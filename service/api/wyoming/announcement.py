"""The announcement by zeroconf, by which Home Assistant finds the service."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from service.errors import StartupError
from service.extras import advice

SERVICE_TYPE = "_wyoming._tcp.local."

_MAX_LABEL = 63 - len("kokoro-")
"""Characters of the machine's own name; DNS allows 63 in a label."""


@asynccontextmanager
async def announced(name: str, host: str, port: int) -> AsyncIterator[None]:
    """Announce Wyoming within the block. Takes a second.

    Args:
        name: of the service; gets a number if another one has it.
        host: address that is listened on.
        port: the port.

    Raises:
        StartupError: the extra is not installed, the name is unusable, or there is no network.
    """
    try:
        import zeroconf
        from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf
    except ImportError as error:
        raise StartupError(
            f"wyoming_zeroconf needs a package ({error}): {advice('zeroconf')}"
        ) from error
    addresses = _addresses(host)
    announcer = None
    try:
        announcer = AsyncZeroconf(interfaces=addresses)
        service = AsyncServiceInfo(
            SERVICE_TYPE,
            f"{name}.{SERVICE_TYPE}",
            port,
            server=_host_name(),
            parsed_addresses=addresses,
        )
        await (await announcer.async_register_service(service, allow_name_change=True))
    except (zeroconf.Error, OSError) as error:
        if announcer is not None:
            await announcer.async_close()
        reason = str(error) or type(error).__name__
        raise StartupError(f"wyoming_zeroconf: {name} cannot be announced: {reason}") from error
    try:
        yield
    finally:
        await announcer.async_close()


def _host_name() -> str:
    """Return the name under which the addresses are announced, one for each machine.

    Without one, zeroconf takes the name of the service. Then it answers with address and service in
    any order, and a client that reads the address first drops it and asks in vain for it again.
    """
    label = re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().partition(".")[0].lower())
    return f"kokoro-{label[:_MAX_LABEL]}.local."


def _addresses(host: str) -> list[str]:
    """Return the addresses at which others reach a host: if it is all, those of the interfaces."""
    found = {str(item[4][0]) for item in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    if not all(ipaddress.ip_address(address).is_unspecified for address in found):
        return sorted(found)
    import ifaddr  # zeroconf needs it too

    every = [ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips]
    # An address of IPv6 is a tuple, and needs a scope that others do not know.
    return [ip for ip in every if isinstance(ip, str) and not ipaddress.ip_address(ip).is_loopback]
