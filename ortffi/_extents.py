"""Where the tensors of a run are, and which of them must not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ortffi.tensors import address_of
from ortffi.value import Value

Extent = tuple[str, int, int]
"""What it is, for an error message; its first address, and the address behind it."""


def extents(what: str, thing: object) -> Iterator[Extent]:
    """Yield the memory of an array, a tensor, or the tensors of a sequence.

    Args:
        what: such as `output 'y'`.
        thing: a C-contiguous array or a value. Other things have no memory that others can have.
    """
    if isinstance(thing, np.ndarray):
        start = address_of(thing)
        yield what, start, start + thing.nbytes
    elif isinstance(thing, Value):
        for start, end in thing._extents:
            yield what, start, end


def check_apart(outputs: Iterable[Extent], inputs: Iterable[Extent]) -> None:
    """Raise ValueError if an output overlaps another output or an input."""
    places = [(start, end, what, True) for what, start, end in outputs if start < end]
    if not places:
        return
    places += [(start, end, what, False) for what, start, end in inputs if start < end]
    places.sort()
    # The end of what reaches furthest so far, of the outputs and of everything.
    output_end = any_end = 0
    output_before = any_before = ""
    for start, end, what, is_output in places:
        if start < output_end or (is_output and start < any_end):
            before = output_before if start < output_end else any_before
            raise ValueError(f"{before} and {what} overlap in memory; outputs need memory of "
                             "their own")  # fmt: skip
        if is_output and end > output_end:
            output_end, output_before = end, what
        if end > any_end:
            any_end, any_before = end, what
