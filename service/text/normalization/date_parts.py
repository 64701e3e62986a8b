"""Dates in figures: their parts, the days that there are, and what only looks like dates."""

from __future__ import annotations

import re
from collections.abc import Callable

_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_GREGORIAN_SINCE = 1583
# In a leap year.
_ABSENT = {"month": 1, "day": 1, "year": 2000}
_ORDERS = {
    "ymd": ("year", "month", "day"),
    "mdy": ("month", "day", "year"),
    "dmy": ("day", "month", "year"),
    "ym": ("year", "month"),
    "md": ("month", "day"),
    "dm": ("day", "month"),
    "y": ("year",),
    "m": ("month",),
    "d": ("day",),
}

_DASHES = "–—~〜～"
RUN = (
    r"[0-9](?<![0-9A-Za-z.$€£¥₹][0-9])(?<![0-9A-Za-z][,:][0-9])"
    rf"(?<![0-9][{_DASHES}/-][0-9])[0-9]{{0,3}}"
    rf"(?:[{_DASHES}/.-][0-9]{{1,4}}){{1,5}}(?![{_DASHES}/.-]?[0-9]|[ ]?[%％])"
)
"""Numbers joined by the signs of dates and of their ranges, never a part of more of them."""

# What stands between the ends of a range; the slash between dates of ISO 8601.
_JOINERS = tuple(map(re.compile, (f"[{_DASHES}]", "-", "(?<=-[0-9]{2})/(?=[0-9]{4}-)")))
_WITH_YEAR = (
    r"[0-9]{4}(?P<first>[/.-])[0-9]{1,2}(?P=first)[0-9]{1,2}"
    r"|[0-9]{1,2}(?P<last>[/.-])[0-9]{1,2}(?P=last)[0-9]{4}"
    "|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}"
)
_FULL = re.compile(_WITH_YEAR)
_MONTH = re.compile("[0-9]{2}/(?:19|20)[0-9]{2}")
_DAY = re.compile("[0-9]{1,2}")
_END = re.compile(rf"{_WITH_YEAR}|{_MONTH.pattern}|[0-9]{{1,2}}/[0-9]{{1,2}}")
# A year or a zero tells it from a fraction.
_CLEAR_END = re.compile(rf"{_WITH_YEAR}|{_MONTH.pattern}|0[0-9]/[0-9]{{1,2}}|[0-9]{{1,2}}/0[0-9]")


def is_day(month: int, day: int, year: int | None = None) -> bool:
    """Tell whether a month has a day. Without a year, February has 29."""
    if not (1 <= month <= 12 and 1 <= day <= _LENGTHS[month - 1]):
        return False
    if year is None or (month, day) != (2, 29):
        return True
    return year % 4 == 0 and (year < _GREGORIAN_SINCE or year % 100 > 0 or year % 400 == 0)


def date_parts(text: str, order: str) -> dict[str, str] | None:
    """Return the digits of `year`, `month` and `day`, None if the text is no such date.

    Args:
        text: digits with anything between them.
        order: order of its parts, such as `mdy`.
    """
    parts = re.findall(r"\d+", text)
    names = _ORDERS.get(order)
    if names is None or len(parts) != len(names):
        return None
    values = dict(zip(names, parts, strict=True))
    month, day, year = (int(values.get(name, absent)) for name, absent in _ABSENT.items())
    return values if is_day(month, day, year) else None


def say_run(run: str, say: Callable[[str], str], to: str, order: str = "") -> str | None:
    """Return the words for a run that looks like a date, or a range of two, and is none.

    A range of which one end is no date is none. None for a date, and for what does not look like
    one. A range of dates whose joiner belongs to dates gets a dash, and stays in figures.

    Args:
        run: what `RUN` matched.
        say: writes an end of the range as words, so that no rule sees its figures.
        to: comes between the ends of a range.
        order: `md` or `dm` if the language has dates without a year, and months of a year.
    """
    for joiner in _JOINERS:
        ends = joiner.split(run)
        if not _look_like_dates(ends, with_parts=bool(order)):
            continue
        if not all(_is_date(end, order) for end in ends):
            return to.join(map(say, ends))
        is_clear = joiner is _JOINERS[0] or _DAY.fullmatch(ends[0])
        return None if is_clear else "–".join(ends)
    return None


def _look_like_dates(ends: list[str], *, with_parts: bool) -> bool:
    """Tell whether this is a date, or a range, whose ends may lack a year, its first a month."""
    if len(ends) != 2 or not with_parts:
        return len(ends) < 3 and all(map(_FULL.fullmatch, ends))
    first, last = ends
    return (
        any(map(_CLEAR_END.fullmatch, ends))
        and _END.fullmatch(last) is not None
        and (_END.fullmatch(first) or _DAY.fullmatch(first)) is not None
    )


def _is_date(text: str, order: str) -> bool:
    """Tell whether there is such a date; with the year at the end, in either order."""
    if _MONTH.fullmatch(text):
        return is_day(int(text[:2]), 1)
    if _DAY.fullmatch(text):
        return is_day(1, int(text))
    if not _FULL.fullmatch(text):
        return date_parts(text, order) is not None
    orders = ("ymd",) if text[:4].isdigit() else ("dmy", "mdy")
    return any(date_parts(text, each) for each in orders)
