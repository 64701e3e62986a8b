"""Find which characters each single-character part of a regular expression matches."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

# The parser and compiler of `re` itself: private, but hardly changed since Python 2.
_IS_NEW = sys.version_info >= (3, 11)
parser: Any = importlib.import_module("re._parser" if _IS_NEW else "sre_parse")
_compiler: Any = importlib.import_module("re._compiler" if _IS_NEW else "sre_compile")

Item = tuple[Any, Any]
"""A part of a parsed expression: an operation and its arguments."""

Runs = tuple[tuple[int, int], ...]
"""A set of characters, as start and end of each run of code points."""


def runs_of(item: Item, flags: int, is_bytes: bool) -> Runs:
    """Return what an expression for one character matches, by asking `re` itself."""
    return _runs(_hashable(item), flags, is_bytes)


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


@lru_cache(4096)
def _runs(item: Item, flags: int, is_bytes: bool) -> Runs:
    state = parser.State()
    state.flags = flags
    one = parser.SubPattern(state, [item])
    many = parser.SubPattern(state, [(parser.MAX_REPEAT, (1, parser.MAXREPEAT, one))])
    found = _compiler.compile(many, flags).finditer(_every(is_bytes))
    return tuple(match.span() for match in found)


@lru_cache(2)
def _every(is_bytes: bool) -> str | bytes:
    """Return all characters, each at its own number."""
    return bytes(range(256)) if is_bytes else "".join(map(chr, range(sys.maxunicode + 1)))


def symbols(sets: Iterable[Runs], is_bytes: bool) -> tuple[dict[Runs, int], list[str]]:
    """Return each set as bits, one for each kind of characters, and a character of each kind."""
    sets = list(sets)
    top = 256 if is_bytes else sys.maxunicode + 1
    changes: dict[int, list[int]] = {0: [], top: []}
    for number, runs in enumerate(sets):
        for limit in (limit for run in runs for limit in run):
            changes.setdefault(limit, []).append(number)
    kinds: dict[int, str] = {}
    inside = 0
    for start, _ in pairwise(sorted(changes)):
        for number in changes[start]:
            inside ^= 1 << number
        kinds.setdefault(inside, chr(start))
    masks = {
        runs: sum(1 << bit for bit, kind in enumerate(kinds) if kind >> number & 1)
        for number, runs in enumerate(sets)
    }
    return masks, list(kinds.values())
