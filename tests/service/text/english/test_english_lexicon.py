"""misaki's lexicon and rules, one word at a time."""

from __future__ import annotations

import sys

import pytest

from service.text.english import lexicon as module
from service.text.english.lexicon import Lexicon, Next, Token, is_installed

pytestmark = pytest.mark.skipif(not is_installed(), reason="misaki has no release for this Python")

VOWEL, CONSONANT, PAUSE = Next(True), Next(False), Next(None)


@pytest.fixture(scope="module")
def guessed() -> list[str]:
    return []


@pytest.fixture(scope="module")
def lexicon(guessed: list[str]) -> Lexicon:
    def guess(word: str) -> str:
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
def test_a_word_is_said_by_its_tag_and_what_follows(
    word: list[tuple[str, str]], following: Next, phonemes: str, lexicon: Lexicon
) -> None:
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
def test_what_is_next_is_the_first_sound(phonemes: str, expected: Next, lexicon: Lexicon) -> None:
    assert lexicon.before("x", phonemes, Next(False, True)) == expected
    assert lexicon.before("to", phonemes, CONSONANT).to


def test_a_word_is_looked_up_once(lexicon: Lexicon, guessed: list[str]) -> None:
    for _ in range(3):
        lexicon.pronounce((Token("blorfq", "NN"),), PAUSE)
    assert guessed.count("blorfq") == 1


def test_spacy_is_not_there_for_others_to_find(lexicon: Lexicon) -> None:
    stand_in = sys.modules.get("spacy")
    assert stand_in is None or stand_in.__file__ is not None


def test_a_module_that_is_there_is_left_alone() -> None:
    with module._stand_in("json"):
        assert sys.modules["json"].loads("1") == 1
    with module._stand_in("no_such_module_here"):
        assert "no_such_module_here" in sys.modules
    assert "no_such_module_here" not in sys.modules


def test_british_words_are_british() -> None:
    lexicon = Lexicon(british=True, guess=lambda word: "")
    assert lexicon.pronounce((Token("bath", "NN"),), PAUSE) == "bˈɑːθ"
    assert lexicon.attach("dˈɪʃ", "s") == "dˈɪʃɪz"


def test_another_version_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version", lambda name: "0.7.4")
    assert not is_installed.__wrapped__()
