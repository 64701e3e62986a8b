"""The interface of all readers: words in, phonemes out."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import NamedTuple

from service.errors import InvalidTextError
from service.text.offset_mapping import TracedText
from service.text.reading import Word
from service.text.spans import Override, Span
from service.text.stress import shift
from service.text.vocabulary import describe


class Fragment(NamedTuple):
    """The phonemes of a span.

    Attributes:
        phonemes: symbols of the vocabulary; empty for a silent span.
        words: its words. Their phonemes are offsets in this fragment.
    """

    phonemes: str
    words: tuple[Word, ...] = ()


SILENT = Fragment("")


class Reader(ABC):
    """Reads one language. Safe to share between threads.

    Args:
        language: its name.
        strict: whether a word that cannot be read is refused. Otherwise it is silent.
    """

    def __init__(self, language: str, *, strict: bool = False) -> None:
        self.language = language
        self.strict = strict

    @abstractmethod
    def skipped(self, text: TracedText) -> list[int]:
        """Return the indexes of the meaningful characters that this reader would skip, in order.

        Raises:
            EspeakError: espeak-ng is needed but cannot be used.
        """

    def check(self, text: TracedText) -> None:
        """Refuse meaningful characters that this reader would skip.

        Raises:
            InvalidTextError: there is such a character; see `unreadable`.
            EspeakError: espeak-ng is needed but cannot be used.
        """
        for index in self.skipped(text)[:1]:
            raise unreadable(text, index, self.language)

    @abstractmethod
    def read(self, spans: Sequence[Span]) -> list[Fragment]:
        """Return the fragment of each span, in order. The phoneme of a mark is the mark.

        Args:
            spans: the spans of one text without `skipped` characters. The reading of a span may
                depend on its neighbours.

        Raises:
            InvalidTextError: a word cannot be read; only if this reader is strict.
            UnknownSymbolError: a word has a sound for which the vocabulary has no symbol; likewise.
            EspeakError: espeak-ng is needed but cannot be used.
        """


def indexes(text: str, characters: Container[str]) -> list[int]:
    """Return where a text has one of the characters."""
    return [index for index, character in enumerate(text) if character in characters]


def unreadable(text: TracedText, index: int, language: str) -> InvalidTextError:
    """Return the error for a character that has no reading in a language.

    Its message has the character's position in the caller's text; the first character is number 1.
    """
    character = text.text[index]
    position = text[index : index + 1].span[0] + 1
    name = unicodedata.name(character, "unnamed character")
    return InvalidTextError(
        f"{describe(character)} at position {position} of the text has no reading in {language}"
        f" ({name})"
    )


def pronounced(span: Span, override: Override) -> Fragment:
    """Return the fragment of words for which the caller gave phonemes."""
    phonemes = override.phonemes or ""
    return Fragment(phonemes, (Word(*span.text.span, 0, len(phonemes), "caller"),))


def stressed(fragment: Fragment, override: Override) -> Fragment:
    """Return the fragment with the stress of every word shifted."""
    parts: list[str] = []
    words: list[Word] = []
    length = done = 0
    for word in fragment.words:
        between = fragment.phonemes[done : word.phonemes_start]
        said = shift(fragment.phonemes[word.phonemes_start : word.phonemes_end], override.stress)
        start = length + len(between)
        length = start + len(said)
        done = word.phonemes_end
        parts += [between, said]
        words.append(replace(word, phonemes_start=start, phonemes_end=length))
    return Fragment("".join([*parts, fragment.phonemes[done:]]), tuple(words))
