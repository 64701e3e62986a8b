"""The golden files: texts of every class, and how a person would read them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from whole_reading import read

from service.text import LANGUAGES, FrontEnd, load_vocabulary

FOLDER = Path(__file__).parents[2] / "data" / "reading"

MINIMUM = {"en-us": 300, **dict.fromkeys(("es", "fr", "it", "pt-br", "hi", "ja", "zh"), 40)}
"""Cases of each language."""


class Case(NamedTuple):
    """A line of a file."""

    language: str
    kind: str
    text: str
    reading: str


def cases() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            fields = [field.replace("\\n", "\n") for field in line.split("\t")]
            if line.startswith("#") or not line:
                continue
            if path.stem in LANGUAGES:
                found.append(Case(path.stem, *fields))
            elif path.stem == "common":
                found.append(Case("en-us", *fields))
            elif path.stem == "common-other":
                kind, language, *rest = fields
                found.append(Case(language, kind, *rest))
    return found


CASES = cases()


def skip_without_reader(front_end: FrontEnd, case: Case) -> None:
    if not front_end.readers.is_available(case.language):
        pytest.skip(f"nothing reads {case.language} here")


@pytest.mark.parametrize("case", CASES, ids=[f"{c.language}-{c.text[:30]}" for c in CASES])
def test_a_text_is_read_as_a_person_would_read_it(front_end: FrontEnd, case: Case) -> None:
    skip_without_reader(front_end, case)
    reading = read(front_end, case.text, case.language)
    assert reading.normalized == case.reading.strip()
    assert load_vocabulary().unknown(reading.phonemes) == []


@pytest.mark.parametrize("case", CASES, ids=[f"{c.language}-{c.text[:30]}" for c in CASES])
def test_what_is_in_words_stays_as_it_is(front_end: FrontEnd, case: Case) -> None:
    skip_without_reader(front_end, case)
    assert read(front_end, case.reading, case.language).normalized == case.reading.strip()


def test_there_are_cases_enough() -> None:
    counts = Counter(case.language for case in CASES)
    assert all(counts[language] >= least for language, least in MINIMUM.items()), counts
