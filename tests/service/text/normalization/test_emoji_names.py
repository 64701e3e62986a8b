import pytest
from service.text.normalization.emoji import rules
from service.text.normalization.rules import rewrite
from service.text.offset_mapping import TracedText

LANGUAGES = ("en-us", "en-gb", "es", "fr", "hi", "it", "pt-br", "ja", "zh")


def dropped(text, language="en-us"):
    return rewrite(TracedText(text), rules(language, named=False)).text


def named(text, language="en-us"):
    return rewrite(TracedText(text), rules(language, named=True)).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Great 😀!", "Great!"),
        ("Great! 😀", "Great!"),
        ("😀😀 Great", "Great"),
        ("a 😀 b", "a b"),
        ("a😀b", "a b"),
        ("a 😀 B", "a, B"),
        ("a 😀\nb", "a\nb"),
        ("(a 😀) “😀 b”", "(a) “b”"),
        ("👩🏽‍🚀🏳️‍🌈🇫🇷👨‍👩‍👧‍👦 x", "x"),
        ("☀️☂︎ ♪ ■ ─── x", "x"),
        ("Press #️⃣ now, *️⃣", "Press # now, *"),
        ("i️ said hi", "said hi"),
        ("😀", ""),
    ],
)
def test_a_dropped_emoji_leaves_words_and_marks_as_they_were(text, expected):
    assert dropped(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bye :) now", "Bye now"),
        ("Bye :-D.", "Bye."),
        ("Bye. XD", "Bye."),
        ("¯\\_(ツ)_/¯ whatever", "whatever"),
        ("I <3 you </3", "I love you"),
    ],
)
def test_emoticons_that_stand_apart_are_dropped(text, expected):
    assert dropped(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3:1, (see 8) and (a:b)",
        "https://example.com",
        "x=D and C:\\Users",
        "note 8), item B)x",
        "R&D, 50 %, a/b, 3 < 4, x|y, a-b",
        "“quoted” … — ‘so’",
        "क्‍ष मे है",
    ],
)
def test_what_is_no_picture_stays(text):
    assert dropped(text) == text == named(text)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en-us", "I like 🍕 and 👍🏽.", "I like pizza and thumbs up."),
        ("en-gb", "Well done 👏👏👏", "Well done clapping hands"),
        ("en-us", "Go 🎉❤️", "Go party popper, red heart"),
        ("en-us", "in 🇫🇷", "in France"),
        ("en-us", "See you 👋 Bob", "See you waving hand, Bob"),
        ("en-us", "Bye :)", "Bye slightly smiling face"),
        ("es", "Hola 👋", "Hola mano saludando"),
        ("fr", "un ❤️ !", "un cœur rouge!"),
        ("it", "un ❤️", "un cuore rosso"),
        ("pt-br", "um ❤️", "um coração vermelho"),
        ("ja", "好き❤️です", "好き、赤いハート、です"),
        ("zh", "好❤️吧", "好,红心,吧"),
    ],
)
def test_names_are_those_of_the_language(language, text, expected):
    assert named(text, language) == expected


def test_hindi_has_no_names():
    assert named("नमस्ते 🙏 दोस्त", "hi") == "नमस्ते दोस्त"


def test_a_picture_without_a_name_is_dropped():
    assert named("a ┃ b") == "a b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1️⃣ one, 2️⃣3️⃣, 🔟", "1 one, 2 3, 10"),
        ("❶ one ➋", "1 one 2"),
        ("★★★★☆, ★★★★★, ⭐⭐⭐⭐⭐", "4 out of 5 stars, 5 stars, 5 stars"),
        ("4★ hotel, 4.5 ⭐", "4 star hotel, 4.5 stars"),
        ("⭐ new ⭐", "new"),
        ("A → B, 5→6, 5 -> 6", "A to B, 5 to 6, 5 to 6"),
        ("File → Open ⇐ here", "File, Open, here"),
        ("→ next", "next"),
        ("a • b | c · d", "a, b, c, d"),
        ("↑ 5%, ↓3", "up 5%, down 3"),
        ("X™ ® by Y† here", "X by Y here"),
        ("©2024 № 5 §3", "copyright 2024 number 5 section 3"),
        ("F♯, B♭ major", "F sharp, B flat major"),
        ("x ≠ y, ∞", "x is not equal to y, infinity"),
    ],
)
def test_symbols_that_a_reader_says_become_words(text, expected):
    assert dropped(text) == expected


@pytest.mark.parametrize("text", ["3 × 4", "5÷2", "≈ 5", "√16", "±3", "20 °C", "5‰", "½ x²", "−5"])
def test_arithmetic_is_left_to_the_language(text):
    assert dropped(text) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_symbol_and_is_done_at_once(language):
    text = "a ≤ b © § ¶ × ÷ ± ≠ ≈ ≥ ∞ √ ∑ ∫ ∈ ∅ ∀ ∃ ∴ ∵ ⇒ ⇔ № C♯ ↑5 A → B ★★★☆☆ 3★ 😀 :)"
    for is_named in (False, True):
        once = rewrite(TracedText(text), rules(language, named=is_named))
        assert set(once.text).isdisjoint(text) or not set("≤©§¶×÷±≠★😀→♯") & set(once.text)
        assert rewrite(once, rules(language, named=is_named)).text == once.text


def test_words_keep_their_spans():
    text = rewrite(TracedText("Hi 😀 you, 5→6"), rules("en-us", named=True))
    assert text.text == "Hi grinning face you, 5 to 6"
    assert text[3:16].span == (2, 5)
    assert text[17:20].span == (5, 8)
    assert text[24:26].span == (11, 12)
