"""Memory stays flat, however often a session runs and sessions are made.

The slow tests run thirty times as often, and make ten times as many.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import ortffi
from ortffi import Memory, RunOptions, SessionBuilder, Value
from tests.ortffi import tiny_models
from tests.ortffi.balanced_work import QUIET
from tests.ortffi.growth import ALLOWED_KIB, growth_kib, skip_where_threads_leak
from tests.ortffi.lifetimes import LARGE
from tests.ortffi.lifetimes import load as load_session

pytestmark = pytest.mark.thorough

SMALL = np.ones(4, np.float32)
READ_ONLY = LARGE.copy()
READ_ONLY.flags.writeable = False
PLACES = [LARGE.copy() for _ in range(5)]
ROWS = [np.ones((rows, 2000), np.float32) for rows in (1, 2, 3)]
TEXT = np.array(["some text of a length that no string keeps inside itself"] * 8)
IDENTITY, ADD, PRODUCT = tiny_models.identity(), tiny_models.add(), tiny_models.product()


def run_with_options_made_anew(session, _step, _own):
    with RunOptions(tag="tag", config={"key": "value"}) as options:
        session.run([SMALL], options=options)


def run_terminated_now_and_then(session, step, own):
    if step % 4:
        session.run([SMALL])
    else:
        with pytest.raises(ortffi.TerminatedError):
            session.run([SMALL], options=own.stopped)


def bind_anew(session, _step, _own):
    with session.bind({"x": LARGE}, {"y": Memory.CPU}) as binding:
        binding.run()
        binding.outputs()["y"].numpy(copy=False)


def feed_a_binding_back(session, step, own):
    if not step:
        own.feeding = session.bind({"x": LARGE}, {"y": Memory.CPU})
    own.feeding.run()
    own.feeding.bind_input("x", own.feeding.outputs()["y"])


def feed_values_back(session, _step, own):
    own.state = session.run_values(own.state)


def run_a_binding(session, step, own):
    if not step:
        own.binding = session.bind({"x": LARGE}, {"y": own.target})
    own.binding.run()


def set_a_deadline(session, _step, own):
    with own.options.deadline(1000):
        session.run([SMALL], options=own.options)


def make_values(_session, _step, _own):
    with Value.from_numpy(LARGE) as value:
        value.numpy()
    Value.from_sequence([LARGE, SMALL]).items()
    Value.from_mapping({1: 1.0}).to_python()


X, INDEX = np.ones(3, np.float32), np.array([0])
WRONG = [
    {"x": X},
    {"x": X, "index": np.array([7])},
    {"x": np.ones((5000, 1), np.float32), "index": INDEX},
    {"x": TEXT, "index": INDEX},
    {"x": np.ones(5000, np.float32), "index": TEXT},
    {"x": X, "index": "no array"},
    {"x": X, "index": np.zeros(3, ">i8")},
]
MANY = np.zeros(5000, np.int64)


def run_and_fail(session, step, _own):
    """Fail in every way, and succeed in between, often enough for a plan to be bound."""
    with pytest.raises((ortffi.OrtError, TypeError)):
        session.run(WRONG[step % len(WRONG)])
    with pytest.raises(ortffi.OrtError):
        session.run({"x": X, "index": INDEX, f"unknown {step}": X})
    if step % 4:
        session.run({"x": X, "index": MANY})
    else:
        with pytest.raises(ortffi.OrtError):
            session.run({"x": X, "index": MANY + 7})


RUNS = {
    "small": lambda session, _step, _own: session.run({"x": SMALL}),
    "large": lambda session, _step, _own: session.run({"x": LARGE}),
    "from other places": lambda session, step, _own: session.run([PLACES[step % 5]]),
    "held": lambda session, step, own: own.held.update({step * 31 % 7: session.run([LARGE])[0][1:]}),
    "copied": lambda session, step, _own: session.run({"x": LARGE}, copy=step % 2 == 0),
    "varying shapes": lambda session, step, _own: session.run({"x": LARGE[: step * 7919 % 3000]}),
    # Large outputs are bound and unbound.
    "alternating shapes": lambda session, step, _own: session.run([ROWS[step // 4 % 3]]),
    "options": lambda session, step, own: session.run([LARGE if step % 3 else SMALL], options=own.shrink),
    "now and then": lambda session, step, own: session.run([LARGE], options=None if step % 3 else own.options),
    "options made anew": run_with_options_made_anew,
    "read-only": lambda session, step, _own: session.run([LARGE if step % 3 else READ_ONLY]),
    "terminated": run_terminated_now_and_then,
    "values": lambda session, step, _own: session.run_values([LARGE if step % 2 else SMALL]),
    "values fed back": feed_values_back,
    "into": lambda session, _step, own: session.run_into([LARGE], {"y": own.target}),
    "submit": lambda session, _step, _own: session.submit([LARGE]).result(),
    "binding": run_a_binding,
    "bind anew": bind_anew,
    "binding fed back": feed_a_binding_back,
    "allocate": lambda session, _step, _own: session.allocate([5000]).numpy(copy=False),
    "deadline": set_a_deadline,
    "make values": make_values,
    "strings": lambda session, _step, _own: session.run({"x": TEXT}),
    "fail": run_and_fail,
    "sequences": lambda session, _step, _own: session.run_values({"items": [LARGE, SMALL], "index": np.array(1)}),
}
"""What is done with a session, the number of the run, and what such runs have of their own."""

MODELS = {"strings": tiny_models.identity(8), "fail": tiny_models.gather(), "sequences": tiny_models.sequence_input()}
"""The models that are not y = x."""


def check_runs(load, name, times, warm_up):
    if name == "deadline":
        skip_where_threads_leak()
    session, work = load(MODELS.get(name, IDENTITY)), RUNS[name]
    own = SimpleNamespace(
        options=RunOptions(), shrink=RunOptions(shrink_arenas="cpu:0"), stopped=RunOptions(), held={},
        state=[Value.from_numpy(LARGE)], target=np.empty(5000, np.float32),
    )  # fmt: skip
    own.stopped.terminate()
    assert growth_kib(lambda step: work(session, step, own), times, warm_up) < ALLOWED_KIB


@pytest.mark.usefixtures("_api")
@pytest.mark.parametrize("name", RUNS)
def test_three_thousand_runs(load, name):
    check_runs(load, name, 3000, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_hundred_thousand_runs(load, name):
    # Starting a thread for each takes a while.
    check_runs(load, name, 10_000 if name == "deadline" else 100_000, 3000)


def make_a_session(_folder, _step):
    with load_session(ADD) as session:
        session.run([SMALL, SMALL])


def make_a_session_with_everything(folder, step):
    path = folder / "model.onnx"
    if not step:
        path.write_bytes(ADD)
    builder = SessionBuilder().with_intra_threads(1).with_log_level(ortffi.LogLevel.ERROR)
    if ortffi.init().api.has("SetUserLoggingFunction"):
        builder.with_logger(QUIET).with_assignment()
    session = builder.commit_from_mmap(path)
    for _ in range(4):
        results = [session.run([array, array]) for array in (SMALL, LARGE)]
    binding = session.bind({"left": LARGE, "right": LARGE}, {"total": Memory.CPU})
    binding.run()
    values = binding.outputs()
    session.submit([LARGE, LARGE]).result()
    session.close()
    del values, results


def make_a_session_with_shared_weights(_folder, _step):
    with ortffi.PrepackedWeights() as weights:
        builder = SessionBuilder().with_intra_threads(1).with_prepacked_weights(weights)
        builder.with_initializers({"w": np.ones((64, 64), np.float32)})
        sessions = [builder.commit_from_memory(PRODUCT) for _ in range(2)]
    for session in sessions:
        session.run([np.ones((1, 64), np.float32)])


def drop_a_session(_folder, _step):
    """Leave everything to garbage collection."""
    session = load_session(ADD)
    cycle = [session, session.bind({"left": SMALL}), session.run_values([SMALL, LARGE[:4]])]
    cycle.append(cycle)


INVALID = tiny_models.invalid_graph()


def fail_to_load(folder, step):
    builder = SessionBuilder().with_initializers({"none": LARGE}).with_custom_ops(folder / "none.so")
    for chosen, model in ((SessionBuilder(), INVALID), (SessionBuilder(), b"garbage"), (builder, IDENTITY)):
        with pytest.raises(ortffi.OrtError):
            chosen.commit_from_memory(model)
    with pytest.raises(ortffi.OrtError):
        SessionBuilder().commit_from_file(folder / str(step))


@pytest.mark.parametrize(("times", "warm_up"), [(100, 50), pytest.param(1000, 100, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "work",
    [make_a_session, make_a_session_with_everything, make_a_session_with_shared_weights, drop_a_session, fail_to_load],
)
def test_making_sessions(work, times, warm_up, tmp_path):
    if work in (make_a_session_with_everything, fail_to_load):  # which start threads
        skip_where_threads_leak()
    assert growth_kib(lambda step: work(tmp_path, step), times, warm_up) < ALLOWED_KIB
