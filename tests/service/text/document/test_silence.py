"""Markup is silent, and nothing else is: for any words in any nesting, position and block."""

import re

from service.text.document import structure
from service.text.document.markdown import parse
from service.text.document.spoken import Choices, flatten
from tests.profiles import given, many
from tests.service.text.document.markup import BLOCKS, ENDS
from tests.service.text.document.trees import TEXTS, assert_sound, words


@many()
@given(blocks=BLOCKS, end=ENDS)
def test_markup_is_silent_wherever_it_stands(blocks, end):
    text = end.join(part for part, _ in blocks)
    expected = [part for _, held in blocks for word in held for part in words(word)]
    for document in (parse(text), structure.parse(text)):
        assert_sound(document)
        heard = flatten(document).text.text
        assert words(heard) == expected
        assert not re.search(r"[*_~=#|<>\[\]]", heard)


PROGRAMS = re.compile(
    r"\[[xX]\]|\]\(|\]\[|\]:|\A[`~]{3}|<!--|<[!?/A-Za-z]|\[\^|\A!?\[\]|\A(?:---|\+\+\+)|\]\Z|\A\[|&#?\w+;|\A\w+>|\]\s*\Z"
)
"""What is in a mark with letters or digits: targets, labels, info strings, tags, comments, metadata."""


@many()
@given(text=TEXTS)
def test_nothing_is_lost(text):
    """Every letter and digit is said, or stands in a mark that holds words for programs."""
    document = parse(text)
    for leaf in document.leaves:
        written = text[leaf.start : leaf.end]
        block = document.blocks[leaf.block].kind if leaf.block >= 0 else ""
        if leaf.kind == "mark" and block not in ("html", "metadata", "definition") and re.search(r"[^\W_]", written):
            assert PROGRAMS.search(written), (written, text)


@given(text=TEXTS)
def test_what_is_said_is_all_that_was_not_left_out(text):
    document = parse(text)
    spoken = flatten(document, Choices(reasoning="read"))
    in_leaves = "".join(leaf.text.text for leaf in document.leaves)
    superscripts = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
    heard, written = (re.sub(r"[\W_]", "", each.translate(superscripts)) for each in (spoken.text.text, in_leaves))
    assert heard == written
