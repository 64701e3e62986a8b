"""Runs that asyncio awaits: a cancelled task terminates its run, and waits for the end of it."""

import asyncio
import contextlib
import functools
import gc
import threading
import weakref
from concurrent.futures import Future

import numpy as np
import pytest

import ortffi
from ortffi import RunOptions
from ortffi._waiting import outcome
from tests.ortffi import lifetimes, tiny_models

ENDLESS = 10**12
N_TASKS = 20


@pytest.fixture
def counter(load):
    """A session that counts up, one by one."""
    return load(tiny_models.count_up())


def inputs(times, start=0):
    return [np.array(times), np.array([start])]


def users(session):
    """How many are inside the session."""
    return len(session.handle.users)


async def begin(session, options=None):
    """Start a task with an endless run, and return it when the run is inside."""
    before = users(session)
    task = asyncio.create_task(session.run_async(inputs(ENDLESS), options=options))
    while users(session) == before and not task.done():
        await asyncio.sleep(0)
    return task


def in_a_loop(test):
    """Run a test in a loop of its own."""

    @functools.wraps(test)
    def run(*arguments, **fixtures):
        return asyncio.run(test(*arguments, **fixtures))

    return run


async def cancel(task):
    """Cancel a task, and wait for its end."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@in_a_loop
async def test_many_tasks_share_a_session_and_await_their_outputs(counter):
    found = await asyncio.gather(*(counter.run_async(inputs(n, 4)) for n in range(N_TASKS)))
    assert [outputs[0].tolist() for outputs in found] == [[n + 4] for n in range(N_TASKS)]


@in_a_loop
async def test_what_goes_wrong_is_raised_where_it_is_awaited(counter, load):
    with pytest.raises(ortffi.OrtError, match="indices"):
        await load(tiny_models.gather()).run_async([np.ones(3, np.float32), np.array([7])])
    for wrong in ({"inputs": inputs(1)[:1]}, {"inputs": inputs(1), "options": "fast"}):
        with pytest.raises((TypeError, ortffi.InvalidArgumentError)):
            await counter.run_async(**wrong)
    counter.close()
    with pytest.raises(ortffi.ClosedError):
        await counter.run_async(inputs(1))


@pytest.mark.parametrize("times", [1, 3])
@in_a_loop
async def test_a_cancelled_task_ends_when_its_run_has_ended(counter, times):
    task = await begin(counter)
    for _ in range(times - 1):
        task.cancel()
        await asyncio.sleep(0)
    await cancel(task)
    assert users(counter) == 0
    assert (await counter.run_async(inputs(5)))[0].tolist() == [5]


def test_a_task_that_is_cancelled_before_it_starts_starts_no_run(counter):
    async def main():
        await cancel(asyncio.create_task(counter.run_async(inputs(ENDLESS))))

    asyncio.run(main())
    counter.close()  # waits for all that was started


@in_a_loop
async def test_other_runs_go_on(counter):
    other = asyncio.create_task(counter.run_async(inputs(20_000)))
    (await begin(counter)).cancel()
    assert (await other)[0].tolist() == [20_000]


@pytest.mark.parametrize("timeout", [0, 0.05])
@in_a_loop
async def test_a_task_that_has_waited_long_enough_terminates_its_run(counter, timeout):
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(counter.run_async(inputs(ENDLESS)), timeout)
    assert users(counter) == 0


@in_a_loop
async def test_options_are_terminated_with_their_run_also_when_they_are_closed_and_not_after_it(counter):
    options = RunOptions()
    await counter.run_async(inputs(1), options=options)
    assert not options.terminated
    task = await begin(counter, options)
    closing = threading.Thread(target=options.close)  # waits for the run inside
    closing.start()
    while not options.closed:
        await asyncio.sleep(0)
    await cancel(task)
    closing.join()
    assert options.terminated


@in_a_loop
async def test_a_run_that_waits_for_a_thread_never_starts():
    waiting, terminated = Future(), []
    task = asyncio.create_task(outcome(lambda: terminated.append(True), waiting))
    await asyncio.sleep(0)
    await cancel(task)
    assert waiting.cancelled()
    assert not terminated


@in_a_loop
async def test_a_run_that_somebody_else_cancels_is_cancelled():
    waiting = Future()
    task = asyncio.create_task(outcome(lambda: None, waiting))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_coroutine_that_is_thrown_away_terminates_its_run(counter):
    async def main():
        run = counter.run_async(inputs(ENDLESS))
        run.send(None)
        while not users(counter):
            await asyncio.sleep(0)
        run.close()

    asyncio.run(main())
    counter.close()  # waits for the run


@pytest.mark.usefixtures("watched")
def test_nothing_of_a_run_is_left_when_it_is_over():
    failing, counter = lifetimes.load(tiny_models.gather()), lifetimes.load(tiny_models.count_up())
    gone = []

    async def main():
        arrays = [np.ones(3, np.float32), np.array([7])]
        gone.append(weakref.ref(arrays[0]))
        with contextlib.suppress(ortffi.OrtError):
            await failing.run_async(arrays)
        task = await begin(counter)
        gone.append(weakref.ref(task))
        await cancel(task)

    gc.collect()
    gc.disable()
    try:
        asyncio.run(main())
        counter.close()  # the threads have put away what they did
        failing.close()
        assert [reference() for reference in gone] == [None, None]
    finally:
        gc.enable()
