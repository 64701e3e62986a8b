"""The memory of a tensor: where it is, copies between memories, and allocators."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from ortffi._api import (
    ARENA_ALLOCATOR,
    MEM_TYPE_DEFAULT,
    Api,
    ElementType,
    c_string,
    natural,
    new,
)
from ortffi._handle import Handle, Owner
from ortffi.elements import packed_size
from ortffi.environment import Environment
from ortffi.errors import require
from ortffi.tensors import Shape, element_count, view_bytes


@dataclass(frozen=True)
class Memory:
    """A kind of memory and a device, as ONNX Runtime names them.

    Attributes:
        name: `Cpu`, `Cuda`, `CudaPinned` (host memory for fast copies) or another provider's
            memory.
        device_id: the number of the device.
    """

    name: str = "Cpu"
    device_id: int = 0

    CPU: ClassVar[Memory]

    def __post_init__(self) -> None:
        c_string("name", self.name)
        natural("device_id", self.device_id)

    @classmethod
    def cuda(cls, device_id: int = 0) -> Memory:
        """Return the memory of a GPU."""
        return cls("Cuda", device_id)

    @property
    def on_host(self) -> bool:
        """Return whether the CPU can read it."""
        return self.name in _ON_HOST

    def __str__(self) -> str:
        return f"{self.name}:{self.device_id}"


Memory.CPU = Memory()

_ON_HOST = ("Cpu", "CudaPinned", "HipPinned", "CannPinned", "QnnHtpShared")


_SPELLED: dict[str, bytes] = {}
"""Encoded names, which are never freed: ONNX Runtime 1.19 does not copy them, and a tensor uses its
memory's name as long as it lives."""


@contextmanager
def memory_info(environment: Environment, memory: Memory) -> Iterator[int]:
    """Lend an `OrtMemoryInfo*` (`CreateMemoryInfo`) inside a `with` block."""
    api = environment.api
    info = new(
        api.CreateMemoryInfo,
        _SPELLED.setdefault(memory.name, c_string("name", memory.name)),
        ARENA_ALLOCATOR,
        memory.device_id,
        MEM_TYPE_DEFAULT,
    )
    try:
        yield info
    finally:
        api.ReleaseMemoryInfo(info)


def read_memory(api: Api, value: int) -> Memory:
    """Return the memory of the tensor in an `OrtValue` (`GetTensorMemoryInfo`)."""
    info = new(api.GetTensorMemoryInfo, value)  # the value owns it
    name, device_id = ctypes.c_char_p(), ctypes.c_int()
    api.MemoryInfoGetName(info, ctypes.byref(name))
    api.MemoryInfoGetId(info, ctypes.byref(device_id))
    return Memory((name.value or b"").decode("utf-8", "replace"), device_id.value)


def copy_tensor(
    environment: Environment, origin: int, target: int, element_type: ElementType, shape: Shape
) -> None:
    """Copy a tensor's elements to another tensor in any memory (`CopyTensors`).

    Between two tensors in host memory it is a plain copy, which works with every library.

    Args:
        environment: the loaded library.
        origin: the `OrtValue*` to copy from.
        target: the `OrtValue*` to copy to.
        element_type: of both; not strings.
        shape: of both.

    Raises:
        UnsupportedError: a tensor is in GPU memory, and the library is older than 1.23.
    """
    api = environment.api
    if read_memory(api, target).on_host and read_memory(api, origin).on_host:
        n_bytes = packed_size(element_type, element_count(shape))
        view_bytes(environment, target, n_bytes)[...] = view_bytes(environment, origin, n_bytes)
        return
    require(api, "CopyTensors")
    one = ctypes.c_void_p * 1
    api.CopyTensors(environment.pointer, one(origin), one(target), None, 1)


class Allocator(Owner):
    """A session's allocator for one memory (`CreateAllocator`).

    Raises:
        OrtError: no provider of the session has this memory.
    """

    def __init__(self, environment: Environment, session: Handle, memory: Memory) -> None:
        api = environment.api
        with session.lend() as pointer, memory_info(environment, memory) as info:
            allocator = new(api.CreateAllocator, pointer, info)
            # The allocator is valid only as long as the session, so it keeps the session alive.
            handle = Handle(allocator, api.ReleaseAllocator, "allocator", session.share())
        super().__init__(handle)
