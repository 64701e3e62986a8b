"""Properties of every text."""

import random
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from service.errors import EmptyTextError, MarkupError, NothingToSayError
from service.text import LANGUAGES, load_vocabulary, punctuation
from service.text.characters import clean_text
from service.text.normalization import normalize
from service.text.offset_mapping import TracedText
from tests.profiles import given
from tests.service.text.reading_tables import rows
from tests.service.text.whole_reading import read

pytestmark = pytest.mark.thorough


ANY = st.characters()

# Text that rules match, so that they match often, completely or in part.
CRUMBS = [
    *"aeiouAIXVtdks 0123456789.,:;!?'\"’‘“”«»()[]{}<>-–—…\n\t$€£¥%&@#/\\+=*_~^|`°×½²",
    *["1,000", "3.14", "19:30", "$5", "$1.2bn", "€50", "10%", "5'10\"", "1/2", "2024-03-15"],
    *["3/15/2024", "1st", "No. 5", "Dr.", "St.", "e.g.", "U.S.A.", "VIII", "km/h", "5 kg", "GB"],
    *["+1 (555) 123-4567", "192.168.0.1", "v2.0.1", "7" * 40, "-5", "9am", "p.m.", "'90s", "AT&T"],
    *["https://a.b/c?d=e", "me@x.org", "/usr/bin", "#tag", "@you", "&amp;", "<b>", "</p>", "**"],
    *["[a](https://b.c)", "`x`", "```", "# ", "- ", "> ", "| a | b |", "😀", "👩‍💻", "🇩🇪", ":)"],
    *["[Kokoro](/kˈOkəɹO/)", "[word](+1)", "[pause:1s]", "[", "](", "the", "word", "on", "Henry"],
    *["東京", "です", "你好", "한국", "नमस्ते", "café", "Привет", "ñ", "ß", "e\u0301", "ﬁ", "①", "Ⅷ", "№"],
    *["百", "2024年", "3月", "50％", "１２", "。", "、", "」", "ー", "R$ 10", "1.º", "1er", "XXI", "Sra."],
]
TEXTS = st.one_of(st.text(ANY, max_size=60), st.lists(st.sampled_from(CRUMBS), max_size=25).map("".join))
AT_LENGTH = [
    code if code in ("en-us", "ja") else pytest.param(code, marks=pytest.mark.slow) for code in sorted(LANGUAGES)
]
LANGUAGE = st.sampled_from(sorted(LANGUAGES))
# With grammars a text is decided at once: what is said depends on what was written beside it.
READ_IN_ROUNDS = sorted(set(LANGUAGES) - {"en-us", "en-gb"})


def assert_sound(front_end, text, language):
    """Assert that words are in order and inside the text, and all phonemes in the vocabulary."""
    reading = read(front_end, text.replace("[pause", "(pause"), language)
    assert load_vocabulary().unknown(reading.phonemes) == []
    assert load_vocabulary().is_pronounceable(reading.phonemes)
    assert reading.phonemes == " ".join(reading.phonemes.split())
    for word in reading.words:
        assert 0 <= word.text_start < word.text_end <= len(text)
        assert 0 <= word.phonemes_start < word.phonemes_end <= len(reading.phonemes)
    for one, following in pairwise(reading.words):
        assert one.text_end <= following.text_start
        assert one.phonemes_end <= following.phonemes_start


@given(text=TEXTS, language=LANGUAGE)
def test_any_text_is_spoken_in_the_vocabulary_unless_nothing_is_left(front_end, text, language):
    try:
        assert_sound(front_end, text, language)
    except (EmptyTextError, NothingToSayError, MarkupError):
        return


@given(text=TEXTS, language=st.sampled_from(READ_IN_ROUNDS), named=st.booleans())
def test_normalizing_again_changes_nothing(text, language, named):
    once = normalize(clean_text(TracedText(text)), language, named_emoji=named)
    again = normalize(clean_text(TracedText(once.text)), language, named_emoji=named)
    assert again.text == once.text


@given(text=TEXTS, language=LANGUAGE)
def test_normalized_text_keeps_its_offset_mapping(text, language):
    written = normalize(clean_text(TracedText(text)), language)
    spans = [written[index : index + 1].span for index in range(len(written))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(spans))


@given(text=TEXTS, language=LANGUAGE)
def test_no_word_becomes_silence(front_end, text, language):
    """Every letter, digit, symbol and mark is spoken, shapes a sentence, or is told of."""
    text = text.replace("[", "(").replace("]", ")")
    try:
        assert_covered(read(front_end, text, language), text)
    except (EmptyTextError, NothingToSayError):
        return


def assert_covered(reading, text):
    """Assert that each character is in a word, told of as dropped, or shapes the sentence.

    What nobody reads is told of even inside a word.
    """
    told = {at for start, end in reading.dropped for at in range(start, end)}
    spoken = {at for word in reading.words for at in range(word.text_start, word.text_end)}
    for index, character in enumerate(text):
        kind = unicodedata.category(character)
        if kind in ("Co", "Cs") or character in "\x00\x1b\x08\ufffd\ufffe":
            assert index in told
        elif kind[0] in "LNSP" and not punctuation.has_no_words(character):
            assert index in told | spoken


# What texts contain by accident: bullets, icons, the marks of an assistant, controls, halves of
# emoji, letters of other scripts.
STRAYS = [
    *"\uf0b7\ue000\ue200\ue201\ue202\uf8ff\U000f0000\U0010fffd",
    *"\x00\x08\x0b\x0c\x1a\x1b\x1c\x7f\x85\x9f\ud800\udfff\ufdd0\ufffd\ufffe\U0001ffff\u0378",
    *"ЖЫ한عﷺไ₽₸₿＄Ꭰⴰ𐀀",
    *["\ue200cite\ue202turn0search1\ue201", "\uf0b7 ", "Tह-ं"],
]


@given(
    pieces=st.lists(st.sampled_from([*STRAYS, "the cat", "猫です", "你好", ". ", "\n", " "]), max_size=20),
    language=LANGUAGE,
)
def test_what_is_in_a_text_by_accident_is_dropped_and_told(front_end, pieces, language):
    text = "".join(pieces)
    try:
        reading = read(front_end, text, language)
    except (EmptyTextError, NothingToSayError):
        assert "the cat" not in pieces
        return
    assert_covered(reading, text)
    cats = [at for at in range(len(text)) if text.startswith("the cat", at)]
    spans = {word.text_start: text[word.text_start : word.text_end] for word in reading.words}
    for cat in cats:
        neighbours = text[max(cat - 1, 0) : cat] + text[cat + 7 : cat + 8]
        if not any(unicodedata.category(neighbour)[0] in "LMN" for neighbour in neighbours):
            assert spans.get(cat) == "the"


# Rows of text that patterns match: with lookaheads and lookbehinds, time may grow fast.
ROWS = [
    *["1", "9", "A", "I", "½", " ", "-", "(", "*", "&", "=", "<", "[", "@", "|", "`", "#", "😀"],
    *["1,", "1.", "1-", "1/", "1:", "1 ", "12 ", "1 000 ", "1,111", "1.1", "1A", "a1-", "A1"],
    *["$1", "+1", "5'", '5"', "#1", "1e5", "12:30", "1°", "5 in ", "Jan ", "St.", "I.", "a."],
    *["M. ", "p. ", "IVX", "w/", "1年", "第", "1〜", "百", "क.मा.", "](x.y)", "\n- ", "&lt;"],
    *["a.a.", "x^", "<b>", "a@", "#a"],
]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_rows_of_one_thing_are_normalized(language):
    misses = []
    for snippet in ROWS:
        once = normalize(TracedText(snippet * (1_000 // len(snippet))), language).text
        if language in READ_IN_ROUNDS and normalize(TracedText(once), language).text != once:
            misses.append(snippet)
    assert not misses


def unicode_text(n_characters, seed):
    """Return words of characters from all of Unicode, mixed with characters of usual texts."""
    dice = random.Random(seed)
    snippets = []
    length = 0
    while length < n_characters:
        if dice.random() < 0.5:
            snippet = dice.choice(CRUMBS)
        else:
            snippet = chr(dice.choice([dice.randrange(0x20, 0x3000), dice.randrange(sys.maxunicode)]))
        snippets.append(snippet + " " * (dice.random() < 0.3))
        length += len(snippets[-1])
    return "".join(snippets)[:n_characters]


@pytest.mark.parametrize("language", AT_LENGTH)
def test_a_hundred_thousand_characters_of_anything_are_normalized(language):
    text = clean_text(TracedText(unicode_text(100_000, seed=5)))
    size = 1_000
    for start in range(0, len(text), size):
        once = normalize(text[start : start + size], language)
        if language not in ("en-us", "en-gb"):
            assert normalize(TracedText(once.text), language).text == once.text


@pytest.mark.parametrize("language", ["en-us", pytest.param("es", marks=pytest.mark.slow)])
def test_a_hundred_thousand_characters_are_spoken(front_end, language):
    dice = random.Random(7)
    words = ["water", "taxi", "Dr. Oz", "$5.50", "19:30", "3/4", "café", "a@b.org", "12 km", "no"]
    text = ""
    while len(text) < 100_000:
        text += dice.choice(words) + dice.choice([" ", ", ", ". ", "\n\n", " — "])
    assert_sound(front_end, text, language)


@pytest.mark.slow
def test_a_book_of_a_megabyte_is_spoken(front_end):
    book = " ".join(text for _, text, _ in rows("agreement"))
    book = "\n\n".join([book] * (1 + 1_000_000 // len(book)))
    assert_sound(front_end, book, "en-us")
