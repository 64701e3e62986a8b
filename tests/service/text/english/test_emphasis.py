import pytest
from service.text.english.emphasis import Strength, remove, strengthen, weaken


@pytest.mark.parametrize(
    ("phonemes", "secondary", "primary"),
    [
        ("ɪt", "ˌɪt", "ˈɪt"),
        ("wɪθˌWt", "wɪθˌWt", "wɪθˈWt"),
        ("hˈWs", "hˈWs", "hˈWs"),
        ("ˌʌndəstˈænd", "ˌʌndəstˈænd", "ˌʌndəstˈænd"),
        ("ʃ", "ʃ", "ʃ"),
        ("ðɐ", "ðɐ", "ðɐ"),
    ],
)
def test_a_word_is_said_at_least_so_strongly(phonemes, secondary, primary):
    assert strengthen(phonemes, Strength.UNSTRESSED) == phonemes
    assert strengthen(phonemes, Strength.SECONDARY) == secondary
    assert strengthen(phonemes, Strength.PRIMARY) == primary


def test_primary_stress_becomes_secondary():
    assert weaken("ˌʌndəstˈænd") == "ʌndəstˌænd"
    assert weaken("wɪθˌWt") == "wɪθˌWt"
    assert remove("ˌʌndəstˈænd") == "ʌndəstænd"
