"""Words that no list has are said as the known ones that they are made of."""

import pytest

from service.text.languages.english.coinages import halves


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("ragebait", "ɹˈAʤbˌAt"), ("ragebaiting", "ɹˈAʤbˌATɪŋ"), ("memecoins", "mˈimkˌYnz"),
        ("bikeshare", "bˈIkʃˌɛɹ"), ("flightshaming", "flˈItʃˌAmɪŋ"), ("cosplayers", "kˈɑzplˌAəɹz"),
        ("memeable", "mˈiməbᵊl"), ("greppable", "ɡɹˈɛpəbᵊl"), ("barbiecore", "bˈɑɹbikˌɔɹ"),
        ("Tattersfield", "tˈæTəɹzfˌild"), ("filesystem", "fˈIlsˌɪstəm"),
    ],
)  # fmt: skip
def test_words_are_made_of_known_ones(word, said, read):
    assert read(word) == said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("megapack", "mˈɛɡəpˌæk"), ("microservices", "mˌIkɹOsˈɜɹvəsᵻz"), ("websocket", "wˈɛbsˌɑkət"),
        ("backpropagation", "bˌækpɹˌɑpəɡˈAʃən"),
    ],
)  # fmt: skip
def test_the_second_part_has_the_main_stress_after_a_prefix_or_if_it_is_long(word, said, read):
    assert read(word) == said


@pytest.mark.parametrize("word", ["paneer", "skibidi", "Shinjuku"])
def test_a_list_and_names_come_first(word, read):
    assert "ˌ" not in read(word)[1:]


def test_parts_are_words_and_the_most_even_ones_come_first():
    assert next(halves("cottagecore")) == ("cotta", "gecore")
    assert ("ret", "conned") not in halves("retconned")
    assert ("work", "cation") not in halves("workcation")
