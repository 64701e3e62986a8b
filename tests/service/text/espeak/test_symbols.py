import pytest

from service.errors import UnknownSymbolError
from service.text import LANGUAGES, load_vocabulary
from service.text.espeak.symbols import _COMMON, symbol_table


@pytest.mark.parametrize(
    ("ipa", "american", "british"),
    [
        ("bˈa^ɪ ɡˈə^ʊ", "bˈI ɡˈO", "bˈI ɡˈQ"), ("d^ʒˈʌd^ʒ t^ʃˈɔ^ɪs", "ʤˈʌʤ ʧˈYs", "ʤˈʌʤ ʧˈYs"),
        ("wˈɔːɾɚ", "wˈɔTəɹ", "wˈɔːɹɚ"),
        ("bˈɜːd hˈɜːɹi mɚɹˈiːn", "bˈɜɹd hˈɜɹi məɹˈin", "bˈɜːd hˈɜːɹi mɚɹˈiːn"),
        ("fjˈʊ^ɹɹi", "fjˈʊɹi", "fjˈʊɹɹi"), ("skwˈe^ə nˈi^ə", "skwˈAə nˈiə", "skwˈɛː nˈɪə"),
        ("bˈʌʔn̩ bˈɒtə^l", "bˈʌtᵊn bˈɒtᵊl", "bˈʌtᵊn bˈɒtᵊl"),
        ("ɐ pˈɛn ɐbˈa^ʊt ɐn", "ɐ pˈɛn əbˈWt ɐn", "ɐ pˈɛn əbˈWt ɐn"),
        ("lˈɒx ʀˈa^ɪç", "lˈɒk ʁˈIk", "lˈɒk ʁˈIk"), ("vˈɑ̃ pˈɪnʲə", "vˈɑn pˈɪnjə", "vˈɑn pˈɪnjə"),
    ],
)  # fmt: skip
def test_english(ipa, american, british):
    assert symbol_table("en-us").write(ipa) == american
    assert symbol_table("en-gb").write(ipa) == british


@pytest.mark.parametrize(
    ("language", "ipa", "phonemes"),
    [
        ("es", "mˈut^ʃo rˈe^ɪ e^ʊɾˈopa", "mˈuʧo rˈA eʊɾˈopa"),
        ("fr", "ʒə- bɔ̃ vˈɛ̃", "ʒə bɔ̃ vˈɛ̃"),
        ("it", "pˈit^sːa d̪ˈɛs^s", "pˈiʦːa dˈɛS"),
        ("pt-br", "nˌɐ̃^ʊ̃ põ", "nˌɐ̃ʊ̃ po\u0303"),
        ("hi", "pˈʌr.hənˌaː ʈʰˈiːk", "pˈʌrhənˌaː ʈʰˈiːk"),
    ],
)
def test_other_languages_keep_espeaks_inventory(language, ipa, phonemes):
    assert symbol_table(language).write(ipa) == phonemes


@pytest.mark.parametrize("symbol", ["g", "A", "!", "(", "ǂ", "→"])
def test_what_is_not_ipa_of_the_vocabulary_is_an_error_that_names_it(symbol):
    with pytest.raises(UnknownSymbolError, match=rf"U\+{ord(symbol):04X}\) at position 2 "):
        symbol_table("es").write(f"a{symbol}")


@pytest.mark.parametrize("language", [code for code in LANGUAGES if LANGUAGES[code].espeak_voice])
def test_tables_give_only_symbols_of_the_vocabulary(language):
    table = {**_COMMON, **LANGUAGES[language].load_sounds().espeak}
    assert load_vocabulary().unknown("".join(table.values())) == []
