"""Conversion of tensors between numpy and `OrtValue`: the functions below `Value` and runs."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ortffi._api import ElementType, OnnxType, new
from ortffi.elements import DTYPES, PACKED_BITS, Array, element_type, pack, packed_size, unpack
from ortffi.environment import Environment

Shape = tuple[int, ...]


class AddressSpace(ctypes.c_char * sys.maxsize):  # type: ignore[misc]
    """All memory from an address on, as a buffer of which numpy uses as much as a shape needs.

    A ctypes array of the right length would need a new type for each length. It is a Python class
    so that an instance can keep another object alive.
    """


def view(address: int, shape: Shape, dtype: np.dtype[Any], alive: object = None) -> Array:
    """Return memory as an array, without a copy.

    Args:
        address: where the elements begin; may be 0 if there are none.
        shape: of the array.
        dtype: of the array.
        alive: an object that lives as long as the array and all views of it.
    """
    if not address:
        return np.empty(shape, dtype)
    memory: Any = AddressSpace.from_address(address)
    memory.alive = alive
    return np.ndarray(shape, dtype, memory)


def element_count(shape: Iterable[int]) -> int:
    """Return how many elements a shape holds; 1 for no dimensions.

    Raises:
        ValueError: a dimension is negative.
        OverflowError: there are more elements than can be addressed.
    """
    dimensions = tuple(shape)
    if any(dimension < 0 for dimension in dimensions):
        raise ValueError(f"shape {dimensions} has a negative dimension")
    count = math.prod(dimensions)
    if count > sys.maxsize:
        raise OverflowError(f"shape {dimensions} holds more elements than can be addressed")
    return count


def borrowable(array: Array) -> Array:
    """Return the array if its memory is aligned and C-contiguous, otherwise a copy."""
    flags = array.flags
    # Not ascontiguousarray, which gives a scalar one dimension.
    return array if flags.c_contiguous and flags.aligned else array.copy(order="C")


def address_of(array: Array) -> int:
    """Return where an array's memory begins."""
    buffer: Any = array  # an array is a buffer, but its type says so only from Python 3.12 on
    if array.size and array.flags.writeable:
        # This takes a quarter of the time of `array.ctypes.data`.
        return ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    return array.ctypes.data


def create_tensor(
    environment: Environment, array: Array, element_type: ElementType
) -> tuple[int, object]:
    """Make an `OrtValue` of an array (`CreateTensorWithDataAsOrtValue`).

    The memory of an aligned C-contiguous array is borrowed; any other array is copied once. Strings
    are copied into ONNX Runtime (`FillStringTensor`). Elements smaller than a byte are packed.

    Args:
        environment: the loaded library.
        array: in the dtype that represents the element type; see `elements.resolve`.
        element_type: of the tensor.

    Returns:
        The value, which the caller releases, and the object that must live as long.
    """
    if element_type is ElementType.STRING:
        return create_strings(environment, array), None
    shape = array.shape
    memory = pack(array, element_type) if element_type in PACKED_BITS else borrowable(array)
    address, info = address_of(memory), environment.cpu_memory_info
    return borrow_memory(environment, info, address, memory.nbytes, shape, element_type), memory


def borrow_memory(
    environment: Environment,
    memory_info: int,
    address: int,
    n_bytes: int,
    shape: Shape,
    element_type: ElementType,
) -> int:
    """Make an `OrtValue` of memory that the caller owns; the caller releases the value.

    Calls `CreateTensorWithDataAsOrtValue`.
    """
    return new(
        environment.api.CreateTensorWithDataAsOrtValue,
        memory_info,
        address,
        n_bytes,
        (ctypes.c_int64 * len(shape))(*shape),
        len(shape),
        element_type,
    )


def allocate_tensor(
    environment: Environment, allocator: int, shape: Shape, element_type: ElementType
) -> int:
    """Make an `OrtValue` with memory of an allocator (`CreateTensorAsOrtValue`).

    Its elements are not initialized. The caller releases it.
    """
    lengths = (ctypes.c_int64 * len(shape))(*shape)
    create = environment.api.CreateTensorAsOrtValue
    return new(create, allocator, lengths, len(shape), element_type)


def read_tensor(environment: Environment, pointer: int) -> Array:
    """Copy the tensor in an `OrtValue` into a new C-contiguous array.

    The tensor must be in host memory. Calls `GetTensorTypeAndShape`, and `GetTensorMutableData` or
    `GetStringTensorContent`.

    Raises:
        TypeError: the value is not a tensor, or ortffi does not know its element type.
        OverflowError: its shape has more elements than can be addressed.
    """
    found, shape = describe_tensor(environment, pointer)
    if found is ElementType.STRING:
        return _read_strings(environment, pointer, element_count(shape)).reshape(shape)
    if found in PACKED_BITS:
        count = element_count(shape)
        packed = view_bytes(environment, pointer, packed_size(found, count))
        return unpack(packed, found, count).reshape(shape)
    return view_tensor(environment, pointer, found, shape).copy()


def view_tensor(
    environment: Environment,
    pointer: int,
    element_type: ElementType,
    shape: Shape,
    alive: object = None,
) -> Array:
    """Return a tensor's memory as an array (`GetTensorMutableData`), without a copy.

    Raises:
        TypeError: ortffi does not know the element type, or numpy cannot view it (strings,
            elements smaller than a byte).
        OverflowError: the shape has more elements than can be addressed.
    """
    dtype = DTYPES.get(element_type)
    if dtype is None:
        raise TypeError(f"numpy has no dtype for a tensor of {element_type.name}")
    if not is_viewable(element_type):
        raise TypeError(f"a tensor of {element_type.name.lower()} can only be copied")
    element_count(shape)
    return view(new(environment.api.GetTensorMutableData, pointer, allow_null=True), shape, dtype,
                alive)  # fmt: skip


def is_viewable(element_type: ElementType) -> bool:
    """Return whether numpy can view a tensor's elements in place."""
    dtype = DTYPES.get(element_type)
    return dtype is not None and not dtype.hasobject and element_type not in PACKED_BITS


def view_bytes(environment: Environment, pointer: int, n_bytes: int, alive: object = None) -> Array:
    """Return a tensor's memory as an array of bytes, whatever its element type."""
    address = new(environment.api.GetTensorMutableData, pointer, allow_null=True)
    return view(address, (n_bytes,), np.dtype(np.uint8), alive)


def describe_tensor(environment: Environment, pointer: int) -> tuple[ElementType, Shape]:
    """Return element type and shape of the tensor in an `OrtValue`.

    Raises:
        TypeError: it holds something else: a sequence, a map, or nothing.
    """
    api = environment.api
    kind = kind_of(environment, pointer)
    if kind is not OnnxType.TENSOR:
        raise TypeError(f"the value is a {kind.name.lower()}, not a tensor")
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


def kind_of(environment: Environment, pointer: int) -> OnnxType:
    """Return the kind of an `OrtValue` (`GetValueType`)."""
    number = ctypes.c_int()
    environment.api.GetValueType(pointer, ctypes.byref(number))
    known = number.value in OnnxType._value2member_map_
    return OnnxType(number.value) if known else OnnxType.UNKNOWN


def create_strings(environment: Environment, array: Array) -> int:
    """Make an `OrtValue` with a copy of an array of strings; the caller releases it.

    Raises:
        TypeError: an object is not a `str`.
        ValueError: a string contains a NUL character, where the C API would stop reading, or a
            lone surrogate, which UTF-8 does not have.
    """
    encoded = []
    # As a plain ndarray: a matrix is never flat.
    for item in np.asarray(array).ravel(order="C").tolist():
        if not isinstance(item, str):
            raise TypeError(f"an array of objects must contain only str, not {type(item).__name__}")
        if "\0" in item:
            raise ValueError("a string with a NUL character cannot be passed to ONNX Runtime")
        try:
            encoded.append(item.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise ValueError("a string with a lone surrogate has no form in UTF-8") from error
    api = environment.api
    pointer = allocate_tensor(environment, environment.allocator, array.shape, ElementType.STRING)
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
    raw = content.raw  # each access copies everything
    ends = [*offsets[1:], length.value]
    for index, (start, end) in enumerate(zip(offsets, ends, strict=True)):
        array[index] = raw[start:end].decode("utf-8", "surrogateescape")
    return array
