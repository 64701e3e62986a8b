import pytest

from service.errors import UnknownSymbolError
from service.text import load_vocabulary


def test_has_the_114_symbols_of_the_model():
    assert len(load_vocabulary().symbols) == 114


def test_is_read_once():
    assert load_vocabulary() is load_vocabulary()


def test_token_ids_are_the_models_and_have_no_padding():
    assert load_vocabulary().token_ids("həlˈO, A.") == [50, 83, 54, 156, 31, 3, 16, 24, 4]
    assert load_vocabulary().token_ids("") == []


def test_an_unknown_symbol_is_named_with_code_point_and_position():
    with pytest.raises(UnknownSymbolError, match=r"'g' \(U\+0067\) at position 3 "):
        load_vocabulary().token_ids("dɔg")


def test_unknown_lists_each_symbol_once_in_order():
    assert load_vocabulary().unknown("gɡ1g^") == ["g", "1", "^"]
    assert load_vocabulary().unknown("həlˈO") == []


@pytest.mark.parametrize("phonemes", ["a", "ˈA", "(ᵊ)", "ɹ!", "T"])
def test_a_vowel_or_consonant_is_pronounceable(phonemes):
    assert load_vocabulary().is_pronounceable(phonemes)


@pytest.mark.parametrize("phonemes", ["", " ", "…", "ˈˌː", "\u0303", "ʰʲ", "↓→↗↘", "“—”"])
def test_marks_and_modifiers_alone_are_not(phonemes):
    assert not load_vocabulary().is_pronounceable(phonemes)


def test_marks_are_the_punctuation():
    assert load_vocabulary().marks == set(';:,.!?—…"()“”')
