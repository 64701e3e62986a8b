"""Element types of tensors, and the numpy dtype that carries each."""

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
        # What numpy cannot compute with travels as the bits themselves.
        ElementType.BFLOAT16: np.dtype(np.uint16),
        ElementType.FLOAT8E4M3FN: np.dtype(np.uint8),
        ElementType.FLOAT8E4M3FNUZ: np.dtype(np.uint8),
        ElementType.FLOAT8E5M2: np.dtype(np.uint8),
        ElementType.FLOAT8E5M2FNUZ: np.dtype(np.uint8),
        ElementType.FLOAT8E8M0: np.dtype(np.uint8),
        # Packed in ONNX Runtime's memory, one element a byte in numpy's.
        ElementType.UINT4: np.dtype(np.uint8),
        ElementType.INT4: np.dtype(np.int8),
        ElementType.FLOAT4E2M1: np.dtype(np.uint8),
        ElementType.UINT2: np.dtype(np.uint8),
        ElementType.INT2: np.dtype(np.int8),
    }
)
"""The dtype of each element type. Strings are objects of `str`. bfloat16 and the 8-bit floats are
their bits; elements of less than a byte are one small integer each (the bits, for float4). ONNX
Runtime makes no tensors of complex numbers."""

PACKED_BITS: Mapping[ElementType, int] = MappingProxyType(
    {
        ElementType.UINT4: 4,
        ElementType.INT4: 4,
        ElementType.FLOAT4E2M1: 4,
        ElementType.UINT2: 2,
        ElementType.INT2: 2,
    }
)
"""Bits of an element, for those of which ONNX Runtime keeps several in one byte."""

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
"""Dtypes that the package ml_dtypes adds to numpy, by name: they are understood without it."""


def element_type(number: int) -> ElementType:
    """Return the element type of a number; `UNDEFINED` for one that ortffi does not know."""
    known = number in ElementType._value2member_map_
    return ElementType(number) if known else ElementType.UNDEFINED


def resolve(array: Array, wanted: ElementType | None = None) -> tuple[Array, ElementType]:
    """Return the array in the dtype that carries its elements, and the element type.

    Args:
        array: of any dtype.
        wanted: the element type that the array is to be, where that is known: a `uint16` array is
            bfloat16 only if so wanted.

    Raises:
        TypeError: the dtype stands for no element type (structured, datetime, a foreign byte
            order ...) or not for the one wanted.
        ValueError: an integer is out of the range of an element type of less than a byte.
    """
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
            f"an array of dtype {dtype!r} is no tensor; allowed are {allowed} in native byte "
            "order, and str"
        )
    if wanted is not None and found is not wanted:
        raise TypeError(f"expected {spell(wanted)}, not {spell(found)}")
    return array, found


def is_number(element_type: ElementType) -> bool:
    """Tell whether numpy has the number that an element stands for, not its bits or a `str`."""
    return element_type not in {*_BITS_ONLY, ElementType.FLOAT4E2M1, ElementType.STRING}


def spell(element_type: ElementType) -> str:
    """Return an element type as a reader of numpy knows it."""
    if element_type is ElementType.STRING:
        return "str"
    dtype = DTYPES.get(element_type)
    if dtype is None or _NATURAL.get(dtype) is not element_type:
        carried = f" (in an array of {dtype})" if dtype is not None else ""
        return f"{element_type.name.lower()}{carried}"
    return dtype.name


def packed_size(element_type: ElementType, count: int) -> int:
    """Return the bytes that so many elements take in ONNX Runtime's memory."""
    bits = PACKED_BITS.get(element_type)
    return (count * bits + 7) // 8 if bits else count * DTYPES[element_type].itemsize


def pack(array: Array, element_type: ElementType) -> Array:
    """Put several elements into a byte, the first in the lowest bits: a flat array of uint8."""
    bits = PACKED_BITS[element_type]
    flat = array.reshape(-1).astype(np.uint8) & ((1 << bits) - 1)
    per_byte = 8 // bits
    padded = np.zeros(-(-flat.size // per_byte) * per_byte, np.uint8)
    padded[: flat.size] = flat
    shifts = np.arange(per_byte, dtype=np.uint8) * bits
    packed: Array = np.bitwise_or.reduce(padded.reshape(-1, per_byte) << shifts, axis=1)
    return packed.astype(np.uint8)


def unpack(packed: Array, element_type: ElementType, count: int) -> Array:
    """Undo `pack`: a flat array of `count` elements in the dtype that carries them."""
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
        raise ValueError(f"{element_type.name.lower()} holds {low} to {high} only")
