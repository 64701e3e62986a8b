"""Regular expressions whose search may take time without end."""

from __future__ import annotations

import re

_PART = re.compile(
    r"""
    \\.
  | \[\^?\]?(?:\\.|[^\]\\])*\]                   # a class, in which nothing is special
  | (?P<open>\((?:\?(?:P?<\w+>|<?[=!:>]|[a-zA-Z-]*:|P[=>]\w+)?)?)
  | (?P<close>\))
  | (?P<other>\|)
  | (?P<repeat>[*+?]|\{\d*,?\d*\})[?+]?
  | .
    """,
    re.VERBOSE | re.DOTALL,
)
_FIXED = re.compile(r"\{\d+\}")
_ONCE = frozenset({"?", "{1}", "{0,1}", "{,1}"})


def is_explosive(pattern: str) -> bool:
    """Tell whether a group that repeats holds a repetition or alternatives.

    Such a pattern may match one text in a number of ways that doubles with each character, all of
    which `re` tries in vain. Many that do not are told so as well; the others take a time that
    grows with a power of the text's length at most.
    """
    # For each open group, whether its repetition would be one too many.
    manifold = [False]
    closed = False
    for part in _PART.finditer(pattern):
        repeats = part["repeat"]
        if repeats is not None:
            if closed and repeats not in _ONCE:
                return True
            manifold[-1] = manifold[-1] or _FIXED.fullmatch(repeats) is None
        elif part["other"]:
            manifold[-1] = True
        elif part["open"]:
            manifold.append(False)
        closed = False
        if part["close"] and len(manifold) > 1:
            closed = manifold.pop()
            manifold[-1] = manifold[-1] or closed
    return False
