"""Dates and years."""

from __future__ import annotations

import re

from service.text.languages.mandarin.normalization.numbers import (
    APART,
    ENDS,
    say_digits,
    say_integer,
)
from service.text.normalization.date_parts import RUN, date_parts, is_day, say_run
from service.text.normalization.rules import Rule

_YEARS = range(1000, 2101)
_SPAN_OF_YEARS = re.compile("年(?:前|后|来|间|的|历史|以)")


def say(text: str, order: str) -> str | None:
    """Return a date in words, None if the text is no such date.

    Args:
        text: digits with anything between them.
        order: order of its parts, such as `mdy`.
    """
    values = date_parts(text, order)
    if values is None:
        return None
    said = f"{say_digits(values['year'])}年" if "year" in values else ""
    for name, word in (("month", "月"), ("day", "日")):
        if name in values:
            said += say_integer(str(int(values[name]))) + word
    return said


def _no_date(match: re.Match[str]) -> str | None:
    return say_run(match[0], _figures, "到")


def _figures(text: str) -> str:
    return re.sub("[0-9]+", lambda group: say_integer(group[0]), text.replace(".", "点"))


def _date(match: re.Match[str]) -> str | None:
    year, month, day = match["year"], int(match["month"]), int(match["day"])
    if int(year) not in _YEARS or not is_day(month, day, int(year)):
        return None
    return f"{say_digits(year)}年{say_integer(str(month))}月{say_integer(str(day))}日"


def _year(match: re.Match[str]) -> str | None:
    year = match[1]
    if len(year) == 4 and int(year) not in _YEARS:
        return None
    if year.endswith("000") and _SPAN_OF_YEARS.match(match.string, match.end()):
        return None
    return say_digits(year)


RULES: tuple[Rule, ...] = (
    Rule(re.compile(rf"{RUN}(?![A-Za-z])"), _no_date),
    Rule(
        re.compile(
            rf"{APART}(?P<year>\d{{4}})([/.-])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}}){ENDS}"
        ),
        _date,
    ),
    Rule(
        re.compile(r"(?<![\d/-])(?<!\d[.,:])([12]\d{3})年?[-~〜～—–]([12]\d{3})(?=年)"),
        lambda match: f"{say_digits(match[1])}到{say_digits(match[2])}",
    ),
    Rule(
        re.compile(
            r"(?<![\d/-])(?<!\d[.,:])(\d{4}|0\d|\d{2}(?=年\d{1,2}月)|[5-9][1-9](?=年(?:[的出生春夏秋冬初底末入毕那]|[上下]半年)))(?=年)"
        ),
        _year,
    ),
)
