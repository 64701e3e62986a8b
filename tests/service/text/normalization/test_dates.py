"""Only days that there are become dates, in every order, with every mark, in every language."""

import itertools
import re
from datetime import date
from functools import cache
from importlib import import_module

import pytest

from service.text.characters import clean_text
from service.text.languages.english.normalization.calendar import MONTH_NAMES, MONTHS
from service.text.languages.english.normalization.numbers import Numbers
from service.text.languages.japanese.normalization.spoken_digits import say_digits
from service.text.languages.mandarin.normalization.numbers import say_integer
from service.text.normalization import normalize
from service.text.normalization.figures.language import FigureLanguage
from service.text.offset_mapping import TracedText

YEARS = (1900, 2000, 2023, 2024)
DAYS = tuple(itertools.product(range(1, 13), range(1, 32)))
LATE_DAYS = tuple((month, day) for month, day in DAYS if day > 27)
NUMBERS = Numbers(british=False)


def exists(year, month, day):
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def said(text, language="en-us"):
    return normalize(clean_text(TracedText(text)), language).text


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en-us", "en-gb"])
@pytest.mark.parametrize(
    "form",
    [
        *("{year}-{month:02}-{day:02}", "{year}/{month}/{day}", "{day:02}.{month:02}.{year}", "{name} {day}, {year}"),
        *("{name} {day} {year}", "{short} {day}, {year}", "{day} {name} {year}", "{day} of {name} {year}"),
        *("on {first:02}/{second:02}", "{first}/{second}/{year}"),
    ],
)
def test_english_dates_are_days_that_there_are(language, form):
    for year, (month, day) in itertools.product(YEARS, LATE_DAYS):
        name = MONTHS[month - 1]
        first, second = (day, month) if language == "en-gb" else (month, day)
        text = form.format(year=year, month=month, day=day, name=name, short=name[:3], first=first, second=second)
        is_date = exists(2024 if "year" not in form else year, month, day)
        words = said(text, language)
        assert (NUMBERS.ordinal(str(day)) in words) == is_date, f"{text}: {words}"
        assert name in words or not is_date, f"{text}: {words}"


@pytest.mark.parametrize("form", ["{name} {day}-{last}", "{day}–{last} {name}"])
def test_ranges_of_days_go_up_to_a_day_of_the_month(form):
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
def test_dates_of_other_languages_are_days_that_there_are(language, form, month_word):
    cases = itertools.product(YEARS, (2, 4, 6, 7, 9, 11), range(28, 32))
    for year, month, day in cases:
        text = form.format(year=year, month=month, day=day)
        is_date = exists(2024 if "year" not in form else year, month, day)
        words = said(text, language)
        found = any(word in words for word in month_word.split("|"))
        assert found == is_date, f"{text}: {words}"


LANGUAGES = ("en-us", "en-gb", "es", "fr", "it", "pt-br", "hi", "ja", "zh")

MARKS = ("/", "-", ".")
FULL_FORMS = (
    *(mark.join(("{year}", "{month:02}", "{day:02}")) for mark in MARKS),
    *(mark.join(("{day}", "{month}", "{year}")) for mark in MARKS),
    *(mark.join(("{month:02}", "{day:02}", "{year}")) for mark in MARKS),
    "{day:02}/{month:02}/{short:02}",
    "{month}/{day}/{short:02}",
    "{year}-{month:02}-{day:02}T10:00:00Z",
    "{year}-{month:02}-{day:02} 10:00",
)
PAIRS = ("{day:02}/{month:02}", "{month:02}/{day:02}")
RANGES = (
    "{real}-{day}/{month}/{year}",
    "{day}/{month}/{year}-{real}",
    "{real}–{month}/{day}/{year}",
    "{real}–{day}.{month}.{year}",
    "{day}/{month}/{short:02}-1/3/24",
    "{year}-{month:02}-{day:02}/2024-03-01",
    "2024-03-01/{year}-{month:02}-{day:02}",
    "{year}/{month}/{day}–2024/3/1",
    "2024/3/1〜{year}/{month}/{day}",
)
RANGES_OF_PAIRS = (
    *(f"{pair}{dash}01/01" for pair in PAIRS for dash in "-–"),
    *(f"01/01{dash}{pair}" for pair in PAIRS for dash in "-–"),
)
IMPOSSIBLE = (*itertools.product((0, 2, 4, 13, 20), (0, 29, 30, 31, 32)), (12, 32), (2, 2))


def impossible(form):
    """Return the texts of a form that are no dates, whichever number is the month."""
    texts = set()
    for year, (month, day) in itertools.product(YEARS, IMPOSSIBLE):
        if "year" in form:
            calendar_year = year
        else:
            calendar_year = 2000 + year % 100 if "short" in form else 2024
            # Without a year it is a fraction, unless it starts with a zero.
            if "short" not in form and month > 9 and day > 9:
                continue
        if not (exists(calendar_year, month, day) or exists(calendar_year, day, month)):
            texts.add(form.format(year=year, short=year % 100, month=month, day=day, real="1/2/2024"))
    return texts


@cache
def figures_of(language):
    folder = {"es": "spanish", "fr": "french", "it": "italian", "pt-br": "portuguese", "hi": "hindi"}[language]
    module = import_module(f"service.text.languages.{folder}.locale")
    return FigureLanguage(module.LOCALE, module.PICTURES)


def names_of_dates(language):
    """Return a pattern of the words that only dates have."""
    if language in ("ja", "zh"):
        return re.compile("[年月日]")
    if language.startswith("en"):
        ordinals = {NUMBERS.ordinal(str(day)) for day in range(1, 32)}
        return re.compile(rf"\b(?:{'|'.join([*MONTHS, *ordinals])})\b")
    locale = figures_of(language).locale
    first = [locale.first_day] if locale.first_day else []
    return re.compile("|".join([*locale.months, *first]), re.IGNORECASE)


def ways_to_say(group, language):
    """Return what a language may say for a group of digits."""
    if language == "ja":
        return {group, say_digits(group)}
    if language == "zh":
        return {say_integer(group)}
    if language.startswith("en"):
        numbers = Numbers(british=language == "en-gb")
        return {numbers.cardinal(group), numbers.spelled(group), numbers.year(group)}
    numerals = figures_of(language).numerals
    return {numerals.whole(group), numerals.digits(group)}


def says_in_order(text, words, language):
    groups = re.findall("[0-9]+", re.sub("[T ]10:.*", "", text))
    said_so = [f"(?:{'|'.join(sorted(ways_to_say(group, language), key=len, reverse=True))})" for group in groups]
    # Nothing between them has figures or is another number.
    return re.search(".{1,12}?".join(said_so), words, re.IGNORECASE) is not None


@pytest.mark.parametrize(
    "language", ["en-us", *(pytest.param(one, marks=pytest.mark.thorough) for one in LANGUAGES[1:])]
)
def test_no_part_of_what_is_no_date_is_read_as_one(language):
    name = names_of_dates(language)
    misses = []
    forms = (*FULL_FORMS, *RANGES, *PAIRS, *RANGES_OF_PAIRS)
    for form, frame in zip(forms, itertools.cycle(("{}", "due {}.", "({}),")), strict=False):
        texts = sorted(impossible(form))
        assert texts
        written = "\n\n".join(frame.format(text) for text in texts)
        for text, words in zip(texts, said(written, language).split("\n\n"), strict=True):
            if name.search(words) or not says_in_order(text, words, language):
                misses.append(f"{text}: {words}")
    assert misses == []


@pytest.mark.parametrize(
    ("language", "first", "last"),
    [
        *((language, "2024-02-01", "2024-02-29") for language in LANGUAGES),
        *((language, "2024/2/1", "2024/2/29") for language in LANGUAGES),
        *((language, "1/2/2024", "29/2/2024") for language in LANGUAGES[:7]),
        *((language, "01.02.2024", "03.02.2024") for language in LANGUAGES[:7]),
        *((language, "01/02", "05/02") for language in LANGUAGES[:7]),
        *((language, "01/02/24", "05/03/24") for language in LANGUAGES[:7]),
    ],
)
def test_both_ends_of_a_range_of_dates_are_read(language, first, last):
    ends = [said(f"on {end}", language).removeprefix("on ") for end in (first, last)]
    for joiner in "–/" if "-" in first else "–-":
        words = said(f"on {first}{joiner}{last}", language)
        assert all(end in words for end in ends), f"{joiner}: {words}"
