"""Submitted runs, and signal handlers that submit, close or raise while a run is submitted."""

import concurrent.futures
import logging
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.ortffi import tiny_models
from tests.ortffi.interruption import FOLDER, Interrupted, interrupted_at_each_step
from tests.ortffi.meeting import PATIENCE_S, elsewhere

X = np.arange(3, dtype=np.float32)

PLACES = (FOLDER, str(Path(concurrent.futures.__file__).parent), threading.__file__)
"""Whatever code `submit` and the use of its future run."""

raising = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python 3.10 interrupts between a `finally` and its first call; run a newer one"
)


def check_and_close(session):
    """All works, and nothing is left that `close` waits for."""
    assert session.run([X])[0].tolist() == X.tolist()
    for future in [session.submit([X]) for _ in range(40)]:  # for more threads than there are
        assert future.result(PATIENCE_S)[0].tolist() == X.tolist()
    elsewhere(session.close)
    assert session.handle._owned is None


@pytest.fixture
def session(load):
    return load(tiny_models.identity())


@raising
def test_a_handler_that_raises_at_any_bytecode_of_submit_leaves_the_session_usable(session):
    def interrupt():
        raise Interrupted

    def submit():
        session.submit([X], callback=lambda _future: None)

    steps = 0
    for step in interrupted_at_each_step(submit, interrupt, places=PLACES):
        steps = step
        elsewhere(lambda: session.submit([X]).result(PATIENCE_S))
    assert steps > 100
    check_and_close(session)


@raising
def test_a_handler_that_raises_while_a_result_is_awaited_leaves_the_session_usable(session):
    steps = 0

    def interrupt():
        raise Interrupted

    def use():
        future = session.submit([X])
        try:
            future.add_done_callback(lambda _future: None)
            future.result(PATIENCE_S)
        except RuntimeError as error:  # of a condition whose lock `wait` had just released
            if not isinstance(error.__context__, Interrupted):
                raise

    for step in interrupted_at_each_step(use, interrupt, places=PLACES, step=3):
        steps = step
    assert steps > 100
    check_and_close(session)


@pytest.mark.parametrize("waits", [True, False])
def test_a_handler_may_submit_at_any_bytecode_of_submit(session, waits):
    futures, steps = [], 0

    def submit():
        futures.append(session.submit([X]))
        if waits:
            assert futures[-1].result(PATIENCE_S)[0].tolist() == X.tolist()

    for step in interrupted_at_each_step(submit, submit, places=PLACES, step=3):
        steps = step
        assert futures.pop().result(PATIENCE_S)[0].tolist() == X.tolist()
    assert steps > 100
    check_and_close(session)


def test_a_handler_may_close_at_any_bytecode_of_submit_and_its_result(load):
    sessions, steps = [load(tiny_models.identity())], 0

    def use():
        sessions[-1].submit([X]).result(PATIENCE_S)

    def close():
        sessions[-1].close()

    for step in interrupted_at_each_step(use, close, places=PLACES, step=7):
        steps = step
        session = sessions.pop()
        assert session.closed
        assert session.handle._owned is None
        sessions.append(load(tiny_models.identity()))
    assert steps > 100


def test_a_storm_of_signals_whose_handler_submits(run_python):
    """Also inside of C."""
    done = run_python(
        f"""
import random, signal
import numpy as np, ortffi
session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(
    {tiny_models.identity()!r})
x, submitted = np.arange(3, dtype=np.float32), []
signal.signal(signal.SIGALRM, lambda *_: submitted.append(session.submit([x])))
while len(submitted) < 1000:
    signal.setitimer(signal.ITIMER_REAL, random.uniform(20e-6, 400e-6))
    assert session.submit([x]).result({PATIENCE_S})[0].tolist() == x.tolist()
signal.setitimer(signal.ITIMER_REAL, 0)
session.close()
print({{future.result(0)[0].tolist() == x.tolist() for future in submitted}})
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "{True}\n", "")


@raising
def test_a_storm_of_signals_whose_handler_raises(run_python):
    done = run_python(
        f"""
import random, signal
import numpy as np, ortffi

class Interrupted(BaseException):
    pass

armed = False
def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise Interrupted

session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(
    {tiny_models.identity()!r})
x, interrupted = np.arange(3, dtype=np.float32), 0
signal.signal(signal.SIGALRM, interrupt)
while interrupted < 1000:
    try:
        armed = True
        signal.setitimer(signal.ITIMER_REAL, random.uniform(20e-6, 200e-6))
        for _ in range(5):
            session.submit([x])
        armed = False
    except Interrupted:
        interrupted += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(session.submit([x]).result({PATIENCE_S})[0].tolist() == x.tolist())
session.close()
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_the_interpreter_exits_when_all_submitted_runs_are_done(run_python):
    done = run_python(
        f"""
import atexit, threading
import numpy as np, ortffi
session = ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(
    {tiny_models.count_up()!r})
n, results = [np.array(2000), np.zeros(1, np.int64)], []
def submit():
    session.submit(n, callback=lambda future: results.append(future.result()[0].tolist()))
def submit_late():
    threading.main_thread().join()
    submit()
atexit.register(lambda: print(results[:40] == [[2000]] * 40))
threading.Thread(target=submit_late).start()
for _ in range(40):
    submit()
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_a_callback_that_fails_stops_no_thread(session, caplog):
    def fail(_future):
        raise Interrupted

    with caplog.at_level(logging.ERROR, "concurrent.futures"):
        for _ in range(100):
            session.submit([X], callback=fail)
        check_and_close(session)
    assert len(caplog.records) == 100
    assert caplog.records[0].exc_info[0] is Interrupted


def test_callbacks_that_close_do_not_wait_for_each_other(session):
    futures = [session.submit([X], callback=lambda _: session.close()) for _ in range(30)]
    elsewhere(lambda: concurrent.futures.wait(futures))
    assert session.closed


def test_a_thread_that_cannot_start_is_an_error_and_nothing_is_left(session, monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr("_thread.start_new_thread", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            session.submit([X])
    check_and_close(session)


def test_no_more_threads_start_than_are_of_use(session):
    futures = [session.submit([X]) for _ in range(500)]
    assert len(session._workers._threads) <= 32
    for future in futures:
        assert future.result(PATIENCE_S)[0].tolist() == X.tolist()
