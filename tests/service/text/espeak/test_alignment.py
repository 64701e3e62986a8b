import pytest
from hypothesis import strategies as st

from service.text import load_vocabulary
from service.text.espeak.alignment import align
from tests.profiles import given


def parts(phonemes, readings):
    return [phonemes[start:end] for start, end in align(phonemes, readings)]


@pytest.mark.parametrize(
    ("phonemes", "readings", "expected"),
    [
        # As when read alone.
        ("ə kˈæt", ["ə", "kˈæt"], ["ə", "kˈæt"]),
        # Weakened, merged, linked.
        ("ɪt wʌzðə kˈæt", ["ˈɪt", "wˈɑz", "ðə", "kˈæt"], ["ɪt", "wʌz", "ðə", "kˈæt"]),
        ("ʌvðə", ["ˈʌv", "ðˈi"], ["ʌv", "ðə"]), ("lez amˈi", ["lˈe", "amˈi"], ["lez", "amˈi"]),
        ("fəɹə wˈIl", ["fɔː", "ˈA", "wˈIl"], ["fəɹ", "ə", "wˈIl"]),
        # Several spoken words for one written word.
        ("ɪn twˈɛnti wˈʌn dˈAz", ["ˈɪn", "twˈɛnti wˈʌn", "dˈAz"], ["ɪn", "twˈɛnti wˈʌn", "dˈAz"]),
        ("ɑɹ fˌɔɹɛɡzˈæmpᵊl ɪn", ["ɑɹ", "ˌiʤˈi", "ˈɪn"], ["ɑɹ", "fˌɔɹɛɡzˈæmpᵊl", "ɪn"]),
        # Silent, alone or in the sentence.
        ("kˈæt dˈɔɡ", ["kˈæt", "", "dˈɔɡ"], ["kˈæt", "", "dˈɔɡ"]), ("", ["a", "b"], ["", ""]), ("ˈa", [""], ["ˈa"]),
        # Stress belongs to the sound after it, length and nasality to the sound before.
        ("anˈoːɪ̃", ["an", "oː", "ɪ̃"], ["an", "ˈoː", "ɪ̃"]),
        # IPA that is not in the vocabulary, when there is no better reading.
        ("kˈæt dˈɔɡ", ["k^æ1t", "dˈɔɡ"], ["kˈæt", "dˈɔɡ"]),
    ],
)  # fmt: skip
def test_words(phonemes, readings, expected):
    assert parts(phonemes, readings) == expected


SYMBOLS = st.sampled_from(sorted(load_vocabulary().sounds | set(" ˈˌː\u0303")))
PHONEMES = st.lists(SYMBOLS, max_size=30).map(lambda symbols: " ".join("".join(symbols).split()))


@given(phonemes=PHONEMES, readings=st.lists(PHONEMES, min_size=1, max_size=8))
def test_all_phonemes_are_given_out_once_and_in_order(phonemes, readings):
    given_out = parts(phonemes, readings)
    assert len(given_out) == len(readings)
    assert "".join(given_out).replace(" ", "") == phonemes.replace(" ", "")
    assert all(part == part.strip() for part in given_out)


@given(readings=st.lists(PHONEMES.filter(bool), min_size=1, max_size=8))
def test_words_said_as_alone_get_what_they_are_alone(readings):
    assert parts(" ".join(readings), readings) == readings
