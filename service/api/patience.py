"""The time limit for clients that read nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio


class StalledError(Exception):
    """The client reads nothing. Its connection must be aborted, for a graceful close would wait."""


async def send_patiently(sending: Awaitable[None], timeout_s: float) -> None:
    """Send, unless the client reads nothing for too long; yield to the event loop once.

    Raises:
        StalledError: the client reads nothing.
    """
    # asyncio.wait_for of Python 3.10 and 3.11 may lose a cancellation of this task.
    with anyio.move_on_after(timeout_s):
        await sending
        # Sending does not wait while the buffer has room, nor after the connection is lost. The
        # event loop can report the loss only when it gets a turn.
        await asyncio.sleep(0)
        return
    raise StalledError


def abort_of(state: Mapping[str, Any]) -> Callable[[], None]:
    """Return what breaks off the connection of a request.

    The service's own server puts it into the state of the ASGI scope. Another server has none, and
    closes connections when it sees fit.
    """
    abort: Callable[[], None] = state.get("abort", lambda: None)
    return abort
