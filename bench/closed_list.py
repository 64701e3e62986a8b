"""A recognizer of single words: it hears one word of a closed list, or none."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bench.hearing import recognized, recognizer
from bench.prosody import active_level_db
from service.model.kokoro import SAMPLE_RATE_HZ

LEVEL_DB = -23.0
"""Level of what the recognizer hears, so that loudness has no effect on it."""

_PADDING = int(0.3 * SAMPLE_RATE_HZ)
_NOISE = 1e-4
"""Silence of 0.3 s before and after, with noise at -80 dB, since it stumbles over zeros."""


class ClosedList:
    """pocketsphinx with a grammar of single words. What it hears does not depend on what it heard.

    Args:
        words: in lower case, with pronunciations in its dictionary.
        letters: capital letters, which are recognized as themselves.

    Raises:
        ValueError: a word is not in its dictionary.
    """

    def __init__(self, words: Iterable[str], letters: Iterable[str]) -> None:
        self._decoder = recognizer()
        self._names = {f"letter_{letter.lower()}": letter for letter in letters}
        for name, letter in self._names.items():
            self._decoder.add_word(name, self._decoder.lookup_word(f"{letter.lower()}."))
        words = list(words)
        unknown = [word for word in words if self._decoder.lookup_word(word) is None]
        if unknown:
            raise ValueError(f"the recognizer does not know {', '.join(unknown)}")
        choices = " | ".join([*words, *self._names])
        grammar = f"#JSGF V1.0; grammar words; public <word> = {choices};"
        self._decoder.add_jsgf_string("words", grammar)
        self._decoder.activate_search("words")

    def hear(self, samples: np.ndarray) -> str | None:
        """Return the word of the list that is said; None if it is none of them.

        Args:
            samples: float [n] at 24 kHz.
        """
        # Its noise removal would go on from one recording to the next.
        self._decoder.reinit_feat()
        louder = samples * 10 ** ((LEVEL_DB - active_level_db(samples)) / 20)
        padded = np.pad(louder, _PADDING)
        padded = padded + np.random.default_rng(0).normal(0, _NOISE, padded.size)
        found = recognized(self._decoder, padded)
        return self._names.get(found, found) or None
