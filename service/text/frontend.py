"""Text to phonemes of Kokoro's vocabulary, in every language that has a reader."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from service.errors import NothingToSayError
from service.text import punctuation
from service.text.characters import check_text, clean_text
from service.text.espeak import Espeak
from service.text.espeak.reader import EspeakReader
from service.text.languages import Language, find_language
from service.text.origins import TracedText
from service.text.reader import Fragment, Reader
from service.text.reading import Reading, Word, merge
from service.text.spans import Span
from service.text.vocabulary import load_vocabulary


class FrontEnd:
    """Turns text into phonemes. Safe to share between threads.

    Without an `espeak`, the library is looked for when it is first needed, so that languages and
    vocabulary can be asked for on a machine that has none.
    """

    def __init__(self, espeak: Espeak | None = None) -> None:
        self._espeak = espeak
        self._lock = threading.Lock()
        self._readers: dict[str, Reader] = {}

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
        reader = self._reader(spoken)
        cleaned = clean_text(TracedText(text), keep_joiners=spoken.code == "hi")
        reader.check(cleaned.text)
        spans = punctuation.split(cleaned)
        reading = _compose(spans, reader.read(spans, align=align), align=align)
        if not load_vocabulary().is_pronounceable(reading.phonemes):
            raise NothingToSayError("the text has nothing that can be pronounced")
        return reading

    def _reader(self, language: Language) -> Reader:
        with self._lock:
            reader = self._readers.get(language.code)
            if reader is None:
                reader = self._readers[language.code] = EspeakReader(self._get_espeak, language)
            return reader

    def _get_espeak(self) -> Espeak:
        with self._lock:
            if self._espeak is None:
                self._espeak = Espeak()
            return self._espeak


def _compose(spans: Sequence[Span], fragments: Sequence[Fragment], *, align: bool) -> Reading:
    """Put the fragments of a text beside each other, as its spans stand."""
    said = [fragment.phonemes for fragment in fragments]
    spaced = punctuation.space(said, spans)
    phonemes = "".join(spaced)
    if not align:
        return Reading(phonemes, ())
    words: list[Word] = []
    end = 0
    for fragment, spaced_phonemes in zip(fragments, spaced, strict=True):
        end += len(spaced_phonemes)
        start = end - len(fragment.phonemes)
        words += [
            Word(
                word.text_start,
                word.text_end,
                start + word.phonemes_start,
                start + word.phonemes_end,
            )
            for word in fragment.words
        ]
    return Reading(phonemes, merge(words, phonemes))
