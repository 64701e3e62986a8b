"""How asyncio waits for a run in another thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from ortffi.elements import Array


async def outcome(terminate: Callable[[], None], run: Future[list[Array]]) -> list[Array]:
    """Return what a run gives; when the waiting task is cancelled, end the run first.

    Args:
        terminate: makes a run that is under way end before its next operator.
        run: under way, or in the queue.
    """
    waiter = asyncio.wrap_future(run)
    cancelled: asyncio.CancelledError | None = None
    try:
        while not waiter.done():
            try:
                # Unlike awaiting the waiter itself, this leaves it alone when it is cancelled.
                await asyncio.wait([waiter])
            except asyncio.CancelledError as error:
                cancelled = error
                _stop(run, terminate)
        if cancelled is None:
            return waiter.result()
        if not waiter.cancelled():
            waiter.exception()  # or asyncio complains that nobody has looked at it
        raise cancelled
    finally:
        _stop(run, terminate)  # where the coroutine was thrown away
        del run, waiter, cancelled, terminate  # an error's traceback has this frame


def _stop(run: Future[list[Array]], terminate: Callable[[], None]) -> None:
    if not run.cancel() and not run.done():
        terminate()
