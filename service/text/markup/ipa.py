"""From the IPA of dictionaries to Kokoro's symbols.

Apart from `service.text.espeak.symbols`, which knows what espeak-ng writes: people write
diphthongs and affricates without ties, the e of *bed* as /e/ and the g of the keyboard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from service.text.markup.values import parse_phonemes
from service.text.vocabulary import describe

_TIES = str.maketrans("", "", "\u0361\u035c")

_COMMON = {
    "dz": "ʣ",
    "dʑ": "ʥ",
    "dʒ": "ʤ",
    "ts": "ʦ",
    "tɕ": "ʨ",
    "tʃ": "ʧ",
    "aɪ": "I",
    "aʊ": "W",
    "eɪ": "A",
    "ɔɪ": "Y",
    "oʊ": "O",
    "əʊ": "Q",
    "g": "ɡ",
    "ɫ": "l",
    "ʍ": "w",
    "ã": "a\u0303",
    "ẽ": "e\u0303",
    "ĩ": "i\u0303",
    "õ": "o\u0303",
    "ũ": "u\u0303",
    # Borders of syllables, and the marks that no voice was trained with.
    ".": "",
    "\u032a": "",
    "\u0329": "",
    "\u032f": "",
}

_ENGLISH = {
    "r": "ɹ",
    "e": "ɛ",
    "l\u0329": "ᵊl",
    "m\u0329": "ᵊm",
    "n\u0329": "ᵊn",
}

_AMERICAN = {
    "əʊ": "O",
    "o": "O",
    "or": "ɔɹ",
    "oɹ": "ɔɹ",
    "ɝ": "ɜɹ",
    "ɚ": "əɹ",
    "ɝː": "ɜɹ",
    "ɜː": "ɜɹ",
    "ɜːr": "ɜɹ",
    "ɜːɹ": "ɜɹ",
    "ɾ": "T",
    "ː": "",
}

_BRITISH = {
    "oʊ": "Q",
    "o": "Q",
    "or": "ɔː",
    "oɹ": "ɔː",
    "eə": "ɛː",
    "ɝ": "ɜː",
    "ɝː": "ɜː",
    "ɚ": "ə",
}

_TABLES: Mapping[str, Mapping[str, str]] = {
    "en-us": {**_COMMON, **_ENGLISH, **_AMERICAN},
    "en-gb": {**_COMMON, **_ENGLISH, **_BRITISH},
}


def kokoro_phonemes(ipa: str, language: str | None) -> str:
    """Return IPA in the symbols of the vocabulary, white space folded.

    Args:
        ipa: as dictionaries have it, with or without ties.
        language: code of the language whose voice will say it; None if that is not known.

    Raises:
        ValueError: a symbol is no IPA, or nothing in the vocabulary sounds like it.
    """
    table, pattern = _rules(language)
    for symbol in ipa:
        # The vocabulary's capitals are its own.
        if symbol.isascii() and symbol.isupper():
            raise ValueError(f"{describe(symbol)} is not IPA")
    return parse_phonemes(pattern.sub(lambda match: table[match[0]], ipa.translate(_TIES)))


@cache
def _rules(language: str | None) -> tuple[Mapping[str, str], re.Pattern[str]]:
    table = _TABLES.get(language or "", _COMMON)
    return table, re.compile("|".join(map(re.escape, sorted(table, key=len, reverse=True))))
