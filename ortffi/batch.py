"""Batches of arrays of different lengths, for a model with a batch dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ortffi._api import natural
from ortffi.elements import Array


def pad_batch(
    arrays: Sequence[Array],
    *,
    axis: int = 0,
    fill: Any = 0,
    length: int | None = None,
    multiple_of: int = 1,
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Stack arrays of different lengths along one axis, padded at the end.

    Args:
        arrays: at least one array; all have the same dtype, and the same shape except for the
            axis.
        axis: the axis to pad, of an array (not of the batch).
        fill: the value to pad with.
        length: of the axis in the batch; by default that of the longest array.
        multiple_of: round the length up to a multiple of this, so that there are fewer shapes.

    Returns:
        The batch, of shape [len(arrays), ...], and the lengths of the arrays along the axis, int64
        [len(arrays)].

    Raises:
        TypeError: an argument is of the wrong type, or the dtypes differ.
        ValueError: there are no arrays, the shapes do not fit, or an array is longer than `length`.
    """
    if isinstance(arrays, np.ndarray | str | bytes) or not isinstance(arrays, Sequence):
        raise TypeError(f"arrays must be a sequence of arrays, not {type(arrays).__name__}")
    for array in arrays:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"arrays must hold numpy arrays, not {type(array).__name__}")
    if not arrays:
        raise ValueError("arrays is empty: a batch needs at least one")
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"axis must be an int, not {type(axis).__name__}")
    first = arrays[0]
    if not -first.ndim <= axis < first.ndim:
        raise ValueError(f"axis {axis} is out of range for an array of shape {first.shape}")
    place = axis % first.ndim
    rest = _without(first.shape, place)
    for index, array in enumerate(arrays):
        if array.dtype != first.dtype:
            raise TypeError(f"arrays[{index}] has dtype {array.dtype}, the first {first.dtype}")
        if array.ndim != first.ndim or _without(array.shape, place) != rest:
            raise ValueError(
                f"arrays[{index}] of shape {array.shape} does not fit the first, {first.shape}"
            )
    lengths = np.array([array.shape[place] for array in arrays], np.int64)
    longest = int(lengths.max())
    if length is None:
        length = longest
    elif natural("length", length) < longest:
        raise ValueError(f"length is {length}, the longest array has {longest}")
    step = natural("multiple_of", multiple_of, least=1)
    shape = (len(arrays), *first.shape[:place], -(-length // step) * step,
             *first.shape[place + 1 :])  # fmt: skip
    batch = np.full(shape, fill, first.dtype)
    for row, array in zip(batch, arrays, strict=True):
        row[_up_to(place, array.shape[place])] = array
    return batch, lengths


def split_batch(
    batch: Array, lengths: Sequence[int] | npt.NDArray[np.integer[Any]], *, axis: int = 0
) -> list[Array]:
    """Undo `pad_batch`: return each array without its padding, as a view of the batch.

    Args:
        batch: of shape [n, ...].
        lengths: of each array along the axis, n of them.
        axis: the padded axis, of an array (not of the batch).

    Raises:
        TypeError: `batch` is not an array.
        ValueError: the numbers of lengths and arrays differ, or a length exceeds the batch's.
    """
    if not isinstance(batch, np.ndarray):
        raise TypeError(f"batch must be a numpy array, not {type(batch).__name__}")
    rank = batch.ndim - 1
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for a batch of shape {batch.shape}")
    place = axis % rank
    if len(lengths) != len(batch):
        raise ValueError(f"{len(lengths)} lengths were given for {len(batch)} arrays")
    for length in lengths:
        if not 0 <= length <= batch.shape[place + 1]:
            raise ValueError(f"a length of {length} does not fit a batch of {batch.shape}")
    return [row[_up_to(place, int(length))] for row, length in zip(batch, lengths, strict=True)]


def _without(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    return shape[:place] + shape[place + 1 :]


def _up_to(place: int, length: int) -> tuple[slice, ...]:
    return (*[slice(None)] * place, slice(length))
