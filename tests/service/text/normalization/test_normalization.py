"""Where words come from, and what holds for any text; how texts are read is in tests/data/reading."""

import itertools
import re

import pytest
from hypothesis import strategies as st

from service.text import LANGUAGES, FrontEnd, Normalization, Passage
from service.text.characters import clean_text
from service.text.languages.mandarin.normalization.numbers import say_integer
from service.text.normalization import normalize
from service.text.offset_mapping import TracedText
from tests import profiles
from tests.profiles import given
from tests.service.text.whole_reading import normalized


def said(text, language="en-us", **options):
    return normalized(text, language, **options).text


@pytest.mark.parametrize(
    ("language", "text", "words", "origin"),
    [
        ("en-us", "It cost $500K on Monday.", "five hundred thousand dollars", "$500K"),
        ("en-us", "It cost $500K on Monday.", "Monday", "Monday"), ("en-us", "Dr. Lee, 5 km away", "Doctor", "Dr."),
        ("en-us", "Dr. Lee, 5 km away", "five kilometers", "5 km"),
        ("en-us", "Born in 1984!", "nineteen eighty-four", "1984"),
        ("en-us", "See example.com now", "example dot com", "example.com"),
        ("en-us", "See example.com now", "now", "now"), ("en-us", "Hi 😀 you, 5→6", "grinning face", " 😀 "),
        ("en-us", "Hi 😀 you, 5→6", "to", "→"), ("en-us", "a caf&eacute; <b>so</b> old", "café", "caf&eacute;"),
        ("en-us", "# **One** [two](https://a.b)\n- three", "One", "One"),
        ("en-us", "# **One** [two](https://a.b)\n- three", "two", "two"),
        ("en-us", "# **One** [two](https://a.b)\n- three", "three", "three"),
        ("es", "Cuesta 10,50 € hoy.", "diez euros con cincuenta céntimos", "10,50 €"),
        ("ja", "会議は19:30に始まる", "19時30分", "19:30"), ("zh", "会议19:30开始", "十九点三十分", "19:30"),
    ],
)  # fmt: skip
def test_words_know_what_they_stand_for(language, text, words, origin):
    traced = normalized(text, language, named_emoji=True)
    start = traced.text.index(words)
    assert text[slice(*traced[start : start + len(words)].span)] == origin


def test_words_with_overrides_are_left_alone():
    assert said("5 or 5", fixed=[(0, 1)]) == "5 or five"


def test_a_huge_number_is_read_digit_by_digit():
    assert said("7" * 400) == " ".join(["seven"] * 400)


def test_a_text_of_nothing_but_marks_does_not_grow():
    for mark in ("*", "[", "](x.y)", "`", "| ", "\n- ", "\\*", "~~", "#", "> "):
        assert len(said(mark * 1_000)) <= 1_000 * (len(mark) + 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_word_for_every_sign(language):
    signs = "a ≤ b © § ¶ × ÷ ± ≠ ≈ ≥ ∞ √ ∑ ∫ ∈ ∅ ∀ ∃ ∴ ∵ ⇒ ⇔ № C♯ ↑5 A → B ★★★☆☆ 3★ 😀 :)"
    address = "https://u:p@a-b.com:80/c_d~e%f+g?h=i&j=(k)#l;m,n!o$p*q"
    for text, unsaid in ((signs, "≤©§¶×÷±≠★😀→♯"), (address, "/@:_~%+?=&#()!$*")):
        for named in (False, True):
            words = said(text, language, named_emoji=named)
            assert not set(unsaid) & set(words)
            assert said(words, language, named_emoji=named) == words


# Parts of what rules match, so that Hypothesis finds patterns and not only characters.
PIECES = [
    *"0123456789 .,:;/+-–+−()'’\"%°ºª€$£₹¢&#@~_^=<>\\×÷≤√±½²éß漢字是ぁねヿññ\n\u00a0\u200d",
    *("aABCIVXLDMKbehkmxpv", "12", "1984", "2024", "007", "1.000", "1,5", "1/2", "0x", "A4", "555", "%41"),
    *("km/h", "km", "th", "st", "er", "am", "a.m.", "pm", "p. m.", "mil ", "bn", "AD", "UTC", "USD", "ISBN"),
    *("St.", "Dr.", "No.", "Inc.", "etc.", "vs.", "ext.", "lb.", "oz.", "ft", "Sr.", "mar.", "J.K."),
    *("Jan", "March", "Henry", "Chapter", "The", "the", "in", "on", "call", "siglo ", "de ", "enero"),
    *("R$", "M€", "US$", "क", "डॉ.", "वीं", "करोड़", "कि.मी.", "ा", "रु.", "है", "年", "月"),
    *(".com", "https://", "www.", "C:\\", "&amp;", "<b>", "😀", "→", "★", ":)", "**", "*", "`", "[", "](x.y)", "]"),
    *("- ", "# ", "> ", "1. "),
]
AWKWARD = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
ANY = st.one_of(AWKWARD, st.text(max_size=60))


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=ANY)
def test_any_text_is_read_with_its_offset_mapping(language, text):
    traced = normalize(TracedText(text), language)
    spans = [traced[index : index + 1].span for index in range(len(traced))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(spans))
    if language not in ("ja", "zh"):
        assert not set("0123456789") & set(said(text, language))
    kept = {"ja": "ぁねヿ", "zh": "漢字是ñ"}.get(language, "")
    if "*" not in text:  # stars hide letters
        assert set(kept) & set(text) <= set(traced.text.lower())  # a letter of an address is spelled


@given(
    whole=st.integers(0, 999_999),
    part=st.from_regex("[0-9]{1,8}", fullmatch=True),
    sign=st.sampled_from("+-−±"),
    language=st.sampled_from(["en-us", "en-gb"]),
)
def test_a_sign_changes_no_decimal(whole, part, sign, language):
    number = said(f"It is {whole}.{part} now", language).removeprefix("It is ")
    name = {"+": "plus", "±": "plus or minus"}.get(sign, "minus")
    assert said(f"It is {sign}{whole}.{part} now", language) == f"It is {name} {number}"


VALUES = dict(zip("零一二三四五六七八九两", [*range(10), 2], strict=True))
PLACES = {"十": 10, "百": 100, "千": 1000}


def value_of(words):
    """Return the value of a Chinese number below 10**16, as a listener understands it."""
    total = section = digit = 0
    for character in words:
        if character in VALUES:
            digit = VALUES[character]
        elif character in PLACES:
            section += (digit or 1) * PLACES[character]
            digit = 0
        elif character == "亿":
            total, section, digit = (total + section + digit) * 10**8, 0, 0
        else:
            total, section, digit = total + (section + digit) * 10**4, 0, 0
    return total + section + digit


@given(st.integers(0, 10**12 - 1))
def test_the_words_of_a_chinese_number_have_its_value(value):
    assert value_of(say_integer(str(value))) == value


@pytest.mark.parametrize("language", ["en-us", "es", "fr", "it", "pt-br", "hi", "ja", "zh"])
def test_no_letter_of_an_option_is_a_face(language):
    words = ("option", "plan", "Teil", "opción", "type", "and", "or", "is", "two", "vitamin", "C")
    for word, end in itertools.product(words, ("", ".", "?", " x", "\n", ", and")):
        assert "B)" in said(f"the {word} B){end}", language, named_emoji=True)


AMOUNTS = st.decimals(min_value=0, max_value=99_999, places=2).map(str) | st.integers(0, 999).map(str)


@given(first=AMOUNTS, second=AMOUNTS, between=st.sampled_from([" and ", " - ", ", ", "-", "/", " ("]))
def test_two_amounts_are_no_formula(first, second, between):
    for text in (f"${first}{between}${second}", f"{first}${between}{second}$"):
        assert re.search("dollar|cent", said(text))


@given(AMOUNTS)
def test_a_number_between_dollars_is_no_amount(number):
    assert said(f"It is ${number}$, not ${number}.") == said(f"It is {number}, not ${number}.")


CODE = "Run this:\n\n```sh\nrm -rf build\n```\n\nThen wait."


@pytest.mark.parametrize(
    ("text", "choices", "lost", "words"),
    [
        (CODE, {"code": "skip"}, "shrmrfbuild", ["Run", "this", "Then", "wait"]),
        ("See https://example.com/a now.", {"urls": "skip"}, "httpsexamplecoma", ["See", "now"]),
    ],
)
def test_what_is_not_read_is_told_and_words_keep_their_places(text, choices, lost, words):
    readings = list(FrontEnd().read(Passage(TracedText(text)), "en-us", normalization=Normalization(**choices)))
    missing = "".join(text[slice(*span)] for reading in readings for span in reading.dropped)
    assert "".join(filter(str.isalnum, missing)) == lost
    assert [text[word.text_start : word.text_end] for reading in readings for word in reading.words] == words


NAMES = [
    *"abhlmnrtwxyz",
    *["pi", "mass", "width", "height", "depth", "length", "price", "quantity", "speed", "time"],
    *["rate", "total", "hours", "pay", "radius", "force", "Volume", "Speed", "idx", "rows"],
]


@given(
    names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=5),
    sign=st.sampled_from(["*", " * "]),
    mark=st.sampled_from(["", "*", "**", "***", "_", "__"]),
    around=st.sampled_from(["{}", "The {} here", "They say {}.", "- {}\n- x", "({})", "V = {}"]),
)
def test_a_product_keeps_every_factor(names, sign, mark, around):
    words = said(around.replace("{}", f"{mark}{sign.join(names)}{mark}"))
    # Letters of a name that is no word stand apart: `i d x`.
    assert "times".join(names).lower() in words.lower().replace(" ", "")
    assert not re.search(r"[*_]", words)


@pytest.mark.thorough
def test_no_product_of_letters_loses_one():
    for left, right in itertools.product("abcdefghijklmnopqrstuvwxyzABXYZ", repeat=2):
        text = f"{left}*{right}"
        if text.lower() not in ("g*d", "s*x"):
            product = f"{left} times {right}".lower()
            assert said(f"y = {text}*h").lower().replace("you", "u") == f"y equals {product} times h"
            assert said(text).lower().replace("you", "u") == product


REWRITTEN = set(LANGUAGES) - {"en-us", "en-gb"}
"""Languages whose rules rewrite what rules wrote; with grammars a text is decided at once."""

STARS = [
    *"*_~$[](){}`\\/.,!-+=^%#&|<>\"' \n5abIéकπ½²★猫的長",
    *["**", "***", "****", "__", "~~", "](x.y)", "\n\n", "10 am", "$5", "$5 million", "word", "fu", "ck", "width"],
    *["की", "重要", "猫です", "2.5", "5*", "*.py", "&ast;", "C*-", "*.py", "&ast;", "\U00051f0f", "\uf0b7", "😀"],
]


@given(pieces=st.lists(st.sampled_from(STARS), max_size=14), language=st.sampled_from(sorted(REWRITTEN)))
@profiles.many()
def test_what_stars_became_does_not_change(pieces, language):
    once = normalize(clean_text(TracedText("".join(pieces))), language).text
    assert normalize(clean_text(TracedText(once)), language).text == once
