"""Characters before they are text: refuse what no text holds, unify what looks different."""

from __future__ import annotations

import re
import unicodedata

from service.errors import EmptyTextError, InvalidTextError
from service.text.offset_mapping import TracedText

# Control characters but tab and line breaks, surrogates, and noncharacters: 32 in the Arabic
# presentation forms and the last two of each plane.
_FORBIDDEN = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufdd0-\\ufdef"
    + "".join(chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(17))
    + "]"
)
_FORBIDDEN_KINDS = {"Cc": "control character", "Cs": "lone surrogate", "Cn": "noncharacter"}

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

_LINE_BREAK = re.compile(r"\r\n?")
_SEPARATORS = {0x2028: "\n", 0x2029: "\n\n"}


# The marks and signs that a reader may pass over mean nothing that is said; these do. A
# private-use character may.
_MEANINGFUL = ("Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No", "Sc", "Co")


def is_meaningful(character: str) -> bool:
    """Tell whether a character must not be passed over: letter, number or sign of a currency."""
    return unicodedata.category(character) in _MEANINGFUL


def check_text(text: str) -> None:
    """Refuse text that is empty or holds what no text holds.

    Raises EmptyTextError for nothing but white space and invisible characters; InvalidTextError,
    with the position (the first character is number 1), for control characters other than tab
    and line breaks, lone surrogates and noncharacters.
    """
    match = _FORBIDDEN.search(text)
    if match is not None:
        kind = _FORBIDDEN_KINDS[unicodedata.category(match[0])]
        raise InvalidTextError(
            f"{kind} U+{ord(match[0]):04X} at position {match.start() + 1} of the text"
        )
    if all(character.isspace() or unicodedata.category(character) == "Cf" for character in text):
        raise EmptyTextError("the text is empty")


def clean_text(text: TracedText, *, keep_joiners: bool = False) -> TracedText:
    """Return the text composed, with one spelling for each letter, digit, break and space.

    Invisible formatting goes: byte order mark, zero-width, bidirectional controls, soft hyphens.
    `keep_joiners` keeps the zero-width joiner and non-joiner, which Devanagari spells with; a
    joiner inside an emoji stays in any case.
    """
    text = text.sub(_LINE_BREAK, lambda match: "\n")
    if text.text.isascii():
        return text
    text = text.translate(_SEPARATORS).composed()
    spelled: list[str] = []
    last = ""
    for character in text.text:
        if unicodedata.category(character) == "Cf":
            inside_emoji = last != "" and _ends_emoji(last)
            kept = character in _ZERO_WIDTH_JOINERS and (keep_joiners or inside_emoji)
            spelled.append(character if kept else "")
        else:
            spelled.append(_unfold(character))
        last = spelled[-1] or last
    return text.respelled(spelled).composed()


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
