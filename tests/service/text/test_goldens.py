"""Goldens: texts of every class, and how a person would read them."""

import re
from collections import Counter
from typing import NamedTuple

import pytest

from service.text import LANGUAGES, USUAL, Normalization, Passage, TracedText, load_vocabulary
from service.text.markup import Hint
from tests.service.text.reading_tables import rows
from tests.service.text.whole_reading import read

MINIMUM = {"en-us": 300, **dict.fromkeys(("en-gb", "es", "fr", "it", "pt-br", "hi", "ja", "zh"), 40), "de": 21}
"""Least number of cases for each language."""


class Case(NamedTuple):
    """A line of a file."""

    language: str
    text: str
    reading: str
    normalization: Normalization = USUAL


def cases():
    for language in LANGUAGES:
        yield from (Case(language, text, reading) for _, text, reading in rows(language))
    for name in ("common", "awkward"):
        yield from (Case("en-us", text, reading) for _, text, reading in rows(name))
    for name in ("common-other", "awkward-other", "marks"):
        yield from (Case(*row) for _, *row in rows(name))
    for choices, *row in rows("choices"):
        yield Case(*row, Normalization(**dict(choice.split("=") for choice in choices.split())))


CASES = list(cases())


def of_language(front_end, language):
    if not front_end.readers.is_available(language):
        pytest.skip(f"nothing reads {language} here")
    return [case for case in CASES if case.language == language]


def heard(words):
    """Return what is heard of words: a line end is a pause if the next line does not go on with a small letter."""
    paused = re.sub(r"(?<![.!?…:;,—。！？：；，、।\s])\s*(?:\n\s*\n|\n(?=\s*[^\sa-zà-ÿ]))", ". ", words.strip())
    return " ".join(paused.removesuffix(".").removesuffix("。").split())


@pytest.mark.parametrize("language", MINIMUM)
def test_texts_are_read_as_a_person_would_read_them(front_end, language):
    misses = []
    for case in of_language(front_end, language):
        reading = read(front_end, case.text, language, normalization=case.normalization)
        unknown = load_vocabulary().unknown(reading.phonemes)
        if heard(reading.normalized) != heard(case.reading) or unknown:
            misses.append(f"{case.text!r}: {reading.normalized!r}, not {case.reading!r}; {unknown}")
    assert not misses, "\n".join(misses)


@pytest.mark.thorough
@pytest.mark.parametrize("language", MINIMUM)
def test_what_is_in_words_stays_as_it_is(front_end, language):
    misses = []
    for case in of_language(front_end, language):
        again = read(front_end, case.reading, language, normalization=case.normalization).normalized
        if re.findall(r"\w+", again) != re.findall(r"\w+", case.reading):
            misses.append(f"{case.reading!r}: {again!r}")
    assert not misses, "\n".join(misses)


@pytest.mark.parametrize("language", MINIMUM)
def test_a_text_of_a_known_kind_is_read_as_that_kind(front_end, language):
    """A text of another kind has no reading in the table, and is read as without the hint."""
    of_language(front_end, language)
    misses = []
    for _, kind, detail, text, expected in (row for row in rows("hints") if row[0] == language):
        plain, hinted = (
            " ".join(one.normalized for one in front_end.read(Passage(TracedText(text), hints=hints), language))
            for hints in ((), (Hint(0, len(text), kind, detail),))
        )
        if hinted != (expected or plain):
            misses.append(f"{text!r} as {kind} {detail}: {hinted!r}, not {expected or plain!r}")
    assert not misses, "\n".join(misses)


def test_no_case_is_of_a_language_that_is_not_tested_and_there_are_cases_enough():
    counts = Counter(case.language for case in CASES)
    assert set(counts) == set(MINIMUM)
    assert all(counts[language] >= least for language, least in MINIMUM.items()), counts
