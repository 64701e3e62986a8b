"""Convert the IPA of dictionaries to Kokoro's symbols.

`service.text.espeak.symbols` does the same for espeak-ng's IPA. People write differently:
diphthongs and affricates without ties, the vowel of *bed* as /e/, and an ASCII g.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from service.text.languages import LANGUAGES
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
    # Syllable boundaries, and diacritics that no voice was trained with.
    ".": "",
    "\u032a": "",
    "\u0329": "",
    "\u032f": "",
}


def kokoro_phonemes(ipa: str, language: str | None) -> str:
    """Return IPA in the symbols of the vocabulary, white space folded.

    Args:
        ipa: IPA as in dictionaries, with or without ties.
        language: code of the language whose voice will speak it; None if unknown.

    Raises:
        ValueError: a symbol is not IPA, or the vocabulary has nothing like it.
    """
    table, pattern = _rules(language)
    for symbol in ipa:
        # Capitals are Kokoro's own symbols.
        if symbol.isascii() and symbol.isupper():
            raise ValueError(f"{describe(symbol)} is not IPA")
    return parse_phonemes(pattern.sub(lambda match: table[match[0]], ipa.translate(_TIES)))


@cache
def _rules(language: str | None) -> tuple[Mapping[str, str], re.Pattern[str]]:
    own = {} if language is None else LANGUAGES[language].load_sounds().dictionary
    table = {**_COMMON, **own}
    return table, re.compile("|".join(map(re.escape, sorted(table, key=len, reverse=True))))
