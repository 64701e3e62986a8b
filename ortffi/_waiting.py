"""How asyncio waits for a run in another thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from ortffi.elements import Array


async def outcome(terminate: Callable[[], None], run: Future[list[Array]]) -> list[Array]:
    """Return a run's result; if the waiting task is cancelled, end the run first.

    Args:
        terminate: makes an active run end before its next operator.
        run: active or queued.
    """
    waiter = asyncio.wrap_future(run)
    cancelled: asyncio.CancelledError | None = None
    try:
        while not waiter.done():
            try:
                # Unlike `await waiter`, this does not cancel the waiter with the task.
                await asyncio.wait([waiter])
            except asyncio.CancelledError as error:
                cancelled = error
                _stop(run, terminate)
        if cancelled is None:
            return waiter.result()
        if not waiter.cancelled():
            waiter.exception()  # or asyncio warns that the exception was never retrieved
        raise cancelled
    finally:
        _stop(run, terminate)  # in case the coroutine was closed
        del run, waiter, cancelled, terminate  # an error's traceback keeps this frame


def _stop(run: Future[list[Array]], terminate: Callable[[], None]) -> None:
    if not run.cancel() and not run.done():
        terminate()
