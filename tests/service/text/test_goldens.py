"""Goldens: texts of every class, and how a person would read them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.service.text.whole_reading import read

from service.text import LANGUAGES, load_vocabulary

FOLDER = Path(__file__).parents[2] / "data" / "reading"

MINIMUM = {"en-us": 300, **dict.fromkeys(("en-gb", "es", "fr", "it", "pt-br", "hi", "ja", "zh"), 40)}
"""Least number of cases for each language."""


class Case(NamedTuple):
    """A line of a file."""

    language: str
    kind: str
    text: str
    reading: str


def cases():
    found = []
    for path in sorted(FOLDER.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            fields = [field.replace("\\n", "\n") for field in line.split("\t")]
            if line.startswith("#") or not line:
                continue
            if path.stem in LANGUAGES:
                found.append(Case(path.stem, *fields))
            elif path.stem in ("common", "awkward"):
                found.append(Case("en-us", *fields))
            elif path.stem in ("common-other", "awkward-other"):
                kind, language, *rest = fields
                found.append(Case(language, kind, *rest))
    return found


CASES = cases()


def of_language(front_end, language):
    if not front_end.readers.is_available(language):
        pytest.skip(f"nothing reads {language} here")
    return [case for case in CASES if case.language == language]


@pytest.mark.parametrize("language", MINIMUM)
def test_texts_are_read_as_a_person_would_read_them(front_end, language):
    misses = []
    for case in of_language(front_end, language):
        reading = read(front_end, case.text, language)
        unknown = load_vocabulary().unknown(reading.phonemes)
        if reading.normalized != case.reading.strip() or unknown:
            misses.append(f"{case.text!r}: {reading.normalized!r}, not {case.reading!r}; {unknown}")
    assert not misses, "\n".join(misses)


@pytest.mark.parametrize("language", MINIMUM)
def test_what_is_in_words_stays_as_it_is(front_end, language):
    misses = []
    for case in of_language(front_end, language):
        again = read(front_end, case.reading, language).normalized
        if again != case.reading.strip():
            misses.append(f"{case.reading!r}: {again!r}")
    assert not misses, "\n".join(misses)


def test_no_case_is_of_a_language_that_is_not_tested():
    assert {case.language for case in CASES} == set(MINIMUM)


def test_there_are_cases_enough():
    counts = Counter(case.language for case in CASES)
    assert all(counts[language] >= least for language, least in MINIMUM.items()), counts
