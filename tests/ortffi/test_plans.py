"""What `Session.run` keeps from run to run never shows in a result.

The first runs with inputs of the same shapes are done in one way, later ones in another (bound);
LATER is enough of them.
"""

import numpy as np
import pytest
from onnx import TensorProto

import ortffi
from tests.ortffi import tiny_models

LATER = 4
SMALL, LARGE = 8, 5000


def floats(length, first=0):
    return np.arange(first, first + length, dtype=np.float32)


@pytest.fixture(params=[SMALL, LARGE])
def length(request):
    return request.param


@pytest.fixture
def session(load):
    return load(tiny_models.identity(TensorProto.FLOAT, ["n"]))


@pytest.mark.parametrize("copy", [False, True])
def test_results_stay_as_they_were(session, length, copy):
    results = [session.run({"x": floats(length, n)}, copy=copy)[0] for n in range(LATER * 3)]
    for number, result in enumerate(results):
        assert result.tobytes() == floats(length, number).tobytes()
        assert result.flags.writeable
        result[...] = -1
    assert not any(np.shares_memory(results[0], other) for other in results[1:])


def test_a_part_of_a_result_stays_as_it_was(session, length):
    parts = [session.run({"x": floats(length, n)})[0][2:4] for n in range(LATER * 3)]
    views = [memoryview(session.run({"x": floats(length, n)})[0]) for n in range(LATER)]
    assert [part.tolist() for part in parts] == [[n + 2, n + 3] for n in range(LATER * 3)]
    assert [view[0] for view in views] == list(range(LATER))


def test_what_was_done_to_a_result_does_not_show_in_the_next(session, length):
    for number in range(LATER * 2):
        (result,) = session.run({"x": floats(length, number)})
        assert (result.shape, result.dtype) == ((length,), np.float32)
        assert result.flags.writeable
        result.flags.writeable = False
        del result


def test_a_result_outlives_its_session(session, length):
    results = [session.run({"x": floats(length, number)})[0] for number in range(LATER)]
    session.close()
    for number, result in enumerate(results):
        assert result.tobytes() == floats(length, number).tobytes()


def test_results_may_be_the_next_inputs(load, length):
    session = load(tiny_models.add())
    state = floats(length)
    for _ in range(LATER * 2):
        state, _ = session.run({"left": state, "right": state[::-1][::-1]})
    np.testing.assert_array_equal(state, floats(length) * 2 ** (LATER * 2))


def test_an_input_that_was_elsewhere_meanwhile_is_read_where_it_is(session):
    here, there = floats(LARGE), floats(LARGE, 100)
    for _ in range(LATER):
        session.run({"x": here})
    options = ortffi.RunOptions()
    for inputs, how in [(there, options), (there, None), (here, None), (there[::-1], None),
                        (there, options), (here, options), (there, None)]:  # fmt: skip
        np.testing.assert_array_equal(session.run({"x": inputs}, options=how)[0], inputs)


def test_what_cannot_be_read_in_place_is_copied(session):
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
    done = run_python(f"import sys; sys.argv.append({str(model)!r})\n{MANY_RUNS}", PYTHON_JIT="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0", "True"]  # none was wrong, and there were bound runs


def test_copies_are_numpys_own(session):
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


def test_an_output_asked_for_twice_comes_as_two_arrays(session, length):
    for number in range(LATER):
        first, second = session.run({"x": floats(length, number)}, ["y", "y"])
        assert first.tobytes() == second.tobytes() == floats(length, number).tobytes()
        assert not np.shares_memory(first, second)


def test_an_output_whose_length_depends_on_the_input_is_right_and_nothing_is_printed(load, length, capfd):
    session = load(tiny_models.non_zero())
    for number in range(LATER * 2):
        x = np.ones(length, np.float32)
        # The same length for a while, then others.
        x[: max(0, number - LATER)] = 0
        (indices,) = session.run({"x": x})
        np.testing.assert_array_equal(indices, np.nonzero(x))
    assert capfd.readouterr() == ("", "")


def test_a_kernel_that_fails_says_why_and_the_next_run_is_right(load, length):
    session = load(tiny_models.gather())
    x, index = floats(length), np.zeros(length, np.int64)
    for number in range(LATER * 4):
        index[-1] = number % length
        np.testing.assert_array_equal(session.run({"x": x, "index": index})[0], x[index])
        if number % 2:
            index[-1] = length
            with pytest.raises(ortffi.OrtError, match=r"Gather.*out of data bounds") as caught:
                session.run({"x": x, "index": index})
            assert caught.value.function == "Run"


def test_what_a_failed_run_had_bound_is_released(watched, length):
    with ortffi.SessionBuilder().commit_from_memory(tiny_models.gather()) as session:
        inputs = {"x": floats(length), "index": np.zeros(length, np.int64)}
        sizes = []
        for _ in range(LATER * 3):
            for _ in range(LATER):
                session.run(inputs)
            with pytest.raises(ortffi.OrtError):
                session.run({**inputs, "index": np.full(length, length)})
            sizes.append(len(watched.outstanding))
        assert max(sizes) == sizes[0]


def test_memory_for_large_outputs_is_kept_for_one_shape_only(watched):
    with ortffi.SessionBuilder().commit_from_memory(tiny_models.identity()) as session:
        for length in range(LARGE, LARGE + 12):
            for _ in range(LATER):
                session.run({"x": floats(length)})
            assert [kind for kind, _ in watched.outstanding].count("binding") == 1
