"""Dates in figures and with the name of the month."""

from __future__ import annotations

import re

from service.text.normalization.date_parts import RUN, is_day, say_run
from service.text.normalization.figures.notation import (
    DASH,
    FIGURE_BEFORE,
    SPACE,
    WORD_AFTER,
    WORD_BEFORE,
    one_of,
)
from service.text.normalization.figures.numbers import Numerals
from service.text.normalization.locale import Locale
from service.text.normalization.rules import Rule

_NO_DATE = re.compile(rf"(?P<run>{RUN})(?:(?P<time>T)(?=[0-9])|(?!\w))")
_ISO = re.compile(
    rf"{FIGURE_BEFORE}(?P<year>[0-9]{{4}})(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)"
    rf"(?P<day>[0-9]{{1,2}})(?:(?P<time>T)(?=[0-9])|(?![-/.]?\w))"
)
_NUMERIC = re.compile(
    rf"{FIGURE_BEFORE}(?P<day>[0-9]{{1,2}})(?:[º°](?=/))?(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)"
    r"(?P<year>[0-9]{4}|(?<=/)[0-9]{2})(?![-/.]?\w)"
)
_MONTH_YEAR = re.compile(
    rf"{FIGURE_BEFORE}(?P<month>0[1-9]|1[0-2])/(?P<year>(?:19|20)[0-9]{{2}})(?![-/.]?\w)"
)
# Without a year, only a leading zero or a value above 1 distinguishes a date from a fraction.
_DAY_MONTH = re.compile(
    rf"{FIGURE_BEFORE}(?:(?P<day>[0-3][0-9])/(?P<month>0[1-9])"
    rf"|(?P<first>0[1-9]|1[3-9]|2[0-9]|3[01])/(?P<second>1[0-2]))(?![-/.,]?\w)"
)
# Years of two digits: future and past ones.
_CENTURY_TURNS_AT = 50


_PREPOSITIONS = (
    "en|de|desde|hasta|em|até|in|di|da|dal|nel|a|à|depuis|fin|début|mi"
    "|im|seit|ab|bis|ende|anfang|mitte"
)
"""After them an abbreviation is that of a month."""


class Calendar:
    """Writes dates in the words of a language."""

    def __init__(self, locale: Locale, numerals: Numerals) -> None:
        self._locale = locale
        self._numerals = numerals
        self._short = {
            short: number
            for number, shorts in enumerate(locale.month_abbreviations)
            for short in shorts
        }

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules for dates."""
        months = one_of([*self._locale.months, *map(str.capitalize, self._locale.months)])
        shorts = one_of([*self._short, *map(str.capitalize, self._short)])
        suffix = f"(?:{SPACE}?(?:{one_of(self._locale.ordinal_suffixes)}|°))?"
        link = re.escape(self._locale.date_link)
        link = f"{SPACE}(?:{link}{SPACE})?" if link else SPACE
        named = re.compile(
            rf"{FIGURE_BEFORE}(?:(?P<first>[0-9]{{1,2}}){SPACE}?{DASH}{SPACE}?)?"
            rf"(?P<day>[0-9]{{1,2}})\.?{suffix}(?P<link>{link})"
            rf"(?:(?P<month>{months}){WORD_AFTER}"
            rf"|(?P<short>{shorts})(?:\.(?:{link}(?P<year>[0-9]{{4}})(?!\w))?"
            rf"|{link}(?P<dotless_year>[0-9]{{4}})(?!\w)))"
        )
        weekdays = self._locale.weekday_abbreviations
        weekday = re.compile(
            rf"{WORD_BEFORE}(?P<day>{one_of([*weekdays, *map(str.capitalize, weekdays)])})"
            rf"(?:\.|(?=,))(?=,?{SPACE}[0-9]{{1,2}}(?:[-/]|{link}(?:{months}|{shorts})))"
        )
        # en sept.
        alone = re.compile(
            rf"(?P<before>\b(?i:{_PREPOSITIONS}){SPACE})(?P<short>{shorts})\.?"
            rf"(?:(?<=\.)(?={SPACE}[a-zß-ÿ]|[,;:)])|(?={SPACE}[0-9]{{4}}(?!\w)))"
        )
        return (
            Rule(alone, self._write_alone),
            Rule(weekday, lambda match: weekdays[match["day"].lower()]),
            Rule(_NO_DATE, self._write_no_date),
            Rule(_ISO, self._write),
            Rule(_NUMERIC, self._write),
            Rule(_MONTH_YEAR, self._write_month),
            Rule(_DAY_MONTH, self._write_day),
            Rule(named, self._write_named),
        )

    def say(self, year: str, month: int, day: int) -> str | None:
        """Return a date in words, None if there is no such day."""
        if not is_day(month, day, int(year)):
            return None
        return self._locale.date.format(
            day=self._day(day),
            month=self._locale.months[month - 1],
            year=self._numerals.year(year),
        )

    def say_month(self, year: str, month: int) -> str | None:
        """Return a month of a year in words, None if there is no such month."""
        if not 1 <= month <= 12:
            return None
        return self._part("{month}", "{year}").format(
            month=self._locale.months[month - 1], year=self._numerals.year(year)
        )

    def say_day(self, month: int, day: int) -> str | None:
        """Return a day of any year in words, None if there is no such day."""
        if not is_day(month, day):
            return None
        return self._part("{day}", "{month}").format(
            day=self._day(day), month=self._locale.months[month - 1]
        )

    def _part(self, first: str, last: str) -> str:
        date = self._locale.date
        return date[date.index(first) : date.index(last) + len(last)]

    def _day(self, day: int) -> str:
        if day == 1 and self._locale.first_day:
            return self._locale.first_day
        return self._numerals.cardinal(day)

    def _write_no_date(self, match: re.Match[str]) -> str | None:
        words = say_run(match["run"], self._say_figures, f" {self._locale.range_word} ", "dm")
        if words is None or words[0].isdigit():
            return words and words + (match["time"] or "")
        return words + ", " * (match["time"] is not None)

    def _say_figures(self, text: str) -> str:
        """Return figures that are no date in words: with hyphens as a code."""
        groups = re.split("[/.-]", text)
        if "-" in text:
            return ", ".join(map(self._numerals.digits, groups))
        mark = "/" if "/" in text else f" {self._locale.points['.']} "
        return mark.join(map(self._numerals.whole, groups))

    def _write(self, match: re.Match[str]) -> str | None:
        day, month, year = int(match["day"]), int(match["month"]), match["year"]
        if len(year) == 2:
            year = f"{20 if int(year) < _CENTURY_TURNS_AT else 19}{year}"
        if match.re is _NUMERIC and month > 12 >= day:
            day, month = month, day
        words = self.say(year, month, day)
        is_followed = match.groupdict().get("time") is not None
        return None if words is None else words + ", " * is_followed

    def _write_alone(self, match: re.Match[str]) -> str:
        return match["before"] + self._locale.months[self._short[match["short"].lower()]]

    def _write_month(self, match: re.Match[str]) -> str | None:
        return self.say_month(match["year"], int(match["month"]))

    def _write_day(self, match: re.Match[str]) -> str | None:
        day = match["day"] or match["first"]
        return self.say_day(int(match["month"] or match["second"]), int(day))

    def _write_range(self, match: re.Match[str], last: int) -> str | None:
        if not match["month"]:
            return None
        first, range_word = int(match["first"]), self._locale.range_word
        if not 1 <= first < last:
            return None
        days = f"{self._day(first)} {range_word} {self._numerals.cardinal(last)}"
        return f"{days}{match['link']}{match['month']}"

    def _write_month_in_full(self, match: re.Match[str], month: int) -> str | None:
        """Return what is no date with the name of the month in full."""
        if not match["short"]:
            return None
        short = re.compile(rf"{re.escape(match['short'])}\.?")
        return short.sub(self._locale.months[month - 1], match[0], count=1)

    def _write_named(self, match: re.Match[str]) -> str | None:
        day, months = int(match["day"]), self._locale.months
        month = (
            self._short[match["short"].lower()]
            if match["short"]
            else [month.lower() for month in months].index(match["month"].lower())
        ) + 1
        if not is_day(month, day):
            return self._write_month_in_full(match, month)
        if match["first"]:
            return self._write_range(match, day)
        if match["month"]:
            link = match["link"]
            if self._locale.date_link and not link.strip():
                link = f" {self._locale.date_link} "  # `8 marzo`
            return f"{self._day(day)}{link}{match['month']}"
        year = match["year"] or match["dotless_year"]
        return self.say(year, month, day) if year else self.say_day(month, day)
