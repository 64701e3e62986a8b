"""Foreign words have phonemes of the vocabulary, from sources that are named."""

from importlib.resources import files

import pytest

from service.text.languages.english.data.foreign_names import VOICES
from service.text.languages.english.loanwords import loanwords
from service.text.vocabulary import load_vocabulary


@pytest.mark.parametrize("british", [False, True])
def test_the_vocabulary_has_all_phonemes(british):
    vocabulary = load_vocabulary()
    entries = loanwords(british=british)
    assert len(entries) > 1_700
    unknown = {word: vocabulary.unknown(said) for word, said in entries.items()}
    assert not any(unknown.values())


def test_british_english_drops_the_r_only_before_a_consonant_or_a_pause():
    american, british = loanwords(british=False), loanwords(british=True)
    assert (american["Bartók"], british["Bartók"]) == ("bˈɑɹtˌɑk", "bˈɑːtˌɑk")
    assert (american["Orsay"], british["Orsay"]) == ("ɔɹsˈA", "ɔːsˈA")


def test_names_have_two_sources_and_our_own_words_say_which_they_have():
    data = files("service.text.languages.english") / "data"
    names, words = (
        [
            line.split("\t")
            for line in (data / f"{name}.tsv").read_text("utf-8").splitlines()
            if not line.startswith("#")
        ]
        for name in ("foreign_names", "loanwords")
    )
    assert len(names) > 1_500
    assert all(agrees in VOICES for _, _, agrees in names)
    assert all(checked for _, _, checked in words)
    assert [name for name, *_ in names] == sorted(name for name, *_ in names)
