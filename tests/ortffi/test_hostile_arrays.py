"""Whatever array goes in: the result is right and its own, or an exception names the input."""

from functools import partial
from multiprocessing import shared_memory

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from onnx import TensorProto, helper

import ortffi
from ortffi import Memory, SessionBuilder, Value
from tests.ortffi import tiny_models, typed_models
from tests.ortffi.hostile_arrays import LAYOUTS, NUMBERS, REFUSED, RUNS, STAGED, apart, counted, make, same, shapes
from tests.ortffi.lifetimes import load
from tests.ortffi.refusals import not_refused
from tests.profiles import costly, given

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")

RANK_LIMIT = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32


@st.composite
def numbers(draw, dtypes=tuple(NUMBERS)):
    return make(draw(shapes), draw(st.sampled_from(dtypes)), draw(st.sampled_from(sorted(LAYOUTS))))


@pytest.fixture(scope="module")
def identities(library):
    """A session y = x for each dtype."""
    numbers = {**NUMBERS, "O": TensorProto.STRING}
    sessions = {dtype: load(tiny_models.identity(number)) for dtype, number in numbers.items()}
    yield sessions
    for session in sessions.values():
        session.close()


def session_of(identities, given):
    return identities["?" if given.expected.dtype == bool else given.expected.dtype.str[1:]]


@given(x=numbers(), copy=st.booleans())
def test_a_run_gives_back_what_it_was_given(identities, x, copy):
    session = session_of(identities, x)
    results = [session.run({"x": x.array}, copy=copy)[0] for _ in range(RUNS)]
    for result in results:
        same(result, x.expected)
        assert result.flags.writeable
    apart(*results, x.array)
    results[0][...] = 0
    for result in results[1:]:
        same(result, x.expected)
    x.check_untouched()


@given(x=numbers())
def test_values_hold_what_they_were_given(identities, x):
    session = session_of(identities, x)
    with Value.from_numpy(x.array) as value:
        same(value.numpy(), x.expected)
        (output,) = session.run_values({"x": value})
        (again,) = session.run_values({"x": x.array})
        same(session.run({"x": value})[0], x.expected)
    for result in (output.numpy(), again.numpy(), output.numpy(copy=False)):
        same(result, x.expected)
        apart(result, x.array)
    with Value.empty(x.expected.shape, output.element_type) as other:
        other.copy_from(x.array)
        same(other.numpy(), x.expected)
        apart(other.numpy(copy=False), x.array)
    x.check_untouched()


@given(x=numbers(), layout=st.sampled_from(sorted(LAYOUTS)))
def test_a_target_is_filled_or_refused_by_name(identities, x, layout):
    session = session_of(identities, x)
    target = make(x.expected.shape, x.expected.dtype, layout)
    flags = target.array.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable):
        with pytest.raises(ValueError, match="'y'"):
            session.run_into({"x": x.array}, {"y": target.array})
        target.check_untouched()
    else:
        session.run_into({"x": x.array}, {"y": target.array})
        assert np.asarray(target.array).tobytes() == x.expected.tobytes()
    x.check_untouched()


@given(x=numbers())
def test_an_input_is_bound_or_refused_by_name(identities, x):
    session = session_of(identities, x)
    if not (x.array.flags.c_contiguous and x.array.flags.aligned):
        with pytest.raises(ValueError, match="'x'"):
            session.bind({"x": x.array})
        return
    with session.bind({"x": x.array}, {"y": Memory.CPU}) as binding:
        binding.run()
        (output,) = binding.outputs().values()
        same(output.numpy(), x.expected)
        apart(output.numpy(copy=False), x.array)
    x.check_untouched()


@costly()
@given(w=numbers(dtypes=("f4",)))
def test_weights_are_taken_in_any_layout(w):
    if not w.expected.size or w.expected.ndim > 8:
        return
    kind = typed_models.tensor_type(shape=w.expected.shape)
    # Not zeros: adding those may be optimized away before they are replaced (1.14).
    own = helper.make_tensor("w", TensorProto.FLOAT, w.expected.shape, np.ones(w.expected.size))
    model = typed_models.model(
        [helper.make_node("Add", ["x", "w"], ["y"])], [typed_models.info("x", kind)],
        [typed_models.info("y", kind)], 13, 8, initializers=[own],
    )  # fmt: skip
    chosen = SessionBuilder().with_intra_threads(1).with_initializers({"w": w.array})
    with chosen.commit_from_memory(model) as session:
        same(session.run({"x": np.zeros_like(w.expected)})[0], w.expected)
    w.check_untouched()


NO_TENSORS = [
    *(np.zeros(3, dtype) for dtype in (">f4", ">i8", "c8", "c16", "M8[ns]", "m8[s]", "S4", "V4", np.longdouble)),
    np.zeros(3, [("a", "f4"), ("b", "i4")]), np.zeros(3, [("a", "f4")]), np.zeros((), ">f4"), np.zeros((0, 3), ">f4"),
    np.zeros(2000, ">f4"), np.zeros(2000, "M8[ns]"), np.array([1, "a"], object), np.array([None], object),
    np.array([b"a"], object), np.array([["a", 1.5]], object), np.array(None), np.array([np.float32(1)], object),
    np.array("a\0b", object), np.array(["a", "\0"], object), np.ma.masked_array(np.zeros(3, ">f4")),
    np.zeros(3, "f4").astype(np.dtype("O")),
]  # fmt: skip


def content(array):
    return array.tolist() if array.dtype.hasobject else array.tobytes()


@pytest.mark.parametrize("index", range(len(NO_TENSORS)))
def test_what_is_no_tensor_is_refused_by_name(identities, index):
    array, target = NO_TENSORS[index], np.empty(3, "f4")
    before = content(array)
    cases = [
        (partial(Value.from_numpy, array), REFUSED, ""),
        (partial(Value.from_numpy(np.zeros(3, "f4")).copy_from, array), REFUSED, ""),
        (partial(ortffi.SessionOptions, initializers={"w": array}), REFUSED, r"initializers\['w'\]"),
    ]
    for dtype in ("f4", "i8", "O"):
        session = identities[dtype]
        uses = [
            partial(session.run, {"x": array}), partial(session.run, [array]),
            partial(session.run_values, {"x": array}), partial(session.run_into, {"x": array}, {"y": target}),
            partial(session.bind, {"x": array}), partial(session.bind, outputs={"y": array}),
        ]  # fmt: skip
        assert not not_refused([*((use, REFUSED, r"'[xy]'") for use in uses * 2), *cases])
        # Fine before, fine after.
        good = np.array(["good"] if dtype == "O" else [1], dtype)
        assert session.run({"x": good})[0].tolist() == good.tolist()
    assert content(array) == before


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@given(
    array=hnp.arrays(object, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0), elements=texts),
    layout=st.sampled_from(["plain", "fortran", "transposed", "backwards", "spread", "subclass", "matrix", "masked",
                            "read-only", "broadcast"]),
    as_text=st.booleans(),
)  # fmt: skip
def test_strings_of_any_layout_come_back(identities, array, layout, as_text):
    if as_text:
        array = array.astype(str)
    array = LAYOUTS[layout](array)
    expected = np.asarray(array).tolist()
    session = identities["O"]
    for result in (
        session.run({"x": array})[0],
        session.run({"x": array})[0],
        session.run_values({"x": array})[0].numpy(),
        Value.from_numpy(array).numpy(),
    ):
        assert type(result) is np.ndarray
        assert result.dtype == object
        assert result.shape == array.shape
        assert result.tolist() == expected
    assert np.asarray(array).tolist() == expected


@pytest.mark.parametrize("rank", [RANK_LIMIT - 1, RANK_LIMIT])
@pytest.mark.parametrize("last", [0, 1, 7, 5000])
def test_the_highest_rank_comes_back(identities, rank, last):
    x = counted((1,) * (rank - 1) + (last,), "f4")
    for _ in range(RUNS):
        same(identities["f4"].run({"x": x})[0], x)
    same(identities["f4"].run_values({"x": x})[0].numpy(), x)
    text = x.astype(int).astype(str).astype(object)
    assert identities["O"].run({"x": text})[0].tolist() == text.tolist()


def test_memory_that_processes_share_is_read_and_written(identities):
    memory = shared_memory.SharedMemory(create=True, size=STAGED * 4)
    try:
        x = np.frombuffer(memory.buf, "f4", STAGED // 2)
        y = np.frombuffer(memory.buf, "f4", STAGED // 2, STAGED * 2)
        x[...] = counted(x.shape, "f4")
        for _ in range(RUNS):
            identities["f4"].run_into({"x": x}, {"y": y})
            same(y.copy(), x.copy())
            (result,) = identities["f4"].run({"x": x})
            apart(result, x)
        (later,) = identities["f4"].run({"x": x[:8]})
        del x, y
    finally:
        memory.close()
        memory.unlink()
    same(later, counted((8,), "f4"))
    same(result, counted(result.shape, "f4"))


def test_an_input_that_changes_its_shape_in_place_is_read_as_it_is(identities):
    x = counted((4, 3), "f4")
    for shape in [(4, 3), (3, 4), (12,), (2, 6), (12,)] * 2:
        x = x.reshape(shape)
        same(identities["f4"].run({"x": x})[0], x)
    large = counted((64, 64), "f4")
    for _ in range(RUNS):
        for view in (large, large.T, large[::-1], large[1:], large[:-1], large.view("i4")):
            if view.dtype == np.float32:
                same(identities["f4"].run({"x": view})[0], np.ascontiguousarray(view))
            else:
                with pytest.raises(ortffi.InvalidArgumentError, match="'x' must be float32"):
                    identities["f4"].run({"x": view})
