"""Memory stays flat, however often sessions are made.

The slow test does everything ten times as often.
"""

import logging

import numpy as np
import pytest
from tests.ortffi import tiny_models
from tests.ortffi.growth import ALLOWED_KIB, growth_kib, skip_where_threads_leak

import ortffi
from ortffi import Memory, SessionBuilder

pytestmark = pytest.mark.thorough

SMALL = np.ones(4, np.float32)
LARGE = np.ones(5000, np.float32)
QUIET = logging.getLogger("test_memory_of_sessions")
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False


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
            SessionBuilder().with_initializers({"none": LARGE}).with_custom_ops(folder / "none.so").commit_from_memory(
                tiny_models.identity()
            )

    return work


SESSIONS = [
    make_a_session,
    make_a_session_with_everything,
    make_a_session_with_shared_weights,
    drop_a_session,
    fail_to_load,
]

STARTING_THREADS = [make_a_session_with_everything, fail_to_load]


@pytest.mark.parametrize("sessions", SESSIONS, ids=lambda sessions: sessions.__name__)
def test_a_hundred_sessions(sessions, tmp_path):
    if sessions in STARTING_THREADS:
        skip_where_threads_leak()
    assert growth_kib(sessions(tmp_path), 100, 50) < ALLOWED_KIB


@pytest.mark.slow
@pytest.mark.parametrize("sessions", SESSIONS, ids=lambda sessions: sessions.__name__)
def test_a_thousand_sessions(sessions, tmp_path):
    if sessions in STARTING_THREADS:
        skip_where_threads_leak()
    assert growth_kib(sessions(tmp_path), 1000, 100) < ALLOWED_KIB
