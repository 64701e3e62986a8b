"""Fractions, alone and after a whole number."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import FIRST_DIGIT, INTEGER, text_after
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_SIGNS = {
    "½": ("1", "2"),
    "⅓": ("1", "3"),
    "⅔": ("2", "3"),
    "¼": ("1", "4"),
    "¾": ("3", "4"),
    "⅕": ("1", "5"),
    "⅖": ("2", "5"),
    "⅗": ("3", "5"),
    "⅘": ("4", "5"),
    "⅙": ("1", "6"),
    "⅚": ("5", "6"),
    "⅐": ("1", "7"),
    "⅛": ("1", "8"),
    "⅜": ("3", "8"),
    "⅝": ("5", "8"),
    "⅞": ("7", "8"),
    "⅑": ("1", "9"),
    "⅒": ("1", "10"),
}
SIGN = f"[{''.join(_SIGNS)}]"
"""One character that is a fraction."""

PART = rf"(?:[ ]?{SIGN}|[ -](?:[1-9]|1[0-5])[/⁄](?:2|3|4|5|6|8|9|10|12|16|32|64)(?![0-9/]))"
"""A fraction after a whole number."""

_MIXED = re.compile(rf"(?P<whole>{INTEGER})(?P<part>{PART})(?!\w)")
_SIGN = re.compile(SIGN)
_SLASHED = re.compile(
    rf"(?P<above>{FIRST_DIGIT}(?<!/[0-9])[0-9]{{0,5}})[/⁄](?P<below>[0-9]{{1,6}})(?P<th>ths?|rds?)?"
    r"(?![\w%/]|[.,/-][0-9])"
)
# Fixed expressions: the day, the hours, the eyesight, the chances.
_JUXTAPOSED = {("9", "11"), ("24", "7"), ("50", "50"), ("20", "20"), ("7", "11")}
_RATED = ("5", "10", "100")
_LARGEST_BELOW = 20
_FINE = ("32", "64", "100", "128", "1000")


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for fractions."""

    def mixed(match: re.Match[str]) -> str:
        return say_mixed(numbers, match["whole"], match["part"])

    def slashed(match: re.Match[str]) -> str | None:
        above, below = match["above"], match["below"]
        if text_after(match).startswith(" time") and below in ("2", "4", "8", "16"):
            return f"{numbers.cardinal(above)} {numbers.cardinal(below)}"
        if (above, below) in _JUXTAPOSED:
            # Only equal numbers have a hyphen between them: `fifty-fifty`, but `twenty-four seven`.
            link = "-" if above == below else " "
            return f"{numbers.cardinal(above)}{link}{numbers.cardinal(below)}"
        if (above[0] == "0" and above != "0") or (below[0] == "0" and len(below) > 1):
            return f"{numbers.cardinal(above)} slash {numbers.cardinal(below)}"
        is_rating = (
            text_after(match).startswith((" rating", " star", " on "))
            or above == below
            or (below in _RATED[1:] and int(above) <= int(below))
        )
        if is_rating and not match["th"]:
            return f"{numbers.cardinal(above)} out of {numbers.cardinal(below)}"
        return say(numbers, above, below)

    return (
        Rule(_MIXED, mixed),
        Rule(_SIGN, lambda match: _say_sign(numbers, match)),
        Rule(_SLASHED, slashed),
    )


def say(numbers: Numbers, above: str, below: str, *, is_certain: bool = False) -> str:
    """Return a fraction in words: `three quarters`; `twelve fifths` if it is one for certain."""
    count = int(below)
    parted = 1 < count <= _LARGEST_BELOW or below in _FINE
    if below[0] == "0" or not parted or (int(above) > count and not is_certain):
        return f"{numbers.cardinal(above)} over {numbers.cardinal(below)}"
    name = {"2": "half", "4": "quarter"}.get(below) or numbers.ordinal(below)
    if int(above) == 1:
        return f"one {name}"
    return f"{numbers.cardinal(above)} {'halves' if below == '2' else name + 's'}"


def say_mixed(numbers: Numbers, whole: str, part: str) -> str:
    """Return a number and the fraction after it, which matches `PART`, in words."""
    part = part.strip(" -")
    above, below = _SIGNS.get(part) or re.split("[/⁄]", part)
    if (above, below) in (("1", "2"), ("1", "4")):
        words = "a half" if below == "2" else "a quarter"
    else:
        words = say(numbers, above, below)
    return f"{numbers.decimal(whole)} and {words}"


def _say_sign(numbers: Numbers, match: re.Match[str]) -> str:
    """Return a fraction character in words, with a space if a letter is next to it."""
    around = match.string[max(0, match.start() - 1) : match.start()]
    after = match.string[match.end() : match.end() + 1]
    words = say(numbers, *_SIGNS[match[0]])
    return (" " if around.isalnum() else "") + words + (" " if after.isalnum() else "")
