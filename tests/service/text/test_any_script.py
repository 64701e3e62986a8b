"""No text that has something to say is refused, whatever scripts and signs it is of."""

import unicodedata

import pytest
from hypothesis import strategies as st

from service.errors import NothingToSayError
from service.text import LANGUAGES, load_vocabulary, punctuation
from service.text.languages.foreign import SCRIPTS
from tests.profiles import counted, given
from tests.service.text.whole_reading import read

WORDS = {
    "Latin": ["casa", "Straße", "thé", "iPhone", "README.md", "$HOME", "NASA", "Łódź"],
    "Han": ["中国", "東京", "北京大学"],
    "Kana": ["ひらがな", "カタカナ"],
    "Devanagari": ["नमस्ते", "मौसम"],
    "Cyrillic": ["Привет", "мир", "Ж", "Щука"],
    "Hangul": ["안녕", "한국어", "쌀"],
    "Hebrew": ["שלום", "תודה"],
    "Arabic": ["مرحبا", "سلام"],
    "Thai": ["สวัสดี", "ไทย"],
    "Greek": ["καλημέρα", "Κόσμε", "π", "ΔT", "αβ"],
    "others": ["բարեւ", "გარი", "নমস্কার", "ਰਾਜ", "નમક", "வணக்கம்", "నమస్కారం", "ನಮಸ್ಕಾರ", "നമസ്കാരം", "ආයු", "ሰላም"],
}
FIGURES = ["5", "3.14", "10-3=7", "mc²", "H₂O", "x≤3", "√2", "1/2", "½", "ⅷ", "①", "9:30", "50%", "€5", "10µg", "₴5"]
PICTURES = ["😀", "👍🏽", "👩‍💻", "🇩🇪", "☎", "♥", "❤️"]
SILENT = ["ꙮ", "𐀀", "Ꭰ", "\ue000", "\uf0b7", "\U000f0000", "\ufffd", "\x08", "\ud800", "₽", "¢", "〽", "ﷺ", "→", "—"]
SIGNS = [*"∮∂∑∞∈∅≡⊥∠", "𝛑", "𝕳𝖎", "𝟓"]
SAID = [word for words in WORDS.values() for word in words] + FIGURES + PICTURES + SIGNS
JOINTS = [" ", " ", "", "\n", ", ", ". ", "：", "。"]
MIXED = st.lists(st.tuples(st.sampled_from([*SAID, *SILENT]), st.sampled_from(JOINTS)), min_size=1, max_size=12)
LANGUAGE = st.sampled_from(sorted(LANGUAGES))


def assert_not_refused(front_end, parts, language):
    text = "".join(piece + joint for piece, joint in parts)
    try:
        reading = read(front_end, text, language)
    except NothingToSayError:
        # Other pieces may have taken a sign into something that is not said.
        assert not any(piece in SAID and piece[0].isalnum() for piece, _ in parts), text
        return
    assert load_vocabulary().unknown(reading.phonemes) == []
    heard = [(word.text_start, word.text_end) for word in reading.words]
    covered = {at for start, end in [*heard, *reading.dropped] for at in range(start, end)}
    missed = [
        text[at]
        for at in range(len(text))
        if unicodedata.category(text[at])[0] in "LN" and not punctuation.has_no_words(text[at]) and at not in covered
    ]
    assert missed == [], text


@given(parts=MIXED, language=LANGUAGE)
def test_no_mixed_text_is_refused(front_end, parts, language):
    assert_not_refused(front_end, parts, language)


@pytest.mark.slow
@counted(20_000)
@given(parts=MIXED, language=LANGUAGE)
def test_no_mixed_text_of_twenty_thousand_is_refused(front_end, parts, language):
    assert_not_refused(front_end, parts, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_wholly_in_one_script_is_said(front_end, language):
    for words in WORDS.values():
        for word in words:
            dropped = read(front_end, word, language).dropped
            assert not any(letter.isalnum() for start, end in dropped for letter in word[start:end]), word


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_of_nothing_but_emoji_or_signs_is_named(front_end, language):
    for sign in (*PICTURES, *SIGNS):
        assert read(front_end, sign, language).phonemes, sign


@pytest.mark.thorough
def test_what_a_voice_of_another_language_says_is_in_the_vocabulary(front_end):
    for code, script in SCRIPTS.items():
        first, last = script.letters[0], script.letters[2]
        for letter in map(chr, range(ord(first), ord(last) + 1)):
            if letter.isalpha():
                phonemes = front_end.readers.get(code).read_word(letter * 2)
                assert load_vocabulary().unknown(phonemes) == [], letter
