"""Items that a thread makes for who waits on the event loop, and sending to who may be slow, or gone."""

import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from service.api.patience import StalledError, send_patiently
from service.api.production import produce


@pytest.fixture
def executor():
    with ThreadPoolExecutor(2) as executor:
        yield executor


class Maker:
    def __init__(self, n_items):
        self.n_items = n_items
        self.n_made = 0
        self.closed_in = None
        self.stopped = threading.Event()

    def items(self):
        try:
            for number in range(self.n_items):
                self.n_made += 1
                yield number
        finally:
            self.closed_in = threading.current_thread()


@pytest.mark.parametrize("n_items", [20, 0])
def test_items_come_in_order_and_the_generator_is_closed(executor, n_items):
    maker = Maker(n_items)

    async def take_all():
        async with produce(executor, maker.items(), maker.stopped.set) as made:
            return [item async for item in made]

    assert asyncio.run(take_all()) == list(range(n_items))
    assert maker.closed_in is not None
    assert maker.stopped.is_set()


def test_one_item_is_made_ahead_and_no_more(executor):
    maker = Maker(20)

    async def take_slowly():
        ahead = []
        async with produce(executor, maker.items(), maker.stopped.set) as made:
            async for item in made:
                # What is there to be done in a thread is done when these are.
                for _ in range(3):
                    await asyncio.get_running_loop().run_in_executor(executor, lambda: None)
                ahead.append(maker.n_made - 1 - item)
        return ahead

    assert set(asyncio.run(take_slowly())[:-1]) <= {0, 1}
    assert maker.n_made == 20


def test_a_failure_comes_to_who_takes_the_items(executor):
    def items():
        yield 1
        raise LookupError("on the way")

    taken = []

    async def take_all():
        async with produce(executor, items(), lambda: None) as made:
            async for item in made:
                taken.append(item)

    with pytest.raises(LookupError, match="on the way"):
        asyncio.run(take_all())
    assert taken == [1]


def test_who_leaves_early_stops_the_work_and_waits_for_its_end(executor):
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

    async def take_one():
        async with produce(executor, items(), stop.set) as made:
            await anext(made)
            await asyncio.get_running_loop().run_in_executor(executor, at_work.wait)
            assert finished == []
        assert finished == ["item", "generator"]

    asyncio.run(take_one())


def test_a_cancelled_task_waits_for_its_thread_too(executor):
    go_on, at_work = threading.Event(), threading.Event()
    finished = []

    def items():
        try:
            at_work.set()
            assert go_on.wait(60)
            yield 1
        finally:
            finished.append("generator")

    stops = []

    async def take_all():
        async with produce(executor, items(), lambda: stops.append("stop")) as made:
            async for _ in made:
                pass

    async def cancel_it():
        task = asyncio.ensure_future(take_all())
        await asyncio.get_running_loop().run_in_executor(executor, at_work.wait)
        # Again and again: each of them must find it waiting still.
        for _ in range(3):
            task.cancel()
            await asyncio.wait([task], timeout=0.01)
            assert not task.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_it())
    assert stops == ["stop"]
    assert finished == ["generator"]


def test_a_generator_that_fails_to_close_is_not_hidden(executor):
    def items():
        try:
            yield 1
            yield 2
        finally:
            raise OSError("at the end")

    async def take_one():
        async with produce(executor, items(), lambda: None) as made:
            await anext(made)

    with pytest.raises(OSError, match="at the end"):
        asyncio.run(take_one())


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


def test_a_loss_that_comes_while_something_is_sent_is_known_before_the_next():
    async def scenario():
        told = []

        async def send():
            # As a transport does: it finds the loss now, and calls back later.
            asyncio.get_running_loop().call_soon(told.append, "lost")
            told.append("sent")

        await send_patiently(send(), 60)
        return list(told)

    assert asyncio.run(scenario()) == ["sent", "lost"]


def test_who_reads_nothing_for_too_long_is_given_up():
    async def scenario():
        await send_patiently(asyncio.sleep(3600), 0.01)

    with pytest.raises(StalledError):
        asyncio.run(scenario())
