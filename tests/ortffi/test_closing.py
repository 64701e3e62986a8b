"""What is closed while threads use it is released when the last of them has left."""

import threading

import numpy as np
import pytest

import ortffi
from tests.ortffi import tiny_models
from tests.ortffi.lifetimes import count
from tests.ortffi.meeting import PATIENCE_S, check_results, together, wait_until

pytestmark = pytest.mark.thorough

X = np.arange(3, dtype=np.float32)


@pytest.fixture
def held(fake, use, threads):
    """A session whose next run waits in C until it is told to go on.

    It needs `threads` so that a test that fails lets the run go before the threads are joined.
    """
    use(fake.environment())

    class Held:
        entered, go_on = threading.Event(), threading.Event()
        session = ortffi.SessionBuilder().commit_from_memory(tiny_models.identity())

        def run(self, x=X, **given):
            """Start a run in a thread, and return it when it waits."""
            run = threads.submit(self.session.run, {"x": x}, **given)
            wait_until(lambda: self.entered.is_set() or run.done(), "the run did not begin")
            assert not run.done(), run.result()
            return run

        def close(self, thing, close=None):
            """Close a thing in another thread, and return that when it has begun."""
            closing = threads.submit(close or thing.close)
            wait_until(lambda: thing.handle.closed, "close() did not begin")
            return closing

    held = Held()
    real_run = fake.real("Run")

    def run(*arguments):
        held.entered.set()
        assert held.go_on.wait(PATIENCE_S)
        return real_run(*arguments)

    fake.replace["Run"] = run
    yield held
    held.go_on.set()


def test_close_waits_for_the_run_inside_and_returns_when_the_session_is_released(held, fake):
    session, run = held.session, held.run()

    def close():
        session.close()
        return count(fake, "session")

    closing = [held.close(session, close) for _ in range(4)]
    with pytest.raises(ortffi.ClosedError):
        session.run({"x": X})
    assert count(fake, "session") == 1
    assert not any(future.done() for future in (run, *closing))
    held.go_on.set()
    assert [future.result(PATIENCE_S) for future in closing] == [0] * 4
    assert run.result(PATIENCE_S)[0].tolist() == X.tolist()
    assert not fake.mistakes
    with pytest.raises(ortffi.ClosedError):
        session.run({"x": X})


@pytest.mark.parametrize("kind", ["value", "run options"])
def test_what_a_run_uses_is_not_released_while_it_does(held, fake, kind):
    if kind == "value":
        thing = ortffi.Value.from_numpy(X)
        run = held.run(thing)
    else:
        thing = ortffi.RunOptions()
        run = held.run(options=thing)
    closing = held.close(thing)
    assert count(fake, kind) == 1
    assert not closing.done()
    held.go_on.set()
    assert run.result(PATIENCE_S)[0].tolist() == X.tolist()
    closing.result(PATIENCE_S)
    assert not count(fake, kind)
    held.session.close()
    assert not fake.outstanding


def test_another_thread_runs_while_one_is_inside(held, fake):
    run = held.run()
    del fake.replace["Run"]
    assert held.session.run({"x": np.zeros(3, np.float32)})[0].tolist() == [0, 0, 0]
    assert not run.done()
    held.go_on.set()
    assert run.result(PATIENCE_S)[0].tolist() == X.tolist()


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


def test_close_waits_for_what_submit_has_started(load):
    for _ in range(20):
        session = load(tiny_models.identity())
        futures = [session.submit([np.full(2000, n, np.float32)]) for n in range(20)]
        session.close()
        assert all(future.done() for future in futures)
        check_results([(future.result()[0], (2000,), n) for n, future in enumerate(futures)])
        with pytest.raises(ortffi.ClosedError):
            session.submit([np.zeros(3, np.float32)])


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
