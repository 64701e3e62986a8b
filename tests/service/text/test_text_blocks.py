from hypothesis import strategies as st

from service.text.text_blocks import BLOCK_LENGTH, blocks
from tests.profiles import given

SENTENCE = "The birch canoe slid on the smooth planks. "


def parts(text):
    return [text[start:end] for start, end in blocks(text)]


def test_a_short_text_is_one_block():
    assert parts("Hello there.\n\nHow are you?") == ["Hello there.\n\nHow are you?"]
    assert parts("") == []


def test_blocks_end_after_sentences():
    cut = parts(SENTENCE * 100)
    assert len(cut) > 4
    assert all(part.endswith("planks.") for part in cut[:-1])


def test_wrapped_lines_are_not_where_blocks_end():
    paragraph = "The birch canoe slid on\nthe smooth planks, and nobody\nknew where it went. "
    assert all(part.endswith("went.") for part in parts(paragraph * 50)[:-1])


def test_a_text_without_a_sentence_is_cut_between_words():
    cut = parts("word " * 1_000)
    assert all(set(part.split()) <= {"word"} for part in cut)


@given(st.text(alphabet="ab .,!?\n“”。", max_size=5_000))
def test_nothing_is_lost_and_no_block_is_long(text):
    cut = parts(text)
    assert "".join(cut) == text
    assert all(cut)
    assert max(map(len, cut), default=0) <= BLOCK_LENGTH


@given(
    st.text(alphabet="ab .,!?\n“”。", min_size=1, max_size=5_000),
    st.lists(st.integers(0, 5_000), max_size=20, unique=True),
)
def test_no_block_ends_inside_what_belongs_together(text, places):
    edges = sorted(min(place, len(text)) for place in places)
    together = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if a < b]
    cut = list(blocks(text, together))
    assert "".join(text[start:end] for start, end in cut) == text
    for _, end in cut:
        assert not any(a < end < b for a, b in together)
