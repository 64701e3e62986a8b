"""Check and clean characters: refuse those that no text contains, and give each one spelling."""

from __future__ import annotations

import re
import unicodedata

from service.errors import EmptyTextError, InvalidTextError
from service.text.offset_mapping import TracedText

# Control characters except tab and line breaks, surrogates, and noncharacters: 32 in the Arabic
# presentation forms and the last two of each plane.
_FORBIDDEN = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufdd0-\\ufdef"
    + "".join(chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(17))
    + "]"
)
_FORBIDDEN_KINDS = {"Cc": "control character", "Cs": "lone surrogate", "Cn": "noncharacter"}

_ZERO_WIDTH_JOINERS = frozenset("\u200c\u200d")

# Compatibility forms of letters, digits and marks: full-width, mathematical, circled, ligatures,
# squared units. Fractions and superscripts stay: espeak-ng reads `½` and `²`, and unfolding would
# turn `x²` into `x2`.
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

# Between ASCII digits a full-width comma separates numbers: 100，200. Full-width digits it groups.
_COMMA_OF_LIST = re.compile("(?<=[0-9])，(?=[0-9])")
_LINE_BREAK = re.compile(r"\r\n?")
_SEPARATORS = {0x2028: "\n", 0x2029: "\n\n"}


# Categories of characters that carry meaning. A reader may skip all others without loss. A
# private-use character may carry meaning too.
_MEANINGFUL = ("Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No", "Sc", "Co")


def is_meaningful(character: str) -> bool:
    """Tell whether a reader must not skip a character: a letter, number or currency sign."""
    return unicodedata.category(character) in _MEANINGFUL


def check_text(text: str) -> None:
    """Refuse text that is empty or contains characters that no text contains.

    Raises EmptyTextError if there is nothing but white space and invisible characters. Raises
    InvalidTextError, with the position (the first character is number 1), for control characters
    other than tab and line breaks, for lone surrogates and for noncharacters.
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
    """Return the text in composed form, with one spelling for each letter, digit, break and space.

    Invisible formatting is removed: byte order marks, zero-width characters, bidirectional
    controls, soft hyphens. `keep_joiners` keeps the zero-width joiner and non-joiner, which
    Devanagari needs. A joiner inside an emoji always stays.
    """
    text = text.sub(_LINE_BREAK, lambda match: "\n")
    if text.text.isascii():
        return text
    text = text.sub(_COMMA_OF_LIST, lambda match: ", ")
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
    """Tell whether the last character is a symbol, a skin tone, or the emoji variation selector."""
    return unicodedata.category(character[-1]) in ("So", "Sk") or character == "\ufe0f"


def _unfold(character: str) -> str:
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Nd":
        # Every voice reads ASCII digits. Only the Hindi voice reads other digits, and only
        # Devanagari's.
        return str(unicodedata.decimal(character))
    form = unicodedata.decomposition(character).partition(" ")[0]
    # Spacing accents (Sk) would unfold to a space and a combining mark, which no voice reads.
    if form not in _UNFOLDED_FORMS or category == "Sk":
        return character
    unfolded = unicodedata.normalize("NFKC", character)
    # Spaces keep ①② two numbers.
    return f" {unfolded} " if form == "<circle>" else unfolded
