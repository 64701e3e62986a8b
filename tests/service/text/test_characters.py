import pytest

from service.errors import EmptyTextError, InvalidTextError
from service.text import LANGUAGES, USUAL, check_text
from service.text.characters import clean_text, encodable, is_meaningful, replaced, silenced
from service.text.offset_mapping import TracedText
from tests.service.text.whole_reading import read


@pytest.mark.parametrize(
    "text", ["", "  ", "\n\t\r\n", "\u00a0\u3000", "\ufeff\u200b \u200e", "\u3164\u2800\ufe0f\u034f"]
)
def test_nothing_visible_is_empty(text):
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
def test_what_no_text_holds_is_refused_with_its_position(text, message):
    with pytest.raises(InvalidTextError, match=message):
        check_text(text)


@pytest.mark.parametrize("text", ["a", "a\tb\r\nc", "你好", "😀", "\ufeffa"])
def test_text_is_accepted(text):
    check_text(text)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\ufeffhel\u00adlo\u200b \u202eworld", "hello world"), ("cafe\u0301", "caf\u00e9"),
        ("ﬁne Ｈｉ！ 𝐇𝐢", "fine Hi! Hi"), ("٣ ３ ३", "3 3 3"), ("①②", " 1  2 "), ("5㎏", "5kg"), ("x² ½ 5™", "x² ½ 5™"),
        ("a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\n\ne"), ("x\u200dy", "xy"), ("👨\u200d👧", "👨\u200d👧"),
        ("a\u3164b\uffa0c\u115f\u1160d\u034f\u17b4", "abcd"), ("a\ufe0fb c\U000e0101\U000e0041", "ab c"),
        ("❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e", "❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e"),
        ("e\u034f\u0301", "\u00e9"), ("a\u2800b", "a b"), ('\u0301a \u0327b "\u0301c x\u0304', 'a b "c x\u0304'),
        ("∬ ∭ ⨌ ㎏", "∬ ∭ ⨌ kg"),
    ],
)  # fmt: skip
def test_one_spelling_for_each_thing(text, cleaned):
    assert clean_text(TracedText(text)).text == cleaned


def test_joiners_stay_where_devanagari_needs_them():
    text = TracedText("क्\u200dष")
    assert clean_text(text, keep_joiners=True).text == "क्\u200dष"
    assert clean_text(text).text == "क्ष"


@pytest.mark.parametrize(
    ("text", "part", "origin"),
    [
        ("a cafe\u0301 b", "café", "cafe\u0301"), ("\ufeffhel\u00adlo\u200b you", "hello", "hel\u00adlo"),
        ("so ﬁne", "fine", "ﬁne"), ("so ﬁne", "i", "ﬁ"), ("an ①② b", "1", "①"), ("an ①② b", "2", "②"),
        ("Ｈｉ！ you", "Hi!", "Ｈｉ！"), ("a\r\nb", "\n", "\r\n"), ("a\r\n\u2029b", "b", "b"), ("5㎏ it", "kg", "㎏"),
        ("क\u093cि या", "क़ि".replace("क़", "क\u093c"), "क\u093cि"),
        ("\u1112\u1161\u11ab x", "한", "\u1112\u1161\u11ab"),
    ],
)  # fmt: skip
def test_cleaned_text_keeps_its_offset_mapping(text, part, origin):
    cleaned = clean_text(TracedText(text))
    start = cleaned.text.index(part)
    assert text[slice(*cleaned[start : start + len(part)].span)] == origin


@pytest.mark.parametrize(
    ("text", "silent", "spans"),
    [
        ("\uf0b7 one\n \uf0b7two", "—  one\n — two", [(0, 1), (7, 8)]),
        ("a\ue000b \ufffd\x1b c", "a b   c", [(1, 2), (4, 6)]),
        ("Yes.\ue200cite\ue202turn0search1\ue202turn2\ue201 No.", "Yes.  No.", [(4, 29)]),
        ("\ue200not a citation\ue201.", "— not a citation .", [(0, 1), (15, 16)]),
        ("plain", "plain", []),
    ],
)
def test_what_nobody_reads_is_a_break_or_a_dash(text, silent, spans):
    written, found = silenced(TracedText(text))
    assert (written.text, found) == (silent, spans)


def test_what_no_text_holds_is_replaced_in_its_place():
    assert replaced("a\x0cb\x0b\x85\x00\ud800\ufffe\t\r\n") == "a\nb\n\n\ufffd\ufffd\ufffd\t\r\n"
    assert encodable("a\udc80\x00") == "a\ufffd\x00"


@pytest.mark.parametrize("normalization", [None, USUAL])
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_bullet_of_private_use_separates_lines_and_belongs_to_no_word(front_end, language, normalization):
    text = "\uf0b75 cats\n\uf0b7 dogs\n\x1fTV"
    reading = read(front_end, text, language, normalization=normalization)
    words = [text[word.text_start : word.text_end] for word in reading.words]
    assert " ".join(words) == "5 cats dogs TV"
    assert reading.phonemes.count(".") == 2
    assert reading.dropped == ((0, 1), (8, 9), (15, 16))


@pytest.mark.parametrize("character", "aÉ你あア한9½€$")
def test_letters_numbers_and_money_mean_something(character):
    assert is_meaningful(character)


@pytest.mark.parametrize("character", " .,·ー々☆+%\u0301")
def test_marks_and_signs_may_be_skipped(character):
    assert not is_meaningful(character)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize(
    "invisible", ["\u3164", "\uffa0", "\u115f", "\u1160", "\u034f", "\u180e", "\ufe00", "\U000e0100"]
)
def test_what_is_invisible_changes_no_word(front_end, language, invisible):
    plain = read(front_end, "radio taxi", language)
    for text in (f"ra{invisible}dio taxi{invisible}", f"{invisible}radio {invisible} taxi"):
        reading = read(front_end, text, language)
        assert reading.phonemes == plain.phonemes
        assert not reading.dropped


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("mark", ["\u0301", "\u0327", "\u20d7", "\u0336", "\u1dc8"])
def test_an_accent_without_a_letter_is_not_heard(front_end, language, mark):
    plain = read(front_end, "radio taxi", language)
    text = f"{mark}radio {mark} {mark}taxi"
    assert read(front_end, text, language).phonemes == plain.phonemes
