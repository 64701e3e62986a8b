"""Run a generator in a thread for a consumer on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from concurrent.futures import Executor
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")

_END = object()


@asynccontextmanager
async def produce(
    executor: Executor, items: Generator[T, None, None], stop: Callable[[], None]
) -> AsyncIterator[AsyncIterator[T]]:
    """Run a generator in a thread, one item ahead of its consumer.

    At most two items exist at a time: the next is made while one is sent. The block is left only
    when no thread works any more.

    Args:
        executor: of the threads.
        items: the generator; closed at the end.
        stop: called at the end, so that an item that nobody will take is not finished.
    """
    loop = asyncio.get_running_loop()
    pending: asyncio.Future[Any] = loop.run_in_executor(executor, next, items, _END)

    async def take() -> AsyncGenerator[T, None]:
        nonlocal pending
        while (item := await asyncio.shield(pending)) is not _END:
            pending = loop.run_in_executor(executor, next, items, _END)
            yield item

    try:
        # One that is left to the event loop would hold its item for longer.
        async with aclosing(take()) as taken:
            yield taken
    finally:
        stop()
        try:
            await finish(pending)
        finally:
            # A future holds its exception, which holds its frames, which hold the future: a cycle
            # that would keep everything that was made.
            del pending
            closing = loop.run_in_executor(executor, items.close)
            try:
                await finish(closing)
                closing.result()
            finally:
                del closing


async def finish(future: asyncio.Future[Any]) -> None:
    """Wait for work in a thread, even if this task is cancelled meanwhile.

    What the work raises is left to who has its result.
    """
    cancelled = False
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            cancelled = True
    if not future.cancelled():
        future.exception()  # retrieved: the consumer has it already, or nobody waits for it
    if cancelled:
        raise asyncio.CancelledError
