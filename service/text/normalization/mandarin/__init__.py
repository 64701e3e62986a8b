"""Text normalization for Mandarin: every number in Chinese characters."""

from __future__ import annotations

import re

from service.text.markup.passages import Interpretation
from service.text.normalization import stars
from service.text.normalization.mandarin import (
    amounts,
    arithmetic,
    counts,
    dates,
    telephones,
    times,
)
from service.text.normalization.mandarin.numbers import (
    DIGITS,
    NUMBER,
    TELEPHONE_DIGITS,
    say_digits,
    say_integer,
    say_number,
)
from service.text.normalization.rules import Rule, write_whole

UNMARKED_RULES = stars.rules(stars.StarWords("乘", "的{}次方", "星"))
"""The rules for stars that are left when markup is gone, before those for addresses."""

RULES: tuple[Rule, ...] = (
    *dates.RULES,
    *telephones.RULES,
    times.TIME,
    arithmetic.SIDES,
    arithmetic.BOUND,
    arithmetic.RATIO,
    arithmetic.POSITIVE,
    *amounts.MONEY,
    arithmetic.NEGATIVE,
    amounts.PERCENT,
    *arithmetic.FRACTIONS,
    arithmetic.RANGE,
    amounts.UNIT,
    counts.VERSION,
    *arithmetic.SIGNS,
    counts.ROMAN,
    counts.CARDINAL,
    times.RANGE,
)
"""The rules, in the order in which they are applied."""


def interpret(text: str, interpretation: Interpretation, detail: str) -> str | None:
    """Return the words for a text of a known kind, None if it is not of that kind.

    Args:
        text: any text.
        interpretation: its kind.
        detail: for a date the order of its parts, such as `mdy`; other kinds ignore it.
    """
    text = text.strip()
    if interpretation == "cardinal":
        match = re.fullmatch(rf"([-−]?)({NUMBER})", text)
        return ("负" if match[1] else "") + say_number(match[2]) if match else None
    if interpretation == "ordinal":
        return f"第{say_integer(text)}" if re.fullmatch(r"\d+", text) else None
    if interpretation in ("digits", "telephone"):
        table = TELEPHONE_DIGITS if interpretation == "telephone" else DIGITS
        said = ", ".join(say_digits(group, table) for group in re.findall(r"\d+", text))
        return ("加" if text.startswith("+") else "") + said if said else None
    if interpretation == "characters":
        # Latin letters keep their English names.
        return " ".join(say_digits(text.upper()).replace(" ", "")) or None
    if interpretation == "date":
        return dates.say(text, detail or "ymd")
    if interpretation == "time":
        match = re.fullmatch(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?", text)
        return times.say(match) if match else None
    # Signs and symbols in the text tell the rules what to do with money and measures.
    return write_whole(text, RULES)
