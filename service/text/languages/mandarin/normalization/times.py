"""Times of day."""

from __future__ import annotations

import re

from service.text.languages.mandarin.normalization.numbers import (
    say_digits,
    say_integer,
    say_number,
)
from service.text.normalization.rules import Rule

_HOURS, _SIXTIETHS = range(25), frozenset(range(60))


def say(match: re.Match[str]) -> str | None:
    """Return a time in words, None if there is no such time.

    Args:
        match: has the groups `hour`, `minute` and `second`, the last of which may be None.
    """
    hour, minute, second = match["hour"], match["minute"], match["second"]
    if int(hour) not in _HOURS or any(
        int(part or 0) not in _SIXTIETHS for part in (minute, second)
    ):
        return None
    said = say_number(hour.lstrip("0") or "0", "点") + "点"
    if int(minute) or second:
        said += _padded(minute) + "分"
    return said + (_padded(second) + "秒" if second else "")


def say_duration(match: re.Match[str]) -> str:
    """Return hours, minutes and seconds in words; groups as for `say`."""
    counts = ((match["hour"], "小时"), (match["minute"], "分"), (match["second"], "秒"))
    return "".join(say_number(str(int(count)), noun) + noun for count, noun in counts)


def _padded(sixtieths: str) -> str:
    """Return minutes or seconds; 零 comes before a single digit."""
    return (
        say_digits(sixtieths)
        if sixtieths.startswith("0") and sixtieths != "00"
        else say_integer(str(int(sixtieths)))
    )


TIME = Rule(
    re.compile(
        r"(?<![\d.])(?<!\d:)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?![\d:]|\.\d)"
    ),
    say,
)

RANGE = Rule(
    re.compile(r"(?<=[点分秒日号月年半])[-~〜～–—](?=[零一二三四五六七八九十两])"),
    lambda match: "到",
)
"""A range of times. Other rules have already written the times in words."""
