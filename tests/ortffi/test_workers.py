"""Submitted runs, and signal handlers that submit, close or raise while a run is submitted."""

import concurrent.futures
import logging
import sys
import threading
from pathlib import Path
from unittest.mock import Mock

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


def count_steps(session, use, interrupt, step=1, after=lambda: None):
    """Interrupt a use at each step or some, and check the session in the end."""
    steps = 0
    for number in interrupted_at_each_step(use, interrupt, places=PLACES, step=step):
        steps = number
        after()
    assert steps > 100
    check_and_close(session)


def raise_interrupted(*_):
    raise Interrupted


@raising
def test_a_handler_that_raises_at_any_bytecode_of_submit_leaves_the_session_usable(session):
    count_steps(
        session,
        lambda: session.submit([X], callback=lambda _future: None),
        raise_interrupted,
        after=lambda: elsewhere(lambda: session.submit([X]).result(PATIENCE_S)),
    )


@raising
def test_a_handler_that_raises_while_a_result_is_awaited_leaves_the_session_usable(session):
    def use():
        future = session.submit([X])
        try:
            future.add_done_callback(lambda _future: None)
            future.result(PATIENCE_S)
        except RuntimeError as error:  # of a condition whose lock `wait` had just released
            if not isinstance(error.__context__, Interrupted):
                raise

    count_steps(session, use, raise_interrupted, step=3)


@pytest.mark.parametrize("waits", [True, False])
def test_a_handler_may_submit_at_any_bytecode_of_submit(session, waits):
    futures = []

    def submit():
        futures.append(session.submit([X]))
        if waits:
            assert futures[-1].result(PATIENCE_S)[0].tolist() == X.tolist()

    def check():
        assert futures.pop().result(PATIENCE_S)[0].tolist() == X.tolist()

    count_steps(session, submit, submit, step=3, after=check)


def test_a_handler_may_close_at_any_bytecode_of_submit_and_its_result(load):
    sessions = [load(tiny_models.identity())]

    def check():
        session = sessions.pop()
        assert session.closed
        assert session.handle._owned is None
        sessions.append(load(tiny_models.identity()))

    count_steps(
        load(tiny_models.identity()),
        lambda: sessions[-1].submit([X]).result(PATIENCE_S),
        lambda: sessions[-1].close(),
        step=7,
        after=check,
    )


BEGIN = """
import atexit, random, signal, threading
import numpy as np, ortffi
from tests.ortffi import lifetimes, tiny_models
x = np.arange(3, dtype=np.float32)
def check(result):
    assert result[0].tolist() == x.tolist()
"""
HANDLER_SUBMITS = """
session, submitted = lifetimes.load(tiny_models.identity()), []
signal.signal(signal.SIGALRM, lambda *_: submitted.append(session.submit([x])))
while len(submitted) < 1000:
    signal.setitimer(signal.ITIMER_REAL, random.uniform(20e-6, 400e-6))
    check(session.submit([x]).result(60))
signal.setitimer(signal.ITIMER_REAL, 0)
session.close()
for future in submitted:
    check(future.result(0))
print("end")
"""
HANDLER_RAISES = """
class Interrupted(BaseException):
    pass

armed = False
def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise Interrupted

session, interrupted = lifetimes.load(tiny_models.identity()), 0
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
check(session.submit([x]).result(60))
session.close()
print("end")
"""
EXITS = """
session = lifetimes.load(tiny_models.count_up())
n, results = [np.array(2000), np.zeros(1, np.int64)], []
def submit():
    session.submit(n, callback=lambda future: results.append(future.result()[0].tolist()))
def submit_late():
    threading.main_thread().join()
    submit()
atexit.register(lambda: print("end" if results[:40] == [[2000]] * 40 else results))
threading.Thread(target=submit_late).start()
for _ in range(40):
    submit()
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "script", [HANDLER_SUBMITS, pytest.param(HANDLER_RAISES, marks=raising), EXITS], ids=["submits", "raises", "exits"]
)
def test_signals_inside_of_c_and_the_end_of_the_interpreter_lose_no_run(run_python, script):
    done = run_python(BEGIN + script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_a_callback_that_fails_stops_no_thread(session, caplog):
    with caplog.at_level(logging.ERROR, "concurrent.futures"):
        for _ in range(100):
            session.submit([X], callback=raise_interrupted)
        check_and_close(session)
    assert len(caplog.records) == 100
    assert caplog.records[0].exc_info[0] is Interrupted


def test_callbacks_that_close_do_not_wait_for_each_other(session, caplog):
    submitted = threading.Event()

    def close(_):
        submitted.wait()  # or the first would refuse the others
        session.close()

    futures = [session.submit([X], callback=close) for _ in range(30)]
    submitted.set()
    elsewhere(lambda: concurrent.futures.wait(futures))
    assert session.closed
    assert not caplog.records


def test_a_thread_that_cannot_start_is_an_error_and_nothing_is_left(session, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("_thread.start_new_thread", Mock(side_effect=RuntimeError("can't start new thread")))
        with pytest.raises(RuntimeError, match="can't start"):
            session.submit([X])
    assert not session._workers._threads
    check_and_close(session)


def test_no_more_threads_start_than_are_of_use(session):
    futures = [session.submit([X]) for _ in range(500)]
    assert len(session._workers._threads) <= 32
    for future in futures:
        assert future.result(PATIENCE_S)[0].tolist() == X.tolist()
