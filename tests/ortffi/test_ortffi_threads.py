"""Threads that meet in one session, and closing while they are inside."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tiny_models

import ortffi

PATIENCE_S = 60
"""After so long a wait is a deadlock."""


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.001)


@pytest.fixture
def threads():
    """Start threads, and join them all when the test ends."""
    with ThreadPoolExecutor(16) as pool:
        yield pool


@pytest.fixture
def held(fake, use, threads):
    """A session whose next run waits in C until it is told to go on.

    It needs `threads` so that a test that fails lets the run go before the threads are joined.
    """
    use(fake.environment())

    class Held:
        entered = threading.Event()
        go_on = threading.Event()
        session = ortffi.SessionBuilder().commit_from_memory(tiny_models.identity())

        def wait_for(self, run):
            wait_until(lambda: self.entered.is_set() or run.done(), "the run did not begin")
            assert not run.done(), run.result()

        def released(self):
            return not any(kind == "session" for kind, _ in fake.outstanding)

    held = Held()
    real_run = fake.real("Run")

    def run(*arguments):
        held.entered.set()
        assert held.go_on.wait(PATIENCE_S)
        return real_run(*arguments)

    fake.replace["Run"] = run
    yield held
    held.go_on.set()


def test_eight_threads_on_one_session_get_their_own_results(load, threads):
    session = load(tiny_models.add())
    start = threading.Barrier(8)

    def work(number):
        start.wait(PATIENCE_S)
        for step in range(300):
            # Below and above what is copied instead of borrowed.
            length = 1 + (number * 397 + step * 31) % 3000
            left = np.full(length, number, np.float32)
            right = np.full(length, step, np.float32)
            total, difference = session.run({"left": left, "right": right})
            assert total.shape == difference.shape == (length,)
            assert (total == number + step).all()
            assert (difference == number - step).all()

    for future in [threads.submit(work, number) for number in range(8)]:
        future.result()


def test_threads_make_run_and_close_sessions_of_their_own(threads):
    def work(number):
        for step in range(10):
            with ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model) as session:
                array = np.full(3, number * 100 + step, np.float32)
                assert (session.run({"x": array})[0] == array).all()

    model = tiny_models.identity()
    for future in [threads.submit(work, number) for number in range(8)]:
        future.result()


def test_close_waits_for_the_run_inside(held, threads):
    array = np.arange(3, dtype=np.float32)
    run = threads.submit(held.session.run, {"x": array})
    held.wait_for(run)
    closing = [threads.submit(held.session.close) for _ in range(2)]
    wait_until(lambda: held.session._handle.closed, "close() did not begin")
    with pytest.raises(ortffi.ClosedError):
        held.session.run({"x": array})
    assert not held.released()
    assert not run.done()
    assert not any(future.done() for future in closing)

    held.go_on.set()
    assert run.result(PATIENCE_S)[0].tolist() == [0, 1, 2]
    for future in closing:
        future.result(PATIENCE_S)
    assert held.released()
    with pytest.raises(ortffi.ClosedError):
        held.session.run({"x": array})


def test_close_returns_when_the_session_is_released(held, threads, fake):
    run = threads.submit(held.session.run, {"x": np.ones(1, np.float32)})
    held.wait_for(run)

    def close():
        held.session.close()
        return held.released()

    closing = [threads.submit(close) for _ in range(4)]
    wait_until(lambda: held.session._handle.closed, "close() did not begin")
    held.go_on.set()
    assert all(future.result(PATIENCE_S) for future in closing)
    run.result(PATIENCE_S)
    assert not fake.mistakes


def test_a_value_is_not_released_while_a_run_uses_it(held, threads, fake):
    value = ortffi.Value.from_numpy(np.ones(3, np.float32))
    run = threads.submit(held.session.run, {"x": value})
    held.wait_for(run)
    closing = threads.submit(value.close)
    wait_until(lambda: value.handle.closed, "close() did not begin")
    assert any(kind == "value" for kind, _ in fake.outstanding)
    assert not closing.done()
    held.go_on.set()
    assert run.result(PATIENCE_S)[0].tolist() == [1, 1, 1]
    closing.result(PATIENCE_S)
    held.session.close()
    assert not fake.outstanding


def test_run_options_are_not_released_while_a_run_uses_them(held, threads, fake):
    options = ortffi.RunOptions()
    run = threads.submit(held.session.run, {"x": np.ones(3, np.float32)}, options=options)
    held.wait_for(run)
    closing = threads.submit(options.close)
    wait_until(lambda: options.handle.closed, "close() did not begin")
    assert any(kind == "run options" for kind, _ in fake.outstanding)
    assert not closing.done()
    held.go_on.set()
    assert run.result(PATIENCE_S)[0].tolist() == [1, 1, 1]
    closing.result(PATIENCE_S)
    assert not any(kind == "run options" for kind, _ in fake.outstanding)


def test_another_thread_runs_while_one_is_inside(held, threads, fake):
    run = threads.submit(held.session.run, {"x": np.ones(3, np.float32)})
    held.wait_for(run)
    del fake.replace["Run"]
    assert held.session.run({"x": np.zeros(3, np.float32)})[0].tolist() == [0, 0, 0]
    assert not run.done()
    held.go_on.set()
    assert run.result(PATIENCE_S)[0].tolist() == [1, 1, 1]


def test_closing_during_a_long_run_of_the_real_library(load, threads):
    session = load(tiny_models.count_up())
    n_steps = 300_000
    inputs = {"n": np.array(n_steps), "start": np.zeros(2, np.int64)}
    runs = [threads.submit(session.run, inputs) for _ in range(2)]
    wait_until(lambda: len(session._handle._users) == 2 or runs[0].done(), "no run began")
    session.close()
    assert not session._handle._users
    for run in runs:
        assert run.result(PATIENCE_S)[0].tolist() == [n_steps, n_steps]
    with pytest.raises(ortffi.ClosedError):
        session.run(inputs)


def test_python_goes_on_while_the_library_computes(load, threads):
    session = load(tiny_models.count_up())
    run = threads.submit(session.run, {"n": np.array(300_000), "start": np.zeros(1, np.int64)})
    wait_until(lambda: session._handle._users or run.done(), "no run began")
    steps = 0
    while not run.done():
        steps += 1
    # With the GIL held by the run, this thread would get a turn a few times at most.
    assert steps > 100


def test_closing_and_running_at_once_never_crash(threads):
    model = tiny_models.identity()
    for _ in range(50):
        session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)
        start = threading.Barrier(4)

        def work(session=session, start=start):
            array = np.arange(4, dtype=np.float32)
            start.wait(PATIENCE_S)
            try:
                while True:
                    assert session.run({"x": array})[0].tolist() == [0, 1, 2, 3]
            except ortffi.ClosedError:
                return True

        runs = [threads.submit(work) for _ in range(3)]
        start.wait(PATIENCE_S)
        session.close()
        assert all(run.result(PATIENCE_S) for run in runs)
