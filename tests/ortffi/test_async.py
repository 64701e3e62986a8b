"""Runs that asyncio awaits: a cancelled task terminates its run, and waits for the end of it."""

import asyncio
import contextlib
import gc
import threading
import weakref
from concurrent.futures import Future

import numpy as np
import pytest
from ortffi._waiting import outcome
from tests.ortffi import tiny_models

import ortffi
from ortffi import RunOptions

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


async def cancel(task):
    """Cancel a task, and wait for its end."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_many_tasks_share_a_session_and_await_their_outputs(counter):
    async def main():
        runs = (counter.run_async(inputs(n, 4)) for n in range(N_TASKS))
        return [outputs[0].tolist() for outputs in await asyncio.gather(*runs)]

    assert asyncio.run(main()) == [[n + 4] for n in range(N_TASKS)]


def test_what_goes_wrong_is_raised_where_it_is_awaited(load):
    with pytest.raises(ortffi.OrtError, match="indices"):
        asyncio.run(load(tiny_models.gather()).run_async([np.ones(3, np.float32), np.array([7])]))


@pytest.mark.parametrize("times", [1, 3])
def test_a_cancelled_task_ends_when_its_run_has_ended(counter, times):
    async def main():
        task = await begin(counter)
        for _ in range(times - 1):
            task.cancel()
            await asyncio.sleep(0)
        await cancel(task)
        assert users(counter) == 0
        (result,) = await counter.run_async(inputs(5))
        return result.tolist()

    assert asyncio.run(main()) == [5]


def test_a_task_that_is_cancelled_before_it_starts_starts_no_run(counter):
    async def main():
        await cancel(asyncio.create_task(counter.run_async(inputs(ENDLESS))))

    asyncio.run(main())
    counter.close()  # waits for all that was started


def test_other_runs_go_on(counter):
    async def main():
        other = asyncio.create_task(counter.run_async(inputs(20_000)))
        (await begin(counter)).cancel()
        (result,) = await other
        return result.tolist()

    assert asyncio.run(main()) == [20_000]


@pytest.mark.parametrize("timeout", [0, 0.05])
def test_a_task_that_has_waited_long_enough_terminates_its_run(counter, timeout):
    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(counter.run_async(inputs(ENDLESS)), timeout)
        assert users(counter) == 0

    asyncio.run(main())


def test_options_that_were_given_are_terminated_also_when_they_are_closed(counter):
    async def main():
        options = RunOptions()
        task = await begin(counter, options)
        closing = threading.Thread(target=options.close)  # waits for the run inside
        closing.start()
        while not options.closed:
            await asyncio.sleep(0)
        await cancel(task)
        closing.join()
        assert options.terminated

    asyncio.run(main())


def test_options_whose_run_is_over_are_left_alone(counter):
    async def main():
        with RunOptions() as options:
            await counter.run_async(inputs(1), options=options)
            assert not options.terminated

    asyncio.run(main())


def test_bad_arguments_are_refused(counter):
    for wrong in ({"inputs": inputs(1)[:1]}, {"inputs": inputs(1), "options": "fast"}):
        with pytest.raises((TypeError, ortffi.InvalidArgumentError)):
            asyncio.run(counter.run_async(**wrong))
    counter.close()
    with pytest.raises(ortffi.ClosedError):
        asyncio.run(counter.run_async(inputs(1)))


def test_a_run_that_waits_for_a_thread_never_starts():
    async def main():
        waiting, terminated = Future(), []
        task = asyncio.create_task(outcome(lambda: terminated.append(True), waiting))
        await asyncio.sleep(0)
        await cancel(task)
        assert waiting.cancelled()
        assert not terminated

    asyncio.run(main())


def test_a_run_that_somebody_else_cancels_is_cancelled():
    async def main():
        waiting = Future()
        task = asyncio.create_task(outcome(lambda: None, waiting))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_a_coroutine_that_is_thrown_away_terminates_its_run(counter):
    async def main():
        run = counter.run_async(inputs(ENDLESS))
        run.send(None)
        while not users(counter):
            await asyncio.sleep(0)
        run.close()

    asyncio.run(main())
    counter.close()  # waits for the run


def test_nothing_of_a_run_is_left_when_it_is_over(counter, load):
    failing = load(tiny_models.gather())
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


@pytest.mark.usefixtures("watched")
def test_the_options_of_a_run_are_released():
    async def main(session):
        await cancel(await begin(session))

    with ortffi.SessionBuilder().commit_from_memory(tiny_models.count_up()) as session:
        asyncio.run(main(session))
