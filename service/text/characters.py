"""Check and clean characters: find those that nobody reads, and give each other one spelling."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from service.errors import EmptyTextError, InvalidTextError
from service.text.offset_mapping import TracedText

# Control characters except tab and line breaks, surrogates, and noncharacters: 32 in the Arabic
# presentation forms and the last two of each plane.
_FORBIDDEN_CHARACTERS = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef" + "".join(
    chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(17)
)
_FORBIDDEN = re.compile(f"[{_FORBIDDEN_CHARACTERS}]")
_FORBIDDEN_KINDS = {"Cc": "control character", "Cs": "lone surrogate", "Cn": "noncharacter"}

REPLACEMENT = "\ufffd"
"""Stands for a character that no text contains. Nobody reads it either."""

_SURROGATE = re.compile("[\ud800-\udfff]")

# Vertical tabs, form feeds and NEL end a line or a page.
_LINE_ENDS = re.compile("[\x0b\x0c\x85]")

# Icons, bullets of word processors and ligatures of PDF files, and the marks around a citation of
# an assistant, `\ue200cite\ue202turn0search1\ue201`, whose words are for programs.
_PRIVATE_CHARACTERS = "\ue000-\uf8ff\U000f0000-\U0010ffff"
_SILENT = re.compile(
    r"\ue200[a-z_]+(?:\ue202[^\s\ue200-\ue202]*)+\ue201"
    rf"|[{_FORBIDDEN_CHARACTERS}{_PRIVATE_CHARACTERS}{REPLACEMENT}]+"
)
SENTENCE_ENDS = ".!?…。！？।॥؟۔‽"
"""Marks that end a sentence, in any language."""
PAUSING = f"{SENTENCE_ENDS}:;,—：；，、،؛"
"""Marks at which every voice pauses."""
CLOSING = "\"'”’»›)]}」』】》〉）〕"
"""Quotes and brackets that may close behind a mark. The straight quotes, which may open too, come
first."""

WRAPPED_LINE = range(55, 121)
"""Lengths in characters of a line that is wrapped at a column: long, but not very long. A line
break behind it means nothing. Behind a shorter one, such as a title, an item or a verse, it ends a
sentence."""

_DASH = "— "
"""Stands for them at the start of a line, where it is never said."""

_ZERO_WIDTH_JOINERS = frozenset("\u200c\u200d")

# Nothing is seen of what has Unicode's property Default_Ignorable_Code_Point: fillers of scripts,
# joiners, selectors, tags. Of those in DerivedCoreProperties.txt, versions 14 to 16 assign these.
_IGNORABLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
_EMOJI_SELECTORS = frozenset("\ufe0e\ufe0f")

# Braille without a dot. Its category says that it is a symbol, but it is a space.
_EMPTY_BRAILLE = "\u2800"

# Accents for letters of any script. Those that enclose a sign, as in a keycap, are not among them.
_ACCENT = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\ufe20-\ufe2f]"
)

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

# They have names of their own, which are shorter than those of their parts.
_NAMED_WHOLE = "∬∭⨌"

# Characters of `㌖` (kilometre) and `㎯`. Longer are two Arabic phrases, which no language here
# reads: letter by letter, `ﷺ` would take 12 s.
_LONGEST_UNFOLDED = 6

# Between ASCII digits a full-width comma separates numbers: 100，200. Full-width digits it groups.
_COMMA_OF_LIST = re.compile("(?<=[0-9])，(?=[0-9])")
_LINE_BREAK = re.compile(r"\r\n?")
_SPELLINGS = {0x2028: "\n", 0x2029: "\n\n", ord(_EMPTY_BRAILLE): " "}


# What becomes many characters as words, and how many at most: `9` is `quatre-vingt-dix-neuf` in
# `99`, `_` an underscore, `≥` a comparison. Measured over all characters, in every language.
_GROWING = (
    (re.compile(r"[\d\uff00-\uffef]"), 12),
    (re.compile(r"[#$%&*+/<=>@\\^_`|~]"), 16),
    (
        re.compile(
            "[\xa2-\xbf×÷\u2030-\u2bff\u3200-\u33ff\ufb00-\ufdff\ufe70-\ufeff\U0001d000-\U0001ffff]"
        ),
        64,
    ),
)


# Categories of characters that carry meaning. A reader may skip all others without loss. A
# private-use character may carry meaning too.
_MEANINGFUL = ("Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No", "Sc", "Co")


def is_meaningful(character: str) -> bool:
    """Tell whether a reader must not skip a character: a letter, number or currency sign."""
    return unicodedata.category(character) in _MEANINGFUL


def is_silent(character: str) -> bool:
    """Tell whether nobody reads a character, in any language: of private use, or unassigned."""
    return _SILENT.match(character) is not None or unicodedata.category(character) == "Cn"


def is_phrase(character: str) -> bool:
    """Tell whether a character stands for several words, of a script that no language here has."""
    return len(unicodedata.normalize("NFKC", character)) > _LONGEST_UNFOLDED


def check_text(text: str) -> None:
    """Refuse text that is empty or contains characters that no text contains.

    Raises EmptyTextError as `check_visible` does. Raises InvalidTextError, with the position (the
    first character is number 1), for control characters other than tab and line breaks, for lone
    surrogates and for noncharacters.
    """
    match = _FORBIDDEN.search(text)
    if match is not None:
        kind = _FORBIDDEN_KINDS[unicodedata.category(match[0])]
        raise InvalidTextError(
            f"{kind} U+{ord(match[0]):04X} at position {match.start() + 1} of the text"
        )
    check_visible(text)


def check_visible(text: str) -> None:
    """Raise EmptyTextError if there is nothing but white space and invisible characters."""
    if is_blank(text):
        raise EmptyTextError("the text is empty")


def is_blank(text: str) -> bool:
    """Tell whether a text is nothing but white space and invisible characters."""
    return all(
        character.isspace() or character == _EMPTY_BRAILLE or _is_invisible(character)
        for character in text
    )


def replaced(text: str) -> str:
    """Return the text, of the same length, without characters that no text contains.

    Those that end a line or a page become line feeds, all others become `REPLACEMENT`.
    """
    if _FORBIDDEN.search(text) is None:
        return text
    return _FORBIDDEN.sub(REPLACEMENT, _LINE_ENDS.sub("\n", text))


def encodable(text: str) -> str:
    """Return the text, of the same length, with `REPLACEMENT` in place of lone surrogates."""
    return _SURROGATE.sub(REPLACEMENT, text)


def silenced(
    text: TracedText, fixed: Sequence[tuple[int, int]] = ()
) -> tuple[TracedText, list[tuple[int, int]]]:
    """Return the text with a break in place of characters that nobody reads in any language.

    Args:
        text: any text.
        fixed: spans of the caller's text that must not change.

    Returns:
        The text, and the spans of the caller's text where they were.
    """
    if _SILENT.search(text.text) is None:
        return text, []
    kept = [text.within(start, end) for start, end in fixed]
    found: list[tuple[int, int]] = []

    def write(match: re.Match[str]) -> str | TracedText:
        start, end = match.span()
        if any(first < end and start < last for first, last in kept):
            return text[start:end]
        found.append(text[start:end].span)
        before = match.string[match.string.rfind("\n", 0, start) + 1 : start]
        return " " if before and not before.isspace() else _DASH

    return text.sub(_SILENT, write), found


def longest_in_words(text: str) -> int:
    """Return how many characters a text has in words, estimated from above."""
    return len(text) + sum(
        (n - 1) * sum(1 for _ in growing.finditer(text)) for growing, n in _GROWING
    )


def clean_text(text: TracedText, *, keep_joiners: bool = False) -> TracedText:
    """Return the text in composed form, with one spelling for each letter, digit, break and space.

    What is invisible is removed: byte order marks, zero-width characters, bidirectional controls,
    soft hyphens, fillers, selectors. So are accents without a letter. `keep_joiners` keeps the
    zero-width joiner and non-joiner, which Devanagari needs. A joiner inside an emoji always stays,
    and so does a selector behind a sign.
    """
    text = text.sub(_LINE_BREAK, lambda match: "\n")
    if text.text.isascii():
        return text
    text = text.sub(_COMMA_OF_LIST, lambda match: ", ")
    text = text.translate(_SPELLINGS).composed()
    spelled: list[str] = []
    last = ""
    for character in text.text:
        spelled.append(_spelled(character, last, keep_joiners=keep_joiners))
        last = spelled[-1] or last
    return text.respelled(spelled).composed()


def _spelled(character: str, last: str, *, keep_joiners: bool) -> str:
    """Return the spelling of a character behind what is spelled so far, or its last part."""
    if character.isascii():
        return character
    if _is_invisible(character):
        if character in _ZERO_WIDTH_JOINERS:
            kept = keep_joiners or (last != "" and _ends_emoji(last))
        else:
            kept = character in _EMOJI_SELECTORS and last != "" and not _ends_word(last)
        return character if kept else ""
    if _ACCENT.match(character) and not _bears_accent(last):
        return ""
    return _unfold(character)


def _is_invisible(character: str) -> bool:
    """Tell whether nothing is seen of a character, not even a space."""
    return _IGNORABLE.match(character) is not None or unicodedata.category(character) == "Cf"


def _ends_word(text: str) -> bool:
    """Tell whether a letter or white space is last."""
    return text[-1].isalpha() or text[-1].isspace()


def _bears_accent(text: str) -> bool:
    """Tell whether an accent may follow: behind a letter, number, symbol or another accent."""
    return text != "" and unicodedata.category(text[-1])[0] in "LNSM"


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
    if is_phrase(character) or character in _NAMED_WHOLE:
        return character
    unfolded = unicodedata.normalize("NFKC", character)
    # Spaces keep ①② two numbers.
    return f" {unfolded} " if form == "<circle>" else unfolded
