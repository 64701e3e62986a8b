"""The symbols of a model and their token ids."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from functools import cache

from service.errors import UnknownSymbolError
from service.resources import resource

# Symbols that only modify their neighbours. They make no sound alone.
_STRESS = frozenset("ˈˌ")
_LENGTH_AND_MANNER = frozenset("ːʰʲ\u0303")
_TONES = frozenset("↓→↗↘")
_MODIFIERS = _STRESS | _LENGTH_AND_MANNER | _TONES


def describe(symbol: str) -> str:
    """Return a character as messages show it: quoted, with its code point."""
    return f"{symbol!r} (U+{ord(symbol):04X})"


class Vocabulary:
    """The phonemes, marks and modifiers of a model, each with its token id."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = dict(ids)
        self._sounds = frozenset(
            symbol
            for symbol in self._ids
            if symbol not in _MODIFIERS and unicodedata.category(symbol).startswith("L")
        )

    @property
    def symbols(self) -> frozenset[str]:
        """Return every symbol, one character each."""
        return frozenset(self._ids)

    @property
    def sounds(self) -> frozenset[str]:
        """Return the symbols that make a sound: vowels and consonants."""
        return self._sounds

    @property
    def marks(self) -> frozenset[str]:
        """Return the punctuation marks; digits are tones, and arrows are modifiers."""
        return frozenset(s for s in self._ids if unicodedata.category(s).startswith("P"))

    def token_ids(self, phonemes: str) -> list[int]:
        """Return one id per symbol, without the zeros at the ends of the model's input.

        Raises UnknownSymbolError if a symbol is not in the vocabulary. The message has the first
        such symbol and its position (the first symbol is number 1).
        """
        ids: list[int] = []
        for position, symbol in enumerate(phonemes, start=1):
            token_id = self._ids.get(symbol)
            if token_id is None:
                raise UnknownSymbolError(
                    f"phoneme {describe(symbol)} at position {position}"
                    " is not in the model's vocabulary"
                )
            ids.append(token_id)
        return ids

    def unknown(self, phonemes: str) -> list[str]:
        """Return the symbols that are not in the vocabulary, each once, in order of appearance."""
        return [symbol for symbol in dict.fromkeys(phonemes) if symbol not in self._ids]

    def is_pronounceable(self, phonemes: str) -> bool:
        """Tell whether the phonemes include a sound, not only marks, spaces and modifiers."""
        return not self._sounds.isdisjoint(phonemes)


@cache
def load_vocabulary() -> Vocabulary:
    """Return the vocabulary of Kokoro v1.0, in which languages and markup are written.

    A model has its own, see `ModelSpec.token_ids`; most have all of these symbols. It is read once.
    """
    path = resource("config") / "kokoro-v1.0.json"
    return Vocabulary(json.loads(path.read_text(encoding="utf-8"))["vocab"])
