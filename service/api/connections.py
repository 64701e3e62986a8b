"""The open connections of HTTP, WebSockets and Wyoming: no more than there are descriptors for."""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections.abc import Callable

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


_STALLED_S = 2.0
"""An upload of which nothing came for so long is no better than a connection that is idle."""

_PLACES_PER_NEWCOMER = 8
"""Of so many places uploads leave one to those who have just come, whose requests follow soon."""


class Connections:
    """Counts the open connections, and makes room for new ones.

    If there are as many as may be, a new one takes the place of the one that has waited longest for
    its client: between requests, in a head, or in a body. Nobody who is served is disturbed, and
    whoever comes is served, however many come and say nothing, or half of it. Uploads that go on
    are spared while others wait. Used on the event loop only.

    Args:
        most: that may be open.
        now: tells the time, in seconds.
    """

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._now = now
        # When each was heard last, the one with the longest wait first.
        self._idle: dict[asyncio.WriteTransport, float] = {}
        self._uploading: dict[asyncio.WriteTransport, float] = {}
        self._busy: set[asyncio.WriteTransport] = set()
        self._leave: dict[asyncio.WriteTransport, Callable[[], None]] = {}
        self._n_unmentioned = 0
        self._said_s = -_SAY_AGAIN_S

    def open(
        self, transport: asyncio.WriteTransport, leave: Callable[[], None] | None = None
    ) -> bool:
        """Count a new connection, which is idle, until `closed`.

        Return whether there is a place for it; if not, it does not count, and must be closed.

        Args:
            transport: of the connection.
            leave: closes it at once for another one; by default `abort`.
        """
        if len(self._leave) >= self._most:
            self._say()
            displaced = self._longest_waiting()
            if displaced is None:
                return False
            leave_for_another = self._leave[displaced]
            self.closed(displaced)
            leave_for_another()
        self._leave[transport] = leave or (lambda: abort(transport))
        self._idle[transport] = self._now()
        return True

    def busy(self, transport: asyncio.WriteTransport) -> None:
        """Note that a connection is being served, so that it is not closed for another."""
        if self._forget_state(transport):
            self._busy.add(transport)

    def idle(self, transport: asyncio.WriteTransport) -> None:
        """Note that a connection waits for its client, of whom something has just come."""
        if self._forget_state(transport):
            self._idle[transport] = self._now()

    def uploading(self, transport: asyncio.WriteTransport) -> None:
        """Note that a connection waits for more of a body, of which a part has just come."""
        if self._forget_state(transport):
            self._uploading[transport] = self._now()

    def closed(self, transport: asyncio.WriteTransport) -> None:
        """Forget a connection. May be called again."""
        self._forget_state(transport)
        self._leave.pop(transport, None)

    def _forget_state(self, transport: asyncio.WriteTransport) -> bool:
        """Forget what a connection does; return whether it counts."""
        self._idle.pop(transport, None)
        self._uploading.pop(transport, None)
        self._busy.discard(transport)
        return transport in self._leave

    def _longest_waiting(self) -> asyncio.WriteTransport | None:
        """Return which connection makes room for a new one; None if all are served."""
        idle = next(iter(self._idle), None)
        upload = next(iter(self._uploading), None)
        if idle is None or upload is None:
            return idle or upload
        now = self._now()
        idle_s, upload_s = now - self._idle[idle], now - self._uploading[upload]
        if upload_s >= _STALLED_S:
            return idle if idle_s > upload_s else upload
        n_left = max(1, self._most // _PLACES_PER_NEWCOMER)
        return upload if len(self._uploading) > self._most - n_left else idle

    def _say(self) -> None:
        """Tell the log, but not of each connection."""
        self._n_unmentioned += 1
        now = time.monotonic()
        if now - self._said_s >= _SAY_AGAIN_S:
            logger.warning(
                "%d connections are open, which is the most; those that wait for their clients are "
                "closed for new ones, %d so far; see max_connections and the limit of open files",
                self._most,
                self._n_unmentioned,
            )
            self._said_s, self._n_unmentioned = now, 0


def abort(transport: asyncio.WriteTransport) -> None:
    """Close a connection at once, whatever is left to send."""
    # asyncio's abort fails if the connection was closed with data left to send.
    if transport.get_extra_info("socket").fileno() != -1:
        transport.abort()
