"""Whatever ONNX Runtime gives is given back once, also where anything fails."""

import gc
import re
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import ortffi
from ortffi import SessionBuilder, Value
from ortffi._api import SLOTS
from tests.ortffi import tiny_models
from tests.ortffi.balanced_work import EVERYTHING, INDEX, LARGE, SMALL, TEXT, load, look_around
from tests.ortffi.fake_vtable import CREATES, CREATES_FOR_GOOD, CREATES_SEVERAL, LENDS, RELEASES
from tests.ortffi.lifetimes import count

pytestmark = pytest.mark.thorough

UNSEEN = {"RunWithBinding"}  # a plan's: it runs once more, not bound
"""What may fail without the caller hearing of it."""


@pytest.fixture(params=["newest API", "old API"])
def watched(request, fake, use, library):
    version = None if request.param == "newest API" else min(17, library.api_version)
    use(fake.environment(version))
    yield fake
    gc.collect()
    fake.check()


@contextmanager
def failing_at(fake, victim):
    """Let one call fail, counted from here."""
    fake.calls.clear()
    fake.fail = lambda _name: len(fake.calls) == victim + 1
    yield
    fake.fail = lambda _name: False


def failure_of(work, folder):
    try:
        work(folder)
    except ortffi.OrtError as error:
        return str(error)
    return None


def left_over(fake):
    if fake.outstanding:
        gc.collect()
    return fake.outstanding or fake.mistakes


@pytest.mark.parametrize("work", EVERYTHING, ids=lambda work: work.__name__)
def test_everything_is_released(watched, work, tmp_path):
    work(tmp_path)
    assert not left_over(watched)
    assert watched.created or not watched.calls


@pytest.mark.parametrize("work", EVERYTHING, ids=lambda work: work.__name__)
def test_every_call_may_fail(watched, work, tmp_path):
    work(tmp_path)
    gc.collect()
    expected = list(watched.calls)
    # A release that fails has nobody left who could do better.
    victims = [index for index, name in enumerate(expected) if name not in RELEASES]
    assert victims or not expected
    for victim in victims:
        name = expected[victim]
        with failing_at(watched, victim):
            failure = failure_of(work, tmp_path)
        assert not left_over(watched), f"after call {victim}, {name}, failed"
        if work is look_around or (failure is None and name in UNSEEN):
            continue  # a provider that cannot be used is no failure
        assert failure == f"injected into {name} [FAIL from {name}]", f"call {victim}"


def test_the_accounts_know_whatever_ortffi_takes():
    sources = [path for path in Path(ortffi.__file__).parent.glob("*.py") if path.name != "_table.py"]
    words = {word for path in sources for word in re.findall(r"\w+", path.read_text())}
    prepacked = {name for name in SLOTS if name.endswith("WithPrepackedWeightsContainer")}
    used = [slot for name, slot in SLOTS.items() if name in words | prepacked]
    assert len(used) > 150
    # Const is what a pointer leads to that stays somebody else's.
    makes = {slot.name for slot in used if slot.name.startswith(("Create", "Clone"))} | {
        slot.name
        for slot in used
        if not slot.name.startswith("Release")
        and any("**" in parameter and not parameter.startswith("const ") for parameter in slot.parameters)
    }
    assert makes <= {*CREATES, *CREATES_SEVERAL, *CREATES_FOR_GOOD, *LENDS}
    assert {slot.name for slot in used if re.match("Release|Free|AllocatorFree", slot.name)} <= set(RELEASES)
    assert set(CREATES.values()) <= set(RELEASES.values())


def test_the_accounts_see_what_is_not_released(fake, use):
    use(fake.environment())
    fake.replace["ReleaseValue"] = lambda _value: None
    value = Value.from_numpy(SMALL)
    assert [kind for kind, _ in fake.outstanding] == ["value"]
    value.close()
    assert not fake.outstanding
    fake.api().ReleaseValue(1)
    assert fake.mistakes


def test_a_session_survives_every_failure_of_a_run(watched):
    session = SessionBuilder().with_intra_threads(1).commit_from_memory(tiny_models.mixed())

    def run(numbers):
        return session.run({"f": numbers, "i": np.arange(3), "s": TEXT})

    run(LARGE)  # from now on the small input has its place
    watched.calls.clear()
    run(LARGE)
    for victim in range(len(watched.calls)):
        with failing_at(watched, victim), pytest.raises(ortffi.FailError, match="injected"):
            run(LARGE)
        assert [array.tolist() for array in run(SMALL)] == [[1] * 3, [0, 1, 2], ["text", ""]]


@pytest.mark.parametrize("numbers", [SMALL, LARGE], ids=["small", "large"])
def test_a_bound_plan_survives_every_failure_of_a_run(watched, numbers):
    session = load(tiny_models.add())
    held, failures = [], []

    def turns():
        # Elsewhere each time, and with results that are still looked at.
        for _ in range(4):
            held.append(session.run([numbers + len(held), numbers])[0])

    turns()
    watched.calls.clear()
    turns()
    assert watched.calls.count("RunWithBinding") == 4
    for victim in range(len(watched.calls)):
        with failing_at(watched, victim):
            try:
                turns()
            except ortffi.FailError as error:
                failures.append(error.message)
        turns()
        assert [array[0] for array in held] == [2 + turn for turn in range(len(held))]
    assert all(message.startswith("injected") for message in failures)
    assert failures
    session.close()
    assert not any(kind in ("session", "binding") for kind, _ in watched.outstanding)


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
    [np.zeros(3, ">i8"), np.zeros(5000, np.int8), TEXT, np.array([None]), "no array", INDEX + 10**6],
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
        session.outputs = tuple(  # as if the sequence had been announced as a tensor
            ortffi.ValueInfo(info.name, ortffi.TypeInfo(ortffi.OnnxType.TENSOR, info.element_type, ()))
            for info in session.outputs
        )
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
        assert count(watched, "value") < 100
    del session


def test_success_without_an_object_is_reported(fake, use):
    use(fake.environment())
    fake.replace["CreateSessionOptions"] = lambda _out: None
    with pytest.raises(RuntimeError, match="no object"):
        SessionBuilder().commit_from_memory(tiny_models.identity())
