"""The open connections of HTTP, WebSockets and Wyoming: no more than there are descriptors for."""

from __future__ import annotations

import asyncio
import logging
import resource
import time

logger = logging.getLogger(__name__)

_OTHER_FILES = 64
"""Descriptors for everything else: a dozen while nobody speaks; files of jobs and of espeak-ng; and
connections on their way, a few in each of the three steps in which the event loop takes them."""

_SAY_AGAIN_S = 60.0


def most_connections(wanted: int) -> int:
    """Return how many connections may be open, and raise the soft limit of open files for them.

    Args:
        wanted: as many as are wanted; fewer if the hard limit of open files does not allow them.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    return max(soft - _OTHER_FILES, soft // 4)


class Connections:
    """Counts the open connections, and makes room for new ones.

    If there are as many as may be, a new one takes the place of the one that has been idle for
    longest: nobody who is served is disturbed, and whoever comes is served, however many come and
    say nothing. Used on the event loop only.

    Args:
        most: that may be open.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._idle: dict[asyncio.WriteTransport, None] = {}  # for longest: the first
        self._busy: set[asyncio.WriteTransport] = set()
        self._n_unmentioned = 0
        self._said_s = -_SAY_AGAIN_S

    def open(self, transport: asyncio.WriteTransport) -> bool:
        """Count a new connection, which is idle, until `closed`.

        Return whether there is a place for it; if not, it does not count, and must be closed.
        """
        if len(self._idle) + len(self._busy) >= self._most:
            self._say()
            oldest = next(iter(self._idle), None)
            if oldest is None:
                return False
            del self._idle[oldest]
            abort(oldest)
        self._idle[transport] = None
        return True

    def busy(self, transport: asyncio.WriteTransport) -> None:
        """Note that a connection is being served, so that it is not closed for another."""
        self._idle.pop(transport, None)
        self._busy.add(transport)

    def idle(self, transport: asyncio.WriteTransport) -> None:
        """Note that a connection is not served any more."""
        if transport in self._busy:
            self._busy.discard(transport)
            self._idle[transport] = None

    def closed(self, transport: asyncio.WriteTransport) -> None:
        """Forget a connection. May be called again."""
        self._idle.pop(transport, None)
        self._busy.discard(transport)

    def _say(self) -> None:
        """Tell the log, but not of each connection."""
        self._n_unmentioned += 1
        now = time.monotonic()
        if now - self._said_s >= _SAY_AGAIN_S:
            logger.warning(
                "%d connections are open, which is the most; idle ones are closed for new ones, "
                "%d so far; see max_connections and the limit of open files",
                self._most,
                self._n_unmentioned,
            )
            self._said_s, self._n_unmentioned = now, 0


def abort(transport: asyncio.WriteTransport) -> None:
    """Close a connection at once, whatever is left to send."""
    # asyncio's abort fails if the connection was closed with data left to send.
    if transport.get_extra_info("socket").fileno() != -1:
        transport.abort()
