"""From espeak-ng's IPA to Kokoro's symbols.

Kokoro writes a diphthong as one capital and an affricate as one letter, and every voice was
trained on one way to write its language. The tables below say what becomes of each thing that
espeak-ng emits; what no table names and the vocabulary lacks is an error, never dropped. The
conventions are those documented with hexgrad's misaki (Apache-2.0); the tables are our own,
collected from what espeak-ng 1.52 emits for every letter of Unicode's first planes, for all
three-letter strings of each alphabet and for 90,000 English words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from service.errors import UnknownSymbolError
from service.text.languages import LANGUAGES
from service.text.vocabulary import describe, load_vocabulary

# In the keys below, `#` is the edge of a word and `^` the tie between the parts of one sound.
_EDGE = "#"

# Affricates and diphthongs that Kokoro writes with one symbol in every language.
_COMPOSED = {
    "d^z": "ʣ",
    "d^ʑ": "ʥ",
    "d^ʒ": "ʤ",
    "t^s": "ʦ",
    "t^ɕ": "ʨ",
    "t^ʃ": "ʧ",
    "a^ɪ": "I",
    "a^ʊ": "W",
    "e^ɪ": "A",
    "ɔ^ɪ": "Y",
    "o^ʊ": "O",
    "ə^ʊ": "Q",
}

# Sounds that the vocabulary lacks, as the nearest one that it has. They come with names and words
# that espeak-ng reads by the rules of other languages.
_NEAREST = {
    "ɫ": "l",  # dark l: Korean finals
    "ɭ": "l",  # retroflex l: Marathi, Tamil, Russian letter names
    "ɬ": "l",  # voiceless l: Welsh
    "ʀ": "ʁ",  # Armenian ղ
    "ʐ": "ʒ",  # Urdu, Tamil
    "ʑ": "ʒ",
    "ʉ": "u",  # Tamil
    "ɵ": "o",  # Russian ё
    "ʏ": "y",
    "ʍ": "w",  # Latin letter names in Hindi
    "ɦ": "h",
    "ħ": "h",
    "ʕ": "ʔ",
    "ᵐ": "m",  # Sinhala prenasalised stops
    "ⁿ": "n",
    "ᵑ": "ŋ",
    "ʰ^χ": "h",  # espeak-ng's spelling of a Devanagari vowel sign that stands alone
}

# Nasal vowels in one character, should a build of espeak-ng compose them: vowel and tilde.
_DECOMPOSED = {nasal: vowel + "\u0303" for vowel, nasal in zip("aeiou", "ãẽĩõũ", strict=True)}

# What stands for no sound of its own.
_DROPPED = {
    "^": "a tie in a pair that has no single symbol: the two letters are enough",
    "-": "espeak-ng's mark of a schwa that French may leave out, and of Korean tense consonants",
    ".": "espeak-ng's spelling of the aspiration in Hindi ढ़: the breath follows as h",
    "+": "part of a phoneme's internal name (Bengali letter names)",
    "1": "part of a phoneme's internal name (Cyrillic and Arabic letter names)",
    "\u032a": "dental t and d: no voice tells them from the plain ones",
    "\u0329": "syllabic consonant outside English: the voices were trained without the mark",
}

_COMMON = {**_COMPOSED, **_NEAREST, **_DECOMPOSED, **dict.fromkeys(_DROPPED, "")}

# English voices were trained on a lexicon with its own inventory.
_ENGLISH = {
    # The vowels of syllabic l and n are short schwas; the syllable mark itself is not written.
    "ə^l": "ᵊl",
    "l\u0329": "ᵊl",
    "m\u0329": "ᵊm",
    "n\u0329": "ᵊn",
    "r\u0329": "ᵊɹ",
    # One schwa; the near-open one is written for the unstressed articles only.
    "ɐ": "ə",
    "#ɐ#": "ɐ",
    "#ɐn#": "ɐn",
    # English r, and no glottal stop: button is bˈʌtᵊn.
    "r": "ɹ",
    "ʔ": "t",
    # Loch and Reich as most speakers say them.
    "x": "k",
    "ç": "k",
    # Simple e and o do not exist in English; a lone o is older espeak-ng's vowel of north.
    "e": "A",
    "o": "ɔ",
    # Vowels nasal in the original language are read with n, as in ensemble; jalapeño has a j.
    "\u0303": "n",
    "ʲ": "j",
    # The breath after a stop goes without saying.
    "k^h": "k",
    "p^h": "p",
    "t^h": "t",
    "ʰ": "",
}

_AMERICAN = {
    # The flap of water.
    "ɾ": "T",
    # R-coloured vowels are vowel and r, and an r that follows is the same one.
    "ɚ": "əɹ",
    "ɚɹ": "əɹ",
    "a^ɪ^ɚ": "Iəɹ",
    "a^ɪ^ɚɹ": "Iəɹ",
    "ɜː": "ɜɹ",
    "ɜːɹ": "ɜɹ",
    "^ɹɹ": "ɹ",
    # No vowel is told from another by its length.
    "ː": "",
    # The end of idea is two vowels, and the first of them is that of fleece.
    "ɪə": "iə",
    # The British goat, from words that espeak-ng reads with its other English.
    "ə^ʊ": "O",
}

_BRITISH = {
    # Square is a long vowel; near and the end of idea are one diphthong.
    "e^ə": "ɛː",
    "i^ə": "ɪə",
    # The flap exists only in words of other languages.
    "ɾ": "ɹ",
    # The American goat, likewise.
    "o^ʊ": "Q",
}

_ITALIAN = {
    # The doubled s, of which the Italian voices have a symbol.
    "s^s": "S",
}

_TABLES: Mapping[str, Mapping[str, str]] = {
    "en-us": {**_COMMON, **_ENGLISH, **_AMERICAN},
    "en-gb": {**_COMMON, **_ENGLISH, **_BRITISH},
    # Espeak-ng's own inventory otherwise: these voices were trained on it.
    "es": _COMMON,
    "fr": _COMMON,
    "hi": _COMMON,
    "it": {**_COMMON, **_ITALIAN},
    "pt-br": _COMMON,
}


def kokoro_phonemes(ipa: str, language: str) -> str:
    """Return espeak-ng's IPA, with ties, in the symbols that Kokoro's voices of a language know.

    `language` is a code of `LANGUAGES`. Raises UnknownSymbolError, naming the character and its
    position in the IPA, for what is neither in the language's table nor in the vocabulary.
    """
    table, pattern, kept = _rules(language)
    out: list[str] = []
    position = 0
    while position < len(ipa):
        match = pattern.match(ipa, position)
        if match is not None:
            assert match.lastgroup is not None
            out.append(table[match.lastgroup])
            position = match.end()
            continue
        symbol = ipa[position]
        if symbol not in kept:
            raise UnknownSymbolError(
                f"espeak-ng's {describe(symbol)} at position {position + 1} of"
                f" its {LANGUAGES[language].name} phonemes has no symbol in the model's vocabulary"
            )
        out.append(symbol)
        position += 1
    return " ".join("".join(out).split())


@cache
def _rules(language: str) -> tuple[dict[str, str], re.Pattern[str], frozenset[str]]:
    """Return replacements by group name, a pattern that prefers long keys, and what stays."""
    keys = sorted(_TABLES[language], key=len, reverse=True)
    table = {f"k{number}": _TABLES[language][key] for number, key in enumerate(keys)}
    pattern = "|".join(f"(?P<k{number}>{_key_pattern(key)})" for number, key in enumerate(keys))
    # Kokoro's capitals are its own: one that espeak-ng emits is the name of an internal phoneme
    # that leaked, not a diphthong. Marks are put back by service.text.punctuation, never by it.
    vocabulary = load_vocabulary()
    kept = frozenset(
        symbol
        for symbol in vocabulary.symbols
        if symbol in " ˈˌː\u0303ʰʲ" or (symbol in vocabulary.sounds and not symbol.isupper())
    )
    return table, re.compile(pattern), kept


def _key_pattern(key: str) -> str:
    before = r"(?<!\S)" if key.startswith(_EDGE) else ""
    after = r"(?!\S)" if key.endswith(_EDGE) else ""
    return before + re.escape(key.strip(_EDGE)) + after
