"""Blocks of Markdown whose words are known: any words in any nesting, position and block."""

import re

from hypothesis import strategies as st

from tests.service.text.document.trees import WORDS

TARGET = "https://a.b/c_d*e*f_g?h=i~j"
PAIRS = [
    *[("**", "**"), ("*", "*"), ("***", "***"), ("__", "__"), ("_", "_"), ("~~", "~~"), ("==", "==")],
    *[("[", f"]({TARGET})"), ("![", f"]({TARGET} 'title')"), ("<b>", "</b>"), ("<span class='x'>", "</span>")],
    *[("**“", "”**"), ("**(", ")**"), ("*「", "」*"), ("**_", "_**"), ("*__", "__*"), ("[**", f"**]({TARGET})")],
]
AROUND = [
    ("", ""),
    ("(", ")"),
    ("“", "”"),
    ("", ","),
    ("", "."),
    ("", ":"),
    ("", "!"),
    ('"', '"'),
    ("", "—"),
    ("¿", "?"),
]
WORD = st.sampled_from(WORDS)
PLAIN = st.lists(WORD, min_size=1, max_size=4).map(lambda held: (" ".join(held), held))
CODE = st.tuples(PLAIN, st.sampled_from([("`", "`"), ("``", "``"), ("`` ` ", " ``")])).map(
    lambda made: (made[0][0].join(made[1]), made[0][1])
)
SPACED = PLAIN.map(lambda made: (f"** {made[0]} **", made[1]))


def can_enclose(sign, text):
    """Tell whether a sign may stand around a text, so that CommonMark has one meaning for them.

    Signs of one kind do not touch (four tildes are a fence); those beside quotes, brackets and code are in
    no others, and no link is in a link.
    """
    if len(set(sign)) > 1 and not sign.startswith("<"):
        return text[0].isalnum() and "](" not in text and not re.search(r"[*_]", text)
    if sign[0] in "*_~=" and (text[0] in '(“"¿' or re.search(r"[*_~=][“(「`]|[“(\"¿`][*_~=]", text)):
        return False
    return ("[" not in sign or "](" not in text) and sign[0] not in re.match("[*_~=]*", text)[0]


def enclosed(inside):
    """Return lines whose parts are emphasised, linked and enclosed."""
    made = st.tuples(inside, st.sampled_from(PAIRS), st.sampled_from(AROUND))
    one = made.filter(lambda made: can_enclose(made[1][0], made[0][0])).map(
        lambda made: (made[2][0] + made[1][0] + made[0][0] + made[1][1] + made[2][1], made[0][1])
    )
    return st.lists(st.one_of(PLAIN, one), min_size=1, max_size=4).map(
        lambda parts: (" ".join(text for text, _ in parts), [word for _, held in parts for word in held])
    )


LINE = st.one_of(st.recursive(st.one_of(PLAIN, CODE), enclosed, max_leaves=6), SPACED)
# What the first line of a block begins with, and the others.
OPENINGS = [
    *[("", ""), ("# ", "# "), ("###### ", "###### "), ("> ", "> "), ("> > ", "> > "), ("- ", "- "), ("* ", "* ")],
    *[
        ("- [ ] ", "- [x] "),
        ("• ", "• "),
        ("☐ ", "☑ "),
        ("> - ", ">   - "),
        ("<div>", ""),
        ("<p>\n\n", ""),
        ("    ", "    "),
    ],
    *[("    ", "    "), ("    > ", "    > "), ("\t", ""), ("- > ", "  > ")],
]
BLOCK = st.tuples(st.lists(LINE, min_size=1, max_size=4), st.sampled_from(OPENINGS)).map(
    lambda made: (
        "\n".join(made[1][index > 0] + text for index, (text, _) in enumerate(made[0])),
        [word for _, held in made[0] for word in held],
    )
)
TABLE = st.lists(st.tuples(LINE, LINE), min_size=1, max_size=3).map(
    lambda rows: (
        "| a | b |\n|:--|--:|\n" + "\n".join(f"| {one[0]} | {two[0]} |" for one, two in rows),
        ["a", "b", *(word for row in rows for cell in row for word in cell[1])],
    )
)
SETEXT = LINE.map(lambda made: (f"{made[0]}\n---", made[1]))
BLOCKS = st.lists(st.one_of(BLOCK, TABLE, SETEXT), min_size=1, max_size=4)
ENDS = st.sampled_from(["\n\n", "\n\n---\n\n", "\n\n[x]: /y 'title'\n\n", "\n\n<!-- note -->\n\n", "\n\n\n* * *\n\n"])
