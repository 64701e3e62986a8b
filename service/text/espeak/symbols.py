"""Convert espeak-ng's IPA to Kokoro's symbols.

Kokoro writes a diphthong as one capital and an affricate as one letter. Each voice was trained with
one way of writing its language. The tables below convert everything that espeak-ng writes. A symbol
that is in no table and not in the vocabulary is an error; it is never dropped.

The conventions are documented with hexgrad's misaki (Apache-2.0). The tables are our own: they
cover the output of espeak-ng 1.52 for every letter of Unicode's first planes, for all three-letter
strings of each alphabet, and for 90,000 English words.
"""

from __future__ import annotations

import re
from functools import cache

from service.errors import UnknownSymbolError
from service.text.languages import LANGUAGES
from service.text.languages.foreign import foreign_language
from service.text.languages.language import Language
from service.text.vocabulary import Vocabulary, describe, load_vocabulary

# In the keys below, `#` is a word boundary and `^` joins the letters of one sound.
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

# Sounds that the vocabulary lacks, and their nearest neighbours in it. They come from names and
# words that espeak-ng reads by the rules of other languages.
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

# Nasal vowels as one character, in case a build of espeak-ng writes vowel and tilde composed.
_DECOMPOSED = {nasal: vowel + "\u0303" for vowel, nasal in zip("aeiou", "ãẽĩõũ", strict=True)}

# Symbols without a sound of their own.
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


class SymbolTable:
    """Writes espeak-ng's IPA in the symbols of a model's voices of a language.

    Most voices were trained with espeak-ng's own inventory; `Sounds.espeak` has what others write
    differently.

    Args:
        language: whose sounds they are.
        vocabulary: of the model.
    """

    def __init__(self, language: Language, vocabulary: Vocabulary) -> None:
        replacements = {**_COMMON, **language.load_sounds().espeak}
        keys = sorted(replacements, key=len, reverse=True)  # long keys first
        self._language = language.name
        self._table = {f"k{number}": replacements[key] for number, key in enumerate(keys)}
        self._pattern = re.compile(
            "|".join(f"(?P<k{number}>{_key_pattern(key)})" for number, key in enumerate(keys))
        )
        # Kokoro's capitals are its own: one that espeak-ng emits is the name of an internal phoneme
        # that leaked, not a diphthong. Marks are put back by service.text.punctuation, never by it.
        self._kept = frozenset(
            symbol
            for symbol in vocabulary.symbols
            if symbol in " ˈˌː\u0303ʰʲ" or (symbol in vocabulary.sounds and not symbol.isupper())
        )

    def write(self, ipa: str) -> str:
        """Return IPA, with ties, in the model's symbols.

        Raises UnknownSymbolError, with the character and its position in the IPA, for a character
        that is neither in the language's table nor in the vocabulary.
        """
        out: list[str] = []
        position = 0
        while position < len(ipa):
            match = self._pattern.match(ipa, position)
            if match is not None:
                assert match.lastgroup is not None
                out.append(self._table[match.lastgroup])
                position = match.end()
                continue
            symbol = ipa[position]
            if symbol not in self._kept:
                raise UnknownSymbolError(
                    f"espeak-ng's {describe(symbol)} at position {position + 1} of"
                    f" its {self._language} phonemes has no symbol in the model's vocabulary"
                )
            out.append(symbol)
            position += 1
        return " ".join("".join(out).split())


@cache
def symbol_table(language: str) -> SymbolTable:
    """Return the table of a language, by its code in `LANGUAGES` or `SCRIPTS`, for Kokoro v1.0."""
    known = foreign_language(language) or LANGUAGES[language]
    return SymbolTable(known, load_vocabulary())


def _key_pattern(key: str) -> str:
    before = r"(?<!\S)" if key.startswith(_EDGE) else ""
    after = r"(?!\S)" if key.endswith(_EDGE) else ""
    return before + re.escape(key.strip(_EDGE)) + after
