import pytest
from service.text.english.stems import ED, ING, S


@pytest.mark.parametrize(
    ("ending", "word", "stems"),
    [
        (S, "cats", ["cat"]),
        (S, "boxes", ["boxe", "box"]),
        (S, "cities", ["citie", "city"]),
        (S, "boss", []),
        (S, "boss's", ["boss'", "boss"]),
        (S, "as", []),
        (ED, "used", ["use"]),
        (ED, "planted", ["plante", "plant"]),
        (ED, "freed", ["free"]),
        (ED, "add", []),
        (ED, "red", []),
        (ING, "making", ["mak", "make"]),
        (ING, "running", ["runn", "runne", "run"]),
        (ING, "panicking", ["panick", "panicke", "panic"]),
        (ING, "seeing", ["see", "seee"]),
        (ING, "using", ["use"]),
        (ING, "king", []),
    ],
)
def test_a_word_may_be_an_inflected_form_of_these(ending, word, stems):
    assert list(ending.stems(word)) == stems


@pytest.mark.parametrize(
    ("ending", "stem", "american", "british"),
    [
        (S, "kˈæt", "kˈæts", "kˈæts"),
        (S, "dˈɔɡ", "dˈɔɡz", "dˈɔɡz"),
        (S, "dˈɪʃ", "dˈɪʃᵻz", "dˈɪʃɪz"),
        (ED, "lˈʊk", "lˈʊkt", "lˈʊkt"),
        (ED, "bˈɛɡ", "bˈɛɡd", "bˈɛɡd"),
        (ED, "nˈid", "nˈidᵻd", "nˈidɪd"),
        (ED, "wˈAt", "wˈAɾᵻd", "wˈAtɪd"),
        (ED, "ˈækt", "ˈæktᵻd", "ˈæktɪd"),
        (ED, "t", "tɪd", "tɪd"),
        (ING, "wˈAt", "wˈAɾɪŋ", "wˈAtɪŋ"),
        (ING, "ˈækt", "ˈæktɪŋ", "ˈæktɪŋ"),
        (ING, "stˈɑː", "stˈɑːɪŋ", None),
        (ING, "ˈɛntə", "ˈɛntəɪŋ", None),
    ],
)
def test_an_ending_sounds_by_the_sound_before_it(ending, stem, american, british):
    assert ending.attach(stem, False) == american
    assert ending.attach(stem, True) == british
