import re

from hypothesis import strategies as st

from service.text.markup.stretches import stretches
from tests.profiles import given

# What stands between stretches, in one pattern: it takes quadratic time with a row of dots.
_MARKS = re.compile(
    r"""[。、！？，；：।॥…—“”"«»()（）「」『』]
      | (?<!\.[^\W\d_]) [.,!?;:]+ (?= [\s"”’')\]»] | \Z )
      | \n\s*\n
    """,
    re.VERBOSE,
)


def test_marks_and_paragraphs_separate_stretches():
    text = "The U.S. army, 3.14 of it.\n\nLeft"
    assert [text[start:end] for start, end in stretches(text)] == [*("The U.S. army", "3.14 of it", "Left")]


@given(
    st.lists(
        st.sampled_from([".", ",", "!", "a", "b ", " ", "\n", '"', "U.S.", "。", ")", "1", " \n"]), max_size=14
    ).map("".join)
)
def test_stretches_are_what_one_pattern_leaves(text):
    found = [text[start:end] for start, end in stretches(text)]
    assert found == [part.strip() for part in _MARKS.split(text) if part.strip()]
