"""Values of ONNX Runtime: tensors, and sequences and maps of them."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ortffi._api import ElementType, OnnxType, member, new
from ortffi._empty import empty_sequence
from ortffi._handle import Loans, Owned
from ortffi._readable import ReadableValue
from ortffi.elements import DTYPES, Array, packed_size, resolve, spell
from ortffi.environment import Environment, init
from ortffi.errors import UnsupportedError
from ortffi.memory import Memory, copy_tensor, memory_info, read_memory
from ortffi.tensors import (
    Shape,
    address_of,
    allocate_tensor,
    borrow_memory,
    create_tensor,
    element_count,
)

_STRINGS_IN_SEQUENCES = 17
"""The first API version that can read strings from a sequence."""


class Value(ReadableValue):
    """A tensor, sequence, map or optional that ONNX Runtime holds (an `OrtValue`).

    Made by the `from_...` methods, `empty`, `Session.allocate` and `Session.run_values`. A context
    manager; closed by `close`, the end of a `with` block, or garbage collection. Arrays that view
    its memory may outlive it: the memory is freed with the last of them.
    """

    @classmethod
    def from_numpy(cls, array: Array, element_type: ElementType | None = None) -> Value:
        """Make a tensor of an array (`CreateTensorWithDataAsOrtValue`).

        The memory of an aligned C-contiguous array is borrowed: later runs see later changes of
        the array. Strings (dtype `str`, or objects that are all `str`) and elements smaller than a
        byte are copied.

        Args:
            array: of a dtype that represents an element type; see `DTYPES`.
            element_type: needed for types that share a dtype with another, such as bfloat16.

        Raises:
            TypeError: not an array, or its dtype does not represent the element type.
            ValueError: a string contains a NUL character, where the C API would stop reading, or
                an integer is out of range.
            OrtError: ONNX Runtime refused the array.
        """
        if not isinstance(array, np.ndarray):
            raise TypeError(f"array must be a numpy array, not {type(array).__name__}")
        if element_type is not None:
            element_type = member("element_type", ElementType, element_type)
        carried, found = resolve(array, element_type)
        environment = init()
        pointer, memory = create_tensor(environment, carried, found)
        # A view of the array stays writeable when the array itself is made read-only.
        viewed = [array] if memory is carried is not array else []
        value = cls(environment, pointer, memory, *viewed)
        if isinstance(memory, np.ndarray):
            start = address_of(memory)
            value._places = ((start, start + memory.nbytes),)
        return value

    @classmethod
    def empty(cls, shape: Sequence[int], element_type: ElementType = ElementType.FLOAT) -> Value:
        """Make a tensor in memory that ONNX Runtime allocates (`CreateTensorAsOrtValue`).

        Its elements are not initialized; strings are empty. For another device's memory see
        `Session.allocate`.

        Raises:
            TypeError: a dimension is not an int.
            ValueError: a dimension is negative.
            OrtError: there is not enough memory.
        """
        lengths, element_type = check_shape(shape), allocatable(element_type)
        environment = init()
        pointer = allocate_tensor(environment, environment.allocator, lengths, element_type)
        return cls(environment, pointer)

    @classmethod
    def from_sequence(
        cls, items: Sequence[Value | Array], element_type: ElementType | None = None
    ) -> Value:
        """Make a sequence of tensors or of maps, all of one type (`CreateValue`).

        Args:
            items: arrays or values.
            element_type: of the tensors; needed if there are none, and for types that share a
                dtype with another, such as bfloat16.

        Raises:
            TypeError: an item is neither an array nor a value, or an array's dtype does not
                represent the element type.
            ValueError: there are no items and no element type.
            UnsupportedError: the items are strings, and the library is older than 1.17.
            OrtError: the items' types differ, or ONNX Runtime has no such sequences.
        """
        if isinstance(items, np.ndarray | str | bytes) or not isinstance(items, Sequence):
            raise TypeError(f"items must be a sequence of arrays, not {type(items).__name__}")
        if element_type is not None:
            element_type = member("element_type", ElementType, element_type)
        if not items:
            if element_type is None:
                raise ValueError("a sequence without items needs an element type")
            environment = init()
            return cls(environment, empty_sequence(environment, element_type))
        for item in items:
            if not isinstance(item, Value | np.ndarray):
                raise TypeError(f"items must be arrays or Values, not {type(item).__name__}")
        values = [
            item if isinstance(item, Value) else cls.from_numpy(item, element_type)
            for item in items
        ]
        if any(value.element_type is ElementType.STRING for value in values):
            require_strings_in_sequences(init())
        return cls._assemble(values, OnnxType.SEQUENCE)

    @classmethod
    def from_mapping(cls, mapping: Mapping[Any, Any]) -> Value:
        """Make a map (`CreateValue`) from int or str to float, int or str.

        All keys have one type, and so do all values.

        Raises:
            TypeError: not a mapping, or ONNX has no such map.
            ValueError: it is empty, so its types are unknown; or an int is out of range.
        """
        if not isinstance(mapping, Mapping):
            raise TypeError(f"mapping must be a mapping, not {type(mapping).__name__}")
        if not mapping:
            raise ValueError("an empty map has no types")
        columns: list[Array] = []
        for what, column in (("keys", list(mapping)), ("values", list(mapping.values()))):
            kinds = {type(item) for item in column}
            kind = kinds.pop() if len(kinds) == 1 else None
            dtype = {int: np.int64, float: np.float32, str: np.object_}.get(kind or object)
            if dtype is None or (what == "keys" and kind is float):
                raise TypeError(f"the {what} of a map must be all int or all str"
                                f"{'' if what == 'keys' else ' or all float'}")  # fmt: skip
            try:
                columns.append(np.array(column, dtype))
            except OverflowError as error:
                raise ValueError(f"the {what} of a map must fit 64 bits") from error
        return cls._assemble([cls.from_numpy(column) for column in columns], OnnxType.MAP)

    @classmethod
    def _assemble(cls, parts: Sequence[Value], kind: OnnxType) -> Value:
        environment = init()
        with Loans() as loans:
            pointers = (ctypes.c_void_p * len(parts))()
            for index, part in enumerate(parts):
                pointers[index] = loans.add(part.handle)
                if part._kind is OnnxType.OPTIONAL:
                    raise TypeError(f"items[{index}] is an empty optional")
            pointer = new(environment.api.CreateValue, pointers, len(parts), kind)
            # The new value shares the parts' memory, which may be borrowed from arrays.
            value = cls(environment, pointer, *borrowed_by(parts))
            if kind is OnnxType.SEQUENCE:
                value._places = tuple(extent for part in parts for extent in part._extents)
            return value

    def items(self) -> list[Value]:
        """Return the items of a sequence, or the keys and the values of a map (`GetValue`).

        Raises:
            TypeError: it is neither a sequence nor a map.
        """
        environment = self._environment
        with self._handle.lend() as pointer:
            if self._kind not in (OnnxType.SEQUENCE, OnnxType.MAP):
                a = "an empty" if self._kind is OnnxType.OPTIONAL else "a"
                raise TypeError(f"{a} {self._kind.name.lower()} has no items")
            count = ctypes.c_size_t()
            environment.api.GetValueCount(pointer, ctypes.byref(count))
            items = []
            # An item may share memory with its container.
            alive = borrowed_by([self])
            for index in range(count.value):
                item = new(environment.api.GetValue, pointer, index, environment.allocator)
                items.append(Value(environment, item, *alive))
            return items

    def to_python(self) -> Any:
        """Return an array for a tensor, a list for a sequence, a dict for a map.

        An empty optional becomes None. The result shares no memory with ONNX Runtime.
        """
        if not self.has_value:
            return None
        if self.kind is OnnxType.SEQUENCE:
            return [item.to_python() for item in self.items()]
        if self.kind is OnnxType.MAP:
            keys, values = (item.read().tolist() for item in self.items())
            return dict(zip(keys, values, strict=True))
        return self.numpy()

    def copy_from(self, source: Array | Value) -> None:
        """Overwrite a tensor's elements; both tensors may be in any memory (`CopyTensors`).

        Between two tensors in host memory it is a plain copy, which works with every library.

        Raises:
            TypeError: the source is not an array or a tensor, it has another element type, or the
                elements are strings.
            ValueError: the source has another shape, or this value is not `writeable`.
            UnsupportedError: a tensor is in GPU memory, and the library is older than 1.23.
        """
        self._handle.check_open()
        self._check_tensor()
        require_writeable("the tensor's memory", self)
        if not isinstance(source, Value):
            if not isinstance(source, np.ndarray):
                raise TypeError(f"source must be an array or a Value, not {type(source).__name__}")
            source = Value.from_numpy(source, self.element_type)
        with self._handle.lend() as target, source.handle.lend() as origin:
            source._check_tensor()
            if source._element_type is not self._element_type:
                raise TypeError(f"expected {spell(self._element_type)}, not "
                                f"{spell(source._element_type)}")  # fmt: skip
            if self._element_type is ElementType.STRING:
                raise TypeError("a tensor of strings cannot be overwritten")
            if source._shape != self._shape:
                raise ValueError(f"expected shape {self._shape}, not {source._shape}")
            copy_tensor(self._environment, origin, target, self._element_type, self._shape)

    def mapped(self, memory: Memory) -> Value:
        """Make a tensor of the same memory that ONNX Runtime takes for another device's memory.

        Some host memory can be used by a device at the same addresses: CUDA can use pinned memory
        (`Session.allocate` in `Memory("CudaPinned")`). Bound as the device's memory, such a tensor
        is not copied. Both tensors share their elements. Nothing checks that the device can reach
        the memory; if it cannot, its runs fail.

        Raises:
            TypeError: it is not a tensor, its elements are strings, or `memory` is not a `Memory`.
            ValueError: it is not in host memory.
            OrtError: ONNX Runtime does not know the memory.
        """
        if not isinstance(memory, Memory):
            raise TypeError(f"memory must be a Memory, not {type(memory).__name__}")
        with self._handle.lend() as pointer:
            self._check_tensor()
            if self._element_type is ElementType.STRING:
                raise TypeError("a tensor of strings cannot be mapped")
            environment, own = self._environment, read_memory(self._environment.api, pointer)
            if not own.on_host:
                raise ValueError(f"a tensor in {own} cannot be mapped")
            n_bytes = packed_size(self._element_type, element_count(self._shape))
            address = new(environment.api.GetTensorMutableData, pointer, allow_null=True)
            with memory_info(environment, memory) as info:
                value = borrow_memory(
                    environment, info, address, n_bytes, self._shape, self._element_type
                )
            owned = self._handle.share()
            return Value(environment, value, owned, *owned.keep_alive)


def require_writeable(what: str, value: Value) -> Value:
    """Return a value that a run or a copy is to write; raise ValueError if it is read-only.

    Whatever is written goes through here: C would end the process.
    """
    if not value.writeable:
        raise ValueError(f"{what} is read-only")
    return value


def is_nothing(thing: object) -> bool:
    """Return whether it is None or an empty optional.

    ONNX Runtime crashes on most uses of an empty optional.
    """
    return thing is None or (isinstance(thing, Value) and thing.kind is OnnxType.OPTIONAL)


def own_all(
    environment: Environment, pointers: Sequence[tuple[int, Sequence[object]]]
) -> list[Value]:
    """Make a `Value` of each `OrtValue*` and the objects to keep alive; all or none are made."""
    values: list[Value] = []
    try:
        for pointer, alive in pointers:
            values.append(Value(environment, pointer, *alive))
    except BaseException:
        # The one that failed already has an owner or was released.
        for pointer, _ in pointers[len(values) + 1 :]:
            environment.api.ReleaseValue(pointer)
        raise
    return values


def borrowed_by(things: Iterable[object]) -> tuple[object, ...]:
    """Return the objects, each once, whose memory a new value borrows from some things.

    For a `Value` these are the objects that it keeps alive, not the value itself: ONNX Runtime
    frees a value's own memory with the last value that shares it. Otherwise a chain of values, each
    made of the one before, would grow forever.

    Args:
        things: values that have been entered, `Owned` of values, or other objects.
    """
    found: dict[int, object] = {}
    for thing in things:
        owned = thing.handle.share() if isinstance(thing, Value) else thing
        kept = owned.keep_alive if isinstance(owned, Owned) else (owned,)
        found.update((id(item), item) for item in kept)
    return tuple(found.values())


def check_shape(shape: Sequence[int]) -> Shape:
    """Return a shape as a tuple of lengths.

    Raises:
        TypeError: it is not a sequence of int.
        ValueError: a dimension is negative or too large for C.
        OverflowError: it has more elements than can be addressed.
    """
    if isinstance(shape, str | bytes) or not isinstance(shape, Sequence):
        raise TypeError(f"shape must be a sequence of int, not {type(shape).__name__}")
    for length in shape:
        if isinstance(length, bool) or not isinstance(length, int | np.integer):
            raise TypeError(f"a dimension of shape must be an int, not {type(length).__name__}")
    lengths = tuple(int(length) for length in shape)
    if any(length > sys.maxsize for length in lengths):  # beside a 0 there are no elements
        raise ValueError(f"shape {lengths} has a dimension that no tensor can have")
    element_count(lengths)
    return lengths


def allocatable(element_type: ElementType) -> ElementType:
    """Return an element type that tensors can have.

    Raises:
        TypeError: it is not an element type, or there are no tensors of it.
        ValueError: no element type has this number.
    """
    element_type = member("element_type", ElementType, element_type)
    if element_type not in DTYPES:
        raise TypeError(f"element_type: there are no tensors of {element_type.name}")
    return element_type


def require_strings_in_sequences(environment: Environment) -> None:
    """Raise UnsupportedError if reading a sequence of strings would crash (`GetValue`)."""
    version = environment.api.version
    if version < _STRINGS_IN_SEQUENCES:
        raise UnsupportedError("GetValue for sequences of strings", _STRINGS_IN_SEQUENCES, version)
