from itertools import pairwise

import pytest
from hypothesis import example
from hypothesis import strategies as st

from service.text import ClauseBuffer
from tests.profiles import given


def clauses_of(*parts, **lengths):
    buffer = ClauseBuffer(**lengths)
    clauses = [clause for part in parts for clause in buffer.add(part)]
    return [clause.text for clause in clauses + buffer.flush()]


LONG = "so this is a clause of well over sixty characters, every one counted"


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        # Sentences, as soon as white space follows.
        ("Hello there. ", ["Hello there."]), ("Hello there.", []), ("Really?! Yes… no", ["Really?!", " Yes…"]),
        ('He said "stop." Then', ['He said "stop."']), ("(It was so.) Then", ["(It was so.)"]),
        ('It ends. "Next', ["It ends."]),
        # Line breaks.
        ("Title\nText", ["Title"]), ("one\r", ["one"]), ("\n\n", []),
        # Marks of other scripts, as soon as it is certain that no quote closes after them.
        ("你好。世", ["你好。"]), ("「你好。」世", ["「你好。」"]), ("यह है। वह", ["यह है।"]), ("هل؟ نعم", ["هل؟"]),
        # Not inside numbers, abbreviations, initials, addresses.
        ("It is 3.14 and 1,000.50 at 19:30", []), ("Dr. Smith and J. R. Tolkien e.g. here", []),
        ("See No. 5 at www.example.com or me@x.org/a,b", []),
        ("We met in the U.S. Army at 7 p.m. and ate etc. and", []),
        ("We met at 7 p.m. The", ["We met at 7 p.m."]), ("I take vitamin C. it is good", ["I take vitamin C."]),
        ("I said no. Yes", ["I said no."]), ("I said no. ", []), ("1. First\n(2. no", ["1. First"]),
        # Not inside markup or brackets.
        ("Say [Kokoro](/kˈOkə. ɹO/) now. It", ["Say [Kokoro](/kˈOkə. ɹO/) now."]),
        ("Wait [pause:1.5s] there. Now", ["Wait [pause:1.5s] there."]),
        ("It is [so! Or not] so. But", ["It is [so! Or not] so."]),
        # Marks alone are not a clause.
        ("... well", []), ("* * *\nText\n", ["* * *\nText"]),
        # Commas after enough text; earlier in the first clause.
        ("Yes, of course, that will be fine, and", ["Yes, of course, that will be fine,"]),
        ("Yes, of course, ", []),
        (LONG + "; and " + LONG, [LONG.split(",")[0] + ",", " every one counted; and " + LONG.split(",")[0] + ","]),
        ("the well-known author—a friend—came", ["the well-known author—a friend—"]),
        ("in the years of 1984–1990 and of 5,5", []),
    ],
)  # fmt: skip
def test_a_clause_is_complete_when_its_end_is_certain(text, complete):
    assert [clause.text for clause in ClauseBuffer().add(text)] == complete


def test_offsets_are_in_all_the_text_that_was_added():
    buffer = ClauseBuffer()
    assert [(clause.text, clause.start) for clause in buffer.add("One. Two. Thr")] == [("One.", 0), (" Two.", 4)]
    assert buffer.pending == 4
    buffer.clear()
    assert buffer.pending == 0
    assert [(clause.text, clause.start) for clause in buffer.add("Four. ")] == [("Four.", 13)]
    assert [(clause.text, clause.start) for clause in buffer.flush()] == [(" ", 18)]
    assert buffer.flush() == []


def test_after_a_flush_or_clear_the_next_clause_is_a_first_one():
    text = "thirty characters of text here, and"
    buffer = ClauseBuffer()
    assert len(buffer.add(text)) == 1
    assert buffer.add(text) == []
    buffer.flush()
    assert len(buffer.add(text)) == 1
    buffer.clear()
    assert len(buffer.add(text)) == 1


def test_a_clause_without_marks_is_cut_at_white_space():
    text = "word " * 200
    clauses = clauses_of(text)
    assert "".join(clauses) == text
    assert all(len(clause) <= 250 and not clause[-1:].isspace() for clause in clauses[:-1])
    assert all(clause.split() == ["word"] * len(clause.split()) for clause in clauses)


def test_a_word_longer_than_a_clause_is_cut_between_letters():
    assert clauses_of("क\u093f" * 10, max_length=5) == ["क\u093fक\u093f"] * 5
    assert max(map(len, clauses_of("a" * 1000))) == 250


def test_what_is_pending_is_bounded():
    buffer = ClauseBuffer()
    for _ in range(300):
        buffer.add("J.       ")
        assert buffer.pending <= 250


WORDS = ["Hello there", "world", "some more of it", "The", "the", "3.14", "1,000", "19:30", "5"]
ABBREVIATIONS = ["Dr. ", "J. ", "e.g. ", "etc. ", "p.m. ", "No. ", "https://a.b/c,d. "]
MARKS = [*".!…,;:—。」।\"'”()", ". ", ", ", "...", "! ", ": "]
OTHERS = ["\n", "\r\n", "\r", " ", "  ", "🤷", "\u200d", "\u0301"]
PARTS = st.lists(st.sampled_from(WORDS + ABBREVIATIONS + MARKS + OTHERS) | st.text(max_size=3), max_size=60)


@given(parts=PARTS, cuts=st.lists(st.integers(0, 200)), max_length=st.sampled_from([10, 40, 250]))
@example(parts=[". ", "[", "Hello there"], cuts=[2], max_length=10)
@example(parts=["Hello there", "\\:", "Hello there"], cuts=[], max_length=10)
def test_how_text_arrives_does_not_change_its_clauses(parts, cuts, max_length):
    text = "".join(parts)
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    as_cut = [text[start:end] for start, end in pairwise(edges)]
    lengths = {"first_length": 5, "min_length": 12, "max_length": max_length}
    whole = clauses_of(text, **lengths)
    assert "".join(whole) == text
    assert all(whole)
    buffer = ClauseBuffer(**lengths)
    for clause in buffer.add(text) + buffer.flush():
        # The backslash of `\\:` is no part of what is said.
        assert len(clause.text if clause.words is None else clause.words) <= max_length
    assert clauses_of(*as_cut, **lengths) == whole
    assert clauses_of(*text, **lengths) == whole
    assert clauses_of(*parts, **lengths) == whole


@given(parts=PARTS)
def test_offsets_say_where_each_clause_was(parts):
    buffer = ClauseBuffer(first_length=5, min_length=12)
    clauses = [clause for part in parts for clause in buffer.add(part)] + buffer.flush()
    text = "".join(parts)
    assert all(text[clause.start : clause.start + len(clause.text)] == clause.text for clause in clauses)
