"""The lexicon and its rules, one word at a time."""

import pytest
from service.text.english.lexicon import Lexicon
from service.text.english.tokens import Next, Token

VOWEL, CONSONANT, PAUSE = Next(True), Next(False), Next(None)


@pytest.fixture(scope="module")
def guessed():
    return []


@pytest.fixture(scope="module")
def lexicon(guessed):
    def guess(word):
        guessed.append(word)
        return f"<{word}>"

    return Lexicon(british=False, guess=guess)


@pytest.mark.parametrize(
    ("word", "following", "phonemes"),
    [
        ([("the", "DT")], VOWEL, "ði"),
        ([("the", "DT")], CONSONANT, "ðə"),
        ([("to", "TO")], VOWEL, "tʊ"),
        ([("to", "TO")], CONSONANT, "tə"),
        ([("in", "IN")], PAUSE, "ˈɪn"),
        ([("in", "IN")], CONSONANT, "ɪn"),
        ([("used", "VBD")], Next(False, True), "jˈust"),
        ([("used", "VBD")], CONSONANT, "jˈuzd"),
        ([("read", "VBD")], PAUSE, "ɹˈɛd"),
        ([("read", "VB")], PAUSE, "ɹˈid"),
        ([("well", "RB"), ("-", "HYPH"), ("known", "VBN")], PAUSE, "wˌɛlnˈOn"),
        ([("qqzx", "NN")], PAUSE, "<qqzx>"),
        ([("=", "NN")], PAUSE, "<=>"),
        ([("z" * 61, "NN")], PAUSE, f"<{'z' * 61}>"),
    ],
)
def test_a_word_is_said_by_its_tag_and_what_follows(word, following, phonemes, lexicon):
    tokens = tuple(Token(text, tag) for text, tag in word)
    assert lexicon.pronounce(tokens, following) == phonemes


@pytest.mark.parametrize(
    ("phonemes", "expected"),
    [
        ("ˈɛnd", Next(True)),
        ("stˈɑɹt", Next(False)),
        (",", Next(None)),
        ("“", Next(False, False)),
        ("", Next(False, False)),
        ("“ˈɛnd", Next(True)),
    ],
)
def test_what_is_next_is_the_first_sound(phonemes, expected, lexicon):
    assert lexicon.before("x", phonemes, Next(False, True)) == expected
    assert lexicon.before("to", phonemes, CONSONANT).to


def test_a_word_is_looked_up_once(lexicon, guessed):
    for _ in range(3):
        lexicon.pronounce((Token("blorfq", "NN"),), PAUSE)
    assert guessed.count("blorfq") == 1


def test_british_words_are_british():
    lexicon = Lexicon(british=True, guess=lambda word: "")
    assert lexicon.pronounce((Token("bath", "NN"),), PAUSE) == "bˈɑːθ"
    assert lexicon.attach("dˈɪʃ", "s") == "dˈɪʃɪz"
