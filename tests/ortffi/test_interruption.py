"""Signal handlers that raise or close, at each bytecode of each call that holds something, and of deadlines."""

import _thread
import logging
import signal
import sys
import threading

import numpy as np
import pytest

import ortffi
import ortffi.environment
import ortffi.logs
import ortffi.plugins
from ortffi import Memory, RunOptions, Value
from ortffi._handle import Handle
from tests.ortffi import tiny_models
from tests.ortffi.interruption import FOLDER, Interrupted, interrupted_at_each_step, interruptible, trace_bytecodes
from tests.ortffi.lifetimes import load
from tests.ortffi.meeting import PATIENCE_S, elsewhere, wait_until

pytestmark = [
    pytest.mark.thorough,
    # Python drops what is raised while it collects an object.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    interruptible,
]

X, LARGE = np.arange(3, dtype=np.float32), np.arange(3000, dtype=np.float32)


class World:
    """Objects to use, and whether they are free afterwards."""

    def __init__(self):
        self.session = load(tiny_models.identity())
        self.binding = self.session.bind({"x": X}, {"y": np.zeros(3, np.float32)})
        self.growing = self.session.bind({"x": X}, {"y": Memory.CPU})
        self.value = Value.from_numpy(X.copy())
        self.target = Value.empty([3])
        self.options = RunOptions()
        self.owners = (self.session, self.binding, self.growing, self.value, self.target, self.options)

    def is_free(self):
        return not any(owner.handle._current_users() for owner in self.owners)

    def check_free(self):
        """Nothing is in use and no lock is held, whichever thread asks."""
        wait_until(self.is_free, "something is in use")
        assert not any(owner.handle.users for owner in self.owners)
        locks = [owner.handle._releasing for owner in self.owners]
        locks += [owner._lock for owner in (self.session, self.binding, self.growing)]
        locks += [self.session._functions._lock, self.session._environment._lock]
        locks += [ortffi.environment._lock, ortffi.logs._lock, ortffi.plugins._lock]
        assert elsewhere(lambda: [lock.acquire(timeout=0) and lock.release() for lock in locks]) == [None] * len(locks)

    def check_usable(self):
        for x in (X, LARGE, self.value):
            assert self.session.run([x])[0].tolist() == np.asarray(x).tolist()
        self.session.run([X], options=self.options)
        for binding in (self.binding, self.growing):
            binding.run()
            assert binding.outputs()["y"].numpy().tolist() == X.tolist()

    def check_closed(self):
        """Close all, in another thread, and find everything released."""
        elsewhere(self.close)
        for owner in self.owners:
            assert owner.closed
            assert owner.handle._owned is None

    def close(self):
        for owner in self.owners:
            owner.close()


CALLS = {
    "run": lambda world: world.session.run([X]),
    "run with large inputs": lambda world: world.session.run([LARGE]),
    "run with options": lambda world: world.session.run([X], options=world.options),
    "run with a value": lambda world: world.session.run([world.value]),
    "run_values": lambda world: world.session.run_values([X]),
    "run_into": lambda world: world.session.run_into([X], {"y": world.target}, world.options),
    "submit": lambda world: world.session.submit([X]).result(),
    "bind": lambda world: world.session.bind({"x": world.value}, {"y": Memory.CPU}),
    "bound run": lambda world: world.binding.run(),
    "bound run with options": lambda world: world.binding.run(world.options),
    "bound run with a memory": lambda world: world.growing.run(),
    "bind_input": lambda world: world.binding.bind_input("x", X),
    "bind_output": lambda world: world.binding.bind_output("y", world.target),
    "outputs": lambda world: world.binding.outputs(),
    "clear_outputs": lambda world: world.growing.clear_outputs(),
    "copy_from": lambda world: world.target.copy_from(world.value),
    "from_sequence": lambda world: Value.from_sequence([world.value, world.target]),
    "deadline": lambda world: world.options.deadline(3600).__enter__(),
    "terminate": lambda world: (world.options.terminate(), world.options.resume()),
    "allocate": lambda world: world.session.allocate([3]),
    "init": lambda _: ortffi.init(),
    "devices": lambda _: ortffi.available_providers(),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_exception_at_any_bytecode_leaves_nothing_in_use(name):
    world, steps = World(), 0
    for steps in interrupted_at_each_step(lambda: CALLS[name](world)):
        wait_until(world.is_free, f"in use after bytecode {steps}")  # `submit` goes on
        if steps % 16 == 0:
            world.check_free()
            world.options.resume()
            world.binding.bind_input("x", X)
            world.binding.bind_output("y", np.zeros(3, np.float32))
            world.growing.bind_output("y", Memory.CPU)
            world.check_usable()
    assert steps > 5
    world.check_free()
    world.check_closed()


@pytest.mark.parametrize("name", ["run", "run with options", "run with a value", "run_into"])
def test_an_exception_between_any_two_bytecodes_leaves_nothing_in_use(name):
    """As a trace function raises it, also where no signal is handled."""
    world, number, reached = World(), 0, True

    def trace(frame, event, _argument):
        nonlocal left
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        frame.f_trace_opcodes = True
        if event in ("line", "opcode"):
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise Interrupted
        return trace

    while reached:
        number += 1
        left = number
        trace_bytecodes(trace)
        try:
            CALLS[name](world)
        except Interrupted:
            pass
        finally:
            sys.settrace(None)
        reached = left <= 0
        assert world.is_free(), number
    assert number > 100
    world.check_usable()
    world.check_closed()


@pytest.mark.parametrize("what", ["session", "binding", "value", "target", "options"])
@pytest.mark.parametrize("name", CALLS)
def test_a_handler_may_close_what_its_thread_uses(name, what):
    world, returned = World(), []

    def close():
        getattr(world, what).close()  # would wait for itself
        returned.append(what)

    def call():
        CALLS[name](world)

    for step in interrupted_at_each_step(call, close, step=29):
        assert len(returned) == step // 29 + 1
        owner = getattr(world, what)
        assert owner.closed
        assert owner.handle._owned is None, f"not released after bytecode {step}"
        world.close()
        world = World()
    assert returned
    world.check_closed()


def test_a_handler_may_use_what_its_thread_uses():
    world, results = World(), []

    def use():
        results.append(world.session.run([X])[0].tolist())
        world.binding.run()
        world.binding.bind_output("y", np.zeros(3, np.float32))
        ortffi.init()

    for name in ("run", "bound run", "bind_input", "submit", "init"):
        for _ in interrupted_at_each_step(lambda name=name: CALLS[name](world), use, step=5):
            assert results.pop() == X.tolist()
    world.check_free()
    world.check_closed()


def test_a_logger_may_close_the_session_that_logs():
    """Its thread is inside of C."""

    class Closing(logging.Handler):
        def emit(self, _record):
            session.close()

    def fail():
        with pytest.raises(ortffi.OrtError, match="indices"):
            session.run([np.ones(3, np.float32), np.array([7])])
        return True

    logger = logging.Logger("closing")
    logger.addHandler(Closing())
    builder = ortffi.SessionBuilder().with_intra_threads(1).with_logger(logger).with_log_level(ortffi.LogLevel.ERROR)
    session = builder.commit_from_memory(tiny_models.gather())
    assert elsewhere(fail)
    assert session.closed
    assert session.handle._owned is None


def test_a_signal_during_a_long_run_closes_the_session(run_python):
    script = f"""
import os, signal, threading, time
import numpy as np, ortffi
session = ortffi.SessionBuilder().commit_from_memory({tiny_models.count_up()!r})
signal.signal(signal.SIGTERM, lambda *_: session.close())
clock = time.pthread_getcpuclockid(threading.get_ident())
def send():
    while time.clock_gettime(clock) < begun + 0.2:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGTERM)
begun = time.clock_gettime(clock)
threading.Thread(target=send).start()
n = 0
try:
    while True:
        assert session.run([np.array(3000), np.zeros(1, np.int64)])[0] == 3000
        n += 1
except ortffi.ClosedError:
    print(n > 0, session.handle._owned)
"""
    done = run_python(script)
    assert (done.returncode, done.stdout) == (0, "True None\n"), done.stderr


def test_uses_that_were_cut_off_are_told_from_those_that_go_on():
    released = []
    handle = Handle(1, released.append, "thing")
    going_on = handle.lend()
    going_on.enter()
    handle.lend().enter()  # nobody has it any more
    handle.users[object()] = 0
    assert handle._current_users() == [threading.get_ident()]
    assert len(handle.users) == 1
    handle.close()
    assert not released
    going_on.leave()
    assert released == [1]
    handle.close()
    assert released == [1]


def test_a_close_that_waits_sees_uses_that_are_cut_off_meanwhile():
    released = []
    handle = Handle(1, released.append, "thing")
    loans = [handle.lend()]
    loans[0].enter()
    closing = threading.Thread(target=handle.close)
    closing.start()
    wait_until(lambda: handle.closed, "close() did not begin")
    assert not released
    loans.clear()
    closing.join(PATIENCE_S)
    assert not closing.is_alive()
    assert released == [1]


def test_the_injected_signals_are_real():
    """Without a handler's exception nothing is different; each arrives in code of ortffi."""
    world, places = World(), set()

    def note():
        places.add(sys._getframe(2).f_code.co_name)

    assert list(interrupted_at_each_step(lambda: world.session.run([X]), note))
    assert {"run", "__call__", "prepare"} <= places
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL


def with_deadline(options, seconds):
    with options.deadline(seconds) as same:
        assert same is options


def is_timed(n_threads):
    return _thread._count() > n_threads


@pytest.mark.parametrize("seconds", [3600, 0])
def test_an_exception_at_any_bytecode_ends_a_deadline(seconds):
    options, n_threads, steps = RunOptions(), _thread._count(), 0
    for steps in interrupted_at_each_step(lambda: with_deadline(options, seconds)):
        wait_until(lambda: not is_timed(n_threads), f"a timer is left by bytecode {steps}")
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
