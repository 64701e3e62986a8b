"""The cast of a book: who speaks in which voice."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from service.errors import InvalidRequestError, LanguageUnavailableError
from service.speech import Speaker
from service.text import LANGUAGES, find_language, language_of_voice

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_VOICES = ("narrator", "quotes")
_TABLES = ("speakers", "chapters")


@dataclass(frozen=True)
class Cast:
    """The voices of a book.

    Attributes:
        narrator: the voice of what nobody else says; None for the voice of the settings.
        speakers: voices, blends or speakers by the names in the tags `[voice:NAME]`.
        chapters: narrators of single chapters, by their numbers from 1.
        quotes: the voice of what is between quotation marks; None for that of what is around it.
    """

    narrator: str | None = None
    speakers: Mapping[str, str | Speaker] = field(default_factory=dict)
    chapters: Mapping[int, str] = field(default_factory=dict)
    quotes: str | None = None

    @classmethod
    def load(cls, path: Path) -> Cast:
        """Read a TOML file; docs/books.md describes it.

        Raises:
            InvalidRequestError: it is no TOML, or has something unknown; the message names it.
            OSError: it cannot be read.
        """
        try:
            written = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InvalidRequestError(f"{path}: {error}") from error
        unknown = sorted(set(written) - {*_VOICES, *_TABLES})
        if unknown:
            raise InvalidRequestError(
                f"{path}: unknown key {unknown[0]}; known: {', '.join((*_VOICES, *_TABLES))}"
            )
        for key in _VOICES:
            if written.get(key) is not None:
                _check_voice(path, key, written[key])
        for table in _TABLES:
            for name, voice in _table(path, written, table).items():
                _check_voice(path, f"{table}.{name}", voice)
        chapters = {}
        for name, voice in _table(path, written, "chapters").items():
            if not name.isdecimal() or int(name) < 1:
                raise InvalidRequestError(f"{path}: chapters.{name} must be a number from 1")
            chapters[int(name)] = voice
        speakers = _table(path, written, "speakers")
        return cls(written.get("narrator"), speakers, chapters, written.get("quotes"))

    @property
    def voices(self) -> list[str]:
        """Return every voice that is named, once."""
        named = [
            *filter(None, (self.narrator, self.quotes)),
            *(one.voice if isinstance(one, Speaker) else one for one in self.speakers.values()),
            *self.chapters.values(),
        ]
        return list(dict.fromkeys(named))

    def for_book(self, language: str | None, default: str) -> tuple[Cast, str]:
        """Return the cast for a book in a language, and what is to be told of it, or nothing.

        A narrator who is not chosen speaks the language of the book.

        Args:
            language: of the book, as it has it; None if it says nothing.
            default: the voice of the settings, or a blend.
        """
        try:
            wanted = find_language(language or "")
        except LanguageUnavailableError:
            return self, ""
        narrator = self.narrator or default
        spoken = language_of_voice(narrator)
        if spoken is None or spoken.partition("-")[0] == wanted.code.partition("-")[0]:
            return self, ""
        book = f"the book is in {wanted.name}"
        if wanted.default_voice is None:
            return self, (
                f"{book}, for which the model has no voice; "
                f"{narrator} would speak it in the language {wanted.code}"
            )
        if self.narrator is None and wanted.is_installed:
            cast = replace(self, narrator=wanted.default_voice)
            return cast, f"{book}: {wanted.default_voice} reads it"
        needed = "" if wanted.is_installed else f", with the extra {wanted.extra}"
        return self, (
            f"{book}, but {narrator} speaks {LANGUAGES[spoken].name}; "
            f"{wanted.default_voice} would speak it{needed}"
        )

    def voice_of_chapter(self, number: int) -> str | None:
        """Return the narrator of a chapter, from 1; None for the voice of the settings."""
        return self.chapters.get(number, self.narrator)


def _table(path: Path, written: Mapping[str, Any], name: str) -> dict[str, str]:
    table = written.get(name, {})
    if not isinstance(table, dict):
        raise InvalidRequestError(f"{path}: {name} must be a table, such as [{name}]")
    return table


def _check_voice(path: Path, key: str, voice: object) -> None:
    if not isinstance(voice, str) or not voice.strip():
        raise InvalidRequestError(f"{path}: {key} must be a voice such as 'bf_emma'")
