"""What lives as long as what, and what goes before what."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

import ortffi
from ortffi import Memory, SessionBuilder, Value
from tests.ortffi import tiny_models

pytestmark = pytest.mark.thorough

PATIENCE_S = 60
SMALL = np.ones(3, np.float32)
LARGE = np.ones(5000, np.float32)


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def load(model):
    return SessionBuilder().with_intra_threads(1).commit_from_memory(model)


def weak_array(length):
    """Return an array that tells when it goes; numpy's own do so too, their slices do not."""
    array = np.arange(length, dtype=np.float32)
    return array, weakref.ref(array)


@pytest.fixture
def watched(fake, use):
    use(fake.environment())
    yield fake
    gc.collect()
    assert not fake.outstanding
    assert not fake.mistakes


@pytest.fixture
def released(watched):
    """The releases of sessions and of what belongs to them, in order."""
    order = []

    def watch(name):
        real = watched.real(name)

        def release(pointer):
            order.append(name.removeprefix("Release"))
            real(pointer)

        watched.replace[name] = release

    for name in ("ReleaseSession", "ReleaseIoBinding", "ReleaseAllocator", "ReleaseRunOptions"):
        watch(name)
    return order


def count(watched, kind):
    return Counter(kind for kind, _ in watched.outstanding)[kind]


MAKERS = {
    "run, first": lambda session: session.run([LARGE])[0],
    "run, bound": lambda session: [session.run([LARGE])[0] for _ in range(5)][-1],
    "run_values": lambda session: session.run_values([LARGE])[0].numpy(copy=False),
    "allocate": lambda session: filled(session.allocate([5000])),
    "empty": lambda _: filled(Value.empty([5000])),
    "from_numpy": lambda _: Value.from_numpy(LARGE.copy()).numpy(copy=False),
    "items": lambda _: Value.from_sequence([LARGE.copy()]).items()[0].numpy(copy=False),
    "outputs": lambda session: bound_output(session, Memory.CPU).numpy(copy=False),
    "outputs into an array": lambda session: bound_output(
        session, np.empty(5000, np.float32)
    ).numpy(copy=False),
}


def filled(value):
    value.copy_from(LARGE)
    return value.numpy(copy=False)


def bound_output(session, target):
    binding = session.bind({"x": LARGE}, {"y": target})
    binding.run()
    return binding.outputs()["y"]


@pytest.mark.parametrize("close", [True, False], ids=["closed", "dropped"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_view_outlives_whatever_it_came_from(watched, make, close):
    session = load(tiny_models.identity())
    array = make(session)
    part = array[1000:2000:2]
    if close:
        session.close()
    del session, array
    gc.collect()
    # Memory that is free by mistake would be one of these now.
    others = [np.full(5000, 7, np.float32) for _ in range(50)]
    assert (part == 1).all()
    assert part.shape == (500,)
    del part, others
    gc.collect()
    assert not watched.outstanding


def test_a_view_keeps_the_memory_of_a_closed_value(watched):
    array, gone = weak_array(5000)
    value = Value.from_numpy(array)
    shown = value.numpy(copy=False)
    value.close()
    del array
    gc.collect()
    assert gone() is not None
    assert (shown == np.arange(5000)).all()
    del shown
    gc.collect()
    assert gone() is None
    assert not watched.outstanding


def test_a_closed_value_lets_the_array_go():
    array, gone = weak_array(5000)
    value = Value.from_numpy(array)
    value.close()
    del array
    assert gone() is None


@pytest.mark.parametrize("make", [Value.from_sequence, lambda items: items[0]])
def test_what_is_made_of_a_value_keeps_the_memory_and_not_the_value(make):
    array, gone = weak_array(5000)
    part = Value.from_numpy(array)
    whole = make([part])
    if whole is not part:
        part.close()
    del array, part
    gc.collect()
    assert gone() is not None
    item = whole.items()[0] if whole.kind is ortffi.OnnxType.SEQUENCE else whole
    assert (item.numpy() == np.arange(5000)).all()
    del whole, item
    gc.collect()
    assert gone() is None


def test_an_output_that_is_an_input_shows_the_memory_that_was_really_given():
    # What cannot be borrowed is copied, and it is the copy that the output shows.
    with load(tiny_models.passing_through()) as session:
        names = [info.name for info in session.inputs]
        given = np.arange(1_000_000, dtype=np.float32)[::2]
        outputs = session.run_values([given] * len(names), names)
        others = [np.full(500_000, -1, np.float32) for _ in range(4)]
        for output in outputs:
            assert (output.numpy() == given).all()
        del others


def test_outputs_fed_back_keep_only_the_last(watched):
    with load(tiny_models.identity()) as session:
        state = Value.from_numpy(LARGE)
        for _ in range(50):
            (state,) = session.run_values([state])
            assert count(watched, "value") < 5
        assert (state.numpy() == 1).all()


def test_sequences_fed_back_keep_only_the_last(watched):
    with load(tiny_models.sequence_output()) as session:
        items = [Value.from_numpy(LARGE)]
        for _ in range(50):
            y, pair = session.run_values([items[0]])
            items = Value.from_sequence([*pair.items(), y]).items()
            gc.collect()
            assert count(watched, "value") < 15
        assert all((item.numpy() == 1).all() for item in items)
        del y, pair, items


def test_bound_outputs_fed_back_keep_only_the_last(watched):
    with load(tiny_models.identity()) as session:
        binding = session.bind({"x": LARGE}, {"y": Memory.CPU})
        for _ in range(50):
            binding.run()
            binding.bind_input("x", binding.outputs()["y"])
            assert count(watched, "value") < 5
        binding.run()
        assert (binding.outputs()["y"].numpy() == 1).all()


def test_an_output_with_memory_of_its_own_keeps_no_input():
    array, gone = weak_array(5000)
    with load(tiny_models.identity()) as session:
        (output,) = session.run_values([array])
        binding = session.bind({"x": array}, {"y": Memory.CPU})
        binding.run()
        bound = binding.outputs()["y"]
        binding.close()
    del array
    gc.collect()
    assert gone() is None
    assert output.numpy().tolist() == bound.numpy().tolist() == list(range(5000))


def test_a_memory_takes_every_run_s_output_anew():
    with load(tiny_models.identity()) as session:
        binding = session.bind(outputs={"y": Memory.CPU})
        shown = []
        for length in (5000, 5000, 3, 5000):
            array = np.full(length, len(shown), np.float32)
            binding.bind_input("x", array)
            binding.run()
            shown.append(binding.outputs()["y"].numpy(copy=False))
        assert [(array.shape, set(array.tolist())) for array in shown] == [
            ((5000,), {0}), ((5000,), {1}), ((3,), {2}), ((5000,), {3}),
        ]  # fmt: skip
        binding.bind_output("y", shown[0].copy())
        binding.run()
        first = binding.outputs()["y"].numpy(copy=False)
        binding.run()
        assert np.shares_memory(first, binding.outputs()["y"].numpy(copy=False))


def test_a_binding_goes_before_its_session(watched, released):
    session = load(tiny_models.identity())
    binding = session.bind({"x": SMALL}, {"y": Memory.CPU})
    session.close()
    assert released == ["IoBinding", "Session"]
    assert binding.closed
    released.clear()

    session = load(tiny_models.identity())
    binding = session.bind({"x": SMALL}, {"y": Memory.CPU})
    del session
    gc.collect()
    binding.run()
    assert released == []
    del binding
    gc.collect()
    assert released == ["IoBinding", "Session"]
    released.clear()

    session = load(tiny_models.identity())
    cycle = [session, session.bind({"x": SMALL}, {"y": Memory.CPU})]
    cycle.append(cycle)
    del session, cycle
    gc.collect()
    assert released == ["IoBinding", "Session"]


def test_what_a_plan_has_bound_goes_before_its_session(watched, released):
    session = load(tiny_models.identity())
    held = [session.run([LARGE]) for _ in range(5)]
    session.close()
    assert released == ["IoBinding", "RunOptions", "Session"]
    assert all((array == 1).all() for (array,) in held)


def test_what_a_plan_has_bound_goes_before_its_session_also_where_a_traceback_holds_it(
    watched, released
):
    session = load(tiny_models.identity())
    held = [session.run([LARGE]) for _ in range(5)]
    watched.fail = lambda name: name == "BindOutput"
    # The failure comes while the plan is bound, and the traceback refers to it.
    failure = None
    while failure is None:
        try:
            held.append(session.run([LARGE]))
        except ortffi.FailError as error:
            failure = error
    session.close()
    assert released == ["IoBinding", "RunOptions", "Session"]
    assert failure.__traceback__ is not None
    assert all((array == 1).all() for (array,) in held)


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


def test_shared_weights_stay_as_long_as_a_session(watched):
    weights, w = ortffi.PrepackedWeights(), np.ones((64, 64), np.float32)
    gone = weakref.ref(w)
    builder = SessionBuilder().with_intra_threads(1).with_prepacked_weights(weights)
    session = builder.with_initializers({"w": w}).commit_from_memory(tiny_models.product())
    weights.close()
    del weights, w, builder
    gc.collect()
    assert count(watched, "prepacked weights") == 1
    assert gone() is not None
    assert session.run([np.ones((1, 64), np.float32)])[0][0, 0] == 64
    session.close()
    assert not watched.outstanding
    assert gone() is None


def test_external_weights_stay_as_long_as_a_session(watched):
    api = ortffi.init().api
    name = "AddExternalInitializersFromFilesInMemory"
    if not api.has(name):
        pytest.skip("external_files needs ONNX Runtime 1.18")
    weights = np.ones((64, 64), np.float32)
    gone = weakref.ref(weights)
    builder = SessionBuilder().with_intra_threads(1)
    builder.with_external_files({"weights": memoryview(weights)})
    session = builder.commit_from_memory(tiny_models.product("weights"))
    del weights, builder
    gc.collect()
    others = [np.full((64, 64), 7, np.float32) for _ in range(20)]
    assert session.run([np.ones((1, 64), np.float32)])[0][0, 0] == 64
    session.close()
    gc.collect()
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
    del program
    gc.collect()
    assert not watched.outstanding


def test_a_session_that_is_only_running_goes_when_that_is_done(watched):
    session = load(tiny_models.identity())
    future = session.submit([LARGE])
    gone = weakref.ref(session)
    del session
    assert (future.result()[0] == 1).all()
    del future
    # When the session's thread has put its work away, and what it was the last to hold.
    wait_until(lambda: gc.collect() is not None and gone() is None and not watched.outstanding)


def test_a_callback_may_close_the_session(watched):
    session = load(tiny_models.identity())
    done, failures = threading.Event(), []

    def close(_future):
        try:
            session.close()
        except BaseException as error:
            failures.append(error)
        done.set()

    session.submit([SMALL], callback=close)
    assert done.wait(PATIENCE_S)
    assert not failures
    assert session.closed
    assert not watched.outstanding


def test_a_binding_that_is_being_made_is_closed_before_its_session(watched, released, monkeypatch):
    session = load(tiny_models.identity())
    entered, go_on, outcome = threading.Event(), threading.Event(), []

    class SlowlyMade(ortffi.IoBinding):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            entered.set()
            assert go_on.wait(PATIENCE_S)

    def bind():
        try:
            outcome.append(session.bind({"x": SMALL}, {"y": Memory.CPU}))
        except ortffi.ClosedError as error:
            outcome.append(error)

    monkeypatch.setattr("ortffi.session.IoBinding", SlowlyMade)
    binding = threading.Thread(target=bind)
    binding.start()
    assert entered.wait(PATIENCE_S)
    closing = threading.Thread(target=session.close)
    closing.start()
    wait_until(lambda: session.closed)
    assert released == []
    go_on.set()
    for thread in (binding, closing):
        thread.join(PATIENCE_S)
    assert released == ["IoBinding", "Session"]
    assert isinstance(outcome[0], ortffi.ClosedError)


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


@pytest.mark.parametrize("array", [SMALL, np.array(["text"] * 3)], ids=["numbers", "strings"])
def test_a_copy_owes_nothing_to_its_value(watched, array):
    value = Value.from_numpy(array)
    copy = value.numpy()
    value.close()
    assert not watched.outstanding
    assert copy.tolist() == array.tolist()
