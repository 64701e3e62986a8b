"""How long a client may read nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import anyio


class StalledError(Exception):
    """The client reads nothing; its connection is to be cut, not closed in good order."""


async def send_patiently(sending: Awaitable[None], timeout_s: float) -> None:
    """Send, unless the client reads nothing for too long; let others of the event loop run too.

    Raises:
        StalledError: it does not; what the connection still holds will never be read.
    """
    # asyncio.wait_for of Python 3.10 and 3.11 may lose a cancellation of this task.
    with anyio.move_on_after(timeout_s):
        await sending
        # It does not wait while there is room, or once a connection is lost: the loop finds the
        # loss, and tells of it, only when it has its turn.
        await asyncio.sleep(0)
        return
    raise StalledError
