"""Whatever ONNX Runtime gives is given back once, also where anything fails."""

from __future__ import annotations

import gc
from collections import Counter

import numpy as np
import pytest
import tiny_models
from fake_vtable import RELEASES

import ortffi
from ortffi import RunOptions, SessionBuilder, Value

SMALL = np.ones(3, np.float32)
LARGE = np.ones(5000, np.float32)
INDEX = np.array([0])
TEXT = np.array(["text", ""])


def everything():
    """Use each thing that ortffi takes from ONNX Runtime."""
    ortffi.available_providers()
    with SessionBuilder().with_intra_threads(1).commit_from_memory(tiny_models.mixed()) as session:
        with RunOptions().with_config("memory.enable_memory_arena_shrinkage", "cpu:0") as options:
            session.run({"f": SMALL, "i": np.arange(3), "s": TEXT}, options=options)
        for numbers in (SMALL, SMALL, LARGE):
            session.run({"f": numbers, "i": np.arange(3), "s": TEXT})
        with Value.from_numpy(LARGE) as value, Value.from_numpy(TEXT) as text:
            session.run({"f": value, "i": np.arange(5000), "s": text})
            value.numpy()
            text.numpy(object)
            assert value.shape == (5000,)


@pytest.fixture(params=["newest API", "old API"])
def watched(request, fake, use, library):
    version = None if request.param == "newest API" else min(17, library.api_version)
    use(fake.environment(version))
    yield fake
    gc.collect()
    assert not fake.outstanding
    assert not fake.mistakes


def test_everything_is_released(watched):
    everything()
    gc.collect()
    assert not watched.outstanding
    assert watched.created > 20


def test_the_accounts_see_what_is_not_released(fake, use):
    use(fake.environment())
    fake.replace["ReleaseValue"] = lambda _value: None
    value = Value.from_numpy(SMALL)
    assert Counter(kind for kind, _ in fake.outstanding) == {"value": 1}
    value.close()
    assert not fake.outstanding
    fake.api().ReleaseValue(1)
    assert fake.mistakes


def test_every_call_may_fail(watched):
    everything()
    gc.collect()
    expected = list(watched.calls)
    # A release that fails has nobody left who could do better.
    victims = [index for index, name in enumerate(expected) if name not in RELEASES]
    assert len(victims) > 60
    for victim in victims:
        watched.calls.clear()
        watched.fail = lambda _name, victim=victim: len(watched.calls) == victim + 1
        message = rf"^injected into {expected[victim]} \[FAIL from {expected[victim]}\]$"
        with pytest.raises(ortffi.FailError, match=message):
            everything()
        gc.collect()
        assert not watched.outstanding, f"after call {victim}, {expected[victim]}, failed"
        assert not watched.mistakes, f"after call {victim}, {expected[victim]}, failed"


def test_a_session_survives_every_failure_of_a_run(watched):
    session = SessionBuilder().with_intra_threads(1).commit_from_memory(tiny_models.mixed())

    def run(numbers):
        return session.run({"f": numbers, "i": np.arange(3), "s": TEXT})

    run(LARGE)  # from now on the small input has its place
    watched.calls.clear()
    run(LARGE)
    n_calls = len(watched.calls)
    for victim in range(n_calls):
        watched.calls.clear()
        watched.fail = lambda _name, victim=victim: len(watched.calls) == victim + 1
        with pytest.raises(ortffi.FailError, match="injected"):
            run(LARGE)
        watched.fail = lambda _name: False
        assert [array.tolist() for array in run(SMALL)] == [[1] * 3, [0, 1, 2], ["text", ""]]


def test_models_that_do_not_load(watched, tmp_path):
    for model in (b"", b"garbage", tiny_models.invalid_graph()):
        with pytest.raises(ortffi.OrtError):
            SessionBuilder().commit_from_memory(model)
    with pytest.raises(ortffi.OrtError):
        SessionBuilder().commit_from_file(tmp_path / "missing")
    assert not watched.outstanding
    assert watched.calls.count("CreateSessionOptions") == 4


@pytest.mark.parametrize("first", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize(
    "second",
    [
        np.zeros(3, ">i8"),
        np.zeros(5000, np.int8),
        TEXT,
        np.array([None]),
        "no array",
        INDEX + 10**6,
    ],
    ids=["dtype", "type", "strings", "object", "no array", "kernel"],
)
def test_a_second_input_that_is_refused(watched, first, second):
    with SessionBuilder().commit_from_memory(tiny_models.gather()) as session:
        value = Value.from_numpy(first)
        for x in (first, value):
            with pytest.raises((ortffi.OrtError, TypeError)):
                session.run({"x": x, "index": second})
        value.close()  # which would wait for ever if the run had kept it
        assert session.run({"x": first, "index": INDEX})[0].tolist() == [1]


def test_strings_that_are_refused(watched):
    for strings in (["a\0b"], [None], ["\ud800"]):
        with pytest.raises((TypeError, ValueError)):
            Value.from_numpy(np.array(strings, object))
    assert not watched.outstanding


def test_outputs_that_cannot_be_read(watched):
    with SessionBuilder().commit_from_memory(tiny_models.sequence_output()) as session:
        with pytest.raises(TypeError, match="sequence"):
            session.run({"x": LARGE})
        session.run({"x": LARGE}, ["y"])


def test_a_sequence_that_was_announced_as_a_tensor(watched):
    with SessionBuilder().commit_from_memory(tiny_models.sequence_output()) as session:
        tensors = [
            ortffi.ValueInfo(
                info.name, ortffi.TypeInfo(ortffi.OnnxType.TENSOR, info.element_type, ())
            )
            for info in session.outputs
        ]
        session.outputs = tuple(tensors)
        with pytest.raises((TypeError, ortffi.OrtError)):
            session.run({"x": LARGE})


def test_a_run_that_fails_after_it_made_outputs(watched):
    def run(*arguments):
        assert not watched.real("Run")(*arguments)
        return watched.status(ortffi.ErrorCode.EP_FAIL, "too late")

    with SessionBuilder().commit_from_memory(tiny_models.add()) as session:
        watched.replace["Run"] = run
        for array in (SMALL, LARGE):
            with pytest.raises(ortffi.ExecutionProviderError, match="too late"):
                session.run({"left": array, "right": array})
        del watched.replace["Run"]
        assert session.run({"left": SMALL, "right": SMALL})[0].tolist() == [2] * 3


def test_more_shapes_than_are_remembered(watched):
    with SessionBuilder().commit_from_memory(tiny_models.identity()) as session:
        for length in range(300):
            session.run({"x": np.ones(length, np.float32)})
        values = sum(kind == "value" for kind, _ in watched.outstanding)
        assert values < 100
    del session


def test_success_without_an_object_is_reported(fake, use):
    use(fake.environment())
    fake.replace["CreateSessionOptions"] = lambda _out: None
    with pytest.raises(RuntimeError, match="no object"):
        SessionBuilder().commit_from_memory(tiny_models.identity())
