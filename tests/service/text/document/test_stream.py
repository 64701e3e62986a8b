import re
import sys
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from service.text.document.markdown import parse
from service.text.document.spoken import Writer, flatten
from service.text.document.stream import Stream
from tests.profiles import given
from tests.service.text.document.markup import BLOCKS, ENDS
from tests.service.text.document.trees import EXAMPLES

CHAT = (
    "Sure! Here is **how** it works, in *short*: run `pip install x` first. Then see [the docs](https://a.b/c). It"
    " **never\nfails**. Done.\n\n## Steps\n\n1. Open it. Then **wait**.\n2. Close `it`. Fine.\n   - nested one. Two.\n"
    "\n```py\nprint(1)\n```\n\n| a | b |\n|---|---|\n| c. d | **e** |\n\n> A quote. With *two* sentences. And **more.**"
    " End.\n\n*He nods slowly. Then he sits down.* It costs $5. Let $x = 2$. Last one. 2 * 3 * 4 is 24, 5 * 6.\n"
)
TEXTS = {
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
    "comparisons": ">5 is more. Than 4.\n\n> 6. Quoted.\n\nx. y\n> 7. z\n",
}


def in_pieces(text, cuts):
    """Return the leaves of a text that comes in pieces, and what is written of them."""
    stream, writer = Stream(), Writer()
    leaves, written = [], []
    for start, end in pairwise([0, *cuts, len(text)]):
        part = stream.feed(text[start:end])
        writer.write(part.leaves, part.blocks, part.regions)
        leaves += part.leaves
        written.append(writer.take().text.text)
    part = stream.close()
    writer.write(part.leaves, part.blocks, part.regions)
    return [*leaves, *part.leaves], "".join([*written, writer.take().text.text])


def characters(leaves):
    """Return the characters that are said, with their places."""
    return [
        (character, leaf.text[index : index + 1].span)
        for leaf in leaves
        for index, character in enumerate(leaf.text.text)
        if not character.isspace()
    ]


def assert_the_same(text, cuts):
    leaves, written = in_pieces(text, cuts)
    whole = parse(text)
    assert characters(leaves) == characters(whole.leaves)
    assert "".join(text[leaf.start : leaf.end] for leaf in leaves) == text
    assert written.split() == flatten(whole).text.text.split()


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_cut_anywhere_has_the_same_words_at_the_same_places(name):
    text = TEXTS[name]
    for cut in range(0, len(text), 1 + len(text) // 60):
        assert_the_same(text, [cut])
    for size in (1, 2, 5, 40):
        assert_the_same(text, range(size, len(text), size))


@pytest.mark.parametrize("size", [1, 3, 7, 40])
def test_so_have_the_examples_but_those_whose_definitions_come_late(size):
    for text in EXAMPLES.values():
        if not re.search(r"\]:", text):
            assert_the_same(text, range(size, len(text), size))


@given(blocks=BLOCKS, end=ENDS, data=st.data())
def test_so_have_words_in_any_markup(blocks, end, data):
    text = end.join(part for part, _ in blocks)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=30).map(sorted))
    assert_the_same(text, cuts)


def given_out(text, size=1, patience=400):
    """Return what is said, each part with the number of characters that had come by then."""
    stream = Stream(patience)
    found = []
    for start in range(0, len(text), size):
        said = "".join(leaf.text.text for leaf in stream.feed(text[start : start + size]).leaves).strip()
        if said:
            found.append((min(start + size, len(text)), said))
    return found


def test_words_are_out_as_soon_as_nothing_can_change_them():
    out = given_out(CHAT)
    ends = {said: at for at, said in out}
    following = {
        "Sure!": "Here", "Here is how it works,": "in *", "in short:": "run", "run pip install x first.": "Then see",
        "Steps": "pen it", "With two sentences.": "And **", "Last one.": "2 * 3",
    }  # fmt: skip
    assert {said: ends[said] for said in following} == {said: CHAT.index(next_) for said, next_ in following.items()}
    assert sum(map(len, ends)) > 0.85 * len(flatten(parse(CHAT)).text.text)


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("Hi. *He nods. Then", "Hi."),
        ("Hi. [a link. Not", "Hi."),
        ("Hi. `code. More", "Hi."),
        ("Hi. Let $x. More", "Hi."),
        ("It costs $5 today. More", "It costs $5 today."),
        ("[sic] it is. More", "[sic] it is."),
        ("5 * 6. snake_case. More", "5 * 6. snake_case."),
        ("Hi. <b class='x. More", "Hi."),
        ("a | b. c\nd", ""),
        ("---\ntitle: A. More", ""),
        ("- 5 degrees. More", ""),
        ("Title\n--", ""),
        ("Title\nmore\n--", "Title"),
        ("One\n\ntwo\n", "One"),
    ],
)
def test_nothing_is_out_that_more_text_may_change(text, out):
    assert " ".join(said for _, said in given_out(text)) == out


def test_what_is_never_closed_is_out_after_some_patience():
    text = "*He nods. " + "Then he sits down. " * 40
    assert given_out(text, patience=100)[0][0] < 130
    assert given_out(text, patience=400)[0][0] > 400


UNITS = ["it goes on and on ", "It goes on.\n", "- It goes on.\n", "x = f(1).\n", "**a** b. ", "| a |\n"]
GROWING = [
    *[(beginning, "It goes on and on. ") for beginning in ("", "- ", "```\n", "[", "> ")],
    *[
        pytest.param(beginning, unit, marks=pytest.mark.thorough)
        for unit in UNITS
        for beginning in ("", "- ", "```\n", "[", "> ")
    ],
]


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
            stream = Stream()
            for start in range(0, len(text), 7):
                stream.feed(text[start : start + 7])
            stream.close()
        finally:
            sys.setprofile(before)
        return n_calls

    assert work(8_000) < 2.5 * work(4_000)
