import re

import pytest

from service.text.document import structure
from service.text.document.markdown import parse
from service.text.document.spoken import PAUSES, Choices, Writer, flatten
from service.text.document.tree import TreeBuilder
from service.text.offset_mapping import TracedText
from tests.profiles import given, many
from tests.service.text.document.trees import EXAMPLES, TEXTS, said

HEARD = {
    # blocks
    "# One\n\ntwo\n\nthree.\n": "One.\n\ntwo.\n\nthree.",
    "- one\n- two, three\n  - four:\n  - five\n\nsix": "one.\ntwo, three.\nfour:\nfive.\n\nsix",
    "1. one\n2. two": "1. one.\n2. two",
    "1. one\n\n   more\n\n2. two": "1. one.\n\nmore.\n\n2. two",
    "1.\n2. two": "1.\n2. two",
    "> one\n\ntwo": "one.\n\ntwo",
    "> [!TIP]\n> one": "Tip.\n\none",
    "| a | b. |\n|---|---|\n| c | |\n| d | e |\n\nf": "a, b.\nc.\nd, e.\n\nf",
    "one\n\n---\n\ntwo": "one.\n\ntwo",
    "Run:\n\n```sh\na\nb\n```\n\nc": "Run:\n\na\nb.\n\nc",
    "one[^1]\n\n[^1]: two": "one.\n\ntwo",
    "---\na: b\n---\none": "one",
    "[a]: /b\n\none": "one",
    # marks that pause already, also inside quotes and brackets, and of other scripts
    "one!\n\n“two.”\n\n(three?)\n\nfour —\n\nfive;\n\nsix": "one!\n\n“two.”\n\n(three?)\n\nfour —\n\nfive;\n\nsix",
    "**one.**\n\n`two`\n\n(three)\n\nfour": "one.\n\ntwo.\n\n(three).\n\nfour",
    "# 結論\n\n- 雨具\n- 軍手。\n- एक।\n- 7": "結論。\n\n雨具。\n軍手。\nएक।\n7",
    "| 駅 | 円 |\n|-|-|\n| a | b |": "駅、円。\na, b",
    # lines: short ones end, wrapped ones and those before a small letter go on
    "Jane Doe\n12 High Street\nLondon": "Jane Doe.\n12 High Street.\nLondon",
    "the well is dry\nand so am I": "the well is dry and so am I",
    f"{'word ' * 12}end\nNext line": f"{'word ' * 12}end Next line",
    "one  \ntwo\\\nThree<br>four": "one,\ntwo,\nThree,\nfour",
    "`one`\n**Two**": "one.\nTwo",
    "Poem:\n\n    Roses are red\n    and so on": "Poem:\n\nRoses are red,\nand so on",
    # HTML
    "<p>one</p><p>two</p>": "one.\n\ntwo",
    "<ul><li>one</li><li>two</li></ul>three": "one.\ntwo.\n\nthree",
    "<table><tr><td>a</td> <td>b</td></tr><tr><td>c</td></tr></table>": "a, b.\nc",
    "<h2>one</h2>two<hr>three": "one.\n\ntwo.\n\nthree",
    "a<script>b</script>c": "ac",
    "<pre>one\n  *two*</pre>": "one,\n*two*",
    # spaces
    "  one  \n": "one",
    "** one **two": "one two",
    "a `` b `` c": "a b c",
}


@pytest.mark.parametrize("text", HEARD)
def test_a_structure_is_heard_as_pauses(text):
    assert said(text) == HEARD[text]


def test_every_kind_of_block_has_its_pause():
    kinds = ("verse", "cue", "turn", "log", "header")
    for kind in (*kinds, "paragraph", "heading", "item", "row", "cell", "quote", "code", "html", "footnote"):
        builder = TreeBuilder("one\ntwo")
        for start in (0, 4):
            builder.open(kind, start)
            builder.leaf("text", start, start + 3, TracedText("one\ntwo")[start : start + 3])
            builder.close(start + 3)
        assert flatten(builder.finish()).text.text == f"one{''.join(PAUSES[kind])}two"


@many()
@given(text=TEXTS)
def test_spoken_text_is_in_order_and_has_pauses_only_where_nothing_is_said(text):
    for choices in (Choices(), Choices(code="skip", reasoning="read")):
        spoken = flatten(parse(text), choices)
        starts = [spoken.text[at : at + 1].span for at in range(len(spoken.text))]
        assert starts == sorted(starts)
        assert all(0 <= start <= end <= len(text) for start, end in starts)
        assert spoken.text.text == spoken.text.text.strip()
        assert list(spoken.dropped) == sorted(spoken.dropped)


CODE = "Run:\n\n```\na\n```\n\n- b `c`\n  ~~~\n  d\n  ~~~\n\nDo:\n\n    e = f(1)\n"


def test_fenced_code_is_left_out_for_those_who_want_none():
    spoken = flatten(parse(CODE), Choices(code="skip"))
    assert spoken.text.text == "Run:\n\nb c.\n\nDo:\n\ne = f(1)"
    assert [CODE[slice(*span)] for span in spoken.dropped] == ["a", "d"]


THOUGHT = (
    "<think>\nLet me **see**.\n\n- one\n</think>\n\nYes. <b>Or</b> no.\n\n<details><summary>S</summary>\n\nt"
    "\n\n</details>"
)


def test_what_an_assistant_thinks_is_left_out_unless_it_is_wanted():
    spoken = flatten(parse(THOUGHT))
    assert spoken.text.text == "Yes. Or no.\n\nS.\n\nt"
    assert [THOUGHT[slice(*span)] for span in spoken.dropped] == [THOUGHT[: THOUGHT.index("\n\nYes")]]
    read = flatten(parse(THOUGHT), Choices(reasoning="read"))
    assert read.text.text == "Let me see.\n\none.\n\nYes. Or no.\n\nS.\n\nt"
    assert read.dropped == ()


def test_metadata_are_dropped_and_told():
    spoken = flatten(parse("---\ntitle: x\n---\nHi"))
    assert (spoken.text.text, spoken.dropped) == ("Hi", ((0, 17),))


def test_pauses_behind_ideographs_are_theirs():
    text = "**名前**: 太郎\n**年齢**: 5\n\n# 題\n\n| 一 | 二 |\n|---|---|\n| 三 | b |"
    assert flatten(structure.parse(text)).text.text == "名前：太郎。\n年齢：5.\n\n題。\n\n一、二。\n三、b"


def test_a_mark_belongs_to_the_word_before_and_space_is_what_stands_between():
    text = "One\n\n- two"
    spoken = flatten(parse(text))
    assert spoken.text.text == "One.\n\ntwo"
    assert [text[slice(*spoken.text[at : at + 1].span)] for at in range(3, 6)] == ["e", "\n\n- ", "\n\n- "]


@given(text=TEXTS)
def test_leaves_that_come_one_by_one_have_the_same_words(text):
    document = parse(text)
    whole = flatten(document)
    writer = Writer()
    parts = []
    for leaf in document.leaves:
        writer.write([leaf], document.blocks, document.regions)
        parts.append(writer.take().text.text)
    assert re.sub(r"[\W_]", "", "".join(parts)) == re.sub(r"[\W_]", "", whole.text.text)


def test_the_examples_have_no_words_out_of_place():
    for example in EXAMPLES.values():
        spoken = flatten(parse(example))
        for at, character in enumerate(spoken.text.text):
            start, end = spoken.text[at : at + 1].span
            assert start < end
            written = example[start:end]
            assert character in f"{written} \n.,:、。$" or written.startswith("&")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((f"they count[{n}] to four", "they count to four") for n in ("1", "12, 13", "3–5", "2][3")),
        *((f"{words}[1][2] It ended.", f"{words} It ended.") for words in ('"No."', "in 1984.", "so?", "(here)")),
        *((f"{mark}these words{mark}[4] end", "these words end") for mark in ("*", "**", "_", "`", "~~")),
        *((code, code) for code in ("a[1] and f(x)[2] = 3", "rows[0]", "items[1] = 2", "as in [1] there")),
        *((f"{{\\{tag}}}Next stop", "Next stop") for tag in ("an8", "i1", "b1\\i1", "pos(192,210)", "c&H00FF&")),
        ("a {\\alpha} b {\\bf c}", "a {\\alpha} b {\\bf c}"),
        *((f"*{act}* fine", f"{act}, fine") for act in ("sighs", "hides under the desk", "waves at him", "nods")),
        *((f"*{word}* fine", f"{word} fine") for word in ("this", "really", "is", "Paris", "press", "yes")),
        ("*shrugs*, well", "shrugs, well"), ("no *nods* yes", "no nods yes"),
    ],
)  # fmt: skip
def test_citations_and_players_commands_are_silent_and_a_direction_is_apart(text, words):
    assert flatten(parse(text)).text.text == words
