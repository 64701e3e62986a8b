"""What goes into a session comes out of it: every element type, shape and memory layout."""

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.ortffi import tiny_models
from tests.profiles import given

import ortffi

pytestmark = pytest.mark.usefixtures("_api")

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
NUMERIC = [np.dtype(kind) for kind in (*FLOATS, *INTEGERS, np.bool_)]
ELEMENT_TYPES = {
    "float16": 10, "float32": 1, "float64": 11, "int8": 3, "int16": 5, "int32": 6, "int64": 7,
    "uint8": 2, "uint16": 4, "uint32": 12, "uint64": 13, "bool": 9,
}  # fmt: skip
STRING = 8
SMALL, LARGE = 3, 5000
"""Lengths below and above what ortffi copies instead of borrowing, for every dtype."""

SHAPES = [(), (1,), (SMALL,), (2, 3), (1, 2, 3, 4), (0,), (3, 0), (0, 3), (LARGE,), (2, LARGE)]


def identity(load, dtype):
    return load(tiny_models.identity(ELEMENT_TYPES[np.dtype(dtype).name]))


def sample(dtype, shape):
    count = int(np.prod(shape))
    return (np.arange(1, count + 1) % 97).astype(dtype).reshape(shape)


def assert_same(result, expected):
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    assert result.flags.c_contiguous
    # Bit for bit: nan equals nan, and 0.0 is not -0.0.
    assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_every_shape_comes_back(load, dtype):
    session = identity(load, dtype)
    for shape in SHAPES + SHAPES[::-1]:
        array = sample(dtype, shape)
        (result,) = session.run({"x": array})
        assert_same(result, array)
        assert not np.shares_memory(result, array)


@pytest.mark.parametrize("length", [SMALL, LARGE])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_extreme_integers_come_back(load, dtype, length):
    limits = np.iinfo(dtype)
    array = np.resize(np.array([limits.min, limits.max, 0], dtype), length)
    assert_same(identity(load, dtype).run({"x": array})[0], array)


@pytest.mark.parametrize("length", [9, LARGE])
@pytest.mark.parametrize("dtype", FLOATS)
def test_extreme_floats_come_back(load, dtype, length):
    limits = np.finfo(dtype)
    values = [0.0, -0.0, np.nan, np.inf, -np.inf]
    values += [limits.min, limits.max, limits.tiny, limits.smallest_subnormal]
    array = np.resize(np.array(values, dtype), length)
    assert_same(identity(load, dtype).run({"x": array})[0], array)


def test_nan_keeps_its_payload(load):
    array = np.array([0x7FC12345, 0xFFC00001], np.uint32).view(np.float32)
    assert_same(identity(load, np.float32).run({"x": array})[0], array)


@pytest.mark.parametrize(
    "strings",
    [
        ["plain"],
        ["", "", ""],
        ["héllo", "", "日本語", "🎤", "a\nb\t", " "],
        ["x" * 100_000, "y"],
        [],
        [["a", "bb"], ["", "dddd"]],
        "a scalar",
        [[], []],
    ],
)
@pytest.mark.parametrize("dtype", [object, str])
def test_strings_come_back(load, strings, dtype):
    array = np.array(strings, dtype)
    (result,) = load(tiny_models.identity(STRING)).run({"x": array})
    assert result.dtype == object
    assert result.shape == array.shape
    assert result.tolist() == array.tolist()


def test_strings_of_any_memory_layout_come_back(load):
    array = np.array([["a", "b", "c"], ["d", "e", "f"]])
    session = load(tiny_models.identity(STRING))
    for view in (array.T, array[:, ::-1], array[:, 1], array.astype(">U1")):
        assert session.run({"x": view})[0].tolist() == view.tolist()


def test_many_strings_are_joined_in_order(load):
    a = np.array([f"a{i}" for i in range(3000)], object)
    b = np.array([f"ß{i}" for i in range(2000)], object)
    (result,) = load(tiny_models.concat_strings()).run({"a": a, "b": b})
    assert result.tolist() == [*a, *b]


@pytest.mark.parametrize("strings", [["a", None], [b"bytes"], [1, 2], [np.nan]])
def test_objects_that_are_no_str_are_refused(load, strings):
    session = load(tiny_models.identity(STRING))
    with pytest.raises(TypeError, match=type(strings[-1]).__name__):
        session.run({"x": np.array(strings, object)})
    assert session.run({"x": np.array(["fine"])})[0].tolist() == ["fine"]


def test_a_string_with_nul_is_refused_and_not_cut(load):
    session = load(tiny_models.identity(STRING))
    with pytest.raises(ValueError, match="NUL"):
        session.run({"x": np.array(["a\0b"], object)})


def test_a_lone_surrogate_is_refused_and_the_input_named(load):
    session = load(tiny_models.identity(STRING))
    with pytest.raises(ValueError, match="'x': a string with a lone surrogate"):
        session.run({"x": np.array(["\ud800"], object)})


def layouts(array):
    """Views of two-dimensional arrays that C cannot read as they are, and some that it can."""
    unaligned = np.frombuffer(bytearray(1 + array.nbytes), np.uint8)[1:].view(array.dtype)
    unaligned = unaligned.reshape(array.shape)
    unaligned[...] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    return {
        "transposed": array.T,
        "Fortran order": np.asfortranarray(array),
        "every other column": array[:, ::2],
        "reversed": array[::-1, ::-1],
        "one column": array[:, 1],
        "broadcast": np.broadcast_to(array[0], array.shape),
        "read-only": read_only,
        "read-only and reversed": read_only[::-1],
        "unaligned": unaligned,
        "from bytes": np.frombuffer(array.tobytes(), array.dtype),
        "element": array[1, 1, ...],
        "subclass": array.view(np.memmap),
    }


@pytest.mark.parametrize("width", [SMALL, LARGE])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float16, np.bool_, np.uint8])
def test_every_memory_layout_comes_back(load, dtype, width):
    session = identity(load, dtype)
    for name, view in layouts(sample(dtype, (4, width))).items():
        before = view.tobytes()
        (result,) = session.run({"x": view})
        assert_same(result, np.asarray(view))
        assert view.tobytes() == before, f"{name}: the input was changed"
        # Again, now that a small input of this shape has its place.
        assert_same(session.run({"x": view})[0], np.asarray(view))


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_an_input_may_change_between_runs(load, length):
    session = identity(load, np.float32)
    array = np.zeros(length, np.float32)
    (before,) = session.run({"x": array})
    array += 1
    (after,) = session.run({"x": array})
    assert not before.any()
    assert after.all()


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_a_result_belongs_to_its_caller(load, length):
    session = identity(load, np.float32)
    array = np.ones(length, np.float32)
    first, second = session.run({"x": array})[0], session.run({"x": array * 2})[0]
    first[...] = 7
    (third,) = session.run({"x": array * 3})
    assert set(first) == {7}
    assert set(second) == {2}
    assert set(third) == {3}


def test_results_outlive_their_session(load):
    session = identity(load, np.float32)
    array = sample(np.float32, LARGE)
    (result,) = session.run({"x": array})
    session.close()
    assert_same(result, array)


def test_more_shapes_than_are_remembered(load):
    session = identity(load, np.int16)
    for _ in range(2):
        for length in range(200):
            array = np.full(length, length, np.int16)
            assert_same(session.run({"x": array})[0], array)


@pytest.mark.parametrize("rank", [15, 16, 30])
def test_high_ranks_come_back(load, rank):
    array = sample(np.float32, (2, *[1] * (rank - 2), 2))
    assert_same(identity(load, np.float32).run({"x": array})[0], array)


@pytest.mark.parametrize("length", [SMALL, LARGE])
@pytest.mark.parametrize("dtype", [">f4", ">i8", "complex64", "M8[s]", "S3", [("a", "f4")]])
def test_a_dtype_that_is_no_element_type_is_refused_by_name(load, dtype, length):
    session = load(tiny_models.identity())
    with pytest.raises(TypeError, match=r"input 'x'.*float32"):
        session.run({"x": np.zeros(length, dtype)})
    # Nothing of it is remembered: the same again, and something right.
    with pytest.raises(TypeError, match="input 'x'"):
        session.run({"x": np.zeros(length, dtype)})
    assert session.run({"x": np.ones(length, np.float32)})[0].all()


def test_another_name_for_the_same_dtype_is_accepted(load):
    array = np.arange(5, dtype=np.longlong)
    assert_same(identity(load, np.int64).run({"x": array})[0], array.astype(np.int64))


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_bfloat16_travels_as_its_bits(load, length):
    session = load(tiny_models.bfloat16_output())
    assert session.outputs[0].element_type is ortffi.ElementType.BFLOAT16
    assert session.outputs[0].dtype == np.uint16
    values = np.linspace(-3, 3, length, dtype=np.float32)
    (bits,) = session.run({"x": values})
    assert bits.dtype == np.uint16
    widened = (bits.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_allclose(widened, values, rtol=2**-8)


def test_a_model_without_inputs(load):
    (answer,) = load(tiny_models.constant()).run({})
    assert_same(answer, np.array(42, np.int64))


arrays = st.sampled_from(NUMERIC).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=5, min_side=0))
)


@pytest.fixture
def identities(load):
    return {dtype: identity(load, dtype) for dtype in NUMERIC}


@given(array=arrays, order=st.sampled_from("CF"), step=st.sampled_from([1, -1, 2]))
def test_identity_gives_back_what_it_was_given(identities, array, order, step):
    view = array.copy(order=order)
    if view.ndim:
        view = view[::step]
    session = identities[view.dtype]
    (first,) = session.run({"x": view})
    (second,) = session.run({"x": view})
    assert_same(first, view)
    assert_same(second, view)
    assert not np.shares_memory(first, view)
    assert not np.shares_memory(first, second)
    if view.size:
        second[...] = 0
        assert_same(first, view)


@given(strings=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_identity_gives_back_any_text(identities, load, strings):
    session = identities.setdefault("strings", None) or load(tiny_models.identity(STRING))
    identities["strings"] = session
    (result,) = session.run({"x": np.array(strings, object)})
    assert result.tolist() == strings
