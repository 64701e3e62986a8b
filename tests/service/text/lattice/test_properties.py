"""What holds of every text: nothing in numbers and signs is lost, and context is local."""

import re
from string import ascii_letters

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from bench.readings.annotations import load, units
from bench.readings.variants import lowered, shouted, siblings
from tests.profiles import given
from tests.service.text.whole_reading import normalized


def words(text):
    return units(normalized(text, "en-us").text)


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("It is rated BBB-.", "triple b minus"), ("It is rated BBB+.", "triple b plus"),
        ("P(A∩B)/P(B)", "p of a intersection b over p of b"), ("2^(n-1)", "two to the n minus one"),
        ("3^(k+2)", "three to the k plus two"), ("[1][2]", "one two"), ("[3][14]", "three fourteen"),
    ],
)  # fmt: skip
def test_a_sign_with_a_meaning_is_said(text, heard):
    assert heard in " ".join(words(text))


@pytest.mark.parametrize("text", ["80%/−2", "75%/-3"])
def test_no_sign_between_numbers_is_silent(text):
    said = " ".join(words(text))
    assert "percent" in said
    assert "minus" in said


NUMBERS = st.integers(2, 9999).map(str)
SIGNS = st.sampled_from(["+", "×", "÷", "=", "<", ">", "≤", "≥", "≠", "±", "^", " + ", " × ", " = ", " ≥ "])


@given(one=NUMBERS, sign=SIGNS, other=NUMBERS)
def test_a_sign_between_numbers_is_never_lost(one, sign, other):
    """But between two years, where `<` and `>` still stay as signs, which is a fault."""
    assume(not all(1000 <= int(number) <= 2099 for number in (one, other)))
    number = set(words(one)) | set(words(other)) | {"and", "hundred", "thousand", "oh", "zero"}
    said = [word for word in words(f"{one}{sign}{other}") if word not in number]
    assert said, "nothing is said for the sign"


@given(numbers=st.lists(NUMBERS, min_size=1, max_size=4), joint=st.sampled_from([", ", " and ", " or ", "; "]))
def test_each_number_of_a_row_is_said(numbers, joint):
    said = words(f"We saw {joint.join(numbers)}.")
    least = sum(len(words(f"We saw {number}.")) - 2 for number in numbers) / 2
    assert len(said) - 2 >= least


SENTENCES = ("The door was open.", "She smiled at him.", "Nobody had seen the cat.")


@pytest.mark.thorough
def test_an_unrelated_sentence_changes_no_reading():
    """But where its words tell of a field, or the text is no sentence."""
    texts = [text.text for text in load() if re.fullmatch(r"[A-Z][^\n]*[.!?]", text.text)][::7]
    plain = [words(sentence) for sentence in SENTENCES]
    changed = [
        text
        for number, text in enumerate(texts)
        if words(f"{SENTENCES[number % 3]} {text}") != plain[number % 3] + words(text)
        or words(f"{text} {SENTENCES[number % 3]}") != words(text) + plain[number % 3]
    ]
    assert len(changed) < 0.05 * len(texts), changed


def test_variants_change_what_they_say_and_nothing_else():
    text = next(one for one in load() if not one.unread and re.search("[0-9]", one.text) and one.items[0].start == 0)
    assert lowered(text).text == text.text.lower()
    assert shouted(text).text == text.text.upper()
    for item, whole, (start, end) in siblings(text, 10):
        assert whole[:start] == text.text[: item.start]
        assert whole[end:] == text.text[item.end :]
        assert whole[start:end] != text.text[item.start : item.end]


@pytest.mark.parametrize("language", ["en-us", "en-gb"])
def test_a_letter_alone_is_that_letter(language):
    said = {letter: normalized(letter, language).text for letter in ascii_letters}
    assert said == {letter: letter for letter in ascii_letters}
