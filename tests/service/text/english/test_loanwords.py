"""Foreign words are said as English speakers say them; no letter is named for its accent."""

from importlib.resources import files

import pytest
from service.text.english.data.foreign_names import VOICES
from service.text.english.loanwords import fold, loanwords
from service.text.vocabulary import load_vocabulary


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("phở", "fˈʌ"),
        ("bánh mì", "bˈɑn mˈi"),
        ("rosé", "ɹOzˈA"),
        ("rose", "ɹˈOz"),
        ("the Champs-Élysées", "ðə ʃˌɑnzAlizˈA"),
        ("Xi's", "ʃˈiz"),
        ("Côte d’Ivoire", "kˈOt divwˈɑɹ"),
        ("a château", "ɐ ʃætˈO"),
        ("two châteaux", "tˈu ʃætˈOz"),
        ("numpy", "nˈʌmpˌI"),
        ("Giancarlo", "ʤəŋkˈɑɹlO"),
        ("Malkowski's", "məlkˈɔfskiz"),
        ("García", "ɡɑɹsˈiə"),
        ("Martínez", "mɑɹtˈinɛz"),
        ("Málaga", "mˈɑləɡə"),
        ("Peña", "pˈɛnjə"),
        ("El Niño", "ˌɛl nˈinjO"),
        ("Lech", "lˈɛk"),
        ("a lech", "ɐ lˈɛʧ"),
        ("Szczecin", "ʃʧˈɛʧin"),
        ("Rzeszów", "ʒˈɛʃuf"),
        ("Rzeszow", "ʒˈɛʃuf"),
        ("Wroclaw", "vɹˈɔtswɑf"),
        ("Lodz", "wˈuʤ"),
        ("Grzegorz", "ɡʒˈɛɡɔʃ"),
        ("Stanisław's", "stˈænɪslˌɑfs"),
        ("Miłosz", "mˈilɔʃ"),
        ("Wojciech", "vˈYʧɛk"),
        ("Zbigniew", "zbˈɪɡnjɛf"),
        ("Václav Havel", "vˈɑtslɑf hˈɑvᵊl"),
        ("Brașov", "bɹɑʃˈɔv"),
        ("Ceausescu", "ʧWʃˈɛsku"),
        ("László", "lˈæzlO"),
        ("Pécs", "pˈAʧ"),
        ("Katowice", "kˌɑTəvˈitsə"),
    ],
)
def test_loanwords_are_said_as_in_english(text, phonemes, read):
    assert read(text) == phonemes


@pytest.mark.parametrize("text", ["Đặng", "Trường", "Þjóð", "Łęcka", "Çeşme", "Hồ", "Žižek"])
def test_no_letter_is_named(text, read):
    assert "lˌɛTəɹ" not in read(text)
    assert "wˈʌn" not in read(text)


@pytest.mark.parametrize(
    ("word", "folded"), [("Đặng", "Dang"), ("Łódź", "Lodz"), ("Ærø", "Aero"), ("Москва", "Москва")]
)
def test_accents_are_folded(word, folded):
    assert fold(word) == folded


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
    folder = files("service.text.english") / "data"
    rows = {
        name: [
            line.split("\t")
            for line in (folder / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
            if not line.startswith("#")
        ]
        for name in ("foreign_names", "loanwords")
    }
    assert len(rows["foreign_names"]) > 1_500
    assert all(agrees in VOICES for _, _, agrees in rows["foreign_names"])
    assert all(checked for _, _, checked in rows["loanwords"])
    assert [row[0] for row in rows["foreign_names"]] == sorted(row[0] for row in rows["foreign_names"])
