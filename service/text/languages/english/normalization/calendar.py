"""Names and abbreviations of months and weekdays."""

from __future__ import annotations

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

MONTH_NAMES = {name: name for name in MONTHS} | {
    "Jan": "January",
    "Feb": "February",
    "Mar": "March",
    "Apr": "April",
    "Jun": "June",
    "Jul": "July",
    "Aug": "August",
    "Sep": "September",
    "Sept": "September",
    "Oct": "October",
    "Nov": "November",
    "Dec": "December",
}

MONTH = "(?:" + "|".join(sorted(MONTH_NAMES, key=len, reverse=True)) + r")(?![^\W\d_])\.?"
"""A month, in full or abbreviated, with or without a dot."""

WEEKDAY_NAMES = {
    "Mon": "Monday",
    "Tue": "Tuesday",
    "Tues": "Tuesday",
    "Wed": "Wednesday",
    "Thu": "Thursday",
    "Thur": "Thursday",
    "Thurs": "Thursday",
    "Fri": "Friday",
    "Sat": "Saturday",
    "Sun": "Sunday",
}


def month_name(written: str) -> str:
    """Return `March` for `Mar.`. Raises KeyError if it is not a month."""
    return MONTH_NAMES[written.rstrip(".")]
