"""Lengths of time in short forms: `1h 20m`, `00:03:20`, `38w4d`, `4'12"`."""

from __future__ import annotations

import re

from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    describes,
    text_before,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.rules import Rule

_PARTS = {
    "y": "year",
    "w": "week",
    "d": "day",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "m": "minute",
    "min": "minute",
    "mins": "minute",
    "s": "second",
    "sec": "second",
    "secs": "second",
}
_COMPOUND = re.compile(
    rf"{FIRST_DIGIT}[0-9]*(?:y|w|d|hrs?|h|m|min)[ ]?(?:[0-9]+(?:w|d|hrs?|h|mins?|m"
    rf"|secs?|s)[ ]?){{0,3}}"
    r"[0-9]+(?:d|hrs?|h|mins?|m|secs?|s)(?!\w)"
)
_PART = re.compile(r"([0-9]+)([a-z]+)")
_ORDER = "ywdhms"
# `30s` after these is a length, not a decade or an age.
_SECONDS = re.compile(
    rf"(?P<number>{FIRST_DIGIT}0)s(?!\w)",
)
_BEFORE_LENGTH = re.compile(
    r"(?:[<>~≈≤≥][ ]?|\b(?:for|within|under|every|after|took|takes|take|wait|waits|waited|hold|rest"
    r"|timeout|lasts?|lasted|only|than|another|first|last|about)[ ](?:of[ ])?)\Z"
)
_EVERY = re.compile(r"\bq\.?[ ]?(?P<number>[0-9]{1,2})[ ]?(?P<unit>h|hrs?|d|wk|min)(?!\w)")
_STOPWATCH = re.compile(
    rf"(?P<hour>{FIRST_DIGIT}[0-9]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9])"
    r"(?!:?[0-9]|[ ]?[aApP]\.?[mM]|\w)"
)
_MEASURED = re.compile(
    r"\b(?:elapsed|runtime|running time|total time|time|duration|length|uptime|lasts?"
    r"|lasted|runs?|ran"
    r"|took|takes|in|for|after|of|finished|timer|countdown|remaining|left|lap|pace"
    r"|split|record|best)"
    r"(?: (?:is|was|in|of|at))?[: ]+\Z",
    re.IGNORECASE,
)
_PRIMES = re.compile(
    rf"(?P<minute>{FIRST_DIGIT}[0-9]?)['’′](?P<second>[0-5][0-9])(?:\"|”|″|'')(?!\w)"
)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for lengths of time."""

    def counted(number: str, unit: str, *, single: bool) -> str:
        is_one = single or int(number) == 1
        return f"{numbers.cardinal(str(int(number)))} {unit}{'' if is_one else 's'}"

    def compound(match: re.Match[str]) -> str | None:
        parts = _PART.findall(match[0])
        order = [_ORDER.index(unit[0]) for _, unit in parts]
        if order != sorted(set(order)):
            return None
        single = describes(match)
        return " ".join(counted(number, _PARTS[unit], single=single) for number, unit in parts)

    def seconds(match: re.Match[str]) -> str | None:
        if _BEFORE_LENGTH.search(text_before(match)) is None:
            return None
        return counted(match["number"], "second", single=False)

    def stopwatch(match: re.Match[str]) -> str | None:
        # From 01 on it is a time of day, unless the words before it speak of a length.
        if match["hour"] != "00" and not _MEASURED.search(text_before(match)):
            return None
        parts = [(match[name], name) for name in ("hour", "minute", "second")]
        said = [counted(number, name, single=False) for number, name in parts if int(number)]
        return " ".join(said) or "zero seconds"

    def primes(match: re.Match[str]) -> str | None:
        # More than eleven inches, or no feet, cannot be a height.
        is_height = int(match["minute"]) and int(match["second"]) < 12
        if is_height or text_before(match).endswith(("°", "º", "° ")):
            return None
        parts = [(match[name], name) for name in ("minute", "second")]
        return " ".join(
            counted(number, name, single=False) for number, name in parts if int(number)
        )

    def every(match: re.Match[str]) -> str:
        unit = "week" if match["unit"] == "wk" else _PARTS[match["unit"]]
        return f"every {counted(match['number'], unit, single=False)}"

    return (
        Rule(_EVERY, every),
        Rule(_COMPOUND, compound),
        Rule(_SECONDS, seconds),
        Rule(_STOPWATCH, stopwatch),
        Rule(_PRIMES, primes),
    )
