"""Text to phonemes of Kokoro's vocabulary, in every language that has a phonemizer."""

from __future__ import annotations

import threading
import unicodedata

from service.errors import InvalidTextError, NothingToSayError
from service.text import punctuation
from service.text.characters import check_text, clean_text
from service.text.espeak import Espeak
from service.text.languages import Language, find_language
from service.text.pieces import read_in_pieces
from service.text.punctuation import Span
from service.text.symbols import kokoro_phonemes
from service.text.vocabulary import describe, load_vocabulary

# Letters, numbers and currency signs carry meaning; a private-use character may.
_MEANINGFUL = ("Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No", "Sc", "Co")

# espeak-ng reads each of these as "Chinese letter" or "Japanese letter".
_ONLY_NAMED = ("CJK ", "HIRAGANA ", "KATAKANA ")


class Phonemizer:
    """Turns text into phonemes with espeak-ng.

    Without an `espeak`, the library is looked for when it is first needed, so that languages and
    vocabulary can be asked for on a machine that has none. Safe to share between threads.
    """

    def __init__(self, espeak: Espeak | None = None) -> None:
        self._espeak = espeak
        self._lock = threading.Lock()
        self._readable: dict[tuple[str, str], bool] = {}

    def phonemize(self, text: str, language: str) -> str:
        """Return the phonemes of the text, all of them in the vocabulary, never empty.

        `language` is a code as `find_language` takes it. Raises LanguageUnavailableError,
        EmptyTextError, InvalidTextError (forbidden characters, or letters, numbers and currency
        signs that the language's voice has no reading for), NothingToSayError (only punctuation
        and signs without a reading), UnknownSymbolError and EspeakError.
        """
        spoken = find_language(language)
        check_text(text)
        text = clean_text(text, keep_joiners=spoken.code == "hi")
        self._check_readable(text, spoken)
        spans = [
            span if span.is_mark else Span(self._read(span.text, spoken), False)
            for span in punctuation.split(text)
        ]
        phonemes = punctuation.join(spans)
        if not load_vocabulary().is_pronounceable(phonemes):
            raise NothingToSayError("the text has nothing that can be pronounced")
        return phonemes

    def _read(self, words: str, language: Language) -> str:
        espeak = self._get_espeak()
        ipa = read_in_pieces(words, lambda piece: espeak.phonemize(piece, language.espeak_voice))
        return kokoro_phonemes(ipa, language.code)

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
