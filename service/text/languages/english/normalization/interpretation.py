"""Write text of a known kind as words."""

from __future__ import annotations

import re
from collections.abc import Callable

from service.text.languages.english.normalization import clock, dates, money, telephones, units
from service.text.languages.english.normalization.numbers import Numbers
from service.text.markup.passages import Interpretation
from service.text.normalization.rules import write_whole

_CARDINAL = re.compile(r"(?P<sign>[-+−]?)(?P<number>[0-9]+(?:[, ][0-9]{3})*(?:\.[0-9]+)?|\.[0-9]+)")
_ORDINAL = re.compile(r"(?P<number>[0-9]+(?:,[0-9]{3})*)(?:st|nd|rd|th)?", re.IGNORECASE)
_DATE_PART = re.compile(r"[0-9]+")
_NUMERIC_DATE = re.compile(r"[0-9]{1,4}(?:[-/. ][0-9]{1,4}){0,2}|[0-9]{8}")
_TIME = re.compile(
    r"(?P<hour>[0-9]{1,2})(?:[:.h](?P<minute>[0-5][0-9])(?:[:.](?P<second>[0-5][0-9]))?)?"
    r"(?:\s?(?P<half>[ap])\.?m?\.?)?",
    re.IGNORECASE,
)
_TELEPHONE = re.compile(r"\+?[0-9() ./-]*[0-9][0-9() ./-]*")
_AMOUNT = re.compile(
    r"(?:(?P<before>[^\w\s.,+-]|[A-Z]{1,3}[$¥]?)\s?)?(?P<amount>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)"
    r"(?:\s?(?P<after>[^\w\s.,+-]|[A-Z]{3}))?"
)
_ORDERS = frozenset({"mdy", "dmy", "ymd", "ydm", "md", "dm", "ym", "my"})
_SIGN_WORDS = {"-": "minus ", "−": "minus ", "+": "plus ", "": ""}
_CHARACTERS = {
    " ": "space",
    "-": "dash",
    ".": "dot",
    ",": "comma",
    "_": "underscore",
    "/": "slash",
    "\\": "backslash",
    "@": "at",
    "#": "hash",
    "&": "and",
    "+": "plus",
    "=": "equals",
    "*": "asterisk",
    "%": "percent",
    "$": "dollar",
    "!": "exclamation mark",
    "?": "question mark",
    ":": "colon",
    ";": "semicolon",
    "'": "apostrophe",
    "’": "apostrophe",
    '"': "quote",
    "(": "open parenthesis",
    ")": "close parenthesis",
}


def interpret(
    text: str, interpretation: Interpretation, detail: str, *, british: bool
) -> str | None:
    """Return the words for a text of a known kind, None if it is not of that kind.

    Args:
        text: any text.
        interpretation: its kind.
        detail: for a date the order of its parts, made of `m`, `d` and `y`; other kinds ignore it.
        british: whether to write British English.
    """
    read = _READERS[interpretation]
    return read(Numbers(british=british), text.strip(), detail.strip().lower())


def _cardinal(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _CARDINAL.fullmatch(text)
    if match is None:
        return None
    number = match["number"]
    words = numbers.decimal(number) if number[0] != "." else f"point {numbers.spelled(number[1:])}"
    return _SIGN_WORDS[match["sign"]] + words


def _ordinal(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _ORDINAL.fullmatch(text)
    return None if match is None else numbers.ordinal(match["number"])


def _digits(numbers: Numbers, text: str, detail: str) -> str | None:
    digits = re.sub(r"[\s,.-]", "", text)
    return numbers.spelled(digits) if digits.isascii() and digits.isdigit() else None


def _characters(numbers: Numbers, text: str, detail: str) -> str | None:
    words = [_character(numbers, character) for character in text]
    return " ".join(words) or None


def _character(numbers: Numbers, character: str) -> str:
    if character.isascii() and character.isdigit():
        return numbers.spelled(character)
    return _CHARACTERS.get(character, character.upper())


def _date(numbers: Numbers, text: str, detail: str) -> str | None:
    if detail in ("y", "d", "m") and text.isascii() and text.isdigit():
        if detail == "m":
            return dates.say(numbers, "", text, "")
        return numbers.year(text) if detail == "y" else numbers.ordinal(text)
    if _NUMERIC_DATE.fullmatch(text) is None:
        return write_whole(text, dates.rules(numbers))
    if detail not in _ORDERS:
        return write_whole(text, dates.rules(numbers))
    parts = _DATE_PART.findall(text)
    if len(parts) == 1 and len(text) == 8 and len(detail) == 3:
        lengths = [4 if letter == "y" else 2 for letter in detail]
        parts = [text[sum(lengths[:i]) : sum(lengths[: i + 1])] for i in range(3)]
    if len(parts) == len(detail) - 1:
        detail = detail.replace("y", "")
    if len(parts) != len(detail):
        return None
    values = dict(zip(detail, parts, strict=True))
    if len(values.get("y", "2000")) not in (2, 4) or max(len(values.get(n, "")) for n in "md") > 2:
        return None
    return dates.say(numbers, values.get("y", ""), values["m"], values.get("d", ""))


def _time(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    half = f"{match['half'].lower()}.m." if match["half"] else ""
    return clock.say(numbers, match["hour"], match["minute"] or "00", match["second"], half=half)


def _telephone(numbers: Numbers, text: str, detail: str) -> str | None:
    if _TELEPHONE.fullmatch(text) is None:
        return None
    return ("plus " if text.startswith("+") else "") + telephones.say(numbers, text)


def _currency(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return write_whole(text, money.rules(numbers))
    name = match["before"] or match["after"] or detail.upper()
    currency = money.find_currency(name)
    return None if currency is None else money.say(numbers, match["amount"], currency)


def _unit(numbers: Numbers, text: str, detail: str) -> str | None:
    return write_whole(text, units.rules(numbers))


_READERS: dict[Interpretation, Callable[[Numbers, str, str], str | None]] = {
    "cardinal": _cardinal,
    "ordinal": _ordinal,
    "digits": _digits,
    "characters": _characters,
    "date": _date,
    "time": _time,
    "telephone": _telephone,
    "currency": _currency,
    "unit": _unit,
}
