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
_NUMERIC_DATE = re.compile(r"[0-9]{1,4}(?:[-/. ][0-9]{1,4}){0,2}")
_TIME = re.compile(
    r"(?P<hour>[0-9]{1,2})(?:[:.h](?P<minute>[0-5][0-9])(?:[:.](?P<second>[0-5][0-9]))?)?"
    r"(?:\s?(?P<half>[ap])\.?m?\.?)?",
    re.IGNORECASE,
)
_TELEPHONE = re.compile(
    r"(?P<number>\+?[0-9() ./-]*[0-9][0-9() ./-]*)"
    r"(?: x(?P<inner>[0-9]+))?"
)
_AMOUNT = re.compile(
    r"(?:(?P<before>[^\w\s.,+-]|[A-Z]{1,3}[$¥]?)\s?)?(?P<amount>[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)"
    r"(?:\s?(?P<after>[^\w\s.,+-]|[A-Z]{3}))?"
)
_FRACTION = re.compile(
    r"(?P<sign>[-+−]?)(?:(?P<whole>[0-9]{1,9})(?:[ +]| and ))?"
    r"(?P<above>[0-9]{1,6})[/⁄](?P<below>[0-9]{1,6})"
)
_LENGTH = re.compile(r"(?:(?:^| )[0-9]{1,6} (?:h|min|s)){1,3}")
_LENGTH_UNITS = {"h": "hour", "min": "minute", "s": "second"}
_ROADS: dict[str, str] = dict(
    re.findall(
        r"(\w+)=(\w+)",
        "st=Street ave=Avenue av=Avenue rd=Road blvd=Boulevard dr=Drive ln=Lane ct=Court pl=Place "
        "sq=Square hwy=Highway ter=Terrace cres=Crescent cir=Circle pkwy=Parkway rte=Route "
        "expy=Expressway trl=Trail tpke=Turnpike aly=Alley xing=Crossing",
    )
)
_ROOMS = {"apt": "Apartment", "ste": "Suite", "bldg": "Building", "fl": "Floor", "rm": "Room"}
_SIDES = {"n": "North", "s": "South", "e": "East", "w": "West"}
_SIDE = r"(?P<side>[NS]\.?(?:[EW]\.?)?|[EW]\.?)"
_ADDRESS_SIDE = re.compile(rf"(?:(?<=[0-9])|(?<![\w'’.#])){_SIDE}(?![\w'’])")
_ADDRESS_WORD = re.compile(r"(?<=[\w.,] )(?P<word>[A-Za-z]{2,4})\.?(?![\w'’])")
_NO_NAME_BEFORE = re.compile(r"(?:\A|,|[0-9][A-Za-z]?|\b(?:North|South|East|West)) \Z")
_ROOM_BEFORE = re.compile(
    r"\b(?:Apt|Apartment|Unit|Ste|Suite|Room|Rm|Floor|Building|Bldg)\.? \Z", re.I
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
    parts = _DATE_PART.findall(text)
    if not detail and len(parts) == 2 and max(map(len, parts)) <= 2:
        is_day_first = numbers.british if max(map(int, parts)) <= 12 else int(parts[0]) > 12
        detail = "dm" if is_day_first else "md"
    if _NUMERIC_DATE.fullmatch(text) is None:
        return write_whole(text, dates.rules(numbers))
    if detail not in _ORDERS:
        return write_whole(text, dates.rules(numbers))
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
    if _LENGTH.fullmatch(text) is None:
        return write_whole(text, lengths_of_time.rules(numbers))
    words = text.split()
    return " ".join(
        f"{numbers.cardinal(value)} {_LENGTH_UNITS[unit]}{'' if value == '1' else 's'}"
        for value, unit in zip(words[::2], words[1::2], strict=True)
    )


def _fraction(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _FRACTION.fullmatch(text)
    if match is None or not int(match["below"]):
        return write_whole(text, fractions.rules(numbers))
    said = fractions.say(numbers, match["above"], match["below"], is_certain=True)
    if match["whole"]:
        article = "a" if match["above"] == "1" else ""
        said = said.removeprefix("one ") if article else said
        said = f"{numbers.cardinal(match['whole'])} and {article} {said}".replace("  ", " ")
    return _SIGN_WORDS[match["sign"]] + said


def _telephone(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _TELEPHONE.fullmatch(text)
    if match is None:
        return None
    said = ("plus " if text.startswith("+") else "") + telephones.say(numbers, match["number"])
    return f"{said}, extension {numbers.spelled(match['inner'])}" if match["inner"] else said


def _currency(numbers: Numbers, text: str, detail: str) -> str | None:
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return write_whole(text, money.rules(numbers))
    name = match["before"] or match["after"] or detail.upper()
    currency = money.find_currency(name)
    return None if currency is None else money.say(numbers, match["amount"], currency)


def _unit(numbers: Numbers, text: str, detail: str) -> str | None:
    return write_whole(text, units.rules(numbers))


def _address(numbers: Numbers, text: str, detail: str) -> str | None:
    """Return an address with its short words in full, which is read on."""

    def side(match: re.Match[str]) -> str:
        if _ROOM_BEFORE.search(match.string[: match.start()]):
            return match[0]
        letters = match["side"].replace(".", "").lower()
        words = " ".join(_SIDES[letter] for letter in letters)
        return f" {words}" if match.string[match.start() - 1 : match.start()].isdigit() else words

    def word(match: re.Match[str]) -> str:
        short = match["word"].lower()
        if short in _ROADS and not _NO_NAME_BEFORE.search(match.string[: match.start()]):
            return _ROADS[short]
        return _ROOMS.get(short, match[0])

    return _ADDRESS_WORD.sub(word, _ADDRESS_SIDE.sub(side, text))


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
    "address": _address,
}
