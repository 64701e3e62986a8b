"""Dates."""

from __future__ import annotations

import re

from service.text.languages.english.normalization import clock
from service.text.languages.english.normalization.calendar import (
    MONTH,
    MONTHS,
    WEEKDAY_NAMES,
    month_name,
)
from service.text.languages.english.normalization.notation import (
    FIRST_DIGIT,
    text_after,
    text_before,
    word_before,
    word_set,
)
from service.text.languages.english.normalization.numbers import Numbers
from service.text.normalization.date_parts import RUN, is_day, say_run
from service.text.normalization.rules import Rule

# Not in the middle of more numbers with slashes.
_FIRST = rf"{FIRST_DIGIT}(?<![0-9]/[0-9])"

_ZONE = r"(?:[ ]?(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})(?!\w))?"

_TIME = (
    r"[T ](?P<hour>[0-2][0-9]):(?P<minute>[0-5][0-9])"
    rf"(?::(?P<second>[0-5][0-9])(?:\.[0-9]+)?)?{_ZONE}"
)
_NO_DATE = re.compile(rf"(?P<run>{RUN})(?:{_TIME}(?![ ]?[AaPp]\.?[Mm]))?(?!\w)")
_ISO = re.compile(
    rf"(?P<year>{FIRST_DIGIT}[0-9]{{3}})(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)"
    r"(?P<day>[0-9]{1,2})(?![-/.]?[0-9])"
    rf"(?:{_TIME})?(?!\w)"
)
_MONTH_RANGE = re.compile(rf"[-–](?<=[0-9a-z.][-–])(?={MONTH}(?:[ ,.;:!?)]|\Z))")
_DATE_BEFORE = re.compile(rf"(?:{MONTH}|[0-9])\Z")
_NUMERIC = re.compile(
    rf"(?P<first>{_FIRST}[0-9]?)(?P<mark>[-/.])(?P<second>[0-9]{{1,2}})(?P=mark)"
    r"(?P<year>[0-9]{4}|[0-9]{2})(?![-/.]?\w)"
)
_MONTH_AND_DAY = re.compile(rf"(?P<first>{_FIRST}[0-9]?)/(?P<second>[0-9]{{1,2}})(?![-/.,]?\w)")
_MONTH_FIRST = re.compile(
    rf"(?P<month>{MONTH})[ ](?P<day>[0-3]?[0-9])(?P<suffix>st|nd|rd|th)?(?![\w:%]|[.,/][0-9])"
    r"(?P<until>[ ]?[-–][ ]?(?P<last>[0-3]?[0-9])(?:st|nd|rd|th)?(?![\w:%]|[.,/-][0-9]))?"
    r"(?:(?P<comma>,?)[ ](?P<year>[0-9]{4})(?![\w:%$]|[.,/-][0-9]))?"
)
_DAY_FIRST = re.compile(
    rf"(?P<day>{FIRST_DIGIT}[0-9]?)(?:st|nd|rd|th)?"
    r"(?:[ ]?[-–][ ]?(?P<last>[0-3]?[0-9])(?:st|nd|rd|th)?)?[ ](?P<of>of )?"
    rf"(?P<month>{MONTH})(?:,?[ ](?P<year>[0-9]{{4}})(?![\w:%$]|[.,/-][0-9]))?(?!\w)"
)
_NAMED = (
    rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)?[ ](?:of[ ])?{MONTH}|{MONTH}[ ][0-9]{{1,2}}(?:st|nd|rd|th)?)"
    r"(?:,?[ ][0-9]{4})?"
)
_NAMED_RANGE = re.compile(
    rf"(?<!\w)(?<![0-9][.,])(?P<first>{_NAMED})[-–](?P<last>{_NAMED})(?![\w:%$]|[.,/-][0-9])"
)
_NUMBER = re.compile(r"(?P<digits>[0-9]+)(?P<suffix>st|nd|rd|th)?")
_MONTH = re.compile(MONTH)
_MONTH_AND_YEAR = re.compile(rf"(?P<month>{MONTH})[ ](?P<year>[0-9]{{4}})(?![\w:%$]|[.,/-][0-9])")
_SHORT_MONTH = re.compile(r"\b(?P<month>Jan|Feb|Apr|Aug|Sept|Sep|Oct|Nov|Dec)\.")
_SHORT_WEEKDAY = re.compile(
    r"\b(?P<day>Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
    rf"(?:\.?(?=,?[ ](?:{'|'.join(MONTHS)}|[0-9]))|\.(?=,|[ ][a-z]))"
)
_WEEKDAY_RANGE = re.compile(
    r"\b(?P<first>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
    r"\.?[ ]?[-–][ ]?"
    r"(?P<last>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
    r"(?![\w])"
)

_BEFORE_DATE = word_set(
    "on by before after since until till from due dated expires between through"
)


def run_rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rule for what looks like a date and is none. It comes before those for parts."""
    return (Rule(_NO_DATE, _Dates(numbers).no_date),)


def rules(numbers: Numbers) -> tuple[Rule, ...]:
    """Return the rules for dates."""
    dates = _Dates(numbers)
    return (
        Rule(_ISO, dates.iso),
        Rule(_NUMERIC, dates.numeric),
        Rule(_MONTH_AND_DAY, dates.month_and_day),
        Rule(_NAMED_RANGE, dates.named_range),
        Rule(_MONTH_RANGE, _month_range),
        Rule(_DAY_FIRST, dates.day_first),
        Rule(_MONTH_FIRST, dates.month_first),
        Rule(_MONTH_AND_YEAR, dates.month_and_year),
        Rule(_SHORT_MONTH, _short_month),
        Rule(_WEEKDAY_RANGE, _weekday_range),
        Rule(_SHORT_WEEKDAY, lambda match: WEEKDAY_NAMES[match["day"]]),
    )


def say(numbers: Numbers, year: str, month: str, day: str) -> str | None:
    """Return a date in words, None if there is no such day.

    Each part consists of digits. The year may have two digits; year or day may be empty.
    """
    if not is_day(int(month), int(day) if day else 1, _full_year(year) if year else None):
        return None
    name = MONTHS[int(month) - 1]
    words = _day_of_month(numbers, name, day) if day else name
    if not year:
        return words
    return f"{words}{',' if day else ''} {_year(numbers, year)}"


class _Dates:
    """Writes dates as words."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    def no_date(self, match: re.Match[str]) -> str | None:
        run = match["run"]
        words = say_run(run, self._figures, " to ", "dm" if self._numbers.british else "md")
        if words is None or words[0].isdigit():
            return words and words + match[0][len(run) :]
        return words + self._time(match)

    def iso(self, match: re.Match[str]) -> str | None:
        words = say(self._numbers, match["year"], match["month"], match["day"])
        if words is None:
            return None
        words = _without_article(match, words)
        return words + self._time(match)

    def numeric(self, match: re.Match[str]) -> str | None:
        first, second, year = match["first"], match["second"], match["year"]
        short = len(year) == 2
        if short and match["mark"] != "/":
            return None
        # With dots the day always comes first.
        day_first = self._numbers.british or match["mark"] == "."
        for month, day in ((second, first), (first, second))[:: 1 if day_first else -1]:
            words = say(self._numbers, year, month, day)
            if words is not None:
                return _without_article(match, words)
        return None

    def month_and_day(self, match: re.Match[str]) -> str | None:
        month, day = match["first"], match["second"]
        if self._numbers.british:
            month, day = day, month
        padded = month[0] == "0" or day[0] == "0"
        if int(day) == 0 or not (padded or word_before(match).lower() in _BEFORE_DATE):
            return None
        if (match["first"], match["second"]) in (("9", "11"), ("24", "7")):
            return None
        return say(self._numbers, "", month, day)

    def month_first(self, match: re.Match[str]) -> str | None:
        if not _are_days(match):
            return _in_full(match)
        # Neither `May 5` nor `May 5 people come in?` has a suffix or a year.
        words = f"{month_name(match['month'])} {self._numbers.ordinal(match['day'])}"
        if self._numbers.british:
            words = f"{month_name(match['month'])} the {self._numbers.ordinal(match['day'])}"
        if match["until"]:
            words += f" to {self._numbers.ordinal(match['last'])}"
        if match["year"]:
            words += f", {self._numbers.year(match['year'])}"
        return words

    def day_first(self, match: re.Match[str]) -> str | None:
        if not _are_days(match):
            return _in_full(match)
        words = self._numbers.ordinal(match["day"])
        if match["last"]:
            words += f" to {self._numbers.ordinal(match['last'])}"
        words += f" of {month_name(match['month'])}"
        if word_before(match).lower() != "the":
            words = f"the {words}"
        if match["year"]:
            words += f", {self._numbers.year(match['year'])}"
        return _keep_full_stop(match, words)

    def month_and_year(self, match: re.Match[str]) -> str | None:
        return f"{month_name(match['month'])} {self._numbers.year(match['year'])}"

    def named_range(self, match: re.Match[str]) -> str | None:
        ends = match["first"], match["last"]
        found = [_DAY_FIRST.fullmatch(end) or _MONTH_FIRST.fullmatch(end) for end in ends]
        if all(end is not None and _are_days(end) for end in found):
            return None
        return _keep_full_stop(match, " to ".join(map(self._named_figures, ends)))

    def _named_figures(self, text: str) -> str:
        """Return what is no date in words, in its own order."""
        name = _MONTH.search(text)
        assert name is not None
        return _NUMBER.sub(self._number, text.replace(name[0], month_name(name[0])))

    def _number(self, match: re.Match[str]) -> str:
        if match["suffix"]:
            return self._numbers.ordinal(match["digits"])
        return self._numbers.year(match["digits"])

    def _figures(self, text: str) -> str:
        """Return figures that are no date in words: with hyphens as a code."""
        groups = re.split("[/.-]", text)
        if "-" in text:
            return ", ".join(map(self._numbers.spelled, groups))
        return (" slash " if "/" in text else " point ").join(map(self._numbers.year, groups))

    def _time(self, match: re.Match[str]) -> str:
        """Return the time after a date in words, or as it is if there is no such time."""
        hour, minute, second = match["hour"], match["minute"], match["second"]
        if hour is None:
            return ""
        time = clock.say(self._numbers, hour, minute, second)
        if time is None:
            time = ":".join(filter(None, (hour, minute, second)))
        return f", {time}{self._zone(match['zone'])}"

    def _zone(self, written: str | None) -> str:
        if written is None:
            return ""
        if written[0] not in "+-":
            return " UTC" if written == "Z" else f" {written}"
        sign = "plus" if written[0] == "+" else "minus"
        hours, minutes = written[1:3], written[-2:]
        words = f", {sign} {self._numbers.cardinal(str(int(hours)))}"
        return words if minutes == "00" else f"{words} {self._numbers.cardinal(minutes)}"


def _day_of_month(numbers: Numbers, month: str, day: str) -> str:
    ordinal = numbers.ordinal(str(int(day)))
    return f"the {ordinal} of {month}" if numbers.british else f"{month} {ordinal}"


def _full_year(year: str) -> int:
    # Years of two digits: such dates are neither in the 1930s nor in the 2070s.
    return int(year) if len(year) == 4 else int(("19" if int(year) >= 50 else "20") + year)


def _year(numbers: Numbers, year: str) -> str:
    return numbers.year(f"{_full_year(year):04}")


def _are_days(match: re.Match[str]) -> bool:
    """Tell whether a month has this day, and the later one with which a range ends."""
    month = MONTHS.index(month_name(match["month"])) + 1
    year = int(match["year"]) if match["year"] else None
    day, last = int(match["day"]), match["last"]
    if last and not day < int(last):
        return False
    return all(is_day(month, each, year) for each in (day, int(last or day)))


def _in_full(match: re.Match[str]) -> str | None:
    """Return what is no date with the name of the month in full."""
    name = month_name(match["month"])
    if match["month"] == name or int(match["day"]) not in range(1, 32):
        return None
    return _keep_full_stop(match, match[0].replace(match["month"], name))


def _without_article(match: re.Match[str], words: str) -> str:
    """Return the words without a second `the`."""
    return words.removeprefix("the ") if word_before(match).lower() == "the" else words


def _keep_full_stop(match: re.Match[str], words: str) -> str:
    """Return the words with the dot of a final abbreviated month if it also ends the sentence."""
    ends = match[0].endswith(".") and not re.match(r"\s+[a-z0-9]|[,;:]", text_after(match))
    return words + "." if ends else words


def _month_range(match: re.Match[str]) -> str | None:
    return " to " if _DATE_BEFORE.search(text_before(match)) else None


def _short_month(match: re.Match[str]) -> str:
    return _keep_full_stop(match, month_name(match["month"]))


def _weekday_range(match: re.Match[str]) -> str:
    first, last = (WEEKDAY_NAMES.get(match[name], match[name]) for name in ("first", "last"))
    return f"{first} to {last}"
