"""Padding arrays into a batch, and taking the padding off again."""

from functools import partial

import numpy as np
from hypothesis import strategies as st

import ortffi
from tests.ortffi import tiny_models
from tests.ortffi.refusals import not_refused
from tests.profiles import given


@given(
    lengths=st.lists(st.integers(0, 7), min_size=1, max_size=5),
    rest=st.lists(st.integers(0, 3), max_size=2),
    axis=st.integers(-3, 2),
    multiple_of=st.integers(1, 4),
    dtype=st.sampled_from([np.float32, np.int64, np.bool_]),
)
def test_what_was_padded_comes_back(lengths, rest, axis, multiple_of, dtype):
    rank = len(rest) + 1
    axis = max(-rank, min(axis, rank - 1))
    place, random = axis % rank, np.random.default_rng(len(lengths))
    arrays = [(random.random((*rest[:place], length, *rest[place:])) * 9).astype(dtype) for length in lengths]
    batch, found = ortffi.pad_batch(arrays, axis=axis, multiple_of=multiple_of)
    assert batch.dtype == dtype
    assert found.tolist() == lengths
    padded = batch.shape[place + 1]
    assert padded % multiple_of == 0
    assert max(lengths) <= padded < max(lengths) + multiple_of
    for array, back in zip(arrays, ortffi.split_batch(batch, found, axis=axis), strict=True):
        np.testing.assert_array_equal(array, back)


def test_padding_is_at_the_end_and_of_the_value_asked_for():
    arrays = [np.array([1, 2, 3], np.int64), np.array([4], np.int64)]
    batch, lengths = ortffi.pad_batch(arrays, fill=-1, length=4)
    assert batch.tolist() == [[1, 2, 3, -1], [4, -1, -1, -1]]
    assert lengths.tolist() == [3, 1]


def test_a_batch_runs(load):
    session = load(tiny_models.identity(1, ["batch", "n"]))
    arrays = [np.float32([1, 2, 3]), np.float32([4])]
    batch, lengths = ortffi.pad_batch(arrays)
    (result,) = session.run([batch])
    for array, back in zip(arrays, ortffi.split_batch(result, lengths), strict=True):
        np.testing.assert_array_equal(array, back)


X = np.ones((2, 3), np.float32)


def test_what_cannot_be_padded_or_split_is_refused():
    padding = [
        (X, {}, TypeError, "sequence"), ("ab", {}, TypeError, "sequence"), ([X, [1]], {}, TypeError, "list"),
        ([], {}, ValueError, "empty"), ([X], {"axis": 2}, ValueError, "axis 2"), ([X[0, 0]], {}, TypeError, "float32"),
        ([X], {"axis": "0"}, TypeError, "axis"), ([X, X.astype(np.float64)], {}, TypeError, r"arrays\[1\].*float64"),
        ([X, X[:, :2]], {}, ValueError, r"arrays\[1\].*\(2, 2\)"), ([X, X[0]], {}, ValueError, r"arrays\[1\]"),
        ([X], {"length": 1}, ValueError, "longest array has 2"), ([X], {"length": 2.0}, TypeError, "length"),
        ([X], {"multiple_of": 0}, ValueError, "multiple_of"),
    ]  # fmt: skip
    splitting = [
        ([1], [1], {}, TypeError, "list"), (X, [1], {}, ValueError, "1 lengths"),
        (X, [1, 4], {}, ValueError, "length of 4"), (X, [1, -1], {}, ValueError, "length of -1"),
        (X, [1, 1], {"axis": 1}, ValueError, "axis 1"),
    ]  # fmt: skip
    pads = ((partial(ortffi.pad_batch, arrays, **options), *wanted) for arrays, options, *wanted in padding)
    splits = ((partial(ortffi.split_batch, x, n, **options), *wanted) for x, n, options, *wanted in splitting)
    assert not not_refused([*pads, *splits])
