"""An `OrtValue` with its type, and its elements as arrays."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ortffi._api import ElementType, OnnxType, new
from ortffi._handle import Handle, Owner
from ortffi.elements import DTYPES, Array, packed_size, spell
from ortffi.environment import Environment
from ortffi.exchange import (
    HOST,
    any_read_only,
    check_dlpack_type,
    convert,
    dlpack_device,
    export,
    has_addresses,
    tells_read_only,
)
from ortffi.memory import Memory, copy_tensor, read_memory
from ortffi.tensors import (
    Shape,
    allocate_tensor,
    describe_tensor,
    element_count,
    is_viewable,
    kind_of,
    read_tensor,
    view_tensor,
)

Scalar = TypeVar("Scalar", bound=np.generic)


class ReadableValue(Owner):
    """Owns an `OrtValue`, knows its type and shape, and reads its elements.

    The base of `Value`, which makes values and takes them apart.
    """

    def __init__(self, environment: Environment, pointer: int, *keep_alive: object) -> None:
        self._environment = environment
        handle = Handle(pointer, environment.api.ReleaseValue, "value", *keep_alive)
        super().__init__(handle)
        self._places: tuple[tuple[int, int], ...] = ()
        """`_extents`, if they are known."""
        # GetValueType crashes on an empty optional (1.17 to 1.31).
        self._kind = kind_of(environment, pointer) if self.has_value else OnnxType.OPTIONAL
        self._element_type = ElementType.UNDEFINED
        if self._kind is OnnxType.TENSOR:
            self._element_type, self._shape = describe_tensor(environment, pointer)

    @property
    def kind(self) -> OnnxType:
        """Return the kind of value: a tensor, a sequence, a map, or an empty optional."""
        self._handle.check_open()
        return self._kind

    @property
    def has_value(self) -> bool:
        """Return False for an empty optional, True for all other values (`HasValue`)."""
        with self._handle.lend() as pointer:
            answer = ctypes.c_int()
            self._environment.api.HasValue(pointer, ctypes.byref(answer))
            return bool(answer.value)

    @property
    def element_type(self) -> ElementType:
        """Return the type of a tensor's elements; `UNDEFINED` for other kinds."""
        self._handle.check_open()
        return self._element_type

    @property
    def shape(self) -> Shape:
        """Return the length of each dimension of a tensor.

        Raises:
            TypeError: it is not a tensor.
        """
        self._handle.check_open()
        self._check_tensor()
        return self._shape

    @property
    def memory(self) -> Memory:
        """Return the memory of a tensor's elements (`GetTensorMemoryInfo`).

        Raises:
            TypeError: it is not a tensor.
        """
        with self._handle.lend() as pointer:
            self._check_tensor()
            return read_memory(self._environment.api, pointer)

    @property
    def writeable(self) -> bool:
        """Return False if the value borrows an array that is read-only now.

        Such memory may really be read-only (a file, `bytes`): it can be an input, but no output of
        a run and no target of `copy_from`.
        """
        self._handle.check_open()
        return not any_read_only(self._handle.share().keep_alive)

    @property
    def _extents(self) -> tuple[tuple[int, int], ...]:
        """Return the first address, and the address behind the last, of each tensor in it.

        Of a sequence these are the tensors that it was made of. Their memory is its memory, but
        `GetValue` copies it.
        """
        with self._handle.lend() as pointer:
            if self._places or self._kind is not OnnxType.TENSOR:
                return self._places
            api = self._environment.api
            start, n_bytes = new(api.GetTensorMutableData, pointer, allow_null=True), 1
            # A handle says only whether two tensors are the same.
            if self._element_type in DTYPES and has_addresses(read_memory(api, pointer)):
                n_bytes = packed_size(self._element_type, element_count(self._shape))
            self._places = ((start, start + n_bytes),)
            return self._places

    @overload
    def numpy(self, dtype: type[Scalar], *, copy: bool | None = True) -> npt.NDArray[Scalar]: ...

    @overload
    def numpy(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = True) -> Array: ...

    def numpy(self, dtype: Any = None, *, copy: bool | None = True) -> Array:
        """Return a tensor as a C-contiguous array.

        Args:
            dtype: the dtype that the elements must have; nothing is converted.
            copy: False returns a read-only view of the memory instead of a copy. The memory lives
                as long as the array, even when the value is closed. None returns a view if
                possible, and a copy otherwise.

        Raises:
            TypeError: it is not a tensor, its elements have another type, or `copy` is False and
                they can only be copied (strings, elements smaller than a byte, GPU memory).
            UnsupportedError: the tensor is in GPU memory, and the library is older than 1.23.
            ClosedError: the value is closed.
        """
        with self._handle.lend() as pointer:
            self._check_tensor()
            if dtype is not None and DTYPES.get(self._element_type) != np.dtype(dtype):
                raise TypeError(f"the tensor holds {spell(self._element_type)}, not "
                                f"{np.dtype(dtype)}")  # fmt: skip
            memory = read_memory(self._environment.api, pointer)
            if copy is None:
                copy = not memory.on_host or not is_viewable(self._element_type)
            if copy:
                return (self if memory.on_host else self._on_host()).read()
            if not memory.on_host:
                raise TypeError(f"a tensor in {memory} can only be copied")
            array = view_tensor(
                self._environment, pointer, self._element_type, self._shape, self._handle.share()
            )
            array.flags.writeable = False
            return array

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        """Return a tensor for `numpy.asarray`: a read-only view if possible, otherwise a copy.

        Args:
            dtype: the dtype to convert the elements to.
            copy: as for `numpy`.

        Raises:
            TypeError: it is not a tensor, or it cannot be converted.
            ValueError: `copy` is False, and only a copy is possible.
        """
        try:
            array = self.numpy(copy=copy)
        except TypeError as error:
            if copy is False and self._kind is OnnxType.TENSOR:
                raise ValueError(str(error)) from error
            raise
        if dtype is None or array.dtype == dtype:
            return array
        if copy is False:
            raise ValueError(f"a tensor of {spell(self._element_type)} can become "
                             f"{np.dtype(dtype)} only by a copy")  # fmt: skip
        return convert(array, dtype, self._element_type)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and number for a tensor's memory: (1, 0) for the host.

        Raises:
            TypeError: it is not a tensor.
            BufferError: DLPack has no such device.
        """
        return dlpack_device(self.memory)

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Export a tensor in host memory by DLPack, for `numpy.from_dlpack` and other consumers.

        The memory lives as long as the consumer needs it, even when the value is closed. It is
        read-only. DLPack before 1.0 cannot say so, but its consumers must not write either.

        Args:
            stream: None, because the memory is on the host.
            max_version: the newest version of DLPack that the consumer knows.
            dl_device: the device that the consumer wants: None, or (1, 0) for the host.
            copy: True for a copy, False for no copy, None for a copy only if needed.

        Raises:
            TypeError: it is not a tensor.
            BufferError: it is in GPU memory, numpy and DLPack do not both have its element type,
                or the tensor borrows a read-only array and the consumer cannot be told so.
        """
        here = self.__dlpack_device__()
        check_dlpack_type(self._element_type)
        if dl_device not in (None, HOST) or (here != HOST and (dl_device is None or copy is False)):
            raise BufferError(f"a tensor in {self.memory} can be exported only by a copy to the "
                              "host: dl_device=(1, 0)")  # fmt: skip
        if here != HOST:
            return export(self.numpy(), max_version, stream=stream, copy=None)
        with self._handle.lend() as pointer:
            owned = self._handle.share()
            array = view_tensor(self._environment, pointer, self._element_type, self._shape, owned)
        array.flags.writeable = self.writeable and not tells_read_only(max_version)
        return export(array, max_version, stream=stream, copy=copy)

    def read(self) -> Array:
        """Copy a tensor in host memory into a new array; for any memory see `numpy`."""
        with self._handle.lend() as pointer:
            self._check_tensor()
            return read_tensor(self._environment, pointer)

    def _on_host(self) -> ReadableValue:
        environment = self._environment
        allocated = allocate_tensor(
            environment, environment.allocator, self._shape, self._element_type
        )
        copy = ReadableValue(environment, allocated)
        with self._handle.lend() as origin, copy._handle.lend() as target:
            copy_tensor(environment, origin, target, self._element_type, self._shape)
        return copy

    def _check_tensor(self) -> None:
        if self._kind is OnnxType.OPTIONAL:
            raise TypeError("the value is an empty optional, not a tensor")
        if self._kind is not OnnxType.TENSOR:
            raise TypeError(f"the value is a {self._kind.name.lower()}, not a tensor")
