"""What of a text is not spoken."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import replace
from functools import lru_cache

from service.text import punctuation
from service.text.characters import is_blank, is_silent
from service.text.offset_mapping import TracedText
from service.text.reading import Reading

# Major categories of what a listener may miss: letters, numbers, symbols and marks.
_NOTICEABLE = ("L", "N", "S", "P")

_CHARACTERS_KEPT = 8192
"""Number of characters of which it is kept whether they are noticeable."""


def with_omissions(reading: Reading, text: TracedText) -> Reading:
    """Return a reading that tells all that is not spoken of its text.

    That is what nobody reads, which it tells already, and whatever belongs to no word: dropped
    emoji, the marks of Markdown, names of tags, the language of a fenced code block.
    """
    unspoken = list(reading.dropped)
    at = 0
    for word in reading.words:
        if word.text_start > at:
            unspoken.append((at, word.text_start))
        at = max(at, word.text_end)
    unspoken.append((at, sys.maxsize))
    characters = text.text
    indexes: set[int] = set()
    for first, last in (text.within(start, end) for start, end in unspoken):
        part = characters[first:last]
        if part.strip(" "):
            indexes.update(
                at for at, one in enumerate(part, first) if one != " " and _is_noticeable(one)
            )
    spans: list[tuple[int, int]] = []
    for index in sorted(indexes):
        start, end = text[index : index + 1].span
        if spans and spans[-1][1] >= start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return replace(reading, dropped=tuple(spans))


@lru_cache(_CHARACTERS_KEPT)
def _is_noticeable(character: str) -> bool:
    """Tell whether a listener may miss a character."""
    if is_silent(character):
        return True
    if is_blank(character):
        return False
    is_noticeable = unicodedata.category(character)[0] in _NOTICEABLE
    return is_noticeable and not punctuation.has_no_words(character)
