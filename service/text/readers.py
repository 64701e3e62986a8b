"""Find the reader of a language, and tell whether it is installed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from service.errors import LanguageUnavailableError
from service.extras import advice
from service.text.espeak import Espeak
from service.text.espeak.reader import EspeakReader
from service.text.languages import LANGUAGES, Language, find_language
from service.text.languages.foreign import SCRIPTS
from service.text.languages.language import ReaderParts
from service.text.reader import Reader


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
        self._locks = {code: threading.Lock() for code in (*LANGUAGES, *SCRIPTS)}
        self._readers: dict[str, Reader] = {}

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
        """Return the reader of a language or of a script, by its code in `LANGUAGES` or `SCRIPTS`.

        The first call takes up to a second, or several.

        Raises:
            LanguageUnavailableError: see `require`.
            EspeakError: the reader needs espeak-ng, which cannot be used.
        """
        foreign = SCRIPTS[code].language if code in SCRIPTS else None
        language = foreign or self.require(code)
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
        return code in LANGUAGES and LANGUAGES[code].is_installed

    def requirement(self, code: str) -> str:
        """Return what has to be installed for a language that needs an extra."""
        return f"an extra that is not installed: {advice(LANGUAGES[code].extra or code)}"

    def _make(self, language: Language) -> Reader:
        is_missing = language.code not in LANGUAGES and not self.espeak.has_voice(
            language.espeak_voice or ""
        )
        if is_missing:
            raise LanguageUnavailableError(f"espeak-ng has no voice for {language.name} here")
        parts = ReaderParts(lambda: self.espeak, strict=self._strict)
        if language.make_reader is not None:
            return language.make_reader(parts)
        return EspeakReader(parts.espeak, language, strict=parts.strict)
