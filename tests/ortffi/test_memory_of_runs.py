"""Memory stays flat, however often a session runs.

The slow tests run it thirty times as often.
"""

import numpy as np
import pytest
from tests.ortffi import tiny_models
from tests.ortffi.growth import ALLOWED_KIB, growth_kib, skip_where_threads_leak

import ortffi
from ortffi import Memory, RunOptions, Value

pytestmark = pytest.mark.thorough

TEXT = np.array(["some text of a length that no string keeps inside itself"] * 8)
SMALL = np.ones(4, np.float32)
LARGE = np.ones(5000, np.float32)


def run_small(session):
    return lambda _: session.run({"x": SMALL})


def run_large(session):
    return lambda _: session.run({"x": LARGE})


def run_large_from_other_places(session):
    arrays = [LARGE.copy() for _ in range(5)]
    return lambda step: session.run([arrays[step % 5]])


def run_large_and_hold(session):
    held = [None] * 7

    def work(step):
        held[step * 31 % 7] = session.run({"x": LARGE})[0][1:]

    return work


def run_large_and_copy(session):
    return lambda step: session.run({"x": LARGE}, copy=step % 2 == 0)


def run_varying_shapes(session):
    array = np.ones(3000, np.float32)
    return lambda step: session.run({"x": array[: step * 7919 % 3000]})


def run_alternating_shapes(session):
    """Bind and unbind large outputs."""
    arrays = [np.ones((rows, 2000), np.float32) for rows in (1, 2, 3)]
    return lambda step: session.run([arrays[step // 4 % 3]])


def run_with_options(session):
    options = RunOptions(shrink_arenas="cpu:0")
    return lambda step: session.run([LARGE if step % 3 else SMALL], options=options)


def run_with_options_now_and_then(session):
    options = RunOptions()
    return lambda step: session.run([LARGE], options=None if step % 3 else options)


def run_with_options_made_anew(session):
    def work(_):
        with RunOptions(tag="tag", config={"key": "value"}) as options:
            session.run([SMALL], options=options)

    return work


def run_read_only_now_and_then(session):
    read_only = LARGE.copy()
    read_only.flags.writeable = False
    return lambda step: session.run([LARGE if step % 3 else read_only])


def run_terminated_now_and_then(session):
    options = RunOptions()
    options.terminate()

    def work(step):
        if step % 4:
            session.run([SMALL])
        else:
            with pytest.raises(ortffi.TerminatedError):
                session.run([SMALL], options=options)

    return work


def run_values(session):
    return lambda step: session.run_values([LARGE if step % 2 else SMALL])


def feed_values_back(session):
    state = [Value.from_numpy(LARGE)]

    def work(_):
        state[:] = session.run_values(state)

    return work


def run_into(session):
    target = np.empty(5000, np.float32)
    return lambda _: session.run_into([LARGE], {"y": target})


def submit(session):
    return lambda _: session.submit([LARGE]).result()


def run_binding(session):
    binding = session.bind({"x": LARGE}, {"y": np.empty(5000, np.float32)})
    return lambda _: binding.run()


def bind_anew(session):
    def work(_):
        with session.bind({"x": LARGE}, {"y": Memory.CPU}) as binding:
            binding.run()
            binding.outputs()["y"].numpy(copy=False)

    return work


def feed_a_binding_back(session):
    binding = session.bind({"x": LARGE}, {"y": Memory.CPU})

    def work(_):
        binding.run()
        binding.bind_input("x", binding.outputs()["y"])

    return work


def allocate(session):
    return lambda _: session.allocate([5000]).numpy(copy=False)


def set_a_deadline(session):
    options = RunOptions()

    def work(_):
        with options.deadline(1000):
            session.run([SMALL], options=options)

    return work


def make_values(_session):
    def work(_):
        with Value.from_numpy(LARGE) as value:
            value.numpy()
        Value.from_sequence([LARGE, SMALL]).items()
        Value.from_mapping({1: 1.0}).to_python()

    return work


RUNS = [
    run_small,
    run_large,
    run_large_from_other_places,
    run_large_and_hold,
    run_large_and_copy,
    run_varying_shapes,
    run_alternating_shapes,
    run_with_options,
    run_with_options_now_and_then,
    run_with_options_made_anew,
    run_read_only_now_and_then,
    run_terminated_now_and_then,
    run_values,
    feed_values_back,
    run_into,
    submit,
    run_binding,
    bind_anew,
    feed_a_binding_back,
    allocate,
    set_a_deadline,
    make_values,
]


def run_strings(session):
    return lambda _: session.run({"x": TEXT})


def run_and_fail(session):
    """Fail in every way, and succeed in between, often enough for a plan to be bound."""
    x, index = np.ones(3, np.float32), np.array([0])
    wrong = [
        {"x": x},
        {"x": x, "index": np.array([7])},
        {"x": np.ones((5000, 1), np.float32), "index": index},
        {"x": TEXT, "index": index},
        {"x": np.ones(5000, np.float32), "index": TEXT},
        {"x": x, "index": "no array"},
        {"x": x, "index": np.zeros(3, ">i8")},
    ]
    many = np.zeros(5000, np.int64)

    def work(step):
        with pytest.raises((ortffi.OrtError, TypeError)):
            session.run(wrong[step % len(wrong)])
        with pytest.raises(ortffi.OrtError):
            session.run({"x": x, "index": index, f"unknown {step}": x})
        if step % 4:
            session.run({"x": x, "index": many})
        else:
            with pytest.raises(ortffi.OrtError):
                session.run({"x": x, "index": many + 7})

    return work


def run_sequences(session):
    items = [LARGE, SMALL]
    return lambda _: session.run_values({"items": items, "index": np.array(1)})


OTHER_RUNS = [
    pytest.param(run_strings, tiny_models.identity(8), id="run_strings"),
    pytest.param(run_and_fail, tiny_models.gather(), id="run_and_fail"),
    pytest.param(run_sequences, tiny_models.sequence_input(), id="run_sequences"),
]


@pytest.mark.usefixtures("_api")
@pytest.mark.parametrize("runs", RUNS, ids=lambda runs: runs.__name__)
def test_three_thousand_runs(load, runs):
    if runs is set_a_deadline:
        skip_where_threads_leak()
    work = runs(load(tiny_models.identity()))
    assert growth_kib(work, 3000, 1000) < ALLOWED_KIB


@pytest.mark.parametrize(("runs", "model"), OTHER_RUNS)
def test_three_thousand_other_runs(load, runs, model):
    assert growth_kib(runs(load(model)), 3000, 1000) < ALLOWED_KIB


@pytest.mark.slow
@pytest.mark.parametrize("runs", RUNS, ids=lambda runs: runs.__name__)
def test_a_hundred_thousand_runs(load, runs):
    if runs is set_a_deadline:
        skip_where_threads_leak()
    work = runs(load(tiny_models.identity()))
    # Starting a thread for each takes a while.
    times = 10_000 if runs is set_a_deadline else 100_000
    assert growth_kib(work, times, 3000) < ALLOWED_KIB


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "model"), OTHER_RUNS)
def test_a_hundred_thousand_other_runs(load, runs, model):
    assert growth_kib(runs(load(model)), 100_000, 3000) < ALLOWED_KIB
