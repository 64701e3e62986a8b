import itertools

import pytest
from service.text.normalization.emoticons import rules
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText


def drawn(text, language="en-us"):
    return rewrite(TracedText(text), rules(language, pictures="🙂")).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So cool B)", "So cool 😎"),
        ("Looking good B) today", "Looking good 😎 today"),
        ("Deal with it. B-)", "Deal with it. 😎"),
        ("finally passed my driving test B)", "finally passed my driving test 😎"),
        ("lol XD", "lol 😆"),
        ("XD that was it", "😆 that was it"),
        ("Haha XD", "Haha 😆"),
        ("so funny XD but sad. XD then", "so funny 😆 but sad. 😆 then"),
        ("Bye =D now", "Bye 😃 now"),
        ("(ah :) it rains)", "(ah 🙂 it rains)"),
        ("oh ): no :(", "oh 🙁 no 🙁"),
    ],
)
def test_faces_alone_become_pictures(text, expected):
    assert drawn(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "A) 2 B) 4",
        "A) cool B) hot",
        "(Fig. 2 B)",
        "(so cool B)",
        "f(A, B)",
        "(thanks :)",
        "[note :]",
        "(see above ): here",
        "option B) and plan B)",
        "Is it B)?",
        "B)",
        "B) Paris",
        "1. B)",
        "The answer is below. B)",
        "I got a B-)",
        "let us all go with option B)",
        "i think the answer is clearly B)",
        "Finally passed my driving test B)",
        "pages 6 8-)",
        "Adobe XD",
        "I use XD daily, and I like XD.",
        "the XD model",
        "XD 500 with XD",
        "seat 8D",
        "x =D and 3 =)",
        "D: and C: and 3:1 and 8) and 1:)?",
    ],
)
def test_letters_numbers_and_brackets_stay(text):
    assert drawn(text) == text


@pytest.mark.parametrize("language", ["en-us", "es", "fr", "it", "pt-br", "hi", "ja", "zh"])
def test_no_letter_of_an_option_is_a_face(language):
    words = ("option", "plan", "Teil", "opción", "type", "and", "or", "is", "two", "vitamin", "C")
    ends = ("", ".", "?", " x", "\n", ", and")
    for word, end in itertools.product(words, ends):
        assert drawn(f"the {word} B){end}", language) == f"the {word} B){end}"
