import pytest
from hypothesis import strategies as st
from service.text.normalization.markdown import RULES
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText
from tests.profiles import given


def written(text):
    return rewrite(TracedText(text), RULES).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**a** *b* __c__ _d_ ~~e~~ ***f*** ___g___", "a b c d e f g"),
        ("**a *b***, *a **b***", "a b, a b"),
        ("(*a*), “**b**”, —*c*—", "(a), “b”, —c—"),
        ("**B**ring **Y**our", "Bring Your"),
        ("这是**重要**的，*真的*。", "这是重要的，真的。"),
        ("*one\ntwo*", "one\ntwo"),
        ("`code`, ``a`b``, `**kwargs`", "code, ab, **kwargs"),
        ("_snake_case_", "snake_case"),
        ("**What the f*** is it?** *f*** it*", "What the f*** is it? f*** it"),
        ("**What the f**k is it** **B**ring **it**", "What the f**k is it Bring it"),
    ],
)
def test_emphasis_and_code_lose_their_marks(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name and __init__.py and _private",
        "2*3*4, 5 * 6 * 7, x**2 + y**2",
        "f*** and s**t and f**k",
        "def f(*args, **kwargs)",
        "src/**/*.ts and lib/**/*.js",
        "~5 to ~6, ~/notes",
        "a * b\n\nc* d",
        "*a\n\nb*",
        "https://example.com/_a_/*b*",
        "____ is a blank",
        "it's `tis",
    ],
)
def test_marks_that_are_no_emphasis_stay(text):
    assert written(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[text](https://a.b/c_(d) "title") x', "text x"),
        ("[text](<a b.html>) and [top](#top)", "text and top"),
        ("![alt](a.png)![](b.png)", "alt"),
        ("[![alt](a.png)](https://b.c)", "alt"),
        ("[a **b** c](/d)", "a b c"),
        ("请看[这里](https://a.b)。", "请看这里。"),
        ("[](https://a.b)", "https://a.b"),
        ("[text][ref] and [text][]", "text and text"),
        ('x\n[ref]: https://a.b "Title"\ny', "x.\ny"),
        ("<https://a.b/c?d> <mailto:a@b.c> <a@b.c>", "https://a.b/c?d a@b.c a@b.c"),
        ("known[^1], too[^note]: yes", "known, too: yes"),
        ("x\n[^1]: The note.", "x\nThe note."),
    ],
)
def test_links_and_images_become_their_words(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    "text", ["[sic](perhaps)", "f[0](x.y)", "a[1][2]", "[1][2]", "[note] x", "](a.b)", "[a](b c.d)"]
)
def test_brackets_that_are_no_link_stay(text):
    assert written(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\nb", "A.\nb"),
        ("### A? ###\nb", "A?\nb"),
        ("A\n===\nb", "A.\nb"),
        ("A\n---\nb", "A.\nb"),
        ("a\n\n* * *\n\nb", "a\n\n\nb"),
        ("---\na", "\na"),
        ("- a\n* b\n  + c\nd", "a.\nb.\nc\nd"),
        ("a:\n- b.\n- “c!”", "a:\nb.\n“c!”"),
        ("- [ ] a\n- [x] b\n1. [X] c", "a.\nb.\n1. c"),
        ("1. a\n2. b\n3) c", "1. a.\n2. b.\n3) c"),
        ("•a\n• b\n✓ c", "a.\nb.\nc"),
        ("🚀 fast\n🔒 safe\nb", "🚀 fast.\n🔒 safe\nb"),
        ("- 苹果\n- 梨", "苹果。\n梨"),
        ("> a\n> b\n\n>> c", "a\nb\n\nc"),
        ("> - # a", "a"),
        ("a:\n```python title='x'\nb = 1\n```\nc", "a:\nb = 1.\nc"),
        ("~~~\na\n~~~", "\na."),
        ("a  \nb\\\nc", "a\nb\nc"),
    ],
)
def test_lines_lose_their_marks_and_end(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    "text", ["#1 is best", "#tag", "-5 degrees\n-6", "C#", "a\n3 - 2", ">5", "it was on the\n5. May", "a\n=\nb"]
)
def test_lines_without_marks_stay(text):
    assert written(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| a | b |\n|---|:-:|\n| c | d. |\ne", "a, b.\nc, d.\ne"),
        ("a | b\n--|--\nc | d\n", "a, b.\nc, d\n"),
        ("|a|b|\n|-|-|\n|c||", "a, b.\nc."),
        ("| a | b |\n| c | d |", "a, b.\nc, d."),
        ("| 一 | 二 |\n|---|---|", "一、二。"),
        ("|x| + |y|", "|x| + |y|"),
        ("a || b, p(a|b)", "a || b, p(a|b)"),
    ],
)
def test_tables_become_lists(text, expected):
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\*a\* snake\_case 1\. \[b\]", "a snake_case 1. [b]"),
        (r"C:\_a\.git \\server\_b", r"C:\_a\.git \\server\_b"),
        (r"a\b \n", r"a\b \n"),
    ],
)
def test_escapes_are_taken_back_outside_paths(text, expected):
    assert written(text) == expected


def test_words_keep_their_spans():
    text = rewrite(TracedText("# **One** [two](https://a.b)\n- three"), RULES)
    assert text.text == "One two.\nthree"
    assert [text[start:end].span for start, end in [(0, 3), (4, 7), (9, 14)]] == [(4, 7), (11, 14), (31, 36)]


_FRAGMENTS = st.sampled_from(
    ["a", "b ", " ", "\n", "**", "*", "_", "`", "[", "](x.y)", "]", "- ", "# ", "> ", "1. ", "\\"]
)


# The language of a fenced code block goes with its fence, and the label of a reference with its
# brackets.
_TEXTS = st.lists(_FRAGMENTS, max_size=12).map("".join)


@given(_TEXTS.filter(lambda text: "```" not in text and "][" not in text))
def test_marks_only_ever_go(text):
    letters = [character for character in text if character in "ab1"]
    traced = rewrite(TracedText(text), RULES)
    assert [character for character in traced.text if character in "ab1"] == letters


def test_a_text_of_nothing_but_marks_does_not_grow():
    for mark in ("*", "_a", "[", "](x.y)", "`", "| ", "\n- ", "\\*", "~~", "#", "> "):
        assert len(written(mark * 5_000)) <= 5_000 * (len(mark) + 1)
