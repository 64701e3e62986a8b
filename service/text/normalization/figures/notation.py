"""Parts of patterns that several kinds of figures share."""

from __future__ import annotations

import re
from collections.abc import Iterable

DASH = "[-\u2010-\u2015\u2212]"
"""Whatever a hyphen, a dash or a minus may be printed as."""

SPACE = "[ \u00a0\u202f]"
"""A space inside a figure, breaking or not."""

# Vowel signs of Devanagari belong to words, which `\w` does not know.
_INSIDE_WORD = r"\w\u0900-\u0963"

WORD_BEFORE = f"(?<![{_INSIDE_WORD}])"
WORD_AFTER = f"(?![{_INSIDE_WORD}])"

LETTER_BEFORE = r"(?<![^\W\d]|[\u0900-\u0963])"
"""Nothing before but digits and what is no part of a word."""

FIGURE_BEFORE = f"(?<![{_INSIDE_WORD}.,:/])"
"""Nothing before a figure that it might be a part of."""

FIGURE_AFTER = f"(?![{_INSIDE_WORD}]|[.,:/][0-9])"
"""Nothing after a figure that might be a part of it."""

STOP = r"(?=[”\"’')»]{0,3}(?:\s{0,9}\Z|[ \t]{0,9}\n|\s{1,9}[¿¡“\"«(]{0,2}[A-ZÀ-ÖØ-Þ]))"
"""After a dot that ends a sentence."""

LAST_DOT = rf"(?:\.(?!{STOP}))?"
"""The dot of an abbreviation, unless it is the full stop too."""


def one_of(keys: Iterable[str]) -> str:
    """Return a pattern of these strings, the longest that fits; a space in them may be missing.

    Without any string it matches nowhere.
    """
    ordered = sorted(keys, key=len, reverse=True)
    if not ordered:
        return "(?!)"
    return "(?:" + "|".join(re.escape(key).replace(r"\ ", f"{SPACE}?") for key in ordered) + ")"


def without_spaces(text: str) -> str:
    """Return a key without the spaces that `one_of` lets be missing."""
    return re.sub(SPACE, "", text)
