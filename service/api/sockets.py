"""Sockets that listen: bound before anything else is done, with few connections taken at once."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable
from pathlib import Path

ACCEPTED_AT_ONCE = 4
"""Connections that the event loop takes in a step. asyncio takes as many as may wait, so for a
server it is the same number: thousands, before the first of them is counted."""

_WAITING = 2048
"""Connections that may wait in the kernel, where they need no descriptor."""

_OWNER_AND_GROUP = 0o660
"""Who may connect to a Unix socket."""

_NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def listen(host: str, port: int) -> list[socket.socket]:
    """Listen on every address of a host.

    Args:
        host: a name or an address.
        port: 0 takes a free one, the same for all addresses.

    Raises:
        OSError: the port is in use, or the address is not one of this machine.
    """
    sockets: list[socket.socket] = []
    refusals: list[OSError] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(
            socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        ):
            if sockets:
                address = (address[0], sockets[0].getsockname()[1], *address[2:])
            try:
                # The protocol is named, else asyncio would not set TCP_NODELAY.
                sockets.append(_bound(socket.socket(family, kind, protocol), address))
            except OSError as error:
                # A name may have an address of a family that is switched off here.
                if error.errno not in _NO_SUCH_ADDRESS:
                    raise
                refusals.append(error)
        if not sockets:
            raise refusals[0]
    except BaseException:
        close(sockets)
        raise
    return sockets


def _bound(one: socket.socket, address: tuple[object, ...]) -> socket.socket:
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if one.family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(address)
        # Two that are only bound may share a port; then the second would fail later.
        one.listen(_WAITING)
    except BaseException:
        one.close()
        raise
    return one


def listen_at(path: Path) -> socket.socket:
    """Listen on a Unix socket at a path that nobody listens at yet, for the owner and the group.

    Raises:
        OSError: somebody does, or what is there is no socket.
    """
    bound = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket() and not _answers(path):
            path.unlink()  # of a process that was killed
        bound.bind(str(path))
        # Nobody can connect before it listens.
        path.chmod(_OWNER_AND_GROUP)
        bound.listen(_WAITING)
    except BaseException:
        bound.close()
        raise
    return bound


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        return True


def let_wait(sockets: Iterable[socket.socket]) -> None:
    """Let connections wait again, after asyncio has let only `ACCEPTED_AT_ONCE` wait."""
    for one in sockets:
        one.listen(_WAITING)


def close(sockets: Iterable[socket.socket]) -> None:
    """Close sockets. May be called again."""
    for one in sockets:
        one.close()
