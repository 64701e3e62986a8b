"""What a run or a copy is to write is memory that may be written, and is no other's of the run."""

import inspect
import itertools
import mmap

import numpy as np
import pytest
from hypothesis import strategies as st

import ortffi
from ortffi import ElementType, Memory, Value
from tests.ortffi import tiny_models
from tests.ortffi.test_arguments import CALLS
from tests.profiles import given

N = 2048
"""Elements of a page and more: each kind of memory has pages of its own."""

X = np.arange(N, dtype=np.float32)


def locked():
    array = np.zeros(N, np.float32)
    array.flags.writeable = False
    return array


def mapped(tmp_path):
    X.tofile(tmp_path / "x")
    return np.memmap(tmp_path / "x", np.float32, "r")


def of_mmap(tmp_path):
    X.tofile(tmp_path / "x")
    with open(tmp_path / "x", "rb") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.float32)


class Boaster(np.ndarray):
    """Says that it may be written, whatever is true."""

    class Flags:
        writeable = c_contiguous = aligned = True

    flags = Flags()


READ_ONLY = {
    "locked": lambda _: locked(),
    "bytes": lambda _: np.frombuffer(bytes(4 * N), np.float32),
    "memoryview": lambda _: np.frombuffer(memoryview(bytearray(4 * N)).toreadonly(), np.float32),
    "memmap": mapped,
    "mmap": of_mmap,
    "part": lambda path: mapped(path)[: N // 2].reshape(2, -1)[:1].ravel(),
    "subclass": lambda path: np.asarray(mapped(path)).view(Boaster),
    "view of a value": lambda _: Value.from_numpy(X.copy()).numpy(copy=False),
    "DLPack": lambda _: np.from_dlpack(Value.from_numpy(X.copy())),
    "output of a value": lambda _: np.asarray(Value.empty([N])),
}
"""Arrays that may not be written, most of them in pages that cannot be."""

AS = {
    "array": lambda array: array,
    "value": Value.from_numpy,
    "mapped value": lambda array: Value.from_numpy(array).mapped(Memory.CPU),
    "item": lambda array: Value.from_sequence([array]).items()[0],
    "item of a value": lambda array: Value.from_sequence([Value.from_numpy(array)]).items()[0],
}


def doors(session):
    """Return each public way to have memory written, by name and parameter."""
    binding = session.bind({"x": X})
    return {
        "Session.run_into(outputs)": lambda thing: session.run_into({"x": X}, {"y": thing}),
        "Session.bind(outputs)": lambda thing: session.bind({"x": X}, {"y": thing}).run(),
        "IoBinding.bind_output(target)": lambda thing: (binding.bind_output("y", thing), binding.run()),
        "Value.copy_from(self)": lambda thing: (
            thing if isinstance(thing, Value) else Value.from_numpy(thing)
        ).copy_from(np.ones(thing.shape, np.float32)),
    }


def test_every_public_destination_is_among_the_doors(load):
    writing = {"outputs", "target", "targets", "out", "into", "destination"}
    named = {f"{name}({known.name})" for name, found in CALLS.items() for known in found if known.name in writing}
    named |= {f"{name}(self)" for name in CALLS if "copy_from" in name or "copy_to" in name}
    assert named == set(doors(load(tiny_models.identity())))
    assert not inspect.signature(ortffi.IoBinding.outputs).parameters.keys() - {"self"}


@pytest.mark.parametrize("form", AS)
@pytest.mark.parametrize("kind", READ_ONLY)
def test_read_only_memory_is_an_input_and_never_written(load, tmp_path, kind, form):
    # Were it written, the process would end here.
    session = load(tiny_models.identity())
    array = READ_ONLY[kind](tmp_path)
    before = array.tobytes()
    thing = AS[form](array)
    if isinstance(thing, Value):
        assert not thing.writeable
        assert not thing.numpy(copy=False).flags.writeable
    for name, write in doors(session).items():
        with pytest.raises(ValueError, match="read-only"):
            write(thing)
        assert array.tobytes() == before, name
    for _ in range(3):
        assert session.run({"x": thing})[0].tobytes() == before
    y = np.empty(array.shape, np.float32)
    session.run_into({"x": thing}, {"y": y})
    assert y.tobytes() == before


def test_what_a_run_makes_of_read_only_memory_is_not_written_either(load, tmp_path):
    session = load(tiny_models.passing_through())
    array = mapped(tmp_path)
    for value in session.run_values({"x": array}, ["x"]):
        assert not value.writeable
        with pytest.raises(ValueError, match="read-only"):
            value.copy_from(X)
    (pair,) = load(tiny_models.sequence_output()).run_values({"x": array}, ["pair"])
    for item in pair.items():
        if not item.writeable:
            with pytest.raises(ValueError, match="read-only"):
                item.copy_from(X)
    (made,) = session.run_values({"x": array}, ["y"])
    assert made.writeable  # it has memory of its own
    made.copy_from(X[::-1])


def test_other_memory_is_written(load):
    session = load(tiny_models.identity())
    for value in (
        Value.empty([N]),
        Value.from_numpy(np.zeros(N, np.float32)),
        Value.from_numpy(np.frombuffer(bytes(8 * N), np.float32)[::2]),  # a copy
        Value.from_numpy(np.zeros(N, np.float32)).mapped(Memory.CPU),
        Value.from_numpy(np.frombuffer(bytearray(4 * N), np.float32)),
    ):
        assert value.writeable
        for write in doors(session).values():
            write(value)
        session.run_into({"x": X}, {"y": value})
        assert value.numpy().tolist() == X.tolist()


class Plain(np.ndarray):
    """A subclass, of which a value borrows a view."""


@pytest.mark.parametrize("form", ["array", "value", "mapped value"])
@pytest.mark.parametrize("kind", [np.ndarray, Plain])
def test_memory_that_becomes_read_only_is_written_no_more(load, kind, form):
    session = load(tiny_models.identity())
    array = np.zeros(N, np.float32).view(kind)
    thing = AS[form](array)
    binding = session.bind({"x": X}, {"y": thing})
    for locked in (False, True, True, False, True):
        array[...] = 0
        array.flags.writeable = not locked
        for write in (binding.run, lambda: session.run_into({"x": X}, {"y": thing})):
            if not locked:
                write()
                assert array.tolist() == X.tolist()
                continue
            with pytest.raises(ValueError, match="memory for output 'y' is read-only"):
                write()
            assert not array.any()
        if isinstance(thing, Value):
            assert thing.writeable is not locked
            if locked:
                with pytest.raises(ValueError, match="read-only"):
                    thing.copy_from(X)
                assert not array.any()
        array.flags.writeable = True
    binding.bind_output("y", Memory.CPU)
    array.flags.writeable = False
    binding.run()
    assert binding.outputs()["y"].numpy().tolist() == X.tolist()


def loaded_with(weights):
    builder = ortffi.SessionBuilder().with_intra_threads(1).with_initializers({"w": weights})
    return builder.commit_from_memory(tiny_models.product())


def test_read_only_weights_stay_as_they_are(tmp_path):
    weights = np.memmap(tmp_path / "w", np.float32, "w+", shape=(64, 64))
    weights[...] = np.eye(64)
    weights.flush()
    given = np.memmap(tmp_path / "w", np.float32, "r", shape=(64, 64))
    x = np.ones((2, 64), np.float32)
    with loaded_with(given) as session:
        for _ in range(3):
            assert session.run({"x": x})[0].tolist() == x.tolist()


PLACES = 24
"""Elements in which the arrays of a run are placed."""


@given(
    starts=st.tuples(*[st.integers(0, PLACES - 4)] * 4),
    length=st.integers(0, 4),
    forms=st.tuples(*[st.sampled_from(["array", "value", "mapped value"])] * 4),
    how=st.sampled_from(["run_into", "bind", "bind one by one"]),
)
def test_outputs_overlap_nothing(adder, starts, length, forms, how):
    memory = np.zeros(PLACES, np.float32)
    left, right, total, difference = (
        AS[form](memory[start : start + length]) for start, form in zip(starts, forms, strict=True)
    )
    inputs, outputs = {"left": left, "right": right}, {"total": total, "difference": difference}
    *read, first, second = (range(start, start + length) for start in starts)
    overlaps = any(set(a) & set(b) for a, b in itertools.product((first, second), (*read, first, second)) if a is not b)

    def run():
        if how == "run_into":
            adder.run_into(inputs, outputs)
        elif how == "bind":
            adder.bind(inputs, outputs).run()
        else:
            binding = adder.bind()
            for name, thing in inputs.items():
                binding.bind_input(name, thing)
            for name, thing in outputs.items():
                binding.bind_output(name, thing)
            binding.run()

    memory[...] = np.arange(PLACES)
    expected = memory.copy()
    if overlaps:
        with pytest.raises(ValueError, match=r"(output|input) '\w+' and .*overlap"):
            run()
    else:
        run()
        a, b = (memory[place.start : place.stop].copy() for place in read)
        expected[first.start : first.stop] = a + b
        expected[second.start : second.stop] = a - b
    assert memory.tolist() == expected.tolist()


@pytest.fixture(scope="module")
def adder(library):
    with ortffi.SessionBuilder().with_intra_threads(1).commit_from_memory(tiny_models.add()) as session:
        yield session


def test_inputs_and_outputs_may_change_places_between_runs(load):
    session = load(tiny_models.doubling())
    here, there = np.ones((1, 4), np.float32), np.zeros((1, 4), np.float32)
    binding = session.bind({"x": here}, {"y": there})
    for _ in range(3):
        binding.run()
        here, there = there, here
        binding.bind_input("x", here)
        with pytest.raises(ValueError, match="overlap"):
            binding.run()  # they have not both changed yet
        binding.bind_output("y", there)
    assert here.tolist() == [[8.0] * 4]
    binding.bind_output("y", here)
    binding.bind_output("y", Memory.CPU)
    binding.run()
    binding.bind_output("y", here)
    binding.clear_inputs()
    binding.bind_input("x", there)
    binding.run()


def test_the_items_of_a_sequence_are_inputs_too(load):
    session = load(tiny_models.sequence_input())
    shared, other = np.ones(3, np.float32), np.zeros(3, np.float32)
    lists = [other, shared], [other, Value.from_numpy(shared)]
    for items in (*lists, *map(Value.from_sequence, lists)):
        with pytest.raises(ValueError, match=r"'items'.*overlap"):
            session.run_into({"items": items, "index": np.array(0)}, {"y": shared[:]})


def test_weights_that_a_session_borrows_are_no_outputs():
    weights, x = np.zeros((64, 64), np.float32), np.ones((64, 64), np.float32)
    with loaded_with(weights) as session:
        for write in (session.run_into, session.bind):
            with pytest.raises(ValueError, match=r"weight 'w'.*overlap"):
                write({"x": x}, {"y": weights})


def test_strings_are_written_where_nothing_else_is(load):
    session = load(tiny_models.identity(8))
    names, target = Value.from_numpy(np.array(["a", "bc"])), Value.empty([2], ElementType.STRING)
    session.run_into({"x": names}, {"y": target})
    assert target.numpy().tolist() == ["a", "bc"]
    with pytest.raises(ValueError, match="overlap"):
        session.run_into({"x": names}, {"y": names})
