"""What goes into a session comes out of it: every element type, shape and memory layout."""

import numpy as np
import pytest

import ortffi
from tests.ortffi import tiny_models
from tests.ortffi.hostile_arrays import LAYOUTS, NUMBERS, make, same

pytestmark = pytest.mark.usefixtures("_api")

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
NUMERIC = [np.dtype(kind) for kind in (*FLOATS, *INTEGERS, np.bool_)]
ELEMENT_TYPES = {"float16": 10, "float32": 1, "float64": 11, "int8": 3, "int16": 5, "int32": 6, "int64": 7,
                 "uint8": 2, "uint16": 4, "uint32": 12, "uint64": 13, "bool": 9}  # fmt: skip
STRING = 8
SMALL, LARGE = 3, 5000
"""Lengths below and above what ortffi copies instead of borrowing, for every dtype."""

SHAPES = [(), (1,), (SMALL,), (2, 3), (1, 2, 3, 4), (0,), (3, 0), (0, 3), (LARGE,), (2, LARGE)]


def identity(load, dtype):
    return load(tiny_models.identity(ELEMENT_TYPES[np.dtype(dtype).name]))


def sample(dtype, shape):
    count = int(np.prod(shape))
    return (np.arange(1, count + 1) % 97).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_every_shape_comes_back(load, dtype):
    session = identity(load, dtype)
    for shape in SHAPES + SHAPES[::-1]:
        array = sample(dtype, shape)
        (result,) = session.run({"x": array})
        same(result, array)
        assert not np.shares_memory(result, array)


@pytest.mark.parametrize("length", [9, LARGE])
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_extreme_numbers_come_back(load, dtype, length):
    if dtype in INTEGERS:
        values = [np.iinfo(dtype).min, np.iinfo(dtype).max, 0]
    else:
        limits = np.finfo(dtype)
        values = [0.0, -0.0, np.nan, np.inf, -np.inf, limits.min, limits.max, limits.tiny, limits.smallest_subnormal]
    array = np.resize(np.array(values, dtype), length)
    same(identity(load, dtype).run({"x": array})[0], array)


def test_nan_keeps_its_payload(load):
    array = np.array([0x7FC12345, 0xFFC00001], np.uint32).view(np.float32)
    same(identity(load, np.float32).run({"x": array})[0], array)


def test_strings_come_back(load):
    session = load(tiny_models.identity(STRING))
    of_any_text = ["héllo", "", "日本語", "🎤", "a\nb\t", " "], ["x" * 100_000, "y"], [["a", "bb"], ["", "dddd"]]
    for strings in (["plain"], ["", "", ""], *of_any_text, [], "a scalar", [[], []]):
        for array in (np.array(strings, object), np.array(strings, str)):
            (result,) = session.run({"x": array})
            assert (result.dtype, result.shape, result.tolist()) == (object, array.shape, array.tolist())
    array = np.array([["a", "b", "c"], ["d", "e", "f"]])
    for view in (array.T, array[:, ::-1], array[:, 1], array.astype(">U1")):
        assert session.run({"x": view})[0].tolist() == view.tolist()


def test_many_strings_are_joined_in_order(load):
    a, b = ([f"{name}{i}" for i in range(3000)] for name in "aß")
    (result,) = load(tiny_models.concat_strings()).run({"a": np.array(a, object), "b": np.array(b, object)})
    assert result.tolist() == a + b


def test_what_is_no_string_of_c_is_refused(load):
    session = load(tiny_models.identity(STRING))
    for strings, error, words in (
        (["a", None], TypeError, "NoneType"),
        ([b"bytes"], TypeError, "bytes"),
        ([1, 2], TypeError, "int"),
        ([np.nan], TypeError, "float"),
        (["a\0b"], ValueError, "NUL"),
        (["\ud800"], ValueError, "'x': a string with a lone surrogate"),
    ):
        with pytest.raises(error, match=words):
            session.run({"x": np.array(strings, object)})
        assert session.run({"x": np.array(["fine"])})[0].tolist() == ["fine"]


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("dtype", ["f4", "i8", "f2", "?", "u1"])
def test_every_memory_layout_comes_back(load, dtype):
    session = load(tiny_models.identity(NUMBERS[dtype]))
    for shape in ((4, SMALL), (4, LARGE), (LARGE,), ()):
        for layout in LAYOUTS:
            x = make(shape, dtype, layout)
            for _ in range(2):  # by then a small input of this shape has its place
                same(session.run({"x": x.array})[0], x.expected)
            x.check_untouched()


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_an_input_may_change_between_runs_and_a_result_belongs_to_its_caller(load, length):
    session = identity(load, np.float32)
    array, results = np.zeros(length, np.float32), []
    for _ in range(3):
        results.append(session.run({"x": array})[0])
        array += 1
    results[0][...] = 7
    assert [set(result) for result in results] == [{7}, {1}, {2}]


def test_more_shapes_than_are_remembered(load):
    session = identity(load, np.int16)
    for length in (*range(200), *range(200)):
        array = np.full(length, length, np.int16)
        same(session.run({"x": array})[0], array)


def test_high_ranks_come_back(load):
    session = identity(load, np.float32)
    for rank in (15, 16, 30):
        array = sample(np.float32, (2, *[1] * (rank - 2), 2))
        same(session.run({"x": array})[0], array)


@pytest.mark.parametrize("length", [SMALL, LARGE])
@pytest.mark.parametrize("dtype", [">f4", ">i8", "complex64", "M8[s]", "S3", [("a", "f4")]])
def test_a_dtype_that_is_no_element_type_is_refused_by_name(load, dtype, length):
    session = load(tiny_models.identity())
    for _ in range(2):  # nothing of it is remembered
        with pytest.raises(TypeError, match=r"input 'x'.*float32"):
            session.run({"x": np.zeros(length, dtype)})
    assert session.run({"x": np.ones(length, np.float32)})[0].all()


def test_another_name_for_the_same_dtype_is_accepted(load):
    array = np.arange(5, dtype=np.longlong)
    same(identity(load, np.int64).run({"x": array})[0], array.astype(np.int64))


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_bfloat16_travels_as_its_bits(load, length):
    session = load(tiny_models.bfloat16_output())
    assert (session.outputs[0].element_type, session.outputs[0].dtype) == (ortffi.ElementType.BFLOAT16, np.uint16)
    values = np.linspace(-3, 3, length, dtype=np.float32)
    (bits,) = session.run({"x": values})
    assert bits.dtype == np.uint16
    np.testing.assert_allclose((bits.astype(np.uint32) << 16).view(np.float32), values, rtol=2**-8)


def test_a_model_without_inputs(load):
    (answer,) = load(tiny_models.constant()).run({})
    same(answer, np.array(42, np.int64))
