"""Parts of patterns that several kinds of figures share."""

from __future__ import annotations

import re
from collections.abc import Iterable

DASH = "[-\u2010-\u2015\u2212]"
"""All characters for hyphens, dashes and minus signs."""

SPACE = "[ \u00a0\u202f]"
"""A space inside a figure, breaking or non-breaking."""

# Devanagari vowel signs belong to words, but `\w` does not match them.
_INSIDE_WORD = r"\w\u0900-\u0963"

WORD_BEFORE = f"(?<![{_INSIDE_WORD}])"
WORD_AFTER = f"(?![{_INSIDE_WORD}])"

LETTER_BEFORE = r"(?<![^\W\d]|[\u0900-\u0963])"
"""Not directly after a letter; digits are allowed."""

FIGURE_BEFORE = f"(?<![{_INSIDE_WORD}.,:/])"
"""Not directly after a character that may belong to the same figure or word."""

FIGURE_AFTER = f"(?![{_INSIDE_WORD}]|[.,:/][0-9])"
"""Not directly before a character that may belong to the same figure or word."""

STOP = r"(?=[”\"’')»]{0,3}(?:\s{0,9}\Z|[ \t]{0,9}\n|\s{1,9}[¿¡“\"«(]{0,2}[A-ZÀ-ÖØ-Þ]))"
"""The context after a dot that ends a sentence."""

LAST_DOT = rf"(?:\.(?!{STOP}))?"
"""The dot of an abbreviation, unless it is the full stop too."""


def one_of(keys: Iterable[str]) -> str:
    """Return a pattern for these strings, longest first. Spaces in them are optional.

    Without strings it never matches.
    """
    ordered = sorted(keys, key=len, reverse=True)
    if not ordered:
        return "(?!)"
    return "(?:" + "|".join(re.escape(key).replace(r"\ ", f"{SPACE}?") for key in ordered) + ")"


def without_spaces(text: str) -> str:
    """Return a key without the spaces that `one_of` makes optional."""
    return re.sub(SPACE, "", text)
