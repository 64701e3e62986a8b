"""Shouted words are read as words; abbreviations are spelled."""

import pytest
from service.text.english.capitals import calm

LEXICON = {"NASA", "USA", "see", "tell", "stop", "the", "dog", "run", "danger", "high", "voltage"}


@pytest.mark.parametrize(
    ("text", "calmed"),
    [
        ("STOP THE DOG !", "stop the dog !"),
        ("I SEE THE DOGS RUN", "I see the dogs run"),
        ("THE NASA AND THE USA", "the NASA and the USA"),
        ("THE DOG WORKS AT IBM", "the dog works at IBM"),
        ("the FBI met NASA", "the FBI met NASA"),
        ("he did NOT run", "he did NOT run"),
        ("NASA USA", "NASA USA"),
        ("DANGER HIGH VOLTAGE", "DANGER HIGH VOLTAGE"),
        ("STOP , DO NOT RUN ! Please .", "stop , do not run ! Please ."),
        ("TELL US ABOUT IT", "tell us about it"),
        ("", ""),
    ],
)
def test_phrases_in_capitals_are_calmed(text, calmed):
    assert calm(text.split(), LEXICON.__contains__) == calmed.split()
