"""Tidy the text of a paragraph for reading aloud: what print has and speech has not."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

from service.books.book import Paragraph, ParagraphKind
from service.text.scripts import is_ideographic

# Soft hyphens, what keeps words together or lets them break without being seen, and what no text
# should have: control characters that are no spaces, halves of characters, noncharacters.
_INVISIBLE = dict.fromkeys([
    *map(ord, "\u00ad\u200b\u2060\ufeff\ufffe\uffff"),
    *range(0x09), *range(0x0E, 0x1C), 0x7F, *range(0xD800, 0xE000),
])  # fmt: skip
_SPACES = re.compile(r"[^\S\n]+")
_SPACED_ELLIPSIS = re.compile(r"\.(?:[ \u00a0\u2009\u202f]\.){2,}|\.{3,}")
_DOUBLE_HYPHEN = re.compile(r"(?<!-)--{1,2}(?!-)")
_OPENING_DASH = re.compile(r"^(?:[—―–]|-(?=[ \t]))\s*")
_BRACKETED_MARK = re.compile(r"(?<=[\w.,;:!?”’\"')])\s?\[(?:\d{1,3}|[*†‡§])\](?![(\w])")
_RAISED_MARK = re.compile(r"(?<=[\w.,;:!?”’\"')])(?:[†‡]+|[¹²³⁴⁵⁶⁷⁸⁹⁰]+)")
_RAISED_DIGITS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_REFERRING = re.compile(
    r"(?i:\b(?:refs?\.?|see|cf\.?|in|of|by|from|with|to|and|or|e\.g\.,?|eqs?\.?|references?|notes?))\Z"
)
_BASE_LENGTH = 40
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED_NUMBER = re.compile(r"[-+−–]?\d{1,3}(?:\s*,\s*\d{1,3}){0,8}")
_BASE = re.compile(r"(?:\([^()]{0,30}\)|\[[^\[\]]{0,30}\]|[\w.,]{0,30}\w)\Z")
_VOWEL = re.compile(r"[aeiouyàáâäèéêëìíîïòóôöùúûü]", re.I)
_LONG_WORD = re.compile(r"[^\W\d_]{3}")
_POWERED = frozenset({
    "mm", "cm", "dm", "km", "nm", "µm", "μm", "um", "in", "ft", "yd", "mi", "ms", "kg", "lb",
    "Hz", "kN", "sin", "cos", "tan", "sec", "csc", "cot", "log", "ln", "exp", "det", "мм", "см",
    "дм", "км", "кг", "min", "Pa", "rad",
})  # fmt: skip
"""What is raised to a power though it has several letters: units and functions."""
_BROKEN_WORD = re.compile(r"(?<!\w)(\w+)[-‐\u00ad]\n\s*(\w+)")
_LINE_WITHOUT_MARK = re.compile(r"(?<=[\w’”)])[ \t]*\n(?=[ \t]*[“‘\"'(]?[A-ZÀ-Þ0-9])")
_SCENE_BREAK = re.compile(r"\s*(?:[*•·⁂❦☙❧~#_=—–-]\s*){1,12}\Z")
_LONE_DASH = re.compile(r"\s*[-—–]\s*\Z")
_NOT_LETTERS = re.compile(r"[\W\d_]+")

_ROMAN = re.compile(r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_DIVISION = (
    "chapter|book|part|volume|act|scene|canto|section|stave|letter|appendix|"
    "chapitre|livre|partie|tome|acte|scène|kapitel|buch|teil|band|"
    "capítulo|capitulo|libro|parte|tomo|capitolo|livro|acto|ato"
)
_NUMBERED = re.compile(rf"(?i:\b({_DIVISION}))(\s+)([MDCLXVI]+)\b")
_CAPITAL_DIVISION = re.compile(rf"(?i:{_DIVISION})\s+\d+[.:]?\Z")
_DIVISION_OF_TWO_LINES = re.compile(rf"(?i:\b({_DIVISION}))[^\S\n]*\n\s*(?=[MDCLXVI\d]+\b)")
_MANY = re.compile(r"(?i:chapter|chapitre|kapitel|capítulo|capitolo|canto)\Z")
"""Divisions of which a book may have fifty or a hundred."""
_END_OF_NUMBER = re.compile(r"\s*(?:[.:,)—–-]|\n|\Z)")
_NUMBER_ALONE = re.compile(r"\A([MDCLXVI]+)(?=\Z|[.:)]|\s*[—–-]\s|\s*\n)")
_WORDS_IN_NUMERALS = frozenset({"MIX", "DIM", "CIVIC", "LIVID", "MILD", "VIM", "DI", "MI", "CD"})
_SMALL_WORDS = frozenset(
    {"a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "of", "on", "or", "the", "to"}
)


def is_scene_break(text: str) -> bool:
    """Tell whether a paragraph is a row of ornaments, such as `* * *`."""
    return bool(text.strip()) and bool(_SCENE_BREAK.match(text)) and not _LONE_DASH.match(text)


def _ignore(mark: str) -> None:
    """Do nothing about a mark of a note."""


def paragraph(
    text: str, kind: ParagraphKind = "text", note: Callable[[str], None] = _ignore
) -> Paragraph | None:
    """Return a tidied paragraph; None if it has no letter and no digit.

    Args:
        text: as it is printed. Its line breaks are those of the print, or of verse.
        kind: what it is. Ornaments become a `break`.
        note: called with each mark of a note that is taken out of what is returned.
    """
    if kind not in ("code", "table") and is_scene_break(text):
        return Paragraph("", "break")
    marks: list[str] = []
    tidied = tidy(text, kind, marks.append)
    if not any(map(str.isalnum, tidied)):
        return None
    for mark in marks:
        note(mark)
    return Paragraph(tidied, kind)


def is_note_mark(before: str, raised: str) -> bool:
    """Tell whether what is raised is the mark of a note, and no power as in `10⁶` and `m²`.

    Args:
        before: the end of the text before it.
        raised: digits, signs or symbols.
    """
    if not raised.strip("*†‡§¶ "):
        return True
    if not _RAISED_NUMBER.fullmatch(raised):
        return False
    base = _BASE.search(before)
    if base is None or "," in raised:
        return True
    word = base[0]
    if word[-1] in ")]":
        inside = word[:-1]
        return bool(_LONG_WORD.search(inside))
    number = word.replace(",", "").replace(".", "").replace("\u2009", "")
    if number.isdigit():
        is_year = len(word) == 4 and 1100 <= int(number) < 2200
        return is_year and raised.isdigit()
    unit = word.lstrip("0123456789.,")
    if is_ideographic(unit[-1]):
        return True
    is_product = len(unit) == 2 and (unit.isupper() or not _VOWEL.search(unit))
    return not (len(unit) == 1 or unit in _POWERED or is_product or "=" in before)


def tidy(text: str, kind: ParagraphKind = "text", note: Callable[[str], None] = _ignore) -> str:
    """Return the text without what is only for the eye; see docs/books.md.

    Invisible characters and the marks of footnotes go, `. . .` and `--` become the characters that
    they stand for, the dash that opens dialogue goes, and a line that ends without a mark before a
    capital letter gets a comma, in verse and in addresses. Headings are said as titles.
    """
    text = text.translate(_INVISIBLE).replace("\r\n", "\n").replace("\r", "\n")
    text = _SPACES.sub(" ", text).strip()
    if kind == "code":
        return text
    text = _SPACED_ELLIPSIS.sub("…", text)
    text = _DOUBLE_HYPHEN.sub("—", text)

    def without(match: re.Match[str]) -> str:
        mark = match[0]
        before = match.string[max(0, match.start() - _BASE_LENGTH) : match.start()]
        if mark[0].isspace() and _REFERRING.search(before):  # `as in [3]` has no other words
            return mark
        if mark[0] in _RAISED_DIGITS and not is_note_mark(before, mark.translate(_DIGITS)):
            return mark
        note(mark)
        return ""

    text = _RAISED_MARK.sub(without, _BRACKETED_MARK.sub(without, text))
    text = _OPENING_DASH.sub("", text)
    if kind == "heading":
        text = said_as_title(text)
    text = _LINE_WITHOUT_MARK.sub(",\n", text)
    lines = (line.strip() for line in text.split("\n"))
    return ("\n" if kind == "verse" else " ").join(line for line in lines if line)


def joined_lines(text: str, known: Container[str]) -> str:
    """Join words that were hyphenated at the ends of lines.

    Args:
        text: with the line breaks of the print.
        known: words of the book in lower case. `well-known` among them keeps its hyphen in
            `well-\\nknown`; what is not among them is joined.
    """

    def join(match: re.Match[str]) -> str:
        first, second = match.groups()
        whole, hyphened = f"{first}{second}".lower(), f"{first}-{second}".lower()
        is_compound = hyphened in known and whole not in known
        if is_compound or second[0].isupper() or first[-1].isdigit():
            return f"{first}-{second}"
        return first + second

    return _BROKEN_WORD.sub(join, text)


def said_as_title(heading: str) -> str:
    """Return a heading as it is said: `CHAPTER IV. THE STORM` as `Chapter 4. The Storm`."""
    heading = _DIVISION_OF_TWO_LINES.sub(r"\1 ", heading)
    heading = _NUMBERED.sub(_number_of_division, heading)
    heading = _NUMBER_ALONE.sub(_number_alone, heading)
    lines = heading.split("\n")
    return "\n".join(
        capitalized(line) if is_capitals(line) or _CAPITAL_DIVISION.match(line) else line
        for line in lines
    )


def is_capitals(text: str) -> bool:
    """Tell whether all letters are capitals, and more than four: `NATO` may be an abbreviation."""
    letters = _NOT_LETTERS.sub("", text)
    return len(letters) > 4 and letters.isupper()


def capitalized(text: str) -> str:
    """Return words in capitals as words of a title."""
    words = text.split(" ")
    befores = [".", *words]
    return " ".join(
        word.lower()
        if word.lower() in _SMALL_WORDS and before[-1:].isalnum()
        else _capitalized(word)
        for before, word in zip(befores, words, strict=False)
    )


def _capitalized(word: str) -> str:
    first = next((i for i, character in enumerate(word) if character.isalpha()), 0)
    return word[: first + 1] + word[first + 1 :].lower()


def roman(numeral: str) -> int | None:
    """Return the value of a Roman numeral in capitals, 1 to 3999; None if it is none."""
    if not numeral or not _ROMAN.fullmatch(numeral):
        return None
    values = [dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000), strict=True))[c] for c in numeral]
    following = [*values[1:], 0]
    return sum(-a if a < b else a for a, b in zip(values, following, strict=True))


def _number_of_division(match: re.Match[str]) -> str:
    number = roman(match[3])
    if match[3] in ("C", "D", "L", "M"):  # Appendix C, Part D
        is_number = _MANY.match(match[1]) and _END_OF_NUMBER.match(match.string, match.end())
        number = number if is_number else None
    return match[0] if number is None else f"{match[1]}{match[2]}{number}"


def _number_alone(match: re.Match[str]) -> str:
    number = roman(match[1])
    if number is None or number > 300 or match[1] in _WORDS_IN_NUMERALS:
        return match[0]
    return str(number)
