from __future__ import annotations

import sys

import pytest

from service.errors import LanguageUnavailableError
from service.text import LANGUAGES, Espeak
from service.text.readers import Readers


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_reader_is_made_once(espeak: Espeak, code: str) -> None:
    readers = Readers(espeak)
    if not readers.is_available(code):
        pytest.skip(readers.lack(code))
    assert readers.get(code) is readers.get(code)


@pytest.mark.parametrize("code", ["ja", "zh"])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    readers = Readers()
    monkeypatch.setattr(readers, "is_available", lambda code: False)
    expected = rf"pip install 'kokoro-service\[{code}\]'"
    if code == "zh" and sys.version_info >= (3, 13):
        expected = "misaki, which has no release for Python 3.13"
    for ask in (readers.require, readers.get):
        with pytest.raises(LanguageUnavailableError, match=expected):
            ask(code)


def test_a_python_without_misaki_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 14, 0))
    for code in ("en-us", "en-gb", "zh"):
        assert "no release for Python 3.13" in Readers().lack(code)
    assert "kokoro-service[ja]" in Readers().lack("ja")


def test_availability_is_told_without_loading_anything() -> None:
    readers = Readers()
    assert all(readers.is_available(code) for code in ("en-us", "en-gb", "es", "fr", "it", "hi"))
    assert not readers.is_available("tlh")
