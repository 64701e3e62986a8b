"""Memory stays flat, however often something is done.

The slow tests do everything ten to thirty times as often.
"""

from __future__ import annotations

import gc
import logging
import re
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import ortffi
from ortffi import Memory, RunOptions, SessionBuilder, Value
from tests.ortffi import tiny_models

pytestmark = pytest.mark.thorough

ALLOWED_KIB = 4096

TEXT = np.array(["some text of a length that no string keeps inside itself"] * 8)
SMALL = np.ones(4, np.float32)
LARGE = np.ones(5000, np.float32)
QUIET = logging.getLogger("test_memory")
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False


def resident_kib():
    gc.collect()
    return int(re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())[1])


def growth_kib(work, times, warm_up):
    """Return how much more memory there is after so many times, in the best of three rounds.

    The C library may take some megabytes at once and keep them; a leak grows in every round.
    """
    for step in range(warm_up):
        work(step)
    rounds = []
    while len(rounds) < 3 and min(rounds, default=ALLOWED_KIB) >= ALLOWED_KIB:
        before = resident_kib()
        for step in range(times):
            work(step)
        rounds.append(resident_kib() - before)
    print(f"{times} times: {rounds} KiB")  # for who asks by -rP
    return min(rounds)


@cache
def kib_of_a_thread():
    """Return how much memory a thread leaves behind that does nothing."""

    def work(_):
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    return growth_kib(work, 200, 50) / 200


def skip_where_threads_leak(work):
    """qemu-user keeps something of every thread, so memory that threads are started in grows."""
    if work in STARTING_THREADS and kib_of_a_thread() > 1:
        pytest.skip(
            f"an emulator keeps {kib_of_a_thread():.0f} KiB of every thread that ends, whoever "
            "started it; run this on the processor itself"
        )


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
    skip_where_threads_leak(runs)
    work = runs(load(tiny_models.identity()))
    assert growth_kib(work, 3000, 1000) < ALLOWED_KIB


@pytest.mark.parametrize(("runs", "model"), OTHER_RUNS)
def test_three_thousand_other_runs(load, runs, model):
    assert growth_kib(runs(load(model)), 3000, 1000) < ALLOWED_KIB


@pytest.mark.slow
@pytest.mark.parametrize("runs", RUNS, ids=lambda runs: runs.__name__)
def test_a_hundred_thousand_runs(load, runs):
    skip_where_threads_leak(runs)
    work = runs(load(tiny_models.identity()))
    # Starting a thread for each takes a while.
    times = 10_000 if runs is set_a_deadline else 100_000
    assert growth_kib(work, times, 3000) < ALLOWED_KIB


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "model"), OTHER_RUNS)
def test_a_hundred_thousand_other_runs(load, runs, model):
    assert growth_kib(runs(load(model)), 100_000, 3000) < ALLOWED_KIB


def make_a_session(_folder):
    model = tiny_models.add()

    def work(_):
        with SessionBuilder().with_intra_threads(1).commit_from_memory(model) as session:
            session.run([SMALL, SMALL])

    return work


def make_a_session_with_everything(folder):
    path = folder / "model.onnx"
    path.write_bytes(tiny_models.add())
    builder = SessionBuilder().with_intra_threads(1).with_log_level(ortffi.LogLevel.ERROR)
    if ortffi.init().api.has("SetUserLoggingFunction"):
        builder.with_logger(QUIET).with_assignment()

    def work(_):
        session = builder.commit_from_mmap(path)
        for _ in range(4):
            results = [session.run([array, array]) for array in (SMALL, LARGE)]
        binding = session.bind({"left": LARGE, "right": LARGE}, {"total": Memory.CPU})
        binding.run()
        values = binding.outputs()
        session.submit([LARGE, LARGE]).result()
        session.close()
        del values, results

    return work


def make_a_session_with_shared_weights(_folder):
    model, x = tiny_models.product(), np.ones((1, 64), np.float32)

    def work(_):
        with ortffi.PrepackedWeights() as weights:
            builder = SessionBuilder().with_intra_threads(1).with_prepacked_weights(weights)
            builder.with_initializers({"w": np.ones((64, 64), np.float32)})
            sessions = [builder.commit_from_memory(model) for _ in range(2)]
        for session in sessions:
            session.run([x])

    return work


def drop_a_session(_folder):
    """Leave everything to garbage collection."""
    model = tiny_models.add()

    def work(_):
        session = SessionBuilder().with_intra_threads(1).commit_from_memory(model)
        cycle = [session, session.bind({"left": SMALL}), session.run_values([SMALL, LARGE[:4]])]
        cycle.append(cycle)

    return work


def fail_to_load(folder):
    models = [tiny_models.invalid_graph(), b"garbage"]

    def work(step):
        for model in models:
            with pytest.raises(ortffi.OrtError):
                SessionBuilder().commit_from_memory(model)
        with pytest.raises(ortffi.OrtError):
            SessionBuilder().commit_from_file(folder / str(step))
        with pytest.raises(ortffi.OrtError):
            SessionBuilder().with_initializers({"none": LARGE}).with_custom_ops(
                folder / "none.so"
            ).commit_from_memory(tiny_models.identity())

    return work


SESSIONS = [
    make_a_session,
    make_a_session_with_everything,
    make_a_session_with_shared_weights,
    drop_a_session,
    fail_to_load,
]

STARTING_THREADS = [set_a_deadline, make_a_session_with_everything, fail_to_load]


@pytest.mark.parametrize("sessions", SESSIONS, ids=lambda sessions: sessions.__name__)
def test_a_hundred_sessions(sessions, tmp_path):
    skip_where_threads_leak(sessions)
    assert growth_kib(sessions(tmp_path), 100, 50) < ALLOWED_KIB


@pytest.mark.slow
@pytest.mark.parametrize("sessions", SESSIONS, ids=lambda sessions: sessions.__name__)
def test_a_thousand_sessions(sessions, tmp_path):
    skip_where_threads_leak(sessions)
    assert growth_kib(sessions(tmp_path), 1000, 100) < ALLOWED_KIB
