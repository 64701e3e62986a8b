"""Read languages with espeak-ng."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from service.errors import InvalidTextError, UnknownSymbolError
from service.text.characters import is_meaningful
from service.text.espeak.alignment import align as align_words
from service.text.espeak.engine import Espeak
from service.text.espeak.letters import Letters
from service.text.espeak.slices import read_in_slices
from service.text.espeak.symbols import SymbolTable, symbol_table
from service.text.languages import Language
from service.text.offset_mapping import TracedText
from service.text.reader import SILENT, Fragment, Reader, indexes, pronounced, stressed
from service.text.reading import Word
from service.text.spans import Span

_WORD = re.compile(r"\S+")
_SPACED_NUMBER_OR_WORD = re.compile(r"(?<!\S)\d{1,3}(?: \d{3})+(?!\d)\S*|\S+")

# Number of words whose phonemes are kept for the alignment: about 1 MB. A text of 20,000 characters
# has 1,500 words.
_WORDS_KEPT = 4096


class _SpokenSlice(NamedTuple):
    """Words that were read at once, and their phonemes; not empty."""

    text: TracedText
    phonemes: str


class EspeakReader(Reader):
    """Reads a language that espeak-ng has a voice for.

    Args:
        engine: returns the library; called when it is first needed.
        language: a language with an `espeak_voice`.
        strict: whether a word that cannot be read is refused.
        table: of the symbols; that of Kokoro v1.0 if it is left out.
    """

    def __init__(
        self,
        engine: Callable[[], Espeak],
        language: Language,
        *,
        strict: bool = False,
        table: SymbolTable | None = None,
    ) -> None:
        super().__init__(language.name, strict=strict)
        if language.espeak_voice is None:
            raise ValueError(f"espeak-ng does not read {language.name}")
        self._engine = engine
        self._voice = language.espeak_voice
        self._table = table or symbol_table(language.code)
        self._sounds = language.load_sounds()
        self._spaces_inside_numbers = language.spaces_inside_numbers
        self._letters = Letters(self._ipa)
        self._read_alone = lru_cache(_WORDS_KEPT)(self._read_alone_anew)

    def skipped(self, text: TracedText) -> list[int]:
        """Return the indexes of meaningful characters that are skipped, in order; see `Letters`."""
        if text.text.isascii():
            return []
        silent = {
            character
            for character in dict.fromkeys(text.text)
            if not character.isascii() and is_meaningful(character)
            if self._letters.skips(character)
        }
        return indexes(text.text, silent) if silent else []

    def read(self, spans: Sequence[Span]) -> list[Fragment]:
        """Return the fragment of each span, read without its neighbours."""
        return [self._read_span(span) for span in spans]

    def read_word(self, text: str) -> str:
        """Return the phonemes of a word; empty if it is silent."""
        return self._read_words(TracedText(text)).phonemes

    def read_as(self, text: str, voice: str) -> str:
        """Return the IPA of a text by another voice of espeak-ng, such as `roa/it`."""
        return self._engine().phonemize(text, voice)

    def _read_span(self, span: Span) -> Fragment:
        if span.is_mark:
            return Fragment(span.text.text)
        if span.override is None:
            return self._read_words(span.text)
        if span.override.phonemes is not None:
            return pronounced(span, span.override)
        return stressed(self._read_words(span.text), span.override)

    def _read_words(self, words: TracedText) -> Fragment:
        text = self._letters.written(words.translate(self._sounds.names)).folded()
        for pattern, respell in self._sounds.respellings:
            text = text.sub(pattern, respell)
        slices = [
            _SpokenSlice(part.text, phonemes)
            for part in read_in_slices(text, self._checked_ipa, strict=self.strict)
            if (phonemes := self._table.write(part.ipa))
        ]
        if not slices:
            return SILENT
        said = " ".join(part.phonemes for part in slices)
        aligned: list[Word] = []
        start = 0
        for part in slices:
            aligned += self._align(part, start)
            start += len(part.phonemes) + 1
        return Fragment(said, tuple(aligned))

    def _align(self, part: _SpokenSlice, start: int) -> Iterator[Word]:
        """Yield the words of a slice whose phonemes start at `start`."""
        pattern = _SPACED_NUMBER_OR_WORD if self._spaces_inside_numbers else _WORD
        words = part.text.matches(pattern)
        spans = [(0, len(part.phonemes))]
        if len(words) > 1:
            spans = align_words(part.phonemes, [self._read_alone(word.text) for word in words])
        for word, (first, last) in zip(words, spans, strict=True):
            yield Word(*word.span, start + first, start + last, "espeak-ng")

    def _read_alone_anew(self, word: str) -> str:
        """Return the phonemes of a word without its neighbours."""
        try:
            ipa = self._ipa(word)
        except InvalidTextError:
            # In the text it was read with its neighbours, or in slices.
            return ""
        try:
            return self._table.write(ipa)
        except UnknownSymbolError:
            # Alone it may be spelled. It is only used for comparison, so any symbols will do.
            return ipa

    def _checked_ipa(self, text: str) -> str:
        """Return the IPA of a text. Raises UnknownSymbolError if Kokoro cannot say it."""
        ipa = self._ipa(text)
        self._table.write(ipa)
        return ipa

    def _ipa(self, text: str) -> str:
        return self._engine().phonemize(text, self._voice)
