"""Grammars propose, weights decide, and what wins is written with its place."""

import re

import pytest
from hypothesis import strategies as st

from bench.readings.annotations import load, units
from bench.readings.learning import is_allowed
from service.text.languages.english.grammars import reader
from service.text.lattice.grammar import Grammar, Grammars, Reading
from service.text.lattice.reader import LatticeReader, Rewriting
from service.text.normalization import USUAL
from service.text.normalization.normalizer import explain, rewriting, rules_for
from service.text.offset_mapping import TracedText
from tests.profiles import given
from tests.service.text.whole_reading import normalized

WORDS = {"2": "two", "3": "three"}
PAIR = Grammar("pair", prior={"": 0.0, "score": 0.5}, before="won lost")


@PAIR.at("0123456789", r"(?P<one>[0-9]+)-(?P<other>[0-9]+)(?![0-9-])")
def pair(at, match):
    for form, joint in (("score", "to"), ("range", "through")):
        yield Reading(form, f"{WORDS[match['one']]} {joint} {WORDS[match['other']]}", ("short",))
    yield Reading("figures", match[0].replace("-", " to "))


def read(text, weights=None, *, fixed=(), rewritten=None, chosen=False):
    """Return a text as a reader with one grammar reads it; `rewritten` is what rules make of it."""
    reader = LatticeReader(Grammars([PAIR], None), weights or {}, {}, str.islower)
    source = TracedText(text)
    result, applied = source, []
    if rewritten is not None:
        part, words = rewritten
        result = source.sub(re.compile(re.escape(part)), lambda match: words)
        applied = [(text.index(part), text.index(part) + len(part), "rule")]
    rules = Rewriting(result, applied, frozenset(["rule"] if chosen else []))
    return reader.read(source, rules, fixed)


def test_the_best_path_is_written_and_knows_its_places():
    said = read("we won 3-2 today")
    assert said.text == "we won three to two today"
    first = said.text.index("three to two")
    assert {said[at : at + 1].span for at in range(first, first + 12)} == {(7, 10)}
    assert said[first + 13 :].span == (11, 16)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({}, "three to two"), ({"pair.range": 1.0}, "three through two"),
        ({"pair.score|short": -1.0}, "three through two"),
        ({"hint beside": 9.0}, "three to two"), ({"pair.range!beside": 1.0}, "three through two"),
        ({"pair.score": -9.0, "pair.range": -9.0}, "3-2"), ({"pair.figures": 9.0}, "three to two"),
    ],
)  # fmt: skip
def test_facts_hints_and_classes_have_weights(weights, words):
    assert read("won 3-2", weights).text == f"won {words}"


def test_what_must_not_change_and_what_the_caller_chose_win():
    assert read("won 3-2", fixed=[(4, 7)]).text == "won 3-2"
    assert read("won 3-2", rewritten=("3-2", "three two")).text == "won three two"  # more than a grammar's prior
    assert read("won 3-2", {"pair.score": 5.0}, rewritten=("3-2", "three two")).text == "won three to two"
    assert read("won 3-2", {"pair.score": 5.0}, rewritten=("3-2", "three two"), chosen=True).text == "won three two"


def test_a_decision_tells_candidates_scores_and_reasons():
    source = TracedText("The odds were 33/1 on May 3.")
    found = {source.text[one.start : one.end]: one.options for one in explain(source, "en-us")}
    assert "33/1" in found
    for options in found.values():
        assert 0 < options[0].probability <= 1.000001
        assert sum(option.probability for option in options) <= 1.000001
        assert any(option.reasons for option in options)


CRUMBS = st.lists(
    st.sampled_from([
        "the", "Smith", "NASA", "3", "12", "1984", "$", "%", "/", "-", ":", ".", ",", "kg", "pm", "x", "II", "No.",
        "^", "√", "²", "(", ")", "[", "]", "=", "<", ">", "&", "#", "@", "*", "~", "é", "字", "🙂", "°", "'", '"', "\n",
    ]),
    max_size=14,
)  # fmt: skip


@given(parts=CRUMBS, joint=st.sampled_from(["", " "]))
def test_no_letter_and_no_digit_is_silent(parts, joint):
    text = TracedText(joint.join(parts))
    rules = rules_for("en-us", USUAL, named_emoji=False)
    english = reader(british=False)
    lattice = english.lattice(text.text, rewriting(text.text, rules, [], USUAL))
    tokens = lattice.tokens.tokens
    for index in lattice.best(lattice.scores(english.weights)):
        one = lattice.candidates[index]
        written = text.text[tokens[one.start].start : tokens[one.end - 1].end]
        before = text.text[: tokens[one.start].start][-1:]
        is_face = one.kind == "emoticon.silent" or "by emoticons" in one.facts
        is_face = is_face and (not before or before.isspace())
        if any(map(str.isalnum, written)) and not is_face:
            assert one.words is None or any(map(str.isalnum, one.words)), written


@pytest.mark.thorough
def test_annotated_texts_are_read_as_they_may_be():
    """All were learned from, and the comparison is coarse: this holds the way from text to words."""
    texts = load()
    right = sum(is_allowed(text, units(normalized(text.text, "en-us").text)) for text in texts)
    assert right / len(texts) > 0.75
