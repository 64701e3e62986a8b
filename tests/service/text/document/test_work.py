"""The work for a text grows with its length, whatever it holds."""

import sys

import pytest

from service.text.document.markdown import parse
from service.text.document.spoken import flatten
from tests.service.text.document.trees import assert_sound

LENGTH = 2_000

REPEATED = [
    *["*", "*a", "a*", "*a ", "**a *b ", "a**b ", "f**k ", "*-", "** a ", "_a_", "__", "~~a ~b ", "~", "==a "],
    *["[", "[a](", "[a][b", "![", "[^1]", "a[1]", "[x]: y\n", "[^1]: a\n", "f[x](", "]", "`", "`a", "<", "<b>", "</b>"],
    *["<b x", "<b\n", "<!--", "<!-- \n", "<pre>\n", '<a href="', "<think>\n", "</think>\n", "<div>\n", "<sup>1</sup>"],
    *["&", "&amp;", "&amp;amp;", "$", "$a ", "$a$", "\\(", "\\[x", "\\", "C:\\a ", "|", "| a | b |\n", "a\tb\n", "|a"],
    *["> ", ">", "> a\n", ">5\n", "a\n> 5\n\n", "- ", "- a\n", "1. ", "1. a\n", "• a\n", "a) x\n", "> - a\n", "#"],
    *["    a\n", "    a\n\n", "\ta", "a\n---\n", "---\n", "```\n", "~~~\n", "\n", " \n", " ", "a\r\n", "\r", "\0"],
    *["- " * 40 + "a\n", "> " * 40 + "\n", "é*ö* ", "字", "语*言*", "> [!TIP]\n\n", "a: b\n", "The quick brown fox. "],
    *["# a\n", "\ufdd0*", "== a =="],
]  # fmt: skip
HOSTILE = {
    **{unit: lambda length, unit=unit: unit * (length // len(unit)) for unit in REPEATED},
    "quotes, then lines": lambda length: "> " * (length // 4) + "\n" * (length // 2),
    "items, then lines": lambda length: "- " * (length // 4) + "\n" * (length // 2),
    "metadata": lambda length: "---\n" + "a: b\n" * (length // 5),
    "a table": lambda length: "|a|b|\n|-|-|\n" + "|x|y|\n" * (length // 6),
    "longer and longer code": lambda length: "".join("a" + "`" * n for n in range(1, int((2 * length) ** 0.5))),
    "deeper and deeper items": lambda length: "".join("  " * n + "- a\n" for n in range(1, int(length**0.5))),
    "numbers": lambda length: "".join(f"{number}. a\n" for number in range(length // 7)),
    "definitions": lambda length: "".join(f"[{number}]: /u\n" for number in range(length // 10)),
    "definitions of words": lambda length: "".join(f"[{number}]: yes\n\n" for number in range(length // 12)),
}
LONG = ["*", "[", "> ", "- ", "`a", "<b>", "**a *b ", "a table", "    a\n\n", "$a$", "<!--", "&amp;", "numbers"]


def work(text):
    """Return how many functions were called to parse and write a text."""
    n_calls = 0

    def count(frame, event, argument):
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        flatten(parse(text))
    finally:
        sys.setprofile(before)
    return n_calls


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOSTILE)
def test_twice_as_long_a_text_is_at_most_twice_the_work(name):
    text = HOSTILE[name]
    base = work("")
    assert work(text(2 * LENGTH)) - base < 2.2 * (work(text(LENGTH)) - base) + 500


@pytest.mark.thorough
def test_a_character_is_at_most_so_many_calls():
    costs = {name: work(text(LENGTH)) / LENGTH for name, text in HOSTILE.items()}
    assert max(costs.values()) < 75, sorted(costs, key=costs.get)[-3:]


@pytest.mark.thorough
@pytest.mark.parametrize("name", LONG)
def test_a_long_text_is_sound_too(name):
    assert_sound(parse(HOSTILE[name](100_000)))
