"""Scripts, as character sets for regular expressions."""

from __future__ import annotations

import re

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
HAN += "\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, for the inside of `[...]`."""
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
"""Hiragana and katakana."""
LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
"""Latin letters."""

FIRST_IDEOGRAPHIC = "\u2e80"
"""The first character of the scripts that have no spaces between words, and of their marks."""

_SOLID = re.compile(f"[{HAN}{KANA}]")


def joins_letters(character: str) -> bool:
    """Tell whether a character forms one word with a letter next to it."""
    if character < "\u0300":
        return character.isalnum()
    is_vowel = "\u0900" <= character <= "\u0963"  # Devanagari's
    return is_vowel or (character < FIRST_IDEOGRAPHIC and character.isalnum())


def is_ideographic(character: str) -> bool:
    """Tell whether a character belongs to a script without spaces."""
    return character >= FIRST_IDEOGRAPHIC and character.isalnum()


def is_written_solid(text: str, position: int) -> bool:
    """Tell whether words may touch here, because a neighbour is of a script without spaces.

    Args:
        text: any text.
        position: where the second word starts.
    """
    return _SOLID.search(text[max(position - 1, 0) : position + 1]) is not None
