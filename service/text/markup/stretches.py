"""Find the words inside markup, without the marks between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARKS = re.compile(
    r"""[。、！？，；：।॥…—“”"«»()（）「」『』]
      | (?P<run>[.,!?;:]+)
      | \n(?:[^\S\n]*\n)+
    """,
    re.VERBOSE,
)
_AFTER_RUN = re.compile(r"[\s\"”’')\]»]|\Z")
_BEHIND_INITIAL = re.compile(r"(?<=\.[^\W\d_])")


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of words between marks or paragraph breaks. None is blank.

    Each run gets its own override, so the marks between runs stay marks.
    """
    start = 0
    for mark in _MARKS.finditer(text):
        first = mark.start()
        if mark["run"]:
            # A dot or comma inside a word or number is part of it, and so is the last of `U.S.`.
            if not _AFTER_RUN.match(text, mark.end()):
                continue
            first += _BEHIND_INITIAL.match(text, first) is not None
            if first == mark.end():
                continue
        yield from _stripped(text, start, first)
        start = mark.end()
    yield from _stripped(text, start, len(text))


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    words = text[start:end].strip()
    if words:
        start = text.index(words, start)
        yield start, start + len(words)
