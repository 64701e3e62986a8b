"""Find the reader of a language, and tell whether it is installed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from typing import NamedTuple

from service.errors import LanguageUnavailableError
from service.extras import advice
from service.text.espeak import Espeak
from service.text.espeak.reader import EspeakReader
from service.text.espeak.symbols import SymbolTable
from service.text.languages import LANGUAGES, Language, find_language
from service.text.languages.foreign import SCRIPTS, foreign_language
from service.text.languages.language import ReaderParts
from service.text.reader import Reader
from service.text.vocabulary import Vocabulary, load_vocabulary


class EspeakSounds(NamedTuple):
    """How espeak-ng reads a language for a model.

    Attributes:
        voice: its voice file.
        sounds: the model's symbols for its IPA, over those that the language has.
    """

    voice: str
    sounds: Mapping[str, str]


class Readers:
    """The readers of all languages, each created at its first use. Safe to share between threads.

    A language is loaded by one thread. Others wait for it only if they need the same language.

    Args:
        espeak: the library. If None, it is searched for when it is first needed.
        strict: whether the readers refuse words that they cannot read.
        loading: entered while a thread loads a language or espeak-ng, or waits for that.
        vocabulary: of the model; that of Kokoro v1.0 if it is left out.
    """

    def __init__(
        self,
        espeak: Espeak | None = None,
        *,
        strict: bool = False,
        loading: Callable[[], AbstractContextManager[object]] = nullcontext,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self._vocabulary = vocabulary or load_vocabulary()
        self._tables: dict[str, EspeakSounds] = {}
        self._own: dict[tuple[str, str], Reader] = {}
        """Of the languages with tables, which no other model shares."""
        self._espeak = espeak
        self._strict = strict
        self._loading = loading
        self._starting = threading.Lock()
        self._locks = {code: threading.Lock() for code in (*LANGUAGES, *SCRIPTS)}
        self._readers: dict[tuple[str, str], Reader] = {}

    def of_model(
        self, vocabulary: Vocabulary, tables: Mapping[str, EspeakSounds] | None = None
    ) -> Readers:
        """Return those of another model; both have the same reader where they write the same.

        Args:
            vocabulary: of the model.
            tables: of languages that espeak-ng reads for it, by their codes.

        Raises:
            LanguageUnavailableError: there is no such language.
        """
        other = copy(self)
        other._vocabulary = vocabulary
        other._tables = {find_language(code).code: told for code, told in (tables or {}).items()}
        other._own = {}
        return other

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
        language = foreign_language(code) or self.require(code)
        readers = self._own if language.code in self._tables else self._readers
        key = language.code, language.variant(self._vocabulary.symbols)
        reader = readers.get(key)
        if reader is None:
            with self._loading(), self._locks[language.code]:
                reader = readers.get(key) or self._make(language)
                readers[key] = reader
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
        symbols = self._vocabulary.symbols
        parts = ReaderParts(lambda: self.espeak, strict=self._strict, symbols=symbols)
        told = self._tables.get(language.code)
        if told is not None:
            sounds = language.load_sounds()
            sounds = replace(sounds, espeak={**sounds.espeak, **told.sounds})
            language = replace(language, espeak_voice=told.voice, load_sounds=lambda: sounds)
            table = SymbolTable(language, self._vocabulary)
            return EspeakReader(parts.espeak, language, strict=parts.strict, table=table)
        if language.make_reader is not None:
            return language.make_reader(parts)
        return EspeakReader(parts.espeak, language, strict=parts.strict)
