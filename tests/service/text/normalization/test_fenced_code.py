import re

from hypothesis import strategies as st
from service.text.normalization.fenced_code import without_code
from service.text.offset_mapping import TracedText
from tests.profiles import given

# What a block is, in one pattern: it takes quadratic time with many fences.
_BLOCK = re.compile(
    r"(?:\A|(?<=\n))[ \t>]*(?:[-*+][ \t]+)?(?P<fence>```+|~~~+)(?!.*`)[^\n]*"
    r"(?:\n(?s:.*?)(?<=\n)[ \t>]*(?P=fence)[`~]*[ \t]*(?=\n|\Z)|(?s:.*)\Z)"
)


def test_blocks_go_and_the_lines_around_them_stay():
    assert without_code(TracedText("a\n```py\nx = 1\n```\nb")).text == "a\n\nb"
    assert without_code(TracedText("a\n~~~\nx")).text == "a\n"


@given(
    st.lists(st.sampled_from(["```", "~~~", "`", "~", "\n", "\n", " ", ">", "- ", "a", "\t"]), max_size=16).map("".join)
)
def test_blocks_are_those_of_one_pattern(text):
    traced = TracedText(text)
    assert repr(without_code(traced)) == repr(traced.sub(_BLOCK, lambda match: ""))
