from __future__ import annotations

import pytest

from service.errors import LanguageUnavailableError
from service.text import LANGUAGES, find_language, language_of_voice
from service.text.espeak import Espeak


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("en-us", "en-us"),
        ("en_US", "en-us"),
        ("EN-GB", "en-gb"),
        ("en", "en-us"),
        ("pt", "pt-br"),
        ("PT_br", "pt-br"),
        (" fr ", "fr"),
    ],
)
def test_codes_are_found_however_they_are_written(code: str, found: str) -> None:
    assert find_language(code).code == found


@pytest.mark.parametrize("code", ["ja", "zh", "ZH"])
def test_a_language_with_voices_but_no_phonemizer_says_so(code: str) -> None:
    with pytest.raises(LanguageUnavailableError) as caught:
        find_language(code)
    assert "no phonemizer yet" in caught.value.message
    assert all(known in caught.value.message for known in LANGUAGES)
    assert "phonemes can be sent directly" in caught.value.message


@pytest.mark.parametrize("code", ["", "xx", "en-", "english"])
def test_an_unknown_language_says_which_there_are(code: str) -> None:
    with pytest.raises(LanguageUnavailableError, match=r"unknown language .* en-us, en-gb, es"):
        find_language(code)


@pytest.mark.parametrize(
    ("voice", "language"),
    [
        ("af_heart", "en-us"),
        ("bm_george", "en-gb"),
        ("ef_dora", "es"),
        ("ff_siwis", "fr"),
        ("hf_alpha", "hi"),
        ("if_sara", "it"),
        ("jf_alpha", "ja"),
        ("pf_dora", "pt-br"),
        ("zf_xiaobei", "zh"),
        ("x", None),
        ("", None),
    ],
)
def test_a_voices_name_tells_its_language(voice: str, language: str | None) -> None:
    assert language_of_voice(voice) == language


@pytest.mark.parametrize("code", LANGUAGES)
def test_espeak_has_every_languages_voice(espeak: Espeak, code: str) -> None:
    assert espeak.phonemize("a", LANGUAGES[code].espeak_voice)
