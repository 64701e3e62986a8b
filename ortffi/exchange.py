"""Sharing a tensor's memory with other libraries: DLPack and numpy's array protocol.

numpy makes the capsules, of an array that views the tensor's memory. The memory lives as long as
any view of it. What numpy cannot view is not exported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ortffi._api import ElementType
from ortffi.elements import PACKED_BITS, Array, is_number, spell
from ortffi.memory import Memory

Device = tuple[int, int]
"""DLPack's device type and device number."""

HOST: Device = (1, 0)
_DEVICE_TYPES = {"Cuda": 2, "Hip": 10}
_VERSIONED = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)
"""Whether this numpy makes capsules of DLPack 1, which can say that memory is read-only."""


def dlpack_device(memory: Memory) -> Device:
    """Return DLPack's device for a memory.

    Raises:
        BufferError: DLPack has no such device.
    """
    if memory.on_host:
        return HOST
    kind = _DEVICE_TYPES.get(memory.name)
    if kind is None:
        raise BufferError(f"DLPack has no device for {memory}")
    return kind, memory.device_id


def has_addresses(memory: Memory) -> bool:
    """Return whether pointers into a memory are addresses, and not handles."""
    return memory.on_host or memory.name in _DEVICE_TYPES


def check_dlpack_type(element_type: ElementType) -> None:
    """Raise BufferError unless both numpy and DLPack have an element type."""
    if not is_number(element_type) or element_type in PACKED_BITS:
        raise BufferError(f"a tensor of {spell(element_type)} cannot be exported by DLPack")


def tells_read_only(max_version: Sequence[int] | None) -> bool:
    """Return whether a consumer's capsules can say that memory is read-only.

    Args:
        max_version: the newest version of DLPack that the consumer knows; None before DLPack 1.
    """
    return _VERSIONED and max_version is not None and max_version[0] >= 1


def any_read_only(things: Iterable[object]) -> bool:
    """Return whether any of the things is a read-only array."""
    return any(isinstance(thing, np.ndarray) and not thing.flags.writeable for thing in things)


def export(
    array: Array, max_version: Sequence[int] | None, *, stream: object, copy: bool | None
) -> object:
    """Return numpy's capsule of an array.

    Args:
        array: read-only, unless it is a copy that nothing else uses.
        max_version: as for `tells_read_only`.
        stream: must be None on the host; numpy checks it.
        copy: whether the consumer wants a copy.

    Raises:
        BufferError: the array is read-only, and the capsule cannot say so.
    """
    exported: Any = array  # older versions of numpy declare fewer arguments
    if tells_read_only(max_version):
        return exported.__dlpack__(stream=stream, max_version=max_version, copy=copy)
    return (exported.copy() if copy else exported).__dlpack__(stream=stream)


def convert(array: Array, dtype: npt.DTypeLike, element_type: ElementType) -> Array:
    """Return numbers or strings in another dtype.

    Raises:
        TypeError: the array holds bits, not numbers.
    """
    if not is_number(element_type) and element_type is not ElementType.STRING:
        raise TypeError(f"a tensor of {spell(element_type)} holds bits; numpy cannot convert them")
    return array.astype(dtype)
