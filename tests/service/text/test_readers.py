from __future__ import annotations

import pytest

from service.errors import LanguageUnavailableError
from service.text import LANGUAGES, Espeak
from service.text.english.reader import EnglishReader
from service.text.readers import Readers


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_reader_is_created_once(espeak: Espeak, code: str) -> None:
    readers = Readers(espeak)
    if not readers.is_available(code):
        pytest.skip(readers.requirement(code))
    assert readers.get(code) is readers.get(code)


@pytest.mark.parametrize("code", ["ja", "zh"])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    readers = Readers()
    monkeypatch.setattr(readers, "is_available", lambda code: False)
    expected = rf"pip install 'kokoro-service(-core)?\[{code}\]'"
    for ask in (readers.require, readers.get):
        with pytest.raises(LanguageUnavailableError, match=expected):
            ask(code)


def test_english_is_read_by_its_lexicon_on_every_python(espeak: Espeak) -> None:
    readers = Readers(espeak)
    for code in ("en-us", "en-gb"):
        assert readers.name(code) == "lexicon"
        assert isinstance(readers.get(code), EnglishReader)
    assert {readers.name(code) for code in LANGUAGES} == {
        "lexicon", "pyopenjtalk", "pypinyin", "espeak-ng"
    }  # fmt: skip


def test_availability_is_known_without_loading_anything() -> None:
    readers = Readers()
    assert all(readers.is_available(code) for code in ("en-us", "en-gb", "es", "fr", "it", "hi"))
    assert not readers.is_available("tlh")
