"""Pronounce Chinese words: pypinyin's dictionary, in the symbols of a model's Mandarin voices."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Container, Sequence

from service.text.languages.mandarin import bopomofo, syllables


class Pronunciation:
    """Pronounces Chinese words. Safe to share between threads.

    The tones are those of the dictionary. The voices of Kokoro v1.0 were trained with them, and
    change two third tones in a row themselves; those of v1.1-zh are told.

    Args:
        in_bopomofo: whether the model is v1.1-zh or one like it.

    Attributes:
        joint: what stands between words.
    """

    def __init__(self, *, in_bopomofo: bool = False) -> None:
        self._in_bopomofo = in_bopomofo
        self.joint = "/" if in_bopomofo else " "
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
        if self._in_bopomofo:
            return bopomofo.phonemes(word, pinyin)
        said = list(map(syllables.phonemes, pinyin))
        return None if None in said else "".join(filter(None, said))

    def connected(
        self, words: Sequence[str], sounds: Sequence[tuple[tuple[int, str], ...]]
    ) -> list[tuple[tuple[int, str], ...]]:
        """Return offset and pinyin of what is read otherwise in a clause than alone.

        Args:
            words: of the clause.
            sounds: of each word, what the dictionary would misread.
        """
        if not self._in_bopomofo:
            return list(sounds)
        read = []
        for word, told in zip(words, sounds, strict=True):
            pinyin = self.pinyin(word)
            for offset, syllable in told:
                pinyin[offset] = syllable
            read.append(pinyin)
        return [tuple(enumerate(pinyin)) for pinyin in bopomofo.heard(read)]
