"""What is said of a text that arrives in pieces is what the tree of the whole says."""

import re
import sys
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from service.text import USUAL as DEFAULT
from service.text import ClauseBuffer, Passage, parse, unmarked, words_of
from service.text.document import structure
from service.text.document.spoken import USUAL, Choices, flatten
from tests.profiles import counted, given
from tests.service.text.document.markup import BLOCKS, ENDS
from tests.service.text.document.trees import EXAMPLES, TEXTS

CHAT = (
    "Sure! Here is **how** it works, in *short*: run `pip install x` first. Then see [the docs](https://a.b/c). It"
    " **never\nfails**. Done.\n\n## Steps\n\n1. Open it. Then **wait**.\n2. Close `it`. Fine.\n   - nested one. Two.\n"
    "\n```py\nprint(1)\n```\n\n| a | b |\n|---|---|\n| c. d | **e** |\n\n> A quote. With *two* sentences. And **more.**"
    " End.\n\n*He nods slowly. Then he sits down.* It costs $5. Let $x = 2$. Last one. 2 * 3 * 4 is 24, 5 * 6.\n"
)
NAMED = {
    "chat": CHAT,
    "line ends": CHAT.replace("\n", "\r\n"),
    "other characters": CHAT.replace("e", "é").replace("o", "語"),
    "a quote": "".join(f"> {line}\n" for line in CHAT.splitlines()),
    "an item": "- " + CHAT.replace("\n", "\n  "),
    "metadata": "---\ntitle: A. B.\n---\nHi. There.\n",
    "rules": "---\nNot: this. And that\nmore. Of it.\n\n---\n",
    "a quantity": "- 5 degrees. Or so.",
    "no quantity": "- 5 degrees. Or so.\n- 6 degrees. Or so.\n",
    "verse": "Poem:\n\n    Roses are red, and\n    violets. Are blue.\n\nEnd. Of it.",
    "bullets": "Buy. Now.\n\n• milk. And\n• eggs. Or\n\na) x. y\nb) z. z\n",
    "rows": "| a. b | c |\n| d. e | f |\n\ng. h",
    "definitions": "[x]: /u\n\nSee [x]. And [y][x]. More.\n\nThen [x] again. And so on.\n",
    "a long paragraph": "It goes on. And **on**, with `code`. " * 60 + "- not an item. 1. Nor this.\n# no. Yes.\n",
    "a long item": "- It goes on. And **on**, with `code`.\n" + "  It goes on. And on.\n" * 60,
    "hidden letters": "What the f**k is it. **What the f**k is it**. Yes. a**b** c. d",
    "tags": "<b>Bold. Yes.</b> Map<String>. a<br>b. <!-- c. d --> e.\n<table><tr><td>x. y</td></tr></table>",
    "thought": "<think>\nLet me see. Well.\n\n- one. Two.\n</think>\n\nYes. No.\n\n<details>x. y\n\nz.</details> b. c",
    "thought without an end": "Hi. There.\n\n<think>\nLet me see. Well.\n\nMore. Of it.\n",
    "emphasis over sentences": "*He nods.\nThen he sits. And **more.** Yes*, no.\n\n__One. Two__. ~~T. F~~ ==x. y== z.",
    "nested": "- *a. b\n  c*. d\n  > **e. f** g\n\n   1. ==h. i==\n   2. `j. k`\n\n- [l. m](n.o). [p *q. r* s](t 'u')",
    "comments": "Hi. <!-- a. *b* c\nd. --> e <span\nclass='f. g'>h. i</span> <https://a.b/c.d> j. k <l and m.",
    "comparisons": ">5 is more. Than 4.\n\n> 6. Quoted.\n\nx. y\n> 7. z\n",
}


def clauses_of(text, cuts=(), choices=USUAL, **lengths):
    buffer = ClauseBuffer(choices, **lengths)
    edges = [0, *cuts, len(text)]
    clauses = [clause for start, end in pairwise(edges) for clause in buffer.add(text[start:end])]
    return clauses + buffer.flush()


def characters(words, start=0):
    """Return the letters and digits that are said, with their places."""
    spans = (words[index : index + 1].span for index in range(len(words)))
    return [
        (character, first + start, last + start)
        for character, (first, last) in zip(words.text, spans, strict=True)
        if character.isalnum()
    ]


def assert_clauses_tile(text, clauses):
    assert "".join(clause.text for clause in clauses) == text
    at = 0
    for clause in clauses:
        assert clause.start == at
        at += len(clause.text)
        spans = [clause.words[index : index + 1].span for index in range(len(clause.words))]
        assert all(0 <= start <= end <= len(clause.text) for start, end in spans)


def assert_the_same(text, cuts, choices=USUAL):
    clauses = clauses_of(text, cuts, choices)
    assert_clauses_tile(text, clauses)
    heard = [one for clause in clauses for one in characters(clause.words, clause.start)]
    assert heard == characters(flatten(structure.parse(text), choices).text), text


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMED)
def test_a_text_that_is_cut_anywhere_has_the_same_words_at_the_same_places(name):
    text = NAMED[name]
    for cut in range(0, len(text), 1 + len(text) // 60):
        assert_the_same(text, [cut])
    for size in (1, 3, 7, 40):
        assert_the_same(text, range(size, len(text), size), Choices(code="skip"))
        assert_the_same(text, range(size, len(text), size), Choices(reasoning="read"))


CANNOT_WAIT = re.compile(r"\]:|<a foo=|<b2|<!-- Foo")
"""Definitions that come late, and tags and a comment over lines that others begin in."""


@pytest.mark.parametrize("size", [7, *(pytest.param(size, marks=pytest.mark.thorough) for size in (1, 3, 40))])
def test_so_have_the_examples_but_those_that_cannot_wait(size):
    for text in EXAMPLES.values():
        if not CANNOT_WAIT.search(text):
            assert_the_same(text, range(size, len(text), size))


def assert_markup_is_silent(blocks, end, data):
    text = end.join(part for part, _ in blocks)
    for size in (1, 3, 7, 40):
        assert_the_same(text, range(size, len(text), size))
    assert_the_same(text, data.draw(st.lists(st.integers(0, len(text)), max_size=30).map(sorted)))


@pytest.mark.thorough
@given(blocks=BLOCKS, end=ENDS, data=st.data())
def test_so_have_words_in_any_markup(blocks, end, data):
    assert_markup_is_silent(blocks, end, data)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
@counted(4_000)
@given(blocks=BLOCKS, end=ENDS, data=st.data())
def test_so_have_words_in_any_markup_twenty_thousand_times(part, blocks, end, data):
    assert_markup_is_silent(blocks, end, data)


@given(text=TEXTS, data=st.data())
def test_no_text_loses_a_character_on_its_way(text, data):
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=30).map(sorted))
    assert_clauses_tile(text, clauses_of(text, cuts))


OWN = ["[pause:1s]", "[voice:af_sky]", "[/voice]", "[Kokoro](/kˈOkəɹO/) ", "[so](+1) ", "[pause:0.5s] "]
NOT_THERE = re.compile(r"\]\([^)]*\)|<[^>]*>|`+[^`]*`+|^[ \t>]*(?:[-*•#☐☑]+|\[.\]|\|)[ \t]*|\|", re.M)
"""Where markup of ours would be in a target, a tag or code, or in the place of a bullet."""


@given(blocks=BLOCKS, end=ENDS, data=st.data())
def test_markup_of_ours_divides_no_tree(blocks, end, data):
    text = end.join(part for part, _ in blocks)
    taken = {at for found in NOT_THERE.finditer(text) for at in range(found.start(), found.end() + 1)}
    free = [at for at, before in enumerate(text, 1) if before == " " and at not in taken]
    for at in sorted(data.draw(st.lists(st.sampled_from(free), max_size=5)) if free else (), reverse=True):
        text = text[:at] + data.draw(st.sampled_from(OWN)) + text[at:]
    whole = words_of(unmarked(text), DEFAULT)
    for size in (1, 7, 1_000):
        clauses = clauses_of(text, range(size, len(text), size))
        assert_clauses_tile(text, clauses)
        assert [one for clause in clauses for one in characters(clause.words, clause.start)] == characters(whole)
        for clause in clauses:
            if not clause.is_silent:
                parts = parse(clause.text, open_voices=("af_sky",) * text.count("/voice"))
                passages = [part.saying(clause.words) for part in parts if isinstance(part, Passage)]
                heard = [one for passage in passages for one in characters(passage.words)]
                assert heard == characters(clause.words)


def given_out(text, **lengths):
    """Return what is said, each part with the number of characters that had come by then."""
    buffer = ClauseBuffer(**lengths)
    return [(at, clause.words.text) for at, character in enumerate(text, 1) for clause in buffer.add(character)]


def test_words_are_out_as_soon_as_nothing_can_change_them():
    ends = {said: at for at, said in given_out(CHAT)}
    following = {
        "Sure!": "Here", "Here is how it works, in short: run pip install x first.": "Then see", "Steps.": "\n1.",
        "1. Open it.": "Then **", "With two sentences.": "And **", "He nods slowly.": "Then he sits",
        "Then he sits down.": "It costs", "Let $x = 2$.": "Last one.", "Last one.": "2 * 3", "a, b.": " c. d",
    }  # fmt: skip
    assert {said: ends[said] for said in following} == {said: CHAT.index(next_) for said, next_ in following.items()}
    assert sum(map(len, ends)) > 0.85 * len(flatten(structure.parse(CHAT)).text.text)


@pytest.mark.parametrize(
    ("text", "out"),
    [
        # A sign of emphasis waits for nothing.
        ("Hi. *He nods. Then", "Hi. He nods."), ("__One. ~~Two. ==Three. **Four. X", "One. Two. Three. Four."),
        ("What he *said. **Yes", "What he said."),
        # What is said in another way if something closes.
        ("Hi. [a link. Not", "Hi."), ("Hi. Let $x. More", "Hi."), ("Hi. `code. More", "Hi. code."),
        ("Hi. `a*b. More", "Hi."), ("Hi. un**bel. More", "Hi."), ("Hi. It is \\(x. More", "Hi."),
        # Only what may close.
        ("It costs $5 today. More", "It costs $5 today."), ("[sic] it is. More", "[sic] it is."),
        ("5 * 6. snake_case. 2 *3. More", "5 * 6. snake_case. 2 *3."), ("a <3. x <y. a < b. M", "a <3. x <y. a < b."),
        # Targets and tags are not shown before they close.
        ("Hi. See [this](https://a.b. More", "Hi."), ("Hi. <b class='x. More", "Hi."),
        ("Hi. <!-- a. b. More", "Hi."), ("Hi. <https://a.b/c. More", "Hi. <https://a.b/c."),
        # Lines that the next line tells about, and the beginning of a text.
        ("[x] one. Two\n", ""), ("[x]: one. Two\n", ""), ("a\tb. c\nd", ""), ("a | b. c\nd", ""),
        ("---\ntitle: A. More", ""), ("- 5 degrees. More", ""),
        ("Title\n--", "Title"), ("One\n\ntwo\n", "One two"), ("# Title\n", "Title."), ("```\nx = 1. y\n", "x = 1. y"),
    ],
)  # fmt: skip
def test_nothing_is_out_that_more_text_may_change(text, out):
    assert " ".join(said for _, said in given_out(text)) == out


PLAIN = [
    "it goes on and ",
    "The cat sat. ",
    "Dr. ",
    "J. ",
    "e.g. ",
    "3.14",
    ". ",
    ", ",
    "; ",
    "! ",
    "” ",
    "(",
    ") ",
    "—",
    "語。",
    "\n",
    "5 ",
]


@given(text=st.lists(st.sampled_from(PLAIN), max_size=60).map("".join))
def test_a_text_without_markup_is_cut_as_if_there_were_no_markdown(text):
    buffers = ClauseBuffer(), ClauseBuffer(None)
    for character in text:
        ends = [[(clause.start, clause.text) for clause in buffer.add(character)] for buffer in buffers]
        assert ends[0] == ends[1]


def test_what_is_never_closed_holds_a_clause_to_its_maximal_length():
    for opener in ("[", "$x", "`a*", "un**bel"):
        text = f"Well. {opener} and so on. " + "Then he sits down. " * 40
        out = given_out(text)
        assert out[0] == (6, "Well.")
        assert out[1][0] <= 6 + 251
        assert all(after[0] - before[0] <= 251 for before, after in pairwise(out))


def test_a_sign_that_closes_late_is_silent():
    for sign in ("*", "**", "_", "__", "~~", "=="):
        text = f"{sign}He nods. " + "Then he sits down. " * 20 + f"So.{sign} And more. Yes."
        assert_the_same(text, range(1, len(text)))


def test_a_target_is_never_said_however_long_it_is():
    target = "https://a.b/" + "c.d,e/" * 100
    text = f"See [the docs]({target}), or ![a picture](data:image/png;base64,{'AbC+/9' * 50}). Yes. " * 3
    assert_the_same(text, range(3, len(text), 3))


def test_what_an_assistant_thinks_is_silent_clause_by_clause():
    thought = "Let me see, *well. " * 60
    clauses = clauses_of(f"<think>\n{thought}\n</think>\n\nYes. No.", range(1, 1000))
    assert [clause.words.text for clause in clauses if not clause.is_silent] == ["Yes.", "No."]
    assert all(clause.is_silent == (not clause.words.text) for clause in clauses)
    assert max(len(clause.text) for clause in clauses) < 400


def test_a_flush_ends_a_text_or_only_a_clause():
    said = {}
    for is_end in (True, False):
        buffer = ClauseBuffer()
        clauses = buffer.add("<think>\nHm.")
        clauses += buffer.flush(is_end=is_end)
        clauses += buffer.add(" So. </think>\n\nYes, he **nods.")
        clauses += buffer.flush(is_end=is_end)
        clauses += buffer.add(" Twice**. - 1") + buffer.flush()
        said[is_end] = [clause.words.text for clause in clauses if clause.words.text]
    assert said[False] == ["Yes, he nods.", "Twice.", "- 1"]
    assert said[True] == ["So.", "Yes, he nods.", "Twice**.", "- 1"]


def test_a_text_that_is_no_markdown_is_said_as_it_stands():
    text = "Hi *there. You*, `x. y\n# z\n"
    clauses = clauses_of(text, range(1, len(text)), None)
    assert [clause.text for clause in clauses] == ["Hi *there.", " You*, `x.", " y", "\n# z", "\n"]
    assert all(clause.words is None for clause in clauses)


UNITS = ["it goes on ", "It goes on.\n", "- It goes on.\n", "x = f(1).\n", "**a** b. ", "| a |\n", "$x. ", "<a. "]
GROWING = [
    *[(beginning, "It goes on and on. ") for beginning in ("", "[", "<think>\n", "*")],
    *[(beginning, unit) for unit in UNITS for beginning in ("", "> ")],
]


@pytest.mark.thorough
@pytest.mark.parametrize(("beginning", "unit"), GROWING)
def test_the_work_is_in_proportion_to_the_text(beginning, unit):
    def work(length):
        text = beginning + unit * (length // len(unit))
        n_calls = 0

        def count(frame, event, argument):
            nonlocal n_calls
            n_calls += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            clauses_of(text, range(7, len(text), 7))
        finally:
            sys.setprofile(before)
        return n_calls

    assert work(8_000) < 3 * work(4_000)
