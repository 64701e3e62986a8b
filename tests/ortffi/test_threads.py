"""Threads that meet in one session, and closing while they are inside."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ortffi
from tests.ortffi import tiny_models

pytestmark = pytest.mark.thorough

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


def together(threads, work, n_threads=8):
    """Let threads do some work at once, each with its number, and return the results."""
    start = threading.Barrier(n_threads)

    def begin(number):
        start.wait(PATIENCE_S)
        return work(number)

    return [
        future.result(PATIENCE_S * 5)
        for future in [threads.submit(begin, number) for number in range(n_threads)]
    ]


def check_results(results):
    for array, shape, first in results:
        assert array.shape == shape
        assert (array == first).all()


@pytest.mark.usefixtures("_api")
@pytest.mark.parametrize(
    "length_of",
    [
        lambda _number, _step: 4,
        lambda _number, _step: 5000,
        lambda number, step: 1 + (number * 397 + step * 31) % 3000,
        lambda number, step: 2000 + 500 * ((number + step // 5) % 4),
    ],
    ids=["small", "large", "changing", "a few large"],
)
def test_no_result_is_ever_overwritten(load, threads, length_of):
    session = load(tiny_models.add())

    def work(number):
        held, results = [], []
        for step in range(150):
            shape = (length_of(number, step),)
            left = np.full(shape, number * 1000, np.float32)
            right = np.full(shape, step, np.float32)
            total, difference = session.run([left, right], copy=step % 7 == 0)
            held.append((total, shape, number * 1000 + step))
            held.append((difference, shape, number * 1000 - step))
            # Some go early, so that their memory is used again; the others are looked at again.
            results.append(held.pop(step * 31 % len(held)))
            del results[: step % 3]
        check_results(held)
        return held, results

    for held, results in together(threads, work):
        check_results(held)
        check_results(results)


def test_results_of_every_kind_of_run_at_once(load, threads):
    session = load(tiny_models.add())

    def work(number):
        array = np.full(3000, number, np.float32)
        target = np.empty(3000, np.float32)
        binding = session.bind({"left": array, "right": array}, {"total": target})
        held = []
        for step in range(40):
            other = np.full(3000, step, np.float32)
            held.append((session.run([array, other])[0], (3000,), number + step))
            values = session.run_values([array, other])
            held.append((values[1].numpy(copy=False), (3000,), number - step))
            future = session.submit([array, other])
            session.run_into([array, other], {"difference": target})
            assert (target == number - step).all()
            binding.run()
            assert (target == 2 * number).all()
            held.append((future.result()[0], (3000,), number + step))
            with ortffi.RunOptions(tag=str(number)) as options, options.deadline(PATIENCE_S):
                held.append((session.run([other, other], options=options)[0], (3000,), 2 * step))
        return held

    for held in together(threads, work):
        check_results(held)


def test_sessions_come_and_go_while_others_run(load, threads):
    session = load(tiny_models.identity())
    model = tiny_models.identity()

    def work(number):
        held = []
        for step in range(20):
            mine = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)
            for _ in range(4):
                for used in (session, mine):
                    array = np.full(2000 + number, number * 100 + step, np.float32)
                    held.append((used.run([array])[0], array.shape, number * 100 + step))
            binding = mine.bind({"x": array}, {"y": ortffi.Memory.CPU})
            binding.run()
            shown = binding.outputs()["y"].numpy(copy=False)
            if step % 2:
                mine.close()
            held.append((shown, array.shape, number * 100 + step))
            del mine
        return held

    for held in together(threads, work):
        check_results(held)


def test_a_binding_shared_by_threads_runs_for_one_at_a_time(load, threads):
    session = load(tiny_models.identity())
    array, target = np.zeros(3000, np.float32), np.empty(3000, np.float32)
    binding = session.bind({"x": array}, {"y": target})
    turn = threading.Lock()

    def work(number):
        for step in range(100):
            with turn:
                array[:] = number * 1000 + step
                binding.run()
                assert (target == number * 1000 + step).all()
            binding.run()
            binding.bind_input("x", array)
            assert binding.outputs()["y"].shape == (3000,)

    together(threads, work)


@pytest.mark.parametrize("thing", ["session", "binding", "value", "options"])
def test_whatever_is_closed_while_threads_use_it_is_used_or_closed(threads, thing):
    model = tiny_models.identity()
    array = np.arange(2000, dtype=np.float32)
    for _ in range(20):
        session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)
        target = np.empty(2000, np.float32)
        used = {
            "session": session,
            "binding": session.bind({"x": array}, {"y": target}),
            "value": ortffi.Value.from_numpy(array),
            "options": ortffi.RunOptions(),
        }
        steps = [threading.Semaphore(0) for _ in range(4)]

        def work(number, session=session, used=used, target=target, steps=steps):
            if number == 4:
                for step in steps:  # until each of them is at work
                    assert step.acquire(timeout=PATIENCE_S)
                used[thing].close()
                return 0
            held = []
            try:
                while True:
                    results = session.run([used["value"]], options=used["options"])
                    held.append((results[0], (2000,), array))
                    used["binding"].run(used["options"])
                    held.append((target.copy(), (2000,), array))
                    held.append((used["value"].numpy(copy=False), (2000,), array))
                    held.append((session.submit([array]).result()[0], (2000,), array))
                    steps[number].release()
                    del held[:-8]
            except ortffi.ClosedError:
                steps[number].release()
            check_results(held)
            return len(held)

        assert sum(together(threads, work, 5)) > 0
        session.close()


def test_a_run_is_stopped_from_another_thread_and_the_others_go_on(load, threads):
    session = load(tiny_models.count_up())
    endless = {"n": np.array(10**12), "start": np.zeros(1, np.int64)}
    short = {"n": np.array(100), "start": np.zeros(1, np.int64)}

    def work(number):
        for step in range(5):
            with ortffi.RunOptions() as options:
                if number % 2:
                    assert session.run(short, options=options)[0].tolist() == [100]
                elif number == 0:
                    with options.deadline(0.001), pytest.raises(ortffi.TerminatedError):
                        session.run(endless, options=options)
                else:
                    run = session.submit(endless, options=options)
                    wait_until(lambda run=run: run.running(), "the run did not begin")
                    options.terminate()
                    with pytest.raises(ortffi.TerminatedError):
                        run.result(PATIENCE_S)
                assert options.terminated == (number % 2 == 0), step

    together(threads, work, 6)


def test_close_waits_for_what_submit_has_started(load):
    for _ in range(20):
        session = load(tiny_models.identity())
        futures = [session.submit([np.full(2000, n, np.float32)]) for n in range(20)]
        session.close()
        assert all(future.done() for future in futures)
        check_results([(future.result()[0], (2000,), n) for n, future in enumerate(futures)])
        with pytest.raises(ortffi.ClosedError):
            session.submit([np.zeros(3, np.float32)])


def test_a_mapping_that_another_thread_changes_is_taken_as_it_was(load, threads):
    session = load(tiny_models.add())
    one = np.ones(2000, np.float32)
    inputs = {"left": one, "right": one}
    done = threading.Event()

    def change():
        while not done.is_set():
            inputs["right"] = np.zeros(2000, np.float32)
            inputs.pop("left", None)
            inputs["left"] = one
            inputs["right"] = one
            inputs["more"] = one
            del inputs["more"]

    changing = threads.submit(change)
    try:
        for _ in range(2000):
            try:
                total, difference = session.run(inputs)
            except ortffi.InvalidArgumentError as error:
                # One was missing, or one too many, when the copy was made.
                assert "left" in str(error) or "more" in str(error)  # noqa: PT017
                continue
            assert set(total) == {2 - difference[0]}
    finally:
        done.set()
    changing.result(PATIENCE_S)


def test_bindings_made_while_the_session_closes_go_before_it(threads, fake, use):
    use(fake.environment())
    model = tiny_models.identity()
    for _ in range(20):
        session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(model)

        def work(number, session=session):
            if number == 3:
                session.close()
                return
            array = np.zeros(3, np.float32)
            try:
                while True:
                    session.bind({"x": array}, {"y": ortffi.Memory.CPU}).run()
            except ortffi.ClosedError:
                pass

        together(threads, work, 4)
    assert not fake.mistakes
