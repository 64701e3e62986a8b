"""The C API itself, for what ortffi has no method for. Unstable: any release may change it.

    from ctypes import byref, c_size_t
    from ortffi import raw

    count = c_size_t()
    with raw.pointer(session) as address:
        raw.api().SessionGetInputCount(address, byref(count))

Nothing guards against a wrong argument: C reads whatever memory it is given.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from ortffi._api import SLOTS, Api, Slot, new
from ortffi._handle import Owner
from ortffi.environment import Environment, init

__all__ = ["SLOTS", "Api", "Slot", "api", "new", "pointer"]


def api() -> Api:
    """Return the loaded library's function table, loading one if need be.

    Its functions are attributes, named as in C. Those that return an `OrtStatus*` return None, or
    raise an `OrtError`. `SLOTS` has their prototypes; `new` calls those that make an object, which
    the caller releases.

    Raises:
        LibraryNotFoundError, ApiVersionError: as `init`.
    """
    return init().api


def pointer(thing: Owner | Environment) -> AbstractContextManager[int]:
    """Lend the address of the C object behind an object of ortffi.

    It stays valid inside the `with` block: `close` waits for the end of it. Never release it.

    Args:
        thing: a `Session`, `Value`, `RunOptions`, `IoBinding`, `PrepackedWeights` or `Environment`.

    Raises:
        TypeError: it is something else.
        ClosedError: it is closed; raised at the start of the block.
    """
    if isinstance(thing, Owner):
        return thing.handle
    if isinstance(thing, Environment):
        return nullcontext(thing.pointer)
    raise TypeError(f"{type(thing).__name__} owns no object of the C API")
