from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import strategies as st

from service.errors import NothingToSayError, ServiceError
from service.text import LANGUAGES, FrontEnd, load_vocabulary, read_phonemes
from service.text.offset_mapping import TracedText
from service.text.reading import Word, merge
from tests.profiles import given
from tests.service.text.whole_reading import read as read_normalized

MARKS = load_vocabulary().marks
ESPEAK_LANGUAGES = sorted(code for code in LANGUAGES if LANGUAGES[code].espeak_voice)


def read(front_end, text, language):
    return read_normalized(front_end, text, language, normalization=None)


def corpus():
    """Return language, text and (word, phonemes) of difficult sentences, checked by hand."""
    blocks = Path(__file__).with_name("readings.txt").read_text(encoding="utf-8").split("\n\n")
    sentences = []
    for block in blocks:
        header, words = block.strip("\n").split("\n")
        language, _, text = header.partition(": ")
        pairs = [word.rpartition("=") for word in words.split(" | ")]
        sentences.append((language, text, [(word, phonemes) for word, _, phonemes in pairs]))
    return sentences


CORPUS = corpus()


def words_of(text, reading):
    return [
        (text[word.text_start : word.text_end], reading.phonemes[word.phonemes_start : word.phonemes_end])
        for word in reading.words
    ]


def assert_sound(text, reading):
    """Assert that words are in order, cover all phonemes, do not overlap and are not empty."""
    text_end = phonemes_end = 0
    covered = set()
    for word in reading.words:
        assert text_end <= word.text_start < word.text_end <= len(text)
        assert phonemes_end <= word.phonemes_start < word.phonemes_end <= len(reading.phonemes)
        text_end, phonemes_end = word.text_end, word.phonemes_end
        covered.update(range(word.phonemes_start, word.phonemes_end))
    for written, phonemes in words_of(text, reading):
        assert written == written.strip()
        assert {phonemes[0], phonemes[-1]}.isdisjoint(MARKS | {" "})
    uncovered = {symbol for at, symbol in enumerate(reading.phonemes) if at not in covered}
    assert uncovered <= MARKS | {" "}


@pytest.mark.parametrize(("language", "text", "words"), CORPUS)
def test_words_of_awkward_sentences(espeak, espeak_front_end, language, text, words):
    reading = read(espeak_front_end, text, language)
    assert_sound(text, reading)
    assert [word for word, _ in words_of(text, reading)] == [word for word, _ in words]
    if not espeak.version.startswith("1.52"):
        pytest.skip(f"expected phonemes are those of espeak-ng 1.52, this is {espeak.version}")
    assert words_of(text, reading) == words


def test_all_languages_are_in_the_corpus():
    assert {language for language, _, _ in CORPUS} == set(ESPEAK_LANGUAGES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("In 1984, he paid $5.50.", ["In", "1984", "he", "paid", "$5.50"]),
        ("“Dr. No” (don't!)", ["Dr.", "No", "don't"]), ("\ufeff  two\n\nlines \r\n", ["two", "lines"]),
        ("ﬁve ｆｕｌｌ cafe\u0301s", ["ﬁve", "ｆｕｌｌ", "cafe\u0301s"]),
        ("so\u00adft zero\u200bwidth", ["so\u00adft", "zero\u200bwidth"]),
        ("he said ‘yes, we do’", ["he", "said", "yes", "we", "do"]),
        ("- an item\n- two…", ["an", "item", "two"]), ("one—two - three", ["one", "two", "three"]),
        ("7" * 40 + " eyes", ["7" * 40, "eyes"]), ("ab" * 400 + " is long", ["ab" * 400, "is", "long"]),
        ("b b b b b b", ["b"] * 6),
    ],
)  # fmt: skip
def test_words_are_found_in_the_text_as_it_was_sent(front_end, text, words):
    reading = read(front_end, text, "en-us")
    assert_sound(text, reading)
    assert [word for word, _ in words_of(text, reading)] == words


def test_what_is_not_heard_is_no_word(front_end):
    text = "one ~ two | three"
    unheard = [sign for sign in "~|" if not alone(front_end, sign)]
    words = [word for word, _ in words_of(text, read(front_end, text, "en-us"))]
    assert words == [word for word in text.split() if word not in unheard]


def alone(front_end, text):
    try:
        return read(front_end, text, "en-us").phonemes
    except NothingToSayError:
        return ""


def test_a_long_text_is_aligned_from_start_to_end(front_end):
    sentence = "The end of the road was 25 miles away from the house in which we lived "
    text = sentence * 100
    reading = read(front_end, text, "en-us")
    assert_sound(text, reading)
    assert [word for word, _ in words_of(text, reading)] == text.split()


def test_eight_threads_align_as_one_does(espeak):
    jobs = [(text, language) for language, text, _ in CORPUS]
    one = FrontEnd(espeak)
    expected = [read(one, *job) for job in jobs]
    shared = FrontEnd(espeak)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda job: read(shared, *job), jobs)) == expected


LIKELY = (
    "aeiouAITbdkst 019.,:;!?'\"’‘“”«»()[]-–—…\n\r\tçñãéü\u0301\u0327$€%&@#/*_~😀🤷"
    "\u200d\u200b\u00ad①ﬁ２½。、¿हिंक्षഷങরαжაך한㉿"
)
LIKELY_WORDS = [
    *["the", "of", "a", "in", "to", "and", "that", "rock-and-roll", "don't", "'tis", "(so)", "‘x’"],
    *["1984", "$5.50", "1,000", "3.14", "1", "000", "①", "Dr.", "J.", "e.g.", "U.S.", "etc."],
    *['"hi"', "—", "…", ",", ".", "?", "http://a.b/c", "😀", "café", "été", "l'eau", "vous"],
    *["avez", "हैं", "को", "C'è", "ﬁne"],
]


@given(
    text=st.one_of(
        st.text(max_size=40),
        st.text(alphabet=LIKELY, max_size=60),
        st.lists(st.sampled_from(LIKELY_WORDS), max_size=25).map(" ".join),
    ),
    language=st.sampled_from(ESPEAK_LANGUAGES),
)
def test_all_phonemes_of_any_text_are_in_words(espeak_front_end, text, language):
    try:
        reading = read(espeak_front_end, text, language)
    except ServiceError:
        return
    assert reading.words
    assert_sound(text, reading)


@pytest.mark.parametrize(
    ("phonemes", "words"),
    [
        ("həlˈO, wˈɜɹld.", ["həlˈO", "wˈɜɹld"]), ("  “a\n(b)”—c… ", ["a", "b", "c"]),
        ("ɐ̃ʊ̃ ʰa ˈ", ["ɐ̃ʊ̃", "ʰa", "ˈ"]), ("a\u00a0\tb", ["a", "b"]), (" . ", []),
    ],
)  # fmt: skip
def test_phonemes_are_words_between_spaces_and_marks(phonemes, words):
    reading = read_phonemes(phonemes)
    assert reading.phonemes == " ".join(phonemes.split())
    assert words_of(phonemes, reading) == [(word, word) for word in words]


@given(st.text(alphabet=[*sorted(load_vocabulary().symbols), *" \n\t"], max_size=60))
def test_any_phonemes_are_all_in_words(phonemes):
    assert_sound(phonemes, read_phonemes(phonemes))


def test_words_that_the_text_does_not_separate_are_one():
    words = [
        Word(0, 5, 0, 4),  # one number
        Word(0, 5, 5, 9),
        Word(6, 8, 11, 12),  # a word cut in two, with a silent second part
        Word(8, 10, 12, 12),
        Word(11, 12, 12, 12),  # silent
        Word(12, 14, 14, 15),  # a mark between
        Word(14, 15, 17, 18),
    ]
    assert merge(words, "five tens, a  b, c", TracedText("x" * 15)) == (
        Word(0, 5, 0, 9),
        Word(6, 10, 11, 12),
        Word(11, 14, 14, 15),
        Word(14, 15, 17, 18),
    )


def test_letters_without_a_reading_are_told_beside_the_words(front_end):
    reading = read(front_end, "a Ꭰ b", "en-us")
    assert [(word.text_start, word.text_end) for word in reading.words] == [(0, 1), (4, 5)]
    assert reading.dropped == ((2, 3),)
