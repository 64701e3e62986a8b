"""Element types of tensors, and the numpy dtype that represents each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ortffi._api import ElementType

Array = npt.NDArray[Any]

DTYPES: Mapping[ElementType, np.dtype[Any]] = MappingProxyType(
    {
        ElementType.FLOAT: np.dtype(np.float32),
        ElementType.UINT8: np.dtype(np.uint8),
        ElementType.INT8: np.dtype(np.int8),
        ElementType.UINT16: np.dtype(np.uint16),
        ElementType.INT16: np.dtype(np.int16),
        ElementType.INT32: np.dtype(np.int32),
        ElementType.INT64: np.dtype(np.int64),
        ElementType.STRING: np.dtype(np.object_),
        ElementType.BOOL: np.dtype(np.bool_),
        ElementType.FLOAT16: np.dtype(np.float16),
        ElementType.DOUBLE: np.dtype(np.float64),
        ElementType.UINT32: np.dtype(np.uint32),
        ElementType.UINT64: np.dtype(np.uint64),
        # numpy cannot compute with these, so it gets their bits.
        ElementType.BFLOAT16: np.dtype(np.uint16),
        ElementType.FLOAT8E4M3FN: np.dtype(np.uint8),
        ElementType.FLOAT8E4M3FNUZ: np.dtype(np.uint8),
        ElementType.FLOAT8E5M2: np.dtype(np.uint8),
        ElementType.FLOAT8E5M2FNUZ: np.dtype(np.uint8),
        ElementType.FLOAT8E8M0: np.dtype(np.uint8),
        # ONNX Runtime packs several into a byte; numpy has one element per byte.
        ElementType.UINT4: np.dtype(np.uint8),
        ElementType.INT4: np.dtype(np.int8),
        ElementType.FLOAT4E2M1: np.dtype(np.uint8),
        ElementType.UINT2: np.dtype(np.uint8),
        ElementType.INT2: np.dtype(np.int8),
    }
)
"""The numpy dtype of each element type. Strings are `str` objects. bfloat16 and 8-bit floats are
represented by their bits. An element smaller than a byte is one small integer (float4: its bits).
ONNX Runtime has no tensors of complex numbers."""

PACKED_BITS: Mapping[ElementType, int] = MappingProxyType(
    {
        ElementType.UINT4: 4,
        ElementType.INT4: 4,
        ElementType.FLOAT4E2M1: 4,
        ElementType.UINT2: 2,
        ElementType.INT2: 2,
    }
)
"""Bits per element, for the types of which ONNX Runtime packs several into a byte."""

_BITS_ONLY = {t for t in ElementType if t.name.startswith(("BFLOAT", "FLOAT8"))}
_NATURAL = {
    dtype: element_type
    for element_type, dtype in DTYPES.items()
    if element_type not in _BITS_ONLY and element_type not in PACKED_BITS
}
_NAMED = {
    "bfloat16": ElementType.BFLOAT16,
    "float8_e4m3fn": ElementType.FLOAT8E4M3FN,
    "float8_e4m3fnuz": ElementType.FLOAT8E4M3FNUZ,
    "float8_e5m2": ElementType.FLOAT8E5M2,
    "float8_e5m2fnuz": ElementType.FLOAT8E5M2FNUZ,
    "float8_e8m0fnu": ElementType.FLOAT8E8M0,
    "float4_e2m1fn": ElementType.FLOAT4E2M1,
    "uint4": ElementType.UINT4,
    "int4": ElementType.INT4,
    "uint2": ElementType.UINT2,
    "int2": ElementType.INT2,
}
"""Dtypes that the package ml_dtypes adds to numpy, by name, so that it is not needed here."""


def element_type(number: int) -> ElementType:
    """Return the element type with a number, or `UNDEFINED` if ortffi does not know it."""
    known = number in ElementType._value2member_map_
    return ElementType(number) if known else ElementType.UNDEFINED


def resolve(array: Array, wanted: ElementType | None = None) -> tuple[Array, ElementType]:
    """Return the array in the dtype that represents its elements, and the element type.

    Args:
        array: of any dtype.
        wanted: the expected element type, if known. A `uint16` array is bfloat16 only if that is
            the expected type.

    Raises:
        TypeError: the dtype has no element type (structured, datetime, foreign byte order ...), or
            it has another one than expected.
        ValueError: an integer is out of range for an element type smaller than a byte.
    """
    if type(array) is not np.ndarray:
        array = np.asarray(array)  # without a copy; a subclass may say anything about itself
    dtype = array.dtype
    if wanted is not None and DTYPES.get(wanted) == dtype:
        if wanted in PACKED_BITS:
            _check_range(array, wanted)
        return array, wanted
    found = _NATURAL.get(dtype)
    if found is None and dtype.kind in "UT":
        found, array = ElementType.STRING, array.astype(np.object_)
    elif found is None and dtype.name in _NAMED:
        found = _NAMED[dtype.name]
        carrier = DTYPES[found]
        is_integer = found in PACKED_BITS and found is not ElementType.FLOAT4E2M1
        array = array.astype(carrier) if is_integer else array.view(carrier)
    if found is None:
        allowed = ", ".join(sorted(str(dtype) for dtype in _NATURAL if dtype.kind != "O"))
        raise TypeError(
            f"an array of dtype {dtype!r} cannot be a tensor; allowed are {allowed} in native byte "
            "order, and str"
        )
    if wanted is not None and found is not wanted:
        raise TypeError(f"expected {spell(wanted)}, not {spell(found)}")
    return array, found


def is_number(element_type: ElementType) -> bool:
    """Return whether numpy holds the element's number, rather than its bits or a `str`."""
    return element_type not in {*_BITS_ONLY, ElementType.FLOAT4E2M1, ElementType.STRING}


def spell(element_type: ElementType) -> str:
    """Return the name of an element type, in numpy's terms if there is one."""
    if element_type is ElementType.STRING:
        return "str"
    dtype = DTYPES.get(element_type)
    if dtype is None or _NATURAL.get(dtype) is not element_type:
        carried = f" (in an array of {dtype})" if dtype is not None else ""
        return f"{element_type.name.lower()}{carried}"
    return dtype.name


def packed_size(element_type: ElementType, count: int) -> int:
    """Return the size of `count` elements in ONNX Runtime's memory, in bytes."""
    bits = PACKED_BITS.get(element_type)
    return (count * bits + 7) // 8 if bits else count * DTYPES[element_type].itemsize


def pack(array: Array, element_type: ElementType) -> Array:
    """Pack several elements into each byte, the first in the lowest bits; return flat uint8."""
    bits = PACKED_BITS[element_type]
    flat = array.reshape(-1).astype(np.uint8) & ((1 << bits) - 1)
    per_byte = 8 // bits
    padded = np.zeros(-(-flat.size // per_byte) * per_byte, np.uint8)
    padded[: flat.size] = flat
    shifts = np.arange(per_byte, dtype=np.uint8) * bits
    packed: Array = np.bitwise_or.reduce(padded.reshape(-1, per_byte) << shifts, axis=1)
    return packed.astype(np.uint8)


def unpack(packed: Array, element_type: ElementType, count: int) -> Array:
    """Undo `pack`: return `count` elements as a flat array of the dtype that represents them."""
    bits = PACKED_BITS[element_type]
    shifts = np.arange(8 // bits, dtype=np.uint8) * bits
    flat = ((packed[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)[:count].astype(np.uint8)
    dtype = DTYPES[element_type]
    if dtype.kind == "u":
        return flat
    sign = 1 << (bits - 1)
    return (flat.astype(np.int8) ^ np.int8(sign)) - np.int8(sign)


def _check_range(array: Array, element_type: ElementType) -> None:
    if not array.size:
        return
    bits, signed = PACKED_BITS[element_type], DTYPES[element_type].kind == "i"
    low = -(1 << (bits - 1)) if signed else 0
    high = low + (1 << bits) - 1
    if array.min() < low or array.max() > high:
        raise ValueError(f"{element_type.name.lower()} elements must be between {low} and {high}")
