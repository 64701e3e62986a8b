"""Constants for rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir

END = int(np.iinfo(np.int64).max)
"""The end of a slice that goes up to the last element."""


def int64s(op: Any, *values: int) -> Any:
    """Return a vector of int64."""
    return op.Constant(value=ir.tensor(np.array(values, np.int64)))


def int32(op: Any, value: int) -> Any:
    """Return one int32."""
    return op.Constant(value=ir.tensor(np.array(value, np.int32)))


def float32(op: Any, value: float) -> Any:
    """Return one float32."""
    return op.Constant(value=ir.tensor(np.array(value, np.float32)))


def stored(op: Any, array: npt.NDArray[np.generic], name: str) -> Any:
    """Return a tensor with a name; a number is added if the name is taken."""
    return op.Constant(value=ir.tensor(np.ascontiguousarray(array)), _outputs=[name])


def sliced(op: Any, x: Any, start: int, end: int, axis: int) -> Any:
    """Return x[start:end] along an axis."""
    return op.Slice(x, int64s(op, start), int64s(op, end), int64s(op, axis))
