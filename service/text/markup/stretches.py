"""Find the words inside markup, without the marks between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A dot or comma inside a word or number is part of it, and so is the last dot of `U.S.`.
_MARKS = re.compile(
    r"""[。、！？，；：।॥…—“”"«»()（）「」『』]
      | (?<!\.[^\W\d_]) [.,!?;:]+ (?= [\s"”’')\]»] | \Z )
      | \n\s*\n
    """,
    re.VERBOSE,
)


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of words between marks or paragraph breaks. None is blank.

    Each run gets its own override, so the marks between runs stay marks.
    """
    start = 0
    for mark in _MARKS.finditer(text):
        yield from _stripped(text, start, mark.start())
        start = mark.end()
    yield from _stripped(text, start, len(text))


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    words = text[start:end].strip()
    if words:
        start = text.index(words, start)
        yield start, start + len(words)
