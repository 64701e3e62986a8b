"""A sieve of patterns never withholds one that matches, and lets few others through."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import strategies as st

from bench.reading import sentences_of
from service.text import LANGUAGES, Normalization
from service.text.normalization.normalizer import rules_for
from service.text.normalization.sieve import Sieve, needed_by
from tests.profiles import given
from tests.service.text.reading_tables import rows

ALL = Normalization(numbers_as="digits", emoji="name", urls="short")
TABLES = {
    "en-us": ("awkward", "common"),
    "en-gb": ("awkward", "en-gb"),
    **{code: (code, "common-other") for code in ("de", "es", "fr", "hi", "it", "pt-br")},
    **{code: (code, "common-other") for code in ("ja", "zh")},
}

PATTERNS = [
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"\bcf\.(?!\w)", 0),
        (r"(?:Mr|Mrs|Dr)\.?[ ](?=[A-Z])", 0),
        (r"(?<=[a-z][ ])vs\b|\bversus", 0),
        (r"(?i)kilo|mass", 0),
        (r"(?i:k)m|ſt", 0),
        (r"kilo|[q-s]trass", re.IGNORECASE),
        (r"\d{2,4}-\d+", 0),
        (r"(?:ab|c[de]){2}x?y", 0),
        (r"(?:ab|c[de]){1,5}x?y", 0),
        (r"(?:ab){0,2}(?P<q>['\"])z+?(?P=q)", 0),
        (r"[^\W\d_]+\s°", 0),
        (r"(?:(?!a)b|)c", 0),
        (r"(a)?(?(1)b|c)d", 0),
        (r"a.c\Z", re.DOTALL),
        (r"x\s\sy", 0),
        (r"[^a]b", 0),
        (r"[é-ü]b", 0),
        (r"é|ñb", re.IGNORECASE),
        (r"[零一二三]月(?!\d)|二〇", 0),
        (r"[\u4e00-\u9fff]x\d号", 0),
    )
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_rule_is_withheld_that_matches(language):
    rules = rules_for(language, ALL)
    for table in TABLES[language]:
        for row in rows(table)[::4]:
            for text in row[1:3]:
                candidates = rules.sieve.candidates(text)
                for number in set(range(len(rules.rules))).difference(candidates):
                    assert not rules.rules[number].pattern.search(text)


@pytest.mark.thorough
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.pattern)
@given(data=st.data())
def test_every_match_has_what_its_pattern_needs(pattern, data):
    matching = data.draw(st.from_regex(pattern))
    assert Sieve([pattern]).candidates(matching) == [0]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="re has no such groups before 3.11")
def test_parts_that_never_give_back_are_needed_too():
    sieve = Sieve([re.compile("(?>ab|a)c"), re.compile("x++y")])
    assert sieve.candidates("abc") == [0]
    assert sieve.candidates("xxy") == [1]
    assert sieve.candidates("ab xx") == []


def test_what_a_pattern_needs_are_short_and_rare_strings():
    assert needed_by(re.compile(r"\bcf\.(?!\w)")) == ({"cf."},)
    assert needed_by(re.compile(r"\w+ (?:fig|vol)(?![a-z])"))[0] == {"fig", "vol"}
    assert needed_by(re.compile(r"\w*")) == ()


@pytest.mark.parametrize("language", ["en-us", "fr", "hi", "ja", "zh"])
def test_few_rules_are_left_for_prose(language):
    rules = rules_for(language, ALL)
    sentences = sentences_of(language)[:100]
    n_left = sum(len(rules.sieve.candidates(sentence)) for sentence in sentences)
    assert n_left < 0.1 * len(rules.rules) * len(sentences)
