"""Split words into subwords and signs: `eBay`, `and/or`, `don't`."""

from __future__ import annotations

import re
import unicodedata

APOSTROPHES = "'‘’"

# One letter for each class of characters: U capital, l small letter, o other letter; all other
# characters stand for themselves.
_KINDS = {"Lu": "U", "Ll": "l", "Lt": "o", "Lm": "o", "Lo": "o"}
_SUBWORD = re.compile(
    """
    ^'+ | '{2,} | '+$                  # quotes; one that stands alone inside is passed over
    | U(?=Ul)                          # X|Ray
    | [Ulo]*? (?:'[Ulo])*? l (?=U)     # camel|Case
    | [Ulo]+ (?:'[Ulo])*               # word, don't
    | -+
    | x
    """,
    re.VERBOSE,
)


def cut(text: str) -> list[str]:
    """Return the subwords and signs of a word, in order. The word has no digits 0 to 9."""
    shape = "".join(map(_shape, text))
    return [text[match.start() : match.end()] for match in _SUBWORD.finditer(shape)]


def _shape(character: str) -> str:
    if character in APOSTROPHES:
        return "'"
    if character in "-_":
        return "-"
    return _KINDS.get(unicodedata.category(character), "x")
