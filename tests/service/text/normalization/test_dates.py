"""Only days that there are become dates, in every order, with every mark, in every language."""

from __future__ import annotations

import itertools
from datetime import date

import pytest

from service.text.characters import clean_text
from service.text.normalization import normalize
from service.text.normalization.date_parts import date_parts, is_day
from service.text.normalization.english.calendar import MONTH_NAMES, MONTHS
from service.text.normalization.english.numbers import Numbers
from service.text.offset_mapping import TracedText

YEARS = (1900, 2000, 2023, 2024)
DAYS = tuple(itertools.product(range(1, 13), range(1, 32)))
LATE_DAYS = tuple((month, day) for month, day in DAYS if day > 27)
NUMBERS = Numbers(british=False)


def exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def said(text: str, language: str = "en-us") -> str:
    return normalize(clean_text(TracedText(text)), language).text


def test_months_have_their_days() -> None:
    for year, month, day in itertools.product(range(1583, 2101), range(14), range(33)):
        assert is_day(month, day, year) == exists(year, month, day)
    for month, day in itertools.product(range(14), range(33)):
        assert is_day(month, day) == exists(2024, month, day)
    assert is_day(2, 29, 1500)


@pytest.mark.parametrize(
    ("order", "text"),
    [("ymd", "2023-02-29"), ("dmy", "31/04/2024"), ("mdy", "2/30/2024"), ("md", "9/31")],
)
def test_no_date_has_no_parts(order: str, text: str) -> None:
    assert date_parts(text, order) is None


@pytest.mark.parametrize("language", ["en-us", "en-gb"])
@pytest.mark.parametrize(
    "form",
    [
        "{year}-{month:02}-{day:02}",
        "{year}/{month}/{day}",
        "{day:02}.{month:02}.{year}",
        "{name} {day}, {year}",
        "{name} {day} {year}",
        "{short} {day}, {year}",
        "{day} {name} {year}",
        "{day} of {name} {year}",
        "on {first:02}/{second:02}",
        "{first}/{second}/{year}",
    ],
)
def test_english_dates_are_days_that_there_are(language: str, form: str) -> None:
    for year, (month, day) in itertools.product(YEARS, LATE_DAYS):
        name = MONTHS[month - 1]
        first, second = (day, month) if language == "en-gb" else (month, day)
        text = form.format(
            year=year,
            month=month,
            day=day,
            name=name,
            short=name[:3],
            first=first,
            second=second,
        )
        is_date = exists(2024 if "year" not in form else year, month, day)
        words = said(text, language)
        assert (NUMBERS.ordinal(str(day)) in words) == is_date, f"{text}: {words}"
        assert name in words or not is_date, f"{text}: {words}"


@pytest.mark.parametrize("form", ["{name} {day}-{last}", "{day}–{last} {name}"])
def test_ranges_of_days_go_up_to_a_day_of_the_month(form: str) -> None:
    for name in ("Feb", "April", "May"):
        for day, last in itertools.product((1, 5, 12, 28), (1, 3, 5, 12, 29, 30, 31, 32, 39)):
            text = form.format(name=name, day=day, last=last)
            month = MONTHS.index(MONTH_NAMES[name]) + 1
            words = said(text)
            is_range = day < last and exists(2024, month, last)
            assert (NUMBERS.ordinal(str(last)) in words) == is_range, f"{text}: {words}"
            assert MONTHS[month - 1] in words


@pytest.mark.parametrize(
    ("language", "form", "month_word"),
    [
        ("es", "{day:02}/{month:02}/{year}", " de "),
        ("fr", "{year}-{month:02}-{day:02}", "février|avril|juin|septembre|novembre|juillet"),
        ("it", "{day:02}.{month:02}.{year}", "febbraio|aprile|giugno|settembre|novembre|luglio"),
        ("pt-br", "{day:02}/{month:02}", " de "),
        ("hi", "{day:02}/{month:02}/{year}", "फ़रवरी|अप्रैल|जून|सितंबर|नवंबर|जुलाई"),
        ("ja", "{year}/{month}/{day}", "月"),
        ("zh", "{year}-{month:02}-{day:02}", "月"),
    ],
)
def test_dates_of_other_languages_are_days_that_there_are(
    language: str, form: str, month_word: str
) -> None:
    cases = itertools.product(YEARS, (2, 4, 6, 7, 9, 11), range(28, 32))
    for year, month, day in cases:
        text = form.format(year=year, month=month, day=day)
        is_date = exists(2024 if "year" not in form else year, month, day)
        words = said(text, language)
        found = any(word in words for word in month_word.split("|"))
        assert found == is_date, f"{text}: {words}"
