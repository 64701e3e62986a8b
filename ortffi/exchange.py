"""A tensor's memory for other libraries: DLPack, and numpy's array protocol.

numpy makes the capsules: of an array that shows the tensor's memory, which stays until the last
that looks at it has gone. So what numpy cannot show is not exported.
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
"""DLPack's device type, and which of them."""

HOST: Device = (1, 0)
_DEVICE_TYPES = {"Cuda": 2, "Hip": 10}
_VERSIONED = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)
"""Whether this numpy makes capsules of DLPack 1, which tell what is read-only."""


def dlpack_device(memory: Memory) -> Device:
    """Return where DLPack says that memory lies.

    Raises:
        BufferError: DLPack has no such device.
    """
    if memory.on_host:
        return HOST
    kind = _DEVICE_TYPES.get(memory.name)
    if kind is None:
        raise BufferError(f"DLPack has no device for {memory}")
    return kind, memory.device_id


def check_dlpack_type(element_type: ElementType) -> None:
    """Raise BufferError where numpy and DLPack do not share an element type."""
    if not is_number(element_type) or element_type in PACKED_BITS:
        raise BufferError(f"a tensor of {spell(element_type)} cannot be exported by DLPack")


def tells_read_only(max_version: Sequence[int] | None) -> bool:
    """Tell whether capsules for a consumer say what is read-only: those of DLPack 1 do.

    Args:
        max_version: the newest that the consumer knows, None for those before 1.
    """
    return _VERSIONED and max_version is not None and max_version[0] >= 1


def any_read_only(things: Iterable[object]) -> bool:
    """Tell whether there is an array among some things that may not be written to."""
    return any(isinstance(thing, np.ndarray) and not thing.flags.writeable for thing in things)


def export(
    array: Array, max_version: Sequence[int] | None, *, stream: object, copy: bool | None
) -> object:
    """Return a capsule of an array, which numpy makes.

    Args:
        array: read-only, unless it is a copy that nobody else sees.
        max_version: as for `tells_read_only`.
        stream: must be None on the host; numpy checks it.
        copy: whether the consumer wants a copy.

    Raises:
        BufferError: the array is read-only, and the capsule could not tell.
    """
    exported: Any = array  # its type knows fewer arguments in older versions of numpy
    if tells_read_only(max_version):
        return exported.__dlpack__(stream=stream, max_version=max_version, copy=copy)
    return (exported.copy() if copy else exported).__dlpack__(stream=stream)


def convert(array: Array, dtype: npt.DTypeLike, element_type: ElementType) -> Array:
    """Return numbers or strings in another dtype.

    Raises:
        TypeError: the array holds the bits of numbers.
    """
    if not is_number(element_type) and element_type is not ElementType.STRING:
        raise TypeError(f"a tensor of {spell(element_type)} holds bits; numpy cannot convert them")
    return array.astype(dtype)
