from __future__ import annotations

import pytest

from service.errors import LanguageUnavailableError
from service.text import LANGUAGES, Language, find_language, language_of_voice
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
        ("ZH", "zh"),
        ("ja_JP", "ja"),
    ],
)
def test_codes_are_found_however_they_are_written(code: str, found: str) -> None:
    assert find_language(code).code == found


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


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_espeak_has_the_voices_of_the_languages_that_it_reads(
    espeak: Espeak, language: Language
) -> None:
    if language.espeak_voice is None:
        assert language.extra
    else:
        assert espeak.phonemize("a", language.espeak_voice)
