import pytest
from service.text.english.subwords import cut


@pytest.mark.parametrize(
    ("word", "subwords"),
    [
        ("word", "word"),
        ("don't", "don't"),
        ("you'll", "you'l l"),
        ("eBay", "e Bay"),
        ("iPhone", "i Phone"),
        ("McDonald's", "Mc Donald's"),
        ("XRay", "X Ray"),
        ("NASA", "NASA"),
        ("and/or", "and / or"),
        ("U.S.", "U . S ."),
        ("'twas", "' twas"),
        ("dogs'", "dogs '"),
        ("a''b", "a '' b"),
        ("a'+", "a +"),
        ("a_b--c", "a _ b -- c"),
        ("rock’n’roll", "rock’n’r oll"),
        ("note²", "note ²"),
        ("café", "café"),
        ("日本", "日本"),
        ("'", "'"),
    ],
)
def test_a_word_is_cut_at_signs_and_capitals(word, subwords):
    assert cut(word) == subwords.split(" ")
