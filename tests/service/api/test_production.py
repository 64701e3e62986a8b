"""Items that a thread makes for who waits on the event loop, and sending to who may be slow, or gone."""

import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import wraps

import pytest
from service.api.patience import StalledError, send_patiently
from service.api.production import produce


@pytest.fixture
def executor():
    with ThreadPoolExecutor(2) as executor:
        yield executor


def in_event_loop(test):
    """Run a test that is a coroutine."""

    @wraps(test)
    def run(**fixtures):
        asyncio.run(test(**fixtures))

    return run


async def in_thread(executor, work):
    await asyncio.get_running_loop().run_in_executor(executor, work)


@pytest.mark.parametrize("n_items", [20, 0])
@in_event_loop
async def test_items_come_in_order_one_is_made_ahead_and_the_generator_is_closed(executor, n_items):
    made, closed, stopped = [], threading.Event(), threading.Event()

    def items():
        try:
            for number in range(n_items):
                made.append(number)
                yield number
        finally:
            closed.set()

    taken, ahead = [], {0}
    async with produce(executor, items(), stopped.set) as produced:
        async for item in produced:
            taken.append(item)
            for _ in range(3):  # what is there to be done in a thread is done when these are
                await in_thread(executor, lambda: None)
            ahead.add(len(made) - 1 - item)
    assert taken == made == list(range(n_items))
    assert ahead <= {0, 1}
    assert closed.is_set()
    assert stopped.is_set()


@in_event_loop
async def test_a_failure_comes_to_who_takes_the_items(executor):
    def items():
        yield 1
        raise LookupError("on the way")

    async with produce(executor, items(), lambda: None) as made:
        assert await anext(made) == 1
        with pytest.raises(LookupError, match="on the way"):
            await anext(made)


@in_event_loop
async def test_who_leaves_early_stops_the_work_and_waits_for_its_end(executor):
    stop, at_work = threading.Event(), threading.Event()
    finished = []

    def items():
        try:
            yield 1
            at_work.set()
            assert stop.wait(60)
            finished.append("item")
            yield 2
        finally:
            finished.append("generator")

    async with produce(executor, items(), stop.set) as made:
        await anext(made)
        await in_thread(executor, at_work.wait)
        assert finished == []
    assert finished == ["item", "generator"]


@in_event_loop
async def test_a_cancelled_task_waits_for_its_thread_too(executor):
    go_on, at_work = threading.Event(), threading.Event()
    told = []

    def items():
        try:
            at_work.set()
            assert go_on.wait(60)
            yield 1
        finally:
            told.append("generator")

    async def take_all():
        async with produce(executor, items(), lambda: told.append("stop")) as made:
            async for _ in made:
                pass

    task = asyncio.ensure_future(take_all())
    await in_thread(executor, at_work.wait)
    # Again and again: each of them must find it waiting still.
    for _ in range(3):
        task.cancel()
        await asyncio.wait([task], timeout=0.01)
        assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == ["stop", "generator"]


@in_event_loop
async def test_a_generator_that_fails_to_close_is_not_hidden(executor):
    def items():
        try:
            yield 1
            yield 2
        finally:
            raise OSError("at the end")

    with pytest.raises(OSError, match="at the end"):
        async with produce(executor, items(), lambda: None) as made:
            await anext(made)


class Large:
    """Stands for what was made."""


@pytest.mark.parametrize("failing_close", [False, True])
def test_a_failure_does_not_keep_what_was_made(executor, failing_close):
    made_once = []

    def items():
        item = Large()
        made_once.append(weakref.ref(item))
        try:
            yield item
            if not failing_close:
                raise KeyError("it cannot be made")
            yield Large()
        finally:
            if failing_close:
                raise KeyError("it cannot be closed")

    async def take():
        async with produce(executor, items(), lambda: None) as made:
            async for item in made:
                if failing_close:
                    break
                del item

    async def fail():
        with pytest.raises(KeyError, match="it cannot be"):
            await take()

    gc.disable()
    try:
        asyncio.run(fail())
        executor.shutdown()  # its threads may still be on their way out
        assert made_once[0]() is None
    finally:
        gc.enable()


@in_event_loop
async def test_a_loss_that_comes_while_something_is_sent_is_known_before_the_next():
    told = []

    async def send():
        # As a transport does: it finds the loss now, and calls back later.
        asyncio.get_running_loop().call_soon(told.append, "lost")
        told.append("sent")

    await send_patiently(send(), 60)
    assert told == ["sent", "lost"]


@in_event_loop
async def test_who_reads_nothing_for_too_long_is_given_up():
    with pytest.raises(StalledError):
        await send_patiently(asyncio.sleep(3600), 0.01)
