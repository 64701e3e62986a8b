"""Foreign words and words of the CMU dictionary have phonemes of the vocabulary, in both varieties."""

import gzip
import re
from importlib.resources import files

import pytest

from service.text.languages.english.british import in_british
from service.text.languages.english.data import cmudict
from service.text.languages.english.loanwords import Loanwords
from service.text.vocabulary import load_vocabulary


def listed(name):
    packed = (files("service.text.languages.english") / "data" / f"{name}.tsv.gz").read_bytes()
    return dict(line.split("\t") for line in gzip.decompress(packed).decode().splitlines())


def test_loanwords_have_one_main_stress_before_a_vowel():
    for word, said in listed("loanwords").items():
        assert re.fullmatch("[^ˈ]*ˈ[AIOWYaiuæɑɔəɛɜɪʊʌᵻᵊ][^ˈ]*", said), word


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("Huawei", True), ("HUAWEI", True), ("huawei", False), ("gnocchi", True), ("Gnocchi", True),
        ("GNOCCHI", True), ("QING", False),
    ],
)  # fmt: skip
def test_loanwords_are_found_in_capitals_and_names_not_in_small_letters(word, found):
    assert (word in Loanwords(british=False)) == found


@pytest.mark.thorough
@pytest.mark.parametrize("british", [False, True])
def test_the_vocabulary_has_all_phonemes(british):
    vocabulary = load_vocabulary()
    words = listed("cmudict")
    if british:
        words = {word: said for word in words if (said := in_british(word, words[word])) is not None}
    assert len(words) > 50_000
    loanwords = Loanwords(british=british)
    words |= {word: loanwords.get(word) for word in listed("loanwords")}
    unknown = {word: vocabulary.unknown(said) for word, said in words.items()}
    assert not any(unknown.values())
    # The other variety's vowels.
    assert not set("OæTᵻ" if british else "Qɒː").intersection(*words.values())


@pytest.mark.parametrize(
    ("word", "american", "british"),
    [
        ("Bartok", "bˈɑɹtˌɑk", "bˈɑːtˌɒk"), ("Orsay", "ɔɹsˈA", "ɔːsˈA"), ("Bogart", "bˈOɡˌɑɹt", "bˈQɡˌɑːt"),
        ("Modesto", "mədˈɛstO", "mədˈɛstQ"), ("Harriman", "hˈɛɹəmən", "hˈaɹəmən"), ("Merrill", "mˈɛɹəl", "mˈɛɹəl"),
        ("Mori", "mˈɔɹi", "mˈɔːɹi"), ("Brokaw", "bɹˈOkˌɔ", "bɹˈQkˌɔː"), ("Fosse", "fˈɔs", "fˈɒs"),
        ("Karan", "kˈɛɹən", None), ("Birmingham", "bˈɜɹmɪŋhˌæm", None), ("Iocha", "ˈɑʧə", None),
    ],
)  # fmt: skip
def test_british_vowels_are_those_that_the_letters_tell(word, american, british):
    assert in_british(word, american) == british


def test_unclear_vowels_of_foreign_words_are_long():
    assert in_british("Iocha", "ˈɑʧə", foreign=True) == "ˈɑːʧə"


@pytest.mark.parametrize(
    ("word", "sounds", "said"),
    [
        ("winton", "W IH1 N T AH0 N", "wˈɪntᵊn"), ("hittle", "HH IH1 T AH0 L", "hˈɪTᵊl"),
        ("vita", "V IY1 T AH0", "vˈiTə"),
        ("unhip", "AH0 N HH IH1 P", "ˌʌnhˈɪp"), ("redo", "R IY1 D UW1", "ɹˌidˈu"), ("beier", "B IY1 R", "bˈɪɹ"),
        ("axes", "AE1 K S IH0 Z", "ˈæksᵻz"),
    ],
)  # fmt: skip
def test_sounds_are_written_as_in_the_lexicon(word, sounds, said):
    assert cmudict.phonemes(word, sounds.split()) == said


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("Zuckerberg's", "en-us", "zˈʌkəɹbˌɜɹɡz"), ("DeSantis", "en-us", "dAsˈɑntɪs"),
        ("ROSENBLATT", "en-us", "ɹˈOzᵊnblˌæt"), ("Zuckerbergs", "en-gb", "zˈʌkəbˌɜːɡz"),
    ],
)  # fmt: skip
def test_words_of_the_cmu_dictionary_are_found_in_any_case(text, language, said, read):
    assert read(text, language) == said
