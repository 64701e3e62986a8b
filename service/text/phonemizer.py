"""Text to phonemes of Kokoro's vocabulary, in every language that has a phonemizer."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from service.errors import InvalidTextError, NothingToSayError, UnknownSymbolError
from service.text import punctuation
from service.text.alignment import align as align_words
from service.text.characters import check_text, clean_text
from service.text.espeak import Espeak
from service.text.languages import Language, find_language
from service.text.origins import TracedText
from service.text.pieces import read_in_pieces
from service.text.reading import Reading, Word, merge
from service.text.symbols import kokoro_phonemes
from service.text.vocabulary import describe, load_vocabulary

# Letters, numbers and currency signs carry meaning; a private-use character may.
_MEANINGFUL = ("Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No", "Sc", "Co")

# espeak-ng reads each of these as "Chinese letter" or "Japanese letter".
_ONLY_NAMED = ("CJK ", "HIRAGANA ", "KATAKANA ")

# Emoji whose names end in an English word, in the place of which espeak-ng reads what its memory
# holds. Of all symbols up to U+1FFFF, with every voice, these three.
_NAMES = {
    "fr": {
        ord("📸"): " appareil photo avec flash ",
        ord("🤽"): " personne jouant au water-polo ",
        ord("🤾"): " personne jouant au handball ",
    }
}

_WORD = re.compile(r"\S+")
_SPACED_NUMBER_OR_WORD = re.compile(r"(?<!\S)\d{1,3}(?: \d{3})+(?!\d)\S*|\S+")

# Read alone once, to be aligned: about 1 MB. A text of 20,000 characters has 1,500 words.
_WORDS_KEPT = 4096


class _Piece(NamedTuple):
    """Words that were read at once, and their phonemes: never none."""

    text: TracedText
    phonemes: str


class Phonemizer:
    """Turns text into phonemes with espeak-ng.

    Without an `espeak`, the library is looked for when it is first needed, so that languages and
    vocabulary can be asked for on a machine that has none. Safe to share between threads.
    """

    def __init__(self, espeak: Espeak | None = None) -> None:
        self._espeak = espeak
        self._lock = threading.Lock()
        self._readable: dict[tuple[str, str], bool] = {}
        self._read_alone = lru_cache(_WORDS_KEPT)(self._read_alone_anew)

    def read(self, text: str, language: str, *, align: bool) -> Reading:
        """Return the phonemes of the text, all of them in the vocabulary, never empty.

        With `align`, the reading tells which phonemes each word of the text has; without, it has
        no words and costs less. `language` is a code as `find_language` takes it. Raises
        LanguageUnavailableError, EmptyTextError, InvalidTextError (forbidden characters, or
        letters, numbers and currency signs that the language's voice has no reading for, or a
        word that kills espeak-ng), NothingToSayError (only punctuation and signs without a
        reading), UnknownSymbolError and EspeakError.
        """
        spoken = find_language(language)
        check_text(text)
        cleaned = clean_text(TracedText(text), keep_joiners=spoken.code == "hi")
        self._check_readable(cleaned.text, spoken)
        spans = punctuation.split(cleaned.translate(_NAMES.get(spoken.code, {})))
        pieces = [[] if span.is_mark else self._read_words(span.text, spoken) for span in spans]
        said = [
            span.text.text if span.is_mark else " ".join(piece.phonemes for piece in heard)
            for span, heard in zip(spans, pieces, strict=True)
        ]
        spaced = punctuation.space(
            (phonemes, span.is_mark) for phonemes, span in zip(said, spans, strict=True)
        )
        phonemes = "".join(spaced)
        if not load_vocabulary().is_pronounceable(phonemes):
            raise NothingToSayError("the text has nothing that can be pronounced")
        if not align:
            return Reading(phonemes, ())
        words: list[Word] = []
        end = 0
        for heard, phonemes_of_span, spaced_phonemes in zip(pieces, said, spaced, strict=True):
            end += len(spaced_phonemes)
            start = end - len(phonemes_of_span)
            for piece in heard:
                words += self._align(piece, start, spoken)
                start += len(piece.phonemes) + 1
        return Reading(phonemes, merge(words, phonemes))

    def _read_words(self, words: TracedText, language: Language) -> list[_Piece]:
        espeak = self._get_espeak()
        pieces = read_in_pieces(words, lambda text: espeak.phonemize(text, language.espeak_voice))
        read = [_Piece(text, kokoro_phonemes(ipa, language.code)) for text, ipa in pieces]
        return [piece for piece in read if piece.phonemes]

    def _align(self, piece: _Piece, start: int, language: Language) -> Iterator[Word]:
        """Yield the words of a piece whose phonemes start at `start`."""
        pattern = _SPACED_NUMBER_OR_WORD if language.spaces_inside_numbers else _WORD
        words = piece.text.matches(pattern)
        spans = [(0, len(piece.phonemes))]
        if len(words) > 1:
            spans = align_words(
                piece.phonemes, [self._read_alone(word.text, language) for word in words]
            )
        for word, (first, last) in zip(words, spans, strict=True):
            yield Word(*word.span, start + first, start + last)

    def _read_alone_anew(self, word: str, language: Language) -> str:
        """Return what a word sounds like without its neighbours."""
        try:
            ipa = self._get_espeak().phonemize(word, language.espeak_voice)
        except InvalidTextError:
            # It was read with its neighbours, or in parts.
            return ""
        try:
            return kokoro_phonemes(ipa, language.code)
        except UnknownSymbolError:
            # Alone it may be read letter by letter. It is only compared, so any symbols will do.
            return ipa

    def _check_readable(self, text: str, language: Language) -> None:
        """Refuse what espeak-ng would pass over in silence though it means something."""
        for character in dict.fromkeys(text):
            if character.isascii() or unicodedata.category(character) not in _MEANINGFUL:
                continue
            name = unicodedata.name(character, "unnamed character")
            key = (character, language.code)
            readable = self._readable.get(key)
            if readable is None:
                ipa = self._get_espeak().phonemize(character, language.espeak_voice)
                readable = ipa != "" and not name.startswith(_ONLY_NAMED)
                self._readable[key] = readable
            if not readable:
                raise InvalidTextError(
                    f"{describe(character)} has no reading in {language.name} ({name})"
                )

    def _get_espeak(self) -> Espeak:
        with self._lock:
            if self._espeak is None:
                self._espeak = Espeak()
            return self._espeak
