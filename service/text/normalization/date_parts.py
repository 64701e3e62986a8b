"""Dates in figures, taken apart where their order is known."""

from __future__ import annotations

import re

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
    if not (1 <= int(values.get("month", 1)) <= 12 and 1 <= int(values.get("day", 1)) <= 31):
        return None
    return values
