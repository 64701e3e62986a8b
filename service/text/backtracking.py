"""Find regular expressions whose search may take exponential time."""

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
    """Tell whether a repeated group contains a repetition or alternatives.

    Such a pattern may match a text in a number of ways that doubles with each character, and `re`
    tries all of them before it gives up. The check also rejects many harmless patterns. A pattern
    that passes takes at most polynomial time.
    """
    # For each open group, whether repeating it is dangerous.
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
