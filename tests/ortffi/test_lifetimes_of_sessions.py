"""What goes before a session, and what stays as long as it does."""

import gc
import queue
import threading
import weakref
from contextlib import suppress

import numpy as np
import pytest
from tests.ortffi import tiny_models
from tests.ortffi.lifetimes import LARGE, SMALL, count, load
from tests.ortffi.meeting import PATIENCE_S, wait_until
from tests.ortffi.raw_session import needs

import ortffi
from ortffi import Memory, SessionBuilder

pytestmark = pytest.mark.thorough


@pytest.fixture
def released(watched):
    """The releases of sessions and of what belongs to them, in order."""
    order = []

    def watch(name):
        real = watched.real(name)
        watched.replace[name] = lambda pointer: (order.append(name.removeprefix("Release")), real(pointer))[1]

    for name in ("ReleaseSession", "ReleaseIoBinding", "ReleaseAllocator", "ReleaseRunOptions"):
        watch(name)
    return order


@pytest.mark.parametrize("end", ["close", "drop", "collect"])
def test_a_binding_goes_before_its_session(released, end):
    session = load(tiny_models.identity())
    binding = session.bind({"x": SMALL}, {"y": Memory.CPU})
    if end == "close":
        session.close()
        assert binding.closed
    elif end == "drop":
        del session
        gc.collect()
        binding.run()
        assert released == []
        del binding
    else:
        cycle = [session, binding]
        cycle.append(cycle)
        del session, binding, cycle
    gc.collect()
    assert released == ["IoBinding", "Session"]


@pytest.mark.parametrize("fails", [False, True])
def test_what_a_plan_has_bound_goes_before_its_session_also_where_a_traceback_holds_it(watched, released, fails):
    session = load(tiny_models.identity())
    held = [session.run([LARGE]) for _ in range(5)]
    watched.fail = lambda name: name == "BindOutput"
    # The failure comes while the plan is bound, and the traceback refers to it.
    failure = None
    while fails and failure is None:
        try:
            held.append(session.run([LARGE]))
        except ortffi.FailError as error:
            failure = error
    session.close()
    assert released == ["IoBinding", "RunOptions", "Session"]
    assert all((array == 1).all() for (array,) in held)
    del failure


def test_what_a_session_allocated_goes_before_it(watched, released):
    # "The allocator becomes invalid when the session does."
    session = load(tiny_models.identity())
    value = session.allocate([5000])
    session.close()
    value.copy_from(LARGE)
    assert released == []
    assert (value.numpy() == 1).all()
    value.close()
    assert released == ["Allocator", "Session"]


@pytest.mark.parametrize("how", ["shared", "external"])
def test_weights_stay_as_long_as_a_session(watched, how):
    w = np.ones((64, 64), np.float32)
    gone, builder = weakref.ref(w), SessionBuilder().with_intra_threads(1)
    if how == "external":
        needs("AddExternalInitializersFromFilesInMemory")
        builder.with_external_files({"weights": memoryview(w)})
        session = builder.commit_from_memory(tiny_models.product("weights"))
    else:
        with ortffi.PrepackedWeights() as weights:
            builder.with_prepacked_weights(weights).with_initializers({"w": w})
            session = builder.commit_from_memory(tiny_models.product())
        del weights
    del w, builder
    gc.collect()
    others = [np.full((64, 64), 7, np.float32) for _ in range(20)]
    assert count(watched, "prepacked weights") == (how == "shared")
    assert session.run([np.ones((1, 64), np.float32)])[0][0, 0] == 64
    session.close()
    gc.collect()
    assert not watched.outstanding
    assert gone() is None
    del others


def test_cycles_are_collected(watched):
    class Program:
        def hear(self, future):
            self.future = future

    program = Program()
    program.me = program
    program.session = load(tiny_models.identity())
    program.binding = program.session.bind({"x": LARGE}, {"y": Memory.CPU})
    program.binding.run()
    program.values = program.binding.outputs()
    program.array = program.values["y"].numpy(copy=False)
    program.results = [program.session.run([LARGE]) for _ in range(5)]
    program.options = ortffi.RunOptions()
    program.session.submit([LARGE], callback=program.hear)
    # Waits for the thread of `submit`, which may still be putting its work away.
    program.session.close()
    assert program.future.done()


def test_a_session_that_is_only_running_goes_when_that_is_done(watched):
    session = load(tiny_models.identity())
    future = session.submit([LARGE])
    gone = weakref.ref(session)
    del session
    assert (future.result()[0] == 1).all()
    del future
    # When the session's thread has put its work away, and what it was the last to hold.
    wait_until(lambda: gc.collect() is not None and gone() is None and not watched.outstanding, "the session stays")


def test_a_callback_may_close_the_session(watched):
    session, outcome = load(tiny_models.identity()), queue.SimpleQueue()

    def close(_future):
        try:
            outcome.put(session.close())
        except BaseException as error:
            outcome.put(error)

    session.submit([SMALL], callback=close)
    assert outcome.get(timeout=PATIENCE_S) is None
    assert session.closed


def test_a_binding_that_is_being_made_is_closed_before_its_session(released, monkeypatch, threads):
    session = load(tiny_models.identity())
    entered, go_on = threading.Event(), threading.Event()

    class SlowlyMade(ortffi.IoBinding):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            entered.set()
            assert go_on.wait(PATIENCE_S)

    monkeypatch.setattr("ortffi.session.IoBinding", SlowlyMade)
    binding = threads.submit(session.bind, {"x": SMALL}, {"y": Memory.CPU})
    assert entered.wait(PATIENCE_S)
    closing = threads.submit(session.close)
    wait_until(lambda: session.closed, "close() did not begin")
    assert released == []
    go_on.set()
    assert isinstance(binding.exception(PATIENCE_S), ortffi.ClosedError)
    closing.result(PATIENCE_S)
    assert released == ["IoBinding", "Session"]


def test_plans_that_cannot_be_bound_leave_nothing_behind(watched):
    session = load(tiny_models.identity())
    watched.fail = lambda name: name == "BindOutput"
    for _ in range(10):
        with suppress(ortffi.FailError):
            session.run([LARGE])
    assert "BindOutput" in watched.calls
    assert count(watched, "binding") == 0
    watched.fail = lambda _name: False
    for _ in range(3):
        assert (session.run([LARGE])[0] == 1).all()
    session.close()


def test_large_outputs_of_an_idle_shape_go_though_a_run_was_under_way(watched):
    session = load(tiny_models.identity())
    other = np.ones((2, 5000), np.float32)
    for _ in range(4):
        session.run([LARGE])
    entered, go_on = threading.Event(), threading.Event()
    real = watched.real("RunWithBinding")

    def run(*arguments):
        if threading.current_thread() is thread:
            entered.set()
            assert go_on.wait(PATIENCE_S)
        return real(*arguments)

    watched.replace["RunWithBinding"] = run
    thread = threading.Thread(target=session.run, args=([LARGE],))
    thread.start()
    assert entered.wait(PATIENCE_S)
    for _ in range(4):
        session.run([other])
    go_on.set()
    thread.join(PATIENCE_S)
    gc.collect()
    assert count(watched, "binding") == 1
    session.close()
