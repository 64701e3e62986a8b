"""Tensors on their way between numpy and ONNX Runtime."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ortffi._api import ElementType, OnnxType, new
from ortffi._handle import Handle, Owner
from ortffi.environment import Environment, init

Array = npt.NDArray[Any]

DTYPES: dict[ElementType, np.dtype[Any]] = {
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
}
"""The element types that ortffi moves, with the dtype of each; strings are objects of `str`."""

_ELEMENT_TYPES = {dtype: element_type for element_type, dtype in DTYPES.items()}


def element_type_of(array: Array) -> ElementType:
    """Return the element type that an array's dtype stands for.

    Raises:
        TypeError: it has none: complex, structured, datetime, or not in native byte order.
    """
    element_type = _ELEMENT_TYPES.get(array.dtype)
    if element_type is not None:
        return element_type
    if array.dtype.kind == "U":
        return ElementType.STRING
    allowed = ", ".join(sorted(str(dtype) for dtype in _ELEMENT_TYPES if dtype.kind != "O"))
    raise TypeError(
        f"an array of dtype {array.dtype!r} is no tensor; allowed are {allowed} in native byte "
        "order, and str"
    )


def element_count(shape: Iterable[int]) -> int:
    """Return how many elements a shape holds; 1 for no dimensions.

    Raises:
        ValueError: a dimension is negative.
        OverflowError: more elements than memory can be addressed.
    """
    dimensions = tuple(shape)
    if any(dimension < 0 for dimension in dimensions):
        raise ValueError(f"shape {dimensions} has a negative dimension")
    count = math.prod(dimensions)
    if count > sys.maxsize:
        raise OverflowError(f"shape {dimensions} holds more elements than can be addressed")
    return count


def borrowable(array: Array) -> Array:
    """Return the array if its memory is as C wants it, aligned and C-contiguous, else a copy."""
    flags = array.flags
    # Not ascontiguousarray, which gives a scalar one dimension.
    return array if flags.c_contiguous and flags.aligned else array.copy(order="C")


def address_of(array: Array) -> int:
    """Return where an array's memory begins."""
    buffer: Any = array  # which an array is, though its type says so from Python 3.12 on only
    if array.size and array.flags.writeable:
        # A quarter of the time that `array.ctypes.data` takes.
        return ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    return array.ctypes.data


def create_tensor(
    environment: Environment, array: Array, element_type: ElementType
) -> tuple[int, object]:
    """Make an `OrtValue` of an array (`CreateTensorWithDataAsOrtValue`).

    The memory of an aligned C-contiguous array is borrowed, any other is copied once; strings are
    copied into ONNX Runtime (`FillStringTensor`).

    Returns:
        The value, which the caller releases, and the object that must live as long as it does.
    """
    api = environment.api
    if element_type is ElementType.STRING:
        return create_strings(environment, array), None
    array = borrowable(array)
    pointer = new(
        api.CreateTensorWithDataAsOrtValue,
        environment.cpu_memory_info,
        address_of(array),
        array.nbytes,
        (ctypes.c_int64 * array.ndim)(*array.shape),
        array.ndim,
        element_type,
    )
    return pointer, array


def read_tensor(environment: Environment, pointer: int) -> Array:
    """Copy the tensor in an `OrtValue` into a new C-contiguous array; the value stays as it is.

    Calls `GetTensorTypeAndShape`, and `GetTensorMutableData` or `GetStringTensorContent`.

    Raises:
        TypeError: the value is no tensor, or numpy has no dtype for its elements.
        OverflowError: its shape holds more than can be addressed.
    """
    element_type, shape = describe_tensor(environment, pointer)
    dtype = DTYPES.get(element_type)
    if dtype is None:
        raise TypeError(f"numpy has no dtype for a tensor of {element_type.name}")
    count = element_count(shape)
    if element_type is ElementType.STRING:
        return _read_strings(environment, pointer, count).reshape(shape)
    array = np.empty(shape, dtype)
    if count:
        data = new(environment.api.GetTensorMutableData, pointer)
        ctypes.memmove(address_of(array), data, array.nbytes)
    return array


def describe_tensor(environment: Environment, pointer: int) -> tuple[ElementType, tuple[int, ...]]:
    """Return element type and shape of the tensor in an `OrtValue`.

    Raises:
        TypeError: it holds something else: a sequence, a map, nothing.
    """
    api = environment.api
    kind = ctypes.c_int()
    api.GetValueType(pointer, ctypes.byref(kind))
    if kind.value != OnnxType.TENSOR:
        raise TypeError(f"the value is a {OnnxType(kind.value).name.lower()}, not a tensor")
    info = new(api.GetTensorTypeAndShape, pointer)
    try:
        number, rank = ctypes.c_int(), ctypes.c_size_t()
        api.GetTensorElementType(info, ctypes.byref(number))
        api.GetDimensionsCount(info, ctypes.byref(rank))
        dimensions = (ctypes.c_int64 * rank.value)()
        api.GetDimensions(info, dimensions, rank.value)
    finally:
        api.ReleaseTensorTypeAndShapeInfo(info)
    return element_type(number.value), tuple(dimensions)


def element_type(number: int) -> ElementType:
    """Return the element type of a number; `UNDEFINED` for one that ortffi does not know."""
    known = number in ElementType._value2member_map_
    return ElementType(number) if known else ElementType.UNDEFINED


class Value(Owner):
    """A tensor that ONNX Runtime holds: an input that is used again and again, without copies.

    Made by `from_numpy`; closed by `close`, the end of a `with` block, or garbage collection.
    A context manager.
    """

    def __init__(
        self,
        environment: Environment,
        element_type: ElementType,
        pointer: int,
        keep_alive: object = None,
    ) -> None:
        self._environment = environment
        self._element_type = element_type
        super().__init__(Handle(pointer, environment.api.ReleaseValue, "value", keep_alive))

    @classmethod
    def from_numpy(cls, array: Array) -> Value:
        """Make a tensor of an array, borrowing its memory where it is C-contiguous and aligned.

        What is written to a borrowed array later is seen by runs after that. Arrays of strings
        (dtype `str`, or objects that are all `str`) are copied.

        Raises:
            TypeError: not an array, or its dtype is none of `DTYPES`.
            ValueError: a string holds a NUL character, which the C API would cut it at.
            OrtError: ONNX Runtime refused it.
        """
        if not isinstance(array, np.ndarray):
            raise TypeError(f"a numpy array was expected, not {type(array).__name__}")
        environment, element_type = init(), element_type_of(array)
        return cls(environment, element_type, *create_tensor(environment, array, element_type))

    @property
    def element_type(self) -> ElementType:
        """Return the type of its elements."""
        with self._handle:
            return self._element_type

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the length of each dimension."""
        with self._handle as pointer:
            return describe_tensor(self._environment, pointer)[1]

    def numpy(self, dtype: npt.DTypeLike | None = None) -> Array:
        """Return a copy as a C-contiguous array.

        Args:
            dtype: what the elements must be; nothing is converted.

        Raises:
            TypeError: the elements are of another type.
            ClosedError: the value is closed.
        """
        with self._handle as pointer:
            if dtype is not None:
                found = DTYPES[self._element_type]
                if found != np.dtype(dtype):
                    raise TypeError(f"the tensor holds {found}, not {np.dtype(dtype)}")
            return read_tensor(self._environment, pointer)


def create_strings(environment: Environment, array: Array) -> int:
    """Make an `OrtValue` that holds a copy of an array of strings; the caller releases it.

    Raises:
        TypeError: an object is no `str`.
        ValueError: a string holds a NUL character, which the C API would cut it at.
    """
    encoded = []
    for item in array.ravel(order="C").tolist():
        if not isinstance(item, str):
            raise TypeError(f"an array of objects must hold only str, not {type(item).__name__}")
        if "\0" in item:
            raise ValueError("a string with a NUL character cannot be passed to ONNX Runtime")
        encoded.append(item.encode("utf-8"))
    api = environment.api
    pointer = new(
        api.CreateTensorAsOrtValue,
        environment.allocator,
        (ctypes.c_int64 * array.ndim)(*array.shape),
        array.ndim,
        ElementType.STRING,
    )
    try:
        api.FillStringTensor(pointer, (ctypes.c_char_p * len(encoded))(*encoded), len(encoded))
    except BaseException:
        api.ReleaseValue(pointer)
        raise
    return pointer


def _read_strings(environment: Environment, pointer: int, count: int) -> Array:
    api = environment.api
    array = np.empty(count, np.object_)
    if count == 0:
        return array
    length = ctypes.c_size_t()
    api.GetStringTensorDataLength(pointer, ctypes.byref(length))
    content = (ctypes.c_char * length.value)()
    offsets = (ctypes.c_size_t * count)()
    api.GetStringTensorContent(pointer, content, length.value, offsets, count)
    raw = content.raw  # copies everything, every time
    ends = [*offsets[1:], length.value]
    for index, (start, end) in enumerate(zip(offsets, ends, strict=True)):
        array[index] = raw[start:end].decode("utf-8", "surrogateescape")
    return array
