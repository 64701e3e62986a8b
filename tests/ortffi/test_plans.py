"""What `Session.run` keeps from run to run never shows in a result.

The first runs with inputs of the same shapes are done in one way, later ones in another (bound);
LATER is enough of them.
"""

import numpy as np
import pytest
from onnx import TensorProto
from tests.ortffi import tiny_models

import ortffi

LATER = 4
SMALL, LARGE = 8, 5000


def floats(length, first=0):
    return np.arange(first, first + length, dtype=np.float32)


def identity(load, length=None):
    return load(tiny_models.identity(TensorProto.FLOAT, ["n"] if length is None else [length]))


@pytest.mark.parametrize("length", [SMALL, LARGE])
@pytest.mark.parametrize("copy", [False, True])
def test_results_stay_as_they_were(load, length, copy):
    session = identity(load)
    results = [session.run({"x": floats(length, n)}, copy=copy)[0] for n in range(LATER * 3)]
    for number, result in enumerate(results):
        assert result.tobytes() == floats(length, number).tobytes()
        assert result.flags.writeable
        result[...] = -1
    assert not any(np.shares_memory(results[0], other) for other in results[1:])


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_a_part_of_a_result_stays_as_it_was(load, length):
    session = identity(load)
    parts = [session.run({"x": floats(length, n)})[0][2:4] for n in range(LATER * 3)]
    views = [memoryview(session.run({"x": floats(length, n)})[0]) for n in range(LATER)]
    for number, part in enumerate(parts):
        assert part.tolist() == [number + 2, number + 3]
    assert [view[0] for view in views] == list(range(LATER))


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_what_was_done_to_a_result_does_not_show_in_the_next(load, length):
    session = identity(load)
    for number in range(LATER * 2):
        (result,) = session.run({"x": floats(length, number)})
        assert result.shape == (length,)
        assert result.dtype == np.float32
        assert result.flags.writeable
        result.flags.writeable = False
        del result


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_a_result_outlives_its_session(length):
    with ortffi.SessionBuilder().commit_from_memory(tiny_models.identity()) as session:
        results = [session.run({"x": floats(length, number)})[0] for number in range(LATER)]
    for number, result in enumerate(results):
        assert result.tobytes() == floats(length, number).tobytes()


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_results_may_be_the_next_inputs(load, length):
    session = load(tiny_models.add())
    state = floats(length)
    for _ in range(LATER * 2):
        state, _ = session.run({"left": state, "right": state[::-1][::-1]})
    np.testing.assert_array_equal(state, floats(length) * 2 ** (LATER * 2))


def test_an_input_that_was_elsewhere_meanwhile_is_read_where_it_is(load):
    session = identity(load)
    here, there = floats(LARGE), floats(LARGE, 100)
    for _ in range(LATER):
        session.run({"x": here})
    options = ortffi.RunOptions()
    for inputs, how in [(there, options), (there, None), (here, None), (there[::-1], None),
                        (there, options), (here, options), (there, None)]:  # fmt: skip
        np.testing.assert_array_equal(session.run({"x": inputs}, options=how)[0], inputs)


def test_what_cannot_be_read_in_place_is_copied(load):
    session = identity(load)
    plain = floats(LARGE)
    read_only = plain.copy()
    read_only.flags.writeable = False
    crooked = np.frombuffer(b"\0" + plain.tobytes(), np.uint8)[1:].view(np.float32)
    spread = np.zeros((LARGE, 2), np.float32)
    spread[:, 0] = plain
    for array in (plain, plain, plain, read_only, crooked, spread[:, 0], plain[::-1], read_only):
        np.testing.assert_array_equal(session.run({"x": array})[0], array)


MANY_RUNS = """
import numpy as np, ortffi, sys

def show(y, n):
    # What a program may hold of a result: the whole, a part, a view of another kind.
    return (y, y[2:4], memoryview(y), y.view(np.int32))[n % 4]

def first(held, n):
    return held[0] if n % 4 < 3 else held.view(np.float32)[0]

def compute(session):
    x, held, wrong = np.empty(1100, np.float32), [None] * 11, 0
    for n in range(100_000):
        x.fill(n)
        (y,) = session.run({"x": x})
        place = n * n % 11
        if held[place] is not None:
            then, kept = held[place]
            wrong += first(kept, then) != then
        held[place] = n, show(y, n)
        del y
    wrong += sum(first(kept, then) != then for then, kept in filter(None, held))
    return wrong

with ortffi.SessionBuilder().with_intra_threads(1).commit_from_file(sys.argv[1]) as session:
    print(compute(session), getattr(session, "_functions").quiet.value is not None)
"""


@pytest.mark.thorough
def test_results_stay_as_they_were_for_many_runs_under_the_jit(run_python, tmp_path):
    """Where the interpreter has one: compiled code may hold fewer references, or more."""
    model = tmp_path / "identity.onnx"
    model.write_bytes(tiny_models.identity())
    script = f"import sys; sys.argv.append({str(model)!r})\n{MANY_RUNS}"
    done = run_python(script, PYTHON_JIT="1")
    assert done.returncode == 0, done.stderr
    n_wrong, has_bound = done.stdout.split()
    assert (n_wrong, has_bound) == ("0", "True")


def test_copies_are_numpys_own(load):
    session = identity(load)
    for _ in range(LATER):
        (result,) = session.run({"x": floats(LARGE)}, copy=True)
        assert result.flags.owndata
        assert result.base is None


def test_an_output_that_is_an_input_too_is_a_copy(load):
    session = load(tiny_models.passing_through())
    x = floats(LARGE)
    for _ in range(LATER):
        y, same = session.run({"x": x}, ["y", "x"])
        assert same.tobytes() == x.tobytes()
        assert not np.shares_memory(same, x)
        assert not np.shares_memory(same, y)


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_an_output_asked_for_twice_comes_as_two_arrays(load, length):
    session = identity(load)
    for number in range(LATER):
        first, second = session.run({"x": floats(length, number)}, ["y", "y"])
        assert first.tobytes() == second.tobytes() == floats(length, number).tobytes()
        assert not np.shares_memory(first, second)


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_an_output_whose_length_depends_on_the_input_is_right_and_nothing_is_printed(load, length, capfd):
    session = load(tiny_models.non_zero())
    for number in range(LATER * 2):
        x = np.ones(length, np.float32)
        # The same length for a while, then others.
        x[: max(0, number - LATER)] = 0
        (indices,) = session.run({"x": x})
        np.testing.assert_array_equal(indices, np.nonzero(x))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_a_kernel_that_fails_says_why_and_the_next_run_is_right(load, length):
    session = load(tiny_models.gather())
    x, index = floats(length), np.zeros(length, np.int64)
    for number in range(LATER * 4):
        index[-1] = number % length
        np.testing.assert_array_equal(session.run({"x": x, "index": index})[0], x[index])
        if number % 2:
            index[-1] = length
            with pytest.raises(ortffi.OrtError, match="out of data bounds"):
                session.run({"x": x, "index": index})


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_what_a_failed_run_had_bound_is_released(fake, use, length):
    use(fake.environment())
    with ortffi.SessionBuilder().commit_from_memory(tiny_models.gather()) as session:
        inputs = {"x": floats(length), "index": np.zeros(length, np.int64)}
        wrong = {**inputs, "index": np.full(length, length)}
        sizes = []
        for _ in range(LATER * 3):
            for _ in range(LATER):
                session.run(inputs)
            with pytest.raises(ortffi.OrtError):
                session.run(wrong)
            sizes.append(len(fake.outstanding))
        assert max(sizes) == sizes[0]
    assert not fake.outstanding


def test_memory_for_large_outputs_is_kept_for_one_shape_only(fake, use):
    use(fake.environment())
    with ortffi.SessionBuilder().commit_from_memory(tiny_models.identity()) as session:
        sizes = []
        for length in range(LARGE, LARGE + 12):
            for _ in range(LATER):
                session.run({"x": floats(length)})
            sizes.append(sum(kind == "binding" for kind, _ in fake.outstanding))
        assert set(sizes) == {1}
    assert not fake.outstanding
