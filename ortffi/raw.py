"""The C API itself, for functions that ortffi does not wrap. Any release may change it.

    from ctypes import byref, c_size_t
    from ortffi import raw

    count = c_size_t()
    with raw.pointer(session) as address:
        raw.api().SessionGetInputCount(address, byref(count))

Arguments are not checked: C reads whatever memory it is given.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from ortffi._api import SLOTS, Api, Slot, new
from ortffi._handle import Owner
from ortffi.environment import Environment, init

__all__ = ["SLOTS", "Api", "Slot", "api", "new", "pointer"]


def api() -> Api:
    """Return the function table of the library; load the library if necessary.

    Its functions are attributes with their C names. A function that returns an `OrtStatus*` in C
    returns None or raises an `OrtError`. `SLOTS` has the prototypes. `new` calls a function that
    creates an object, which the caller releases.

    Raises:
        LibraryNotFoundError, ApiVersionError: as `init`.
    """
    return init().api


def pointer(thing: Owner | Environment) -> AbstractContextManager[int]:
    """Lend the address of the C object that an object of ortffi owns.

    It is valid inside the `with` block: `close` waits for the end of the block. Never release it.

    Args:
        thing: a `Session`, `Value`, `RunOptions`, `IoBinding`, `PrepackedWeights` or `Environment`.

    Raises:
        TypeError: it is another object.
        ClosedError: it is closed; raised at the start of the block.
    """
    if isinstance(thing, Owner):
        return thing.handle.lend()
    if isinstance(thing, Environment):
        return nullcontext(thing.pointer)
    raise TypeError(f"{type(thing).__name__} owns no object of the C API")
