"""An `OrtValue` with its type, and its elements as arrays."""

from __future__ import annotations

import ctypes
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ortffi._api import ElementType, OnnxType
from ortffi._handle import Handle, Owner
from ortffi.elements import DTYPES, Array, spell
from ortffi.environment import Environment
from ortffi.exchange import (
    HOST,
    any_read_only,
    check_dlpack_type,
    convert,
    dlpack_device,
    export,
    tells_read_only,
)
from ortffi.memory import Memory, copy_tensor, read_memory
from ortffi.tensors import (
    Shape,
    allocate_tensor,
    describe_tensor,
    is_viewable,
    kind_of,
    read_tensor,
    view_tensor,
)

Scalar = TypeVar("Scalar", bound=np.generic)


class ReadableValue(Owner):
    """Owns an `OrtValue`, knows its type and shape, and reads its elements.

    The part of `Value` that makes no other values.
    """

    def __init__(self, environment: Environment, pointer: int, *keep_alive: object) -> None:
        self._environment = environment
        handle = Handle(pointer, environment.api.ReleaseValue, "value", *keep_alive)
        super().__init__(handle)
        # Of an empty optional GetValueType crashes (1.17 to 1.31).
        self._kind = kind_of(environment, pointer) if self.has_value else OnnxType.OPTIONAL
        self._element_type = ElementType.UNDEFINED
        if self._kind is OnnxType.TENSOR:
            self._element_type, self._shape = describe_tensor(environment, pointer)

    @property
    def kind(self) -> OnnxType:
        """Return what it is: a tensor, a sequence, a map, or an optional that is empty."""
        with self._handle:
            return self._kind

    @property
    def has_value(self) -> bool:
        """Tell whether there is anything; an optional may be empty (`HasValue`)."""
        with self._handle as pointer:
            answer = ctypes.c_int()
            self._environment.api.HasValue(pointer, ctypes.byref(answer))
            return bool(answer.value)

    @property
    def element_type(self) -> ElementType:
        """Return the type of a tensor's elements, `UNDEFINED` for other kinds."""
        with self._handle:
            return self._element_type

    @property
    def shape(self) -> Shape:
        """Return the length of each dimension of a tensor.

        Raises:
            TypeError: it is no tensor.
        """
        with self._handle:
            self._check_tensor()
            return self._shape

    @property
    def memory(self) -> Memory:
        """Return where a tensor's elements lie (`GetTensorMemoryInfo`).

        Raises:
            TypeError: it is no tensor.
        """
        with self._handle as pointer:
            self._check_tensor()
            return read_memory(self._environment.api, pointer)

    @overload
    def numpy(self, dtype: type[Scalar], *, copy: bool | None = True) -> npt.NDArray[Scalar]: ...

    @overload
    def numpy(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = True) -> Array: ...

    def numpy(self, dtype: Any = None, *, copy: bool | None = True) -> Array:
        """Return a tensor as a C-contiguous array.

        Args:
            dtype: what the elements must be; nothing is converted.
            copy: False shows the memory itself, read-only, instead of copying it; it stays for as
                long as the array does, also when the value is closed. None does so where it can
                be, and copies otherwise.

        Raises:
            TypeError: it is no tensor, its elements are of another type, or `copy` is False and
                they can only be copied (strings, elements of less than a byte, memory of a GPU).
            UnsupportedError: memory of a GPU, and the library is older than 1.23.
            ClosedError: the value is closed.
        """
        with self._handle as pointer:
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
        """Give a tensor to `numpy.asarray`: read-only where it is shown in place.

        Args:
            dtype: what numpy is to convert the elements to.
            copy: as for `numpy`.

        Raises:
            TypeError: it is no tensor, or it cannot be converted.
            ValueError: `copy` is False, and there is no array without one.
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
            raise ValueError(f"a tensor of {spell(self._element_type)} becomes {np.dtype(dtype)} "
                             "only by a copy")  # fmt: skip
        return convert(array, dtype, self._element_type)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and number of a tensor's memory: (1, 0) for the host.

        Raises:
            TypeError: it is no tensor.
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
        """Export a tensor of the host by DLPack, as `numpy.from_dlpack` and others ask for it.

        The memory stays for as long as the consumer needs it, also when the value is closed. It is
        read-only. Consumers of DLPack before 1.0 cannot be told so, and must not write either.

        Args:
            stream: None; the memory is the host's.
            max_version: the newest version of DLPack that the consumer knows.
            dl_device: where the consumer wants it: None, or (1, 0) for the host.
            copy: True for a copy, False for none, None for what can be done.

        Raises:
            TypeError: it is no tensor.
            BufferError: its memory is a GPU's, numpy and DLPack do not share its element type, or
                an array that may not be written to would go to a consumer that cannot be told.
        """
        here = self.__dlpack_device__()
        check_dlpack_type(self._element_type)
        if dl_device not in (None, HOST) or (here != HOST and (dl_device is None or copy is False)):
            raise BufferError(f"a tensor in {self.memory} can be exported only by a copy to the "
                              "host: dl_device=(1, 0)")  # fmt: skip
        if here != HOST:
            return export(self.numpy(), max_version, stream=stream, copy=None)
        with self._handle as pointer:
            owned = self._handle.share()
            array = view_tensor(self._environment, pointer, self._element_type, self._shape, owned)
        array.flags.writeable = not (
            tells_read_only(max_version) or any_read_only(owned.keep_alive)
        )
        return export(array, max_version, stream=stream, copy=copy)

    def read(self) -> Array:
        """Copy a tensor in the host's memory into a new array; `numpy` is for any memory."""
        with self._handle as pointer:
            self._check_tensor()
            return read_tensor(self._environment, pointer)

    def _on_host(self) -> ReadableValue:
        environment = self._environment
        allocated = allocate_tensor(
            environment, environment.allocator, self._shape, self._element_type
        )
        copy = ReadableValue(environment, allocated)
        with self._handle as origin, copy._handle as target:
            copy_tensor(environment, origin, target, self._element_type, self._shape)
        return copy

    def _check_tensor(self) -> None:
        if self._kind is OnnxType.OPTIONAL:
            raise TypeError("the value is an optional without a tensor in it")
        if self._kind is not OnnxType.TENSOR:
            raise TypeError(f"the value is a {self._kind.name.lower()}, not a tensor")
