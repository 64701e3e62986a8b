import re

import pytest
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from service.text.document.markdown import parse, read
from service.text.document.spoken import flatten
from service.text.document.structure import parse as parse_lines
from tests.profiles import given, many
from tests.service.text.document.trees import EXAMPLES, TEXTS, assert_sound, said, words

# What a listener wants otherwise than the page of CommonMark's own renderer has it.
HEARD_OTHERWISE = {
    "four spaces do not make code, so what they hold is no text": {36, 110, 183, 184, 191, 211},
    "a tag that never ends is text": {156, 157, 158},
    "only elements that are known are tags": {150, 163, 201, 491, 613, 623},
    "there is Markdown between tags, also without a blank line": {161},
    "stars between numbers or single letters are arithmetic": {356, 429},
    "more than three stars inside a word are no emphasis": {417},
    "a link without words says its target": {484},
}


def rendered(text):
    """Return the words of the page that a renderer makes of Markdown, with the numbers of items."""
    renderer = MarkdownIt("commonmark", {"maxNesting": 200})
    renderer.add_render_rule("list_item_open", lambda self, tokens, index, options, env: f"<li> {tokens[index].info} ")
    page = html.document_fromstring(f"<div>{renderer.render(text)}</div>")
    for element in page.iter():
        if element.tag in ("script", "style") or not isinstance(element.tag, str):
            element.text = ""
        elif element.tag == "img":
            element.text = element.get("alt")
        if element.tag not in ("em", "strong", "a", "code"):
            element.tail = f" {element.tail or ''}"
    return words(page.text_content())


def test_what_is_heard_are_the_words_of_the_rendered_page():
    misses = {number for number, text in EXAMPLES.items() if words(said(text)) != rendered(text)}
    assert len(EXAMPLES) == 652
    assert misses == set().union(*HEARD_OTHERWISE.values())


def test_the_line_grammar_claims_nothing_that_has_a_meaning_in_markdown():
    misses = {n for n, text in EXAMPLES.items() if words(flatten(parse_lines(text)).text.text) != words(said(text))}
    assert misses == {541}  # the name of a link, over two lines


@pytest.mark.parametrize("before", ["", "Eggs\nMilk\nHam\n\n", "Ann: Hi.\nBen: Ah.\n"])
@pytest.mark.parametrize("lines", ["Ann: Hi.\nBen: Oh.", "Eggs\nMilk\nHam", "1. one\n2. two", "a\tb\nc\td", "> x"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028"])
def test_comments_and_scripts_with_blank_lines_are_silent(before, lines, end):
    for opening, closing in (("<!-- no", "-->"), ("<script>", "</script>"), ("<STYLE>", "</STYLE>"), ("<?php", "?>")):
        text = f"{before}{opening}\n{lines}\n\né\n\n{lines}\n{closing}\nlast".replace("\n", end)
        assert words(flatten(parse_lines(text)).text.text) == words(f"{before} last")


@pytest.mark.parametrize(
    "form",
    ["{}", "> {}", *(pytest.param(form, marks=pytest.mark.thorough) for form in ("🙂 é\n\n{}", "{}\n\nend", "- {}"))],
)
def test_the_examples_keep_their_places_wherever_they_stand(form):
    for example in EXAMPLES.values():
        for text in (example, example.replace("\n", "\r\n")):
            whole = form.format(text.replace("\n", "\n> ") if form[0] == ">" else text)
            assert_sound(parse(whole))


@many()
@given(text=TEXTS)
def test_leaves_tile_any_text_and_know_their_places(text):
    assert_sound(parse(text))


@many()
@given(text=st.text(alphabet="aB1é字 ,.;:?!\"'’“”‘()/%—–…-", max_size=30))
def test_a_plain_line_is_what_the_parser_makes_of_it(text):
    assert repr(parse(text)) == repr(read(text).document)


@given(text=TEXTS, line_end=st.sampled_from(["\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028"]))
def test_every_line_end_counts_as_one(text, line_end):
    text = re.sub("[\r\x0b\x0c\x85\u2028\u2029]", "", text)
    other = text.replace("\n", line_end)
    assert said(other) == said(text)


def kinds(text):
    return [(leaf.kind, text[leaf.start : leaf.end]) for leaf in parse(text).leaves if leaf.kind != "mark"]


def blocks(text):
    return [(block.kind, block.level, block.value) for block in parse(text).blocks]


def spans(text, kind=None):
    """Return the elements of a text in order: kind, words and value."""
    found = {}
    for leaf in parse(text).leaves:
        for span in leaf.spans:
            if leaf.text and kind in (None, span.kind):
                found[span] = found.get(span, "") + leaf.text.text
    return [(span.kind, held, span.value) for span, held in found.items()]


# Texts whose signs CommonMark would take for its own, or would refuse.
KEPT = """
2*3*4 is 24, 5 * 3 * 2 is 30, 2**3**4 and 2 ** 3 ** 4 are powers
a ** b
width*height*depth, x*y*z, (1+r)*price*(2) and 长*宽*高
f**k this sh*t, what the f***, you b**ch, M*A*S*H
**** you
def f(*args, **kwargs): g(*args, **kwargs)
src/**/*.ts and *.py and *.js
***-**-1234 and **** 6021
snake_case_word and __init__.py and cls.__name__ and a__b__c
x == y and y==z, if (a==b) or (c==d)
~15 min to ~20 min, ~/notes
mail <name> at <address>, List<String>, Map<Key, Value>, cd <path>
if a <b and c> d then x<y
1986. A great year.
3. Oktober
It was in\n1986. A great year.
>5 is more
too hot:\nall\n> 90 degrees
# of guests: 4
#hashtag and #1
+1 555 0100
- 5 degrees
$5 and $6, or 5$ more
$5/month, or $6/year
from $5-$10 or $5/$6 to US$7
C:\\*new\\_old\\!x
[Dana]: Yes.
f[x](y)
10 > 5 and 3 < 4
it`s
Date: __/__/____, Signature: ____
__/__/2024
¯\\_(ツ)_/¯
""".strip().splitlines()


@pytest.mark.parametrize("text", [line.replace("\\n", "\n") for line in KEPT])
def test_what_has_no_markup_is_said_as_it_stands(text):
    assert re.sub(r"\s+", " ", said(text)) == re.sub(r"\s+", " ", text).replace("in 1986", "in. 1986")


SILENT = {
    '**"Zitat"**x und **„Wort"**e': '"Zitat"x und „Wort"e',
    "**「字」**字と**（註）**は": "「字」字と（註）は",
    "a ** bold ** b and ** more **": "a bold b and more",
    "**Note:**text and **bold **text": "Note:text and bold text",
    "**unclosed at the start": "unclosed at the start",
    "- __unclosed in an item": "unclosed in an item",
    "==hi== and a ==b c==, 这是==重点==内容": "hi and a b c, 这是重点内容",
    "~~x~~ y": "x y",
    "un**believ**able, *final*ized, *un*signed, **Sam**'s, L**O**L": "unbelievable, finalized, unsigned, Sam's, LOL",
    "**What the f**k is that** f***": "What the f**k is that f***",
    "**bold** f**k **bold**": "bold f**k bold",
    "5%**off** and (**x**)": "5%off and (x)",
    "**and**/**or**": "and/or",
    "`code` and ``a ` b`` and `open": "code and a ` b and open",
    "H<sub>2</sub>O, 10<sup>2</sup>, 1<sup>st</sup>": "H2O, 10², 1st",
    "a <!-- b --> c": "a c",
    "<b>x</b> <span class='y'>z</span><wbr>w": "x zw",
    '<custom-thing key="v">x': "x",
    "[](https://a.b) ![](x.png) ![a *b*](y.png) <img src=x alt='c &amp; d'>": "https://a.b  a b c & d",
    "a[^1] b[^none]": "a b",
    "&amp;amp;lt; &copy; &#42; &bogus; AT&T": "< © * &bogus; AT&T",
    "\\*a\\* \\# \\q": "*a* # \\q",
    "<https://a.b/c_d> <me@a.b>": "https://a.b/c_d me@a.b",
}


@pytest.mark.parametrize("text", SILENT)
def test_a_sign_that_its_writer_meant_as_a_mark_is_silent(text):
    assert said(text) == SILENT[text]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("$x^2$ and $$y$$", [("x^2", "inline"), ("y", "display")]),
        ("\\(a*b*c\\) and \\[ x_1 \\]", [("a*b*c", "inline"), ("x_1", "display")]),
        ("$12$, $-1$, $p/q$, $AB$, $\\sin x$", [(t, "inline") for t in ("12", "-1", "p/q", "AB", "\\sin x")]),
        ("$5 and $6, or 5$", []),
        ("$5, $6 and $x$", [("x", "inline")]),
        ("It costs $5. Let $n!$ be", [("n!", "inline")]),
        ("`$x$` and \\$x$", []),
        ("$$\n\\frac{a}{b}\n$$", [("\\frac{a}{b}", "display")]),
    ],
)
def test_a_formula_has_letters_operators_or_commands_and_no_prose(text, formulas):
    assert [(held, value) for kind, held, value in spans(text, "formula")] == formulas


def test_spans_hold_what_is_inside_them():
    text = "a **b *c* d** ~~e~~ ==f== [g *h*](u) ![i](v) `j` <kbd>k</kbd> <mark>l</mark> mn[^1]"
    assert spans(text) == [
        ("strong", "b c d", ""), ("emphasis", "c", ""), ("strike", "e", ""), ("highlight", "f", ""),
        ("link", "g h", "u"), ("emphasis", "h", ""), ("image", "i", "v"), ("code", "j", ""), ("key", "k", ""),
        ("highlight", "l", ""),
    ]  # fmt: skip


def test_leaves_with_the_same_elements_share_them():
    leaves = [leaf for leaf in parse("**a `b` c &amp; d**").leaves if leaf.kind == "text"]
    assert len(leaves) > 2
    assert len({id(leaf.spans) for leaf in leaves}) == 1


BLOCKS = {
    "# a\n\nb\n\nc\n---\n": [("heading", 1, None), ("paragraph", 0, None), ("heading", 2, None)],
    "a\nb\n---\nc": [("paragraph", 0, None), ("rule", 0, None), ("paragraph", 0, None)],
    "That is all.\n---\nc": [("paragraph", 0, None), ("rule", 0, None), ("paragraph", 0, None)],
    "a\n===\n": [("heading", 1, None)],
    "- a\n  1. b\n  2. c\n": [("item", 1, "-"), ("item", 2, "1."), ("item", 2, "2.")],
    "• a\n• b\nc": [("item", 1, "•"), ("item", 1, "•")],
    "Buy:\na) x\nb) y": [("paragraph", 0, None), ("item", 1, "a)"), ("item", 1, "b)")],
    "i. x\nii. y\niii. z": [("item", 1, "i."), ("item", 1, "ii."), ("item", 1, "iii.")],
    "(1) x\n(2) y": [("item", 1, "(1)"), ("item", 1, "(2)")],
    "a) x\nand b) y": [("paragraph", 0, None)],
    "> > a\n": [("quote", 1, None), ("quote", 2, None), ("paragraph", 0, None)],
    "> [!TIP]\n> a": [("quote", 1, None), ("paragraph", 0, None), ("paragraph", 0, None)],
    "```py x\na\n```": [("code", 0, "py x")],
    "Run:\n\n    x = f(1)\n    return x": [("paragraph", 0, None), ("code", 0, None)],
    "Poem:\n\n    Roses are red\n    and - so on": [("paragraph", 0, None), ("paragraph", 0, None)],
    "\tIndented by a tab.": [("paragraph", 0, None)],
    "1.  a\n\n    - b": [("paragraph", 0, None), ("item", 2, "-")],
    "---\na: b\n---\nc": [("metadata", 0, None), ("paragraph", 0, None)],
    "a\n\n---\nb\n---\nc": [("paragraph", 0, None), ("rule", 0, None), ("heading", 2, None), ("paragraph", 0, None)],
    "[a]: /b\n\n[a]": [("definition", 0, None), ("paragraph", 0, None)],
    "x[^n]\n\n[^n]: y": [("paragraph", 0, None), ("footnote", 0, "n"), ("paragraph", 0, None)],
    "|a|b|\n|-|-|\n|c|d|": [
        ("table", 0, None), ("row", 0, "head"), ("cell", 0, None), ("cell", 0, None), ("row", 0, None),
        ("cell", 0, None), ("cell", 0, None),
    ],
    "| a | b |\n| c | d |": [
        ("table", 0, None), ("row", 0, None), ("cell", 0, None), ("cell", 0, None), ("row", 0, None),
        ("cell", 0, None), ("cell", 0, None),
    ],
    "a\tb\nc\td": [
        ("table", 0, None), ("row", 0, None), ("cell", 0, None), ("cell", 0, None), ("row", 0, None),
        ("cell", 0, None), ("cell", 0, None),
    ],
    "this | that\nor not": [("paragraph", 0, None)],
    "<!-- a\n\nb -->": [("html", 0, None)],
}  # fmt: skip


@pytest.mark.parametrize("text", BLOCKS)
def test_blocks_are_those_that_a_reader_sees(text):
    assert blocks(text) == BLOCKS[text]


def test_an_item_knows_its_box():
    ticked = {"- [x] a": True, "- [ ] a": False, "- a": None, "☑ a\n☑ b": True, "☐ a\n☐ b": False}
    assert {text: parse(text).blocks[0].is_done for text in ticked} == ticked


def test_numbers_of_items_are_leaves_that_are_said():
    assert kinds("1. a\n2. b\n")[:2] == [("number", "1."), ("text", "a")]
    assert kinds("a) x\nb) y")[:2] == [("number", "a)"), ("text", "x")]
    assert kinds("1\ufe0f\u20e3 x\n2\ufe0f\u20e3 y")[0] == ("number", "1")


@pytest.mark.parametrize(
    ("text", "regions"),
    [
        ("<think>\na\n\nb\n</think>\n\nc", [("reasoning", "<think>\na\n\nb\n</think>")]),
        ("a\n\n<thinking>b", [("reasoning", "<thinking>b")]),
        ("a\n\nb\n</think>\nc", [("reasoning", "a\n\nb\n</think>")]),
        ("use the <think> tag or </think> here", [("reasoning", "<think> tag or </think>")]),
        ("use the <think> tag", []),
        ("use `<think>` or\n```\n<think>\n```", []),
        ("<details>\n<i>S</i>\na\n</details>b", [("details", "<details>\n<i>S</i>\na\n</details>")]),
        ('<details type="reasoning">a</details>', [("reasoning", '<details type="reasoning">a</details>')]),
        ("<details><summary>Thought for 3 s", [("reasoning", "<details><summary>Thought for 3 s")]),
    ],
)  # fmt: skip
def test_what_is_put_apart_is_found_with_its_contents(text, regions):
    document = parse(text)
    assert [(region.kind, text[region.start : region.end]) for region in document.regions] == regions


@pytest.mark.parametrize("depth", [1, 30, 33, 500, 5000])
def test_words_are_found_however_deep_they_are_nested(depth):
    for sign in ("> ", "- ", ">", "* ", "1. "):
        document = parse(sign * depth + "words")
        assert_sound(document)
        assert "words" in flatten(document).text.text
        assert len(document.blocks) < 70
