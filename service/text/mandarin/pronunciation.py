"""How Chinese words sound, as misaki has it for Kokoro's Mandarin voices."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import warnings
from collections.abc import Callable

from service.text.mandarin.segmenter import import_jieba

_PACKAGES = ("misaki", "jieba", "pypinyin", "cn2an", "ordered_set")

# misaki writes diphthongs with a mark of which the vocabulary knows nothing.
_NON_SYLLABIC = "\u032f"


@functools.cache
def is_installed() -> bool:
    """Tell whether the extra `zh` is there; misaki has no release for Python 3.13 and later."""
    return all(importlib.util.find_spec(package) is not None for package in _PACKAGES)


class Pronunciation:
    """Says Chinese words. Safe to share between threads.

    The tones are those of the dictionary: the voices were trained with them, and make of two third
    tones what a speaker makes of them.
    """

    def __init__(self) -> None:
        import_jieba()
        with warnings.catch_warnings():
            # What misaki imports may have escapes that Python 3.12 warns of.
            warnings.simplefilter("ignore")
            module = importlib.import_module("misaki.zh")
        self._say: Callable[[str], str] = module.ZHG2P.word2ipa

    def phonemes(self, word: str) -> str | None:
        """Return the phonemes of a word; None if a character of it has no known reading."""
        try:
            return self._say(word).replace(_NON_SYLLABIC, "")
        except ValueError:
            return None
