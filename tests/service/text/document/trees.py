"""Texts of Markdown for the tests of the tree, and what must hold of the tree of any text."""

import json
import re
from pathlib import Path

from hypothesis import strategies as st

from service.text.document.markdown import parse
from service.text.document.spoken import flatten
from service.text.document.tree import SAID

EXAMPLES = {
    number: markdown
    for examples in json.loads((Path(__file__).parents[3] / "data/commonmark.json").read_text("utf-8")).values()
    for number, markdown in examples
}
"""The examples of CommonMark, by their numbers."""

WORDS = ("maple", "Rivers", "ochre", "größer", "naïve", "don't", "राम", "語", "slate", "Fern", "umber", "teal")

CRUMBS = [
    *WORDS, *" \n\t.,:;!?'\"()[]{}<>|#*_~`=+-\\&$/^%0123456789", *" \n" * 4,
    *["**", "***", "~~", "==", "__", "```", "\n\n", "\n- ", "\n1. ", "\n> ", "\n# ", "\n    ", "\n---\n", "  \n", "| "],
    *["|-|-|\n", "](t.t)", "![", "[^1]", "[^1]: ", "[t]: /t\n", "&amp;", "&#42;", "<b>", "</b>", "<br>", "<t>", "\\*"],
    *["<!-- ", " -->", "<think>", "</think>", "$x$", "$5", "\\(", "\\)", "```py\n", "- [x] ", "• ", "(1) ", "a) "],
    *["\r\n", "\r", "\u2028", "\x0b", "\0", "\x01", "\ufdd0", "\ud800", "\u00a0", "\u3000", "🙂", "「", "」", "。"],
]  # fmt: skip
"""Pieces of Markdown, of other signs and of hostile characters."""

TEXTS = st.one_of(
    st.lists(st.sampled_from(CRUMBS), max_size=40).map("".join),
    st.text(max_size=40),
    st.lists(st.sampled_from(list(EXAMPLES.values())), max_size=3).map("\n".join),
)


def said(text, **choices):
    """Return the words of a text."""
    return flatten(parse(text, **choices)).text.text


def words(text):
    return re.findall(r"[^\W_]+", text)


def assert_sound(document):
    """Assert that leaves tile the text, words know their places, and blocks lie inside each other."""
    text, leaves, blocks = document.text, document.leaves, document.blocks
    assert "".join(text[leaf.start : leaf.end] for leaf in leaves) == text
    at = 0
    for leaf in leaves:
        assert at == leaf.start < leaf.end
        at = leaf.end
        assert bool(leaf.text) == (leaf.kind in SAID)
        _assert_in_place(text, leaf)
        assert all(span.start <= leaf.start < span.end for span in leaf.spans)
        assert -1 <= leaf.block < len(blocks)
    assert [block.start for block in blocks] == sorted(block.start for block in blocks)
    for index, block in enumerate(blocks):
        assert -1 <= block.parent < index
        assert 0 <= block.start <= block.end <= len(text)
        inside = leaves[block.first : block.last]
        assert all(block.start <= leaf.start and leaf.end <= block.end for leaf in inside)
        assert all(index in document.ancestors(leaf.block) for leaf in inside)
        if block.parent >= 0:
            around = blocks[block.parent]
            assert around.start <= block.start
            assert block.end <= around.end
    for one, other in zip(document.regions, document.regions[1:], strict=False):
        assert one.end <= other.start


def _assert_in_place(text, leaf):
    """Assert that each character stands where the leaf says, or is one entity with its others."""
    last = leaf.start
    for index, character in enumerate(leaf.text.text):
        start, end = leaf.text[index : index + 1].span
        assert leaf.start <= last <= start < end <= leaf.end
        last = start
        written = text[start:end]
        is_entity = written.startswith("&") and written.endswith(";")
        is_break = character in " \n" and re.fullmatch(r"\s[\s>]*", written)
        is_alert = character.casefold() == written.casefold()
        assert is_entity or is_break or is_alert or leaf.spans[-1].kind == "link", (character, written)
