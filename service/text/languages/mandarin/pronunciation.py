"""Pronounce Chinese words: pypinyin's dictionary, in the symbols of Kokoro's Mandarin voices."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Container

from service.text.languages.mandarin import syllables


class Pronunciation:
    """Pronounces Chinese words. Safe to share between threads.

    The tones are those of the dictionary. The voices were trained with them, and change two third
    tones in a row themselves.
    """

    def __init__(self) -> None:
        pypinyin = importlib.import_module("pypinyin")
        conversion = importlib.import_module("pypinyin.contrib.tone_convert")
        self._read: Callable[[str], list[str]] = functools.partial(
            pypinyin.lazy_pinyin, style=pypinyin.Style.TONE3, neutral_tone_with_five=True
        )
        constants = importlib.import_module("pypinyin.constants")
        self._phrases: Container[str] = constants.PHRASES_DICT
        # A syllable that is already pinyin has its tone as a diacritic, or none.
        self._number: Callable[[str], str] = functools.partial(
            conversion.to_tone3, v_to_u=True, neutral_tone_with_five=True
        )

    def is_known(self, word: str) -> bool:
        """Tell whether the dictionary has a word of several characters."""
        return word in self._phrases

    def pinyin(self, word: str) -> list[str]:
        """Return the syllables of a word, with tones; other characters as they are."""
        return [self._number(syllable) for syllable in self._read(word)]

    def phonemes(self, word: str, sounds: tuple[tuple[int, str], ...] = ()) -> str | None:
        """Return the phonemes of a word, None if one of its characters has no known reading.

        Args:
            word: Chinese characters.
            sounds: offset and pinyin of those that the dictionary would misread.
        """
        pinyin = self.pinyin(word)
        for offset, syllable in sounds:
            pinyin[offset] = syllable
        said = list(map(syllables.phonemes, pinyin))
        return None if None in said else "".join(filter(None, said))
