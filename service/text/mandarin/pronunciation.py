"""How Chinese words sound: pypinyin's dictionary, in the symbols of Kokoro's Mandarin voices."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable

from service.text.mandarin import syllables

_PACKAGES = ("jieba", "pypinyin")


@functools.cache
def is_installed() -> bool:
    """Tell whether the extra `zh` is there."""
    return all(importlib.util.find_spec(package) is not None for package in _PACKAGES)


class Pronunciation:
    """Says Chinese words. Safe to share between threads.

    The tones are those of the dictionary: the voices were trained with them, and make of two third
    tones what a speaker makes of them.
    """

    def __init__(self) -> None:
        pypinyin = importlib.import_module("pypinyin")
        conversion = importlib.import_module("pypinyin.contrib.tone_convert")
        self._read: Callable[[str], list[str]] = functools.partial(
            pypinyin.lazy_pinyin, style=pypinyin.Style.TONE3, neutral_tone_with_five=True
        )
        # What is in pinyin already has its tone as a mark, or none.
        self._number: Callable[[str], str] = functools.partial(
            conversion.to_tone3, v_to_u=True, neutral_tone_with_five=True
        )

    def phonemes(self, word: str) -> str | None:
        """Return the phonemes of a word; None if a character of it has no known reading."""
        said = [syllables.phonemes(self._number(syllable)) for syllable in self._read(word)]
        return None if None in said else "".join(filter(None, said))
