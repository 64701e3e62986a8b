import pytest
from service.text.characters import clean_text
from service.text.normalization.english import rules
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText


def _normalize(text, language):
    return rewrite(clean_text(TracedText(text)), rules(british=language == "en-gb"))


@pytest.mark.parametrize(
    ("text", "word", "origin"),
    [
        ("It cost $500K on Monday.", "five hundred thousand dollars", "$500K"),
        ("It cost $500K on Monday.", "Monday", "Monday"),
        ("Dr. Lee, 5 km away", "Doctor", "Dr."),
        ("Dr. Lee, 5 km away", "five kilometers", "5 km"),
        ("Born in 1984!", "nineteen eighty-four", "1984"),
    ],
)
def test_words_know_what_they_stand_for(text, word, origin):
    normalized = _normalize(text, "en-us")
    start = normalized.text.index(word)
    first, last = normalized[start : start + len(word)].span
    assert text[first:last] == origin


def test_words_with_overrides_are_left_alone():
    text = "5 or 5"
    rewritten = rewrite(TracedText(text), rules(british=False), [(0, 1)])
    assert rewritten.text == "5 or five"


def test_a_huge_number_is_read_digit_by_digit():
    assert _normalize("7" * 400, "en-us").text == " ".join(["seven"] * 400)


def test_a_decimal_before_a_fraction_is_read():
    assert _normalize("2.5½ km", "en-us").text == "two point five and a half kilometers"
