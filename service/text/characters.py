"""Characters before they are text: refuse what no text holds, unify what looks different."""

from __future__ import annotations

import re
import unicodedata

from service.errors import EmptyTextError, InvalidTextError

_ALLOWED_CONTROLS = frozenset("\n\t\r")
_FORBIDDEN_CATEGORIES = {"Cc": "control character", "Cs": "lone surrogate"}

_ZERO_WIDTH_JOINERS = frozenset("\u200c\u200d")

# Compatibility forms of letters, digits and marks: full-width, mathematical, circled, ligatures,
# squared units. Fractions and superscripts are left: espeak-ng reads `½` and `²`, and unfolding
# would turn `x²` into `x2`.
_UNFOLDED_FORMS = frozenset(
    {
        "<circle>",
        "<compat>",
        "<final>",
        "<font>",
        "<initial>",
        "<isolated>",
        "<medial>",
        "<narrow>",
        "<square>",
        "<wide>",
    }
)

_LINE_BREAK = re.compile(r"\r\n?|\u2028")
_PARAGRAPH_BREAK = "\u2029"


def check_text(text: str) -> None:
    """Refuse text that is empty or holds what no text holds.

    Raises EmptyTextError for nothing but white space and invisible characters; InvalidTextError,
    with the position (the first character is number 1), for control characters other than tab
    and line breaks, lone surrogates and noncharacters.
    """
    for position, character in enumerate(text, start=1):
        kind = _forbidden_kind(character)
        if kind is not None:
            raise InvalidTextError(
                f"{kind} U+{ord(character):04X} at position {position} of the text"
            )
    if all(character.isspace() or unicodedata.category(character) == "Cf" for character in text):
        raise EmptyTextError("the text is empty")


def clean_text(text: str, *, keep_joiners: bool = False) -> str:
    """Return the text composed, with one spelling for each letter, digit, break and space.

    Invisible formatting goes: byte order mark, zero-width, bidirectional controls, soft hyphens.
    `keep_joiners` keeps the zero-width joiner and non-joiner, which Devanagari spells with; a
    joiner inside an emoji stays in any case.
    """
    text = _LINE_BREAK.sub("\n", text).replace(_PARAGRAPH_BREAK, "\n\n")
    text = unicodedata.normalize("NFC", text)
    kept: list[str] = []
    for character in text:
        if unicodedata.category(character) == "Cf":
            inside_emoji = bool(kept) and _ends_emoji(kept[-1])
            if character in _ZERO_WIDTH_JOINERS and (keep_joiners or inside_emoji):
                kept.append(character)
        else:
            kept.append(_unfold(character))
    return unicodedata.normalize("NFC", "".join(kept))


def _forbidden_kind(character: str) -> str | None:
    if character in _ALLOWED_CONTROLS:
        return None
    # The last two of each plane, and 32 in the Arabic presentation forms.
    if ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF:
        return "noncharacter"
    return _FORBIDDEN_CATEGORIES.get(unicodedata.category(character))


def _ends_emoji(character: str) -> bool:
    """Tell whether it is a symbol, a skin tone, or the selector of a symbol's coloured form."""
    return unicodedata.category(character[-1]) in ("So", "Sk") or character == "\ufe0f"


def _unfold(character: str) -> str:
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Nd":
        # Every voice reads ASCII digits; only the Hindi one reads others, and only its own.
        return str(unicodedata.decimal(character))
    form = unicodedata.decomposition(character).partition(" ")[0]
    # Spacing accents (Sk) unfold to a space and a combining mark, which helps nobody.
    if form not in _UNFOLDED_FORMS or category == "Sk":
        return character
    unfolded = unicodedata.normalize("NFKC", character)
    # A circle keeps ①② two numbers, as a space does.
    return f" {unfolded} " if form == "<circle>" else unfolded
