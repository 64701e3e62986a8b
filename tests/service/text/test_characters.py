from __future__ import annotations

import pytest

from service.errors import EmptyTextError, InvalidTextError
from service.text import check_text
from service.text.characters import clean_text, is_meaningful
from service.text.offset_mapping import TracedText


@pytest.mark.parametrize("text", ["", "  ", "\n\t\r\n", "\u00a0\u3000", "\ufeff\u200b \u200e"])
def test_nothing_visible_is_empty(text: str) -> None:
    with pytest.raises(EmptyTextError):
        check_text(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ab\x00c", r"control character U\+0000 at position 3 "),
        ("\x1b[1m", r"control character U\+001B at position 1 "),
        ("a\x85", r"control character U\+0085 at position 2 "),
        ("a\ud800b", r"lone surrogate U\+D800 at position 2 "),
        ("a\ufffe", r"noncharacter U\+FFFE at position 2 "),
        ("a\U0010ffff", r"noncharacter U\+10FFFF at position 2 "),
        ("\ufdd0", r"noncharacter U\+FDD0 at position 1 "),
    ],
)
def test_what_no_text_holds_is_refused_with_its_position(text: str, message: str) -> None:
    with pytest.raises(InvalidTextError, match=message):
        check_text(text)


@pytest.mark.parametrize("text", ["a", "a\tb\r\nc", "你好", "😀", "\ufeffa"])
def test_text_is_accepted(text: str) -> None:
    check_text(text)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\ufeffhel\u00adlo\u200b \u202eworld", "hello world"),
        ("cafe\u0301", "caf\u00e9"),
        ("ﬁne Ｈｉ！ 𝐇𝐢", "fine Hi! Hi"),
        ("٣ ３ ३", "3 3 3"),
        ("①②", " 1  2 "),
        ("5㎏", "5kg"),
        ("x² ½ 5™", "x² ½ 5™"),
        ("a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\n\ne"),
        ("x\u200dy", "xy"),
        ("👨\u200d👧", "👨\u200d👧"),
    ],
)
def test_one_spelling_for_each_thing(text: str, cleaned: str) -> None:
    assert clean_text(TracedText(text)).text == cleaned


def test_joiners_stay_where_devanagari_needs_them() -> None:
    text = TracedText("क्\u200dष")
    assert clean_text(text, keep_joiners=True).text == "क्\u200dष"
    assert clean_text(text).text == "क्ष"


@pytest.mark.parametrize(
    ("text", "part", "origin"),
    [
        ("a cafe\u0301 b", "café", "cafe\u0301"),
        ("\ufeffhel\u00adlo\u200b you", "hello", "hel\u00adlo"),
        ("so ﬁne", "fine", "ﬁne"),
        ("so ﬁne", "i", "ﬁ"),
        ("an ①② b", "1", "①"),
        ("an ①② b", "2", "②"),
        ("Ｈｉ！ you", "Hi!", "Ｈｉ！"),
        ("a\r\nb", "\n", "\r\n"),
        ("a\r\n\u2029b", "b", "b"),
        ("5㎏ it", "kg", "㎏"),
        ("क\u093cि या", "क़ि".replace("क़", "क\u093c"), "क\u093cि"),
        ("\u1112\u1161\u11ab x", "한", "\u1112\u1161\u11ab"),
    ],
)
def test_cleaned_text_keeps_its_offset_mapping(text: str, part: str, origin: str) -> None:
    cleaned = clean_text(TracedText(text))
    start = cleaned.text.index(part)
    assert text[slice(*cleaned[start : start + len(part)].span)] == origin


@pytest.mark.parametrize("character", "aÉ你あア한9½€$")
def test_letters_numbers_and_money_mean_something(character: str) -> None:
    assert is_meaningful(character)


@pytest.mark.parametrize("character", " .,·ー々☆+%\u0301")
def test_marks_and_signs_may_be_skipped(character: str) -> None:
    assert not is_meaningful(character)
