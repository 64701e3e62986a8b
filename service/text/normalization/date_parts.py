"""Dates in figures, taken apart where their order is known, and the days that there are."""

from __future__ import annotations

import re

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
