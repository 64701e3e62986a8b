"""Find the reader of a language, and tell whether it is installed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from service.errors import LanguageUnavailableError
from service.extras import advice
from service.text.english import spacy_tagger
from service.text.english.reader import EnglishReader
from service.text.espeak import Espeak
from service.text.espeak.reader import EspeakReader
from service.text.japanese import analyzer as japanese
from service.text.japanese.reader import JapaneseReader
from service.text.languages import LANGUAGES, Language, find_language
from service.text.mandarin import pronunciation as mandarin
from service.text.mandarin.reader import MandarinReader
from service.text.reader import Reader

_ENGLISH = ("en-us", "en-gb")


class Readers:
    """The readers of all languages, each created at its first use. Safe to share between threads.

    A language is loaded by one thread. Others wait for it only if they need the same language.

    Args:
        espeak: the library. If None, it is searched for when it is first needed.
        strict: whether the readers refuse words that they cannot read.
        loading: entered while a thread loads a language or espeak-ng, or waits for that.
    """

    def __init__(
        self,
        espeak: Espeak | None = None,
        *,
        strict: bool = False,
        loading: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._espeak = espeak
        self._strict = strict
        self._loading = loading
        self._starting = threading.Lock()
        self._locks = {code: threading.Lock() for code in LANGUAGES}
        self._readers: dict[str, Reader] = {}
        self._tagger = spacy_tagger.SpacyTagger() if spacy_tagger.is_installed() else None

    @property
    def espeak(self) -> Espeak:
        """Return the library.

        Raises:
            EspeakError: the library cannot be found or started.
        """
        if self._espeak is None:
            with self._loading(), self._starting:
                self._espeak = self._espeak or Espeak()
        return self._espeak

    def get(self, code: str) -> Reader:
        """Return the reader of a language. The first call takes up to a second, or several.

        Raises:
            LanguageUnavailableError: see `require`.
            EspeakError: the reader needs espeak-ng, which cannot be used.
        """
        language = self.require(code)
        reader = self._readers.get(language.code)
        if reader is None:
            with self._loading(), self._locks[language.code]:
                reader = self._readers.get(language.code) or self._make(language)
                self._readers[language.code] = reader
        return reader

    def require(self, code: str) -> Language:
        """Return the language with this code.

        Raises:
            LanguageUnavailableError: there is no such language, or nothing installed here reads it.
                The message says what to install.
        """
        language = find_language(code)
        if not self.is_available(language.code):
            raise LanguageUnavailableError(
                f"{language.name} ({language.code}) needs {self.requirement(language.code)};"
                " you can send phonemes instead"
            )
        return language

    @staticmethod
    def is_available(code: str) -> bool:
        """Tell whether the reader of a language is installed."""
        if code == "ja":
            return japanese.is_installed()
        if code == "zh":
            return mandarin.is_installed()
        return code in LANGUAGES

    def requirement(self, code: str) -> str:
        """Return what has to be installed for a language that needs an extra."""
        return f"an extra that is not installed: {advice(LANGUAGES[code].extra or code)}"

    def name(self, code: str) -> str:
        """Return the G2P of a language: `lexicon`, `pyopenjtalk`, `pypinyin` or `espeak-ng`."""
        if code in _ENGLISH:
            return "lexicon"
        return {"ja": "pyopenjtalk", "zh": "pypinyin"}.get(code, "espeak-ng")

    def _make(self, language: Language) -> Reader:
        if language.code == "ja":
            return JapaneseReader(strict=self._strict)
        if language.code == "zh":
            return MandarinReader(strict=self._strict)
        espeak = EspeakReader(lambda: self.espeak, language, strict=self._strict)
        if self.name(language.code) == "lexicon":
            british = language.code == "en-gb"
            if self._tagger is not None:
                self._tagger.load()
            return EnglishReader(british=british, espeak=espeak, tagger=self._tagger)
        return espeak
