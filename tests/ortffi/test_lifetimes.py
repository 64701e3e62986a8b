"""How long arrays, values and outputs live, what goes before a session, and what stays as long as it does."""

import gc
import itertools
import threading
import weakref
from contextlib import suppress

import numpy as np
import pytest

import ortffi
from ortffi import Memory, SessionBuilder, Value
from tests.ortffi import tiny_models
from tests.ortffi.lifetimes import LARGE, MAKERS, SMALL, count, load, weak_array
from tests.ortffi.meeting import PATIENCE_S, wait_until
from tests.ortffi.raw_session import needs

pytestmark = pytest.mark.thorough


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
    del others


def test_a_view_keeps_the_memory_of_a_closed_value(watched):
    array, gone = weak_array(5000)
    value = Value.from_numpy(array)
    shown = value.numpy(copy=False)
    value.close()
    del array
    gc.collect()
    assert (shown == np.arange(5000)).all()
    del shown
    gc.collect()
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


def feed_outputs_back(session):
    state = Value.from_numpy(LARGE)
    while True:
        (state,) = session.run_values([state])
        yield state


def feed_sequences_back(session):
    items = [Value.from_numpy(LARGE)]
    while True:
        y, pair = session.run_values([items[0]])
        items = Value.from_sequence([*pair.items(), y]).items()
        gc.collect()
        yield items[-1]


def feed_bound_outputs_back(session):
    binding = session.bind({"x": LARGE}, {"y": Memory.CPU})
    while True:
        binding.run()
        binding.bind_input("x", binding.outputs()["y"])
        yield binding.outputs()["y"]


@pytest.mark.parametrize(
    ("feed", "model", "most"),
    [
        (feed_outputs_back, tiny_models.identity, 4),
        (feed_sequences_back, tiny_models.sequence_output, 14),
        (feed_bound_outputs_back, tiny_models.identity, 4),
    ],
)
def test_what_is_fed_back_keeps_only_the_last(watched, feed, model, most):
    with load(model()) as session:
        for value in itertools.islice(feed(session), 50):
            assert count(watched, "value") <= most
            assert (value.numpy() == 1).all()


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
        given = [np.full(length, number, np.float32) for number, length in enumerate((5000, 5000, 3, 5000))]
        shown = []
        for array in given:
            binding.bind_input("x", array)
            binding.run()
            shown.append(binding.outputs()["y"].numpy(copy=False))
        assert [array.tolist() for array in shown] == [array.tolist() for array in given]
        binding.bind_output("y", shown[0].copy())
        binding.run()
        first = binding.outputs()["y"].numpy(copy=False)
        binding.run()
        assert np.shares_memory(first, binding.outputs()["y"].numpy(copy=False))


@pytest.mark.parametrize("array", [SMALL, np.array(["text"] * 3)], ids=["numbers", "strings"])
def test_a_copy_owes_nothing_to_its_value(watched, array):
    value = Value.from_numpy(array)
    copy = value.numpy()
    value.close()
    assert not watched.outstanding
    assert copy.tolist() == array.tolist()


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
    assert gone() is not None
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


def test_large_outputs_of_an_idle_shape_go_though_a_run_was_under_way(watched, threads):
    session = load(tiny_models.identity())
    other = np.ones((2, 5000), np.float32)
    for _ in range(4):
        session.run([LARGE])
    entered, go_on = threading.Event(), threading.Event()
    real = watched.real("RunWithBinding")

    def run(*arguments):
        if not entered.is_set():
            entered.set()
            assert go_on.wait(PATIENCE_S)
        return real(*arguments)

    watched.replace["RunWithBinding"] = run
    under_way = threads.submit(session.run, [LARGE])
    assert entered.wait(PATIENCE_S)
    for _ in range(4):
        session.run([other])
    go_on.set()
    under_way.result(PATIENCE_S)
    del under_way
    gc.collect()
    assert count(watched, "binding") == 1
    session.close()
