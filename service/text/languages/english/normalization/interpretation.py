"""Write text of a known kind as words."""

from __future__ import annotations

import re
from collections.abc import Callable

from service.text.languages.english.normalization import (
    clock,
    dates,
    fractions,
    lengths_of_time,
    money,
    telephones,
    units,
)
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
_FRACTION = re.compile(
    r"(?P<sign>[-+−]?)(?:(?P<whole>[0-9]{1,9})(?:[ +]| and ))?"
    r"(?P<above>[0-9]{1,6})[/⁄](?P<below>[0-9]{1,6})"
)
_LENGTH = re.compile(
    r"(?P<first>[0-9]{1,6}):(?P<second>[0-9]{1,2})(?::(?P<third>[0-9]{1,2}))?"
    r"|(?P<minute>[0-9]{1,4})['’′](?:(?P<rest>[0-9]{1,2})(?:\"|”|″|''))?"
)
_LENGTH_UNITS = {"h": "hour", "m": "minute", "s": "second"}
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
    if "?" in text and "y" in detail:  # Polly's way to leave out the year
        text, detail = text.replace("?", "").strip("-/."), detail.replace("y", "")
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
    if len(parts) == 1 and len(text) == 4 and sorted(detail) == ["d", "m"]:
        parts = [text[:2], text[2:]]
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
        return _duration(numbers, text, "")
    half = f"{match['half'].lower()}.m." if match["half"] else ""
    return clock.say(numbers, match["hour"], match["minute"] or "00", match["second"], half=half)


def _duration(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _LENGTH.fullmatch(text)
    if match is None:
        return write_whole(text, lengths_of_time.rules(numbers))
    values = [match["minute"], match["rest"]]
    units = "ms"
    if match["first"]:
        values = [match["first"], match["second"], match["third"]]
        units = detail.rstrip("124") or ("hms" if match["third"] else "hm")
    parts = [
        f"{numbers.cardinal(str(int(value)))} {_LENGTH_UNITS[unit]}{'' if int(value) == 1 else 's'}"
        for unit, value in zip(units, filter(None, values), strict=False)
        if int(value)
    ]
    return " ".join(parts) or f"zero {_LENGTH_UNITS[units[-1]]}s"


def _fraction(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _FRACTION.fullmatch(text)
    if match is None or not int(match["below"]):
        return write_whole(text, fractions.rules(numbers))
    said = fractions.say(numbers, match["above"], match["below"])
    if match["whole"]:
        article = "a" if match["above"] == "1" else ""
        said = said.removeprefix("one ") if article else said
        said = f"{numbers.cardinal(match['whole'])} and {article} {said}".replace("  ", " ")
    return _SIGN_WORDS[match["sign"]] + said


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
    "fraction": _fraction,
    "duration": _duration,
}
