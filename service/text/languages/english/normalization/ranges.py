"""Ranges of numbers, and scores, which sound the same."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_after,
    text_before,
)
from service.text.normalization.rules import Rule

_NUMBER = r"[0-9]*(?:,[0-9]{3})*(?:[.:][0-9]+)*"
_UNIT = r"(?:%|°[CF]?|K|k|M|bn|[ ]?[ap]\.?m\.?)?"
_RANGE = re.compile(
    rf"(?P<first>{FIRST_DIGIT}(?<![-–/:][0-9]){_NUMBER})(?P<unit>{_UNIT})"
    r"(?P<dash>[-–]|[ ][-–][ ])"
    rf"(?P<sign>[$£€¥₹]?)(?P<last>[0-9]{_NUMBER})(?![-–/]?[0-9])"
)
_SIGNS = "$£€¥₹"
_EVEN_CHANCES = ("50", "20")


def rules() -> tuple[Rule, ...]:
    """Return the rules for ranges. They write the dash as a word; the numbers stay."""
    return (Rule(_RANGE, _write),)


def _write(match: re.Match[str]) -> str | None:
    first, last, unit, dash = match["first"], match["last"], match["unit"], match["dash"]
    if _is_code(first) or _is_code(last) or text_after(match).lstrip().startswith("="):
        return None
    # `787-9` is a name.
    if dash == "-" and first.isdigit() and len(first) - len(last) > 1 and not unit:
        return None
    # The rules for money write `$5-10`.
    if text_before(match).endswith(tuple(_SIGNS)) and not match["sign"]:
        return None
    if len(dash) > 1:
        is_time = ":" in first or unit.endswith(("m", "."))
        if not is_time and ("-" in dash or not _is_ascending(first, last)):
            return None
    if first == last and first in _EVEN_CHANCES:
        return f"{first} {last}"
    return f"{first}{unit} to {match['sign']}{last}"


def _is_code(number: str) -> bool:
    """Tell whether a number has leading zeros, which amounts never have."""
    return number[0] == "0" and number[1:2].isdigit() and ":" not in number


def _is_ascending(first: str, last: str) -> bool:
    """Compare two numbers as strings, because they may have any number of digits."""
    wholes = [number.replace(",", "").partition(".")[0] for number in (first, last)]
    return (len(wholes[0]), wholes[0]) < (len(wholes[1]), wholes[1])
