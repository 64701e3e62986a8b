"""Bring texts of known kinds, as SSML has them, into the forms that every language reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from service.text.markup.passages import Interpretation

_ROMAN_LETTERS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.ASCII)

_UNDIVIDED = re.compile(r"[0-9?]{4,8}")
_LARGEST = {"d": 31, "m": 12}  # of the parts of a date
_BETWEEN = re.compile(r"[-/. ]")
_LEADING_ZEROS = re.compile(r"(?<![0-9.,])0+(?=[0-9])")
_CLOCK = re.compile(
    r"(?P<hour>[0-9]{1,2}):?(?P<minute>[0-5][0-9])(?::?(?P<second>[0-5][0-9]))?\s?(?P<half>[aph?]?)",
    re.IGNORECASE,
)
"""A time without colons, or with VoiceXML's letters for halves of the day: `0515p`, `2230h`."""

_HALVES = {"a": " am", "p": " pm"}

_LENGTH = re.compile(
    r"(?:P?T)?(?=[0-9])(?:(?P<h>[0-9]{1,6}) ?(?:h|hours?|hrs?))? ?"
    r"(?:(?P<m>[0-9]{1,6}) ?(?:m|mins?|minutes?|['’′]))? ?"
    r"(?:(?P<s>[0-9]{1,6}) ?(?:s|secs?|seconds?|\"|”|″|''))?",
    re.IGNORECASE,
)
_COLONS = re.compile(r"(?P<first>[0-9]{1,6}):(?P<second>[0-9]{1,2})(?::(?P<third>[0-9]{1,2}))?")
_EXTENSION = re.compile(r"[ ,;]{0,2}(?:x|ext(?:ension)?)[. ]{0,2}(?P<inner>[0-9]{1,6})\Z", re.I)

_ONE_DECIMAL = re.compile(r"(\D{0,5}[0-9][0-9.,']*[.,][0-9])(\s?(?:[A-Z]{3}|[^\w\s.,]{1,2}))?")

_UNITS = {"h": "h", "m": "min", "s": "s"}

_AMOUNT_AND_UNIT = re.compile(
    r"(?P<amount>[-+−]?[0-9][0-9.,/ ]*)(?P<unit>(?![eE][-+0-9])[^\W\d_].*)"
)


def typed(text: str, interpretation: Interpretation, detail: str) -> tuple[str, str]:
    """Return a text and its detail in the usual form of its kind, or as they are.

    A date has signs between its parts, and lacks those that are unknown (`????0922`). A time has
    colons. A duration is `1 h 18 min 30 s`. A number has no zeros before it, and is not Roman. The
    extension of a telephone stands after ` x`, and an amount of money has no single decimal.

    Args:
        text: any text.
        interpretation: its kind.
        detail: more about it; see `Hint`.
    """
    bring = _KINDS.get(interpretation)
    return (text, detail) if bring is None else bring(text.strip(), detail)


def _number(text: str, detail: str) -> tuple[str, str]:
    value = roman_value(text)
    return (_LEADING_ZEROS.sub("", text, count=1) if value is None else str(value)), detail


def _date(text: str, detail: str) -> tuple[str, str]:
    order = detail
    if _UNDIVIDED.fullmatch(text) is None:
        parts = _BETWEEN.split(text)
    else:
        order = order or ("ymd" if len(text) == len("yyyymmdd") else "")
        year = len(text) - 2 * len(order.replace("y", ""))
        if len(order) < 2 or year not in ((2, 4) if "y" in order else (0,)):
            return text, detail
        ends = [year if letter == "y" else 2 for letter in order]
        parts = [text[sum(ends[:i]) : sum(ends[: i + 1])] for i in range(len(order))]
    if len(parts) != len(order) or not re.fullmatch(r"[0-9?]+", "".join(parts)):
        return text, detail
    pairs = zip(parts, order, strict=True)
    if not all("?" in part or _is_part_of_date(part, letter) for part, letter in pairs):
        return text, detail
    known = [i for i, part in enumerate(parts) if "?" not in part]
    return "-".join(parts[i] for i in known), "".join(order[i] for i in known)


def _is_part_of_date(figures: str, letter: str) -> bool:
    return len(figures) <= 4 and int(figures) <= _LARGEST.get(letter, 9999)


def _time(text: str, detail: str) -> tuple[str, str]:
    if text.isdecimal() and detail in _UNITS and detail != "h":
        return f"{text} {_UNITS[detail]}", detail
    match = _CLOCK.fullmatch(text)
    if match is None or (":" in text and not match["half"]) or int(match["hour"]) > 24:
        length, _ = _duration(text, "") if re.search(r"['’′\"a-z]", text) else (text, "")
        return length, detail
    second = f":{match['second']}" if match["second"] else ""
    half = _HALVES.get(match["half"].lower(), "")
    return f"{match['hour']}:{match['minute']}{second}{half}", detail


def _duration(text: str, detail: str) -> tuple[str, str]:
    match = _LENGTH.fullmatch(text)
    values: dict[str, str | None]
    if match is not None and any(match.groups()):
        values = match.groupdict()
    elif (match := _COLONS.fullmatch(text)) is not None:
        units = detail.rstrip("124") or ("hms" if match["third"] else "hm")
        values = dict(zip(units, match.groups(), strict=False))
    elif text.isdecimal() and detail in _UNITS:
        values = {detail: text}
    else:
        return text, detail
    parts = [(int(value), unit) for unit, value in values.items() if value and unit in _UNITS]
    told = [f"{value} {_UNITS[unit]}" for value, unit in parts if value]
    return " ".join(told) or f"0 {_UNITS[parts[-1][1]]}", detail


def _currency(text: str, detail: str) -> tuple[str, str]:
    match = _ONE_DECIMAL.fullmatch(text)
    return (f"{match[1]}0{match[2] or ''}" if match else text), detail


def _fraction(text: str, detail: str) -> tuple[str, str]:
    return re.sub(r"\s?([+/⁄])\s?", r"\1", text), detail


def _unit(text: str, detail: str) -> tuple[str, str]:
    match = _AMOUNT_AND_UNIT.fullmatch(text)
    return (f"{match['amount'].strip()} {match['unit']}" if match else text), detail


def _telephone(text: str, detail: str) -> tuple[str, str]:
    return _EXTENSION.sub(r" x\g<inner>", text), detail


_KINDS: Mapping[Interpretation, Callable[[str, str], tuple[str, str]]] = {
    "cardinal": _number,
    "ordinal": _number,
    "date": _date,
    "time": _time,
    "duration": _duration,
    "fraction": _fraction,
    "unit": _unit,
    "currency": _currency,
    "telephone": _telephone,
}


def roman_value(numeral: str) -> int | None:
    """Return the value of a Roman numeral, None if it is not well-formed."""
    if not numeral or _ROMAN.fullmatch(numeral) is None:
        return None
    values = [_ROMAN_LETTERS[letter] for letter in numeral]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
