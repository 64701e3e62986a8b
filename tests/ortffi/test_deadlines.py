"""Signal handlers that raise while a deadline begins, passes or ends."""

import _thread
import sys

import pytest
from tests.ortffi.interruption import Interrupted, interrupted_at_each_step
from tests.ortffi.meeting import wait_until

from ortffi import RunOptions

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        sys.version_info < (3, 11),
        reason="Python 3.10 interrupts between a `finally` and its first call; run a newer one",
    ),
]


def with_deadline(options, seconds):
    with options.deadline(seconds) as same:
        assert same is options


def is_timed(n_threads):
    return _thread._count() > n_threads


@pytest.mark.parametrize("seconds", [3600, 0])
def test_an_exception_at_any_bytecode_ends_a_deadline(seconds):
    options, n_threads, steps = RunOptions(), _thread._count(), 0

    def interrupt():
        raise Interrupted

    for step in interrupted_at_each_step(lambda: with_deadline(options, seconds), interrupt):
        steps = step
        wait_until(lambda: not is_timed(n_threads), f"a timer is left by bytecode {step}")
        assert not options.handle.users
        if seconds:
            assert not options.terminated
    assert steps > 20
    options.resume()
    with_deadline(options, 3600)
    assert not options.terminated
    # A thread is counted when it has begun, which may be after its deadline has ended.
    wait_until(lambda: not is_timed(n_threads), "a timer is left")


def test_a_storm_of_signals_leaves_no_timer_and_raises_nothing_else(run_python):
    """Also inside of the standard library, and while threads start."""
    done = run_python(
        """
import _thread, signal, sys, time
import ortffi

class Interrupted(BaseException):
    pass

armed = False
def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise Interrupted

options, n_threads = ortffi.RunOptions(), _thread._count()
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.00013)
interrupted = 0
while interrupted < 500:
    try:
        armed = True
        with options.deadline(3600):
            pass
        armed = False
    except Interrupted:
        interrupted += 1
signal.setitimer(signal.ITIMER_REAL, 0)
while _thread._count() > n_threads:
    time.sleep(0.001)
print(options.terminated, options.handle._current_users())
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "False []\n", "")
