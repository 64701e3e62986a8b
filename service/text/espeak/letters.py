"""Decide what espeak-ng says of a character: a sound, a word or a name, but never a code point."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable

from service.errors import InvalidTextError
from service.text.characters import is_meaningful
from service.text.offset_mapping import TracedText

# A word of each script that espeak-ng may read; those of India end in a consonant that takes all
# marks. The names of a script's characters begin with its key.
_WORDS = {
    "LATIN": "al",
    "GREEK": "και",
    "CYRILLIC": "мод",
    "ARMENIAN": "բարեւ",
    "GEORGIAN": "კარგი",
    "HANGUL": "한국",
    "HEBREW": "שלום",
    "ARABIC": "سلام",
    "THAI": "มานี",
    "ETHIOPIC": "ሰላም",
    "MYANMAR": "မြန်မာ",
    "DEVANAGARI": "नमक",
    "BENGALI": "গরুড",
    "GURMUKHI": "ਰਾਜ",
    "GUJARATI": "નમક",
    "TAMIL": "மரம",
    "TELUGU": "కమల",
    "KANNADA": "ಕಮಲ",
    "MALAYALAM": "കമല",
    "SINHALA": "කමල",
    "SHAVIAN": "𐑖𐑱𐑝𐑾𐑯",
}
_NAMED_OTHERWISE = dict.fromkeys(("COMBINING", "FEMININE", "MASCULINE", "MODIFIER"), "LATIN")

_MOST_OF_WORD = 6
"""Symbols of IPA for each letter of a word of a script that is read."""

_MOST_ADDED = 7
"""Symbols of IPA that a letter or mark adds to a word of its script."""

_LONGEST_NAMES: dict[str, float] = {"P": 28, "S": 28, "Sc": 14}
"""Symbols of IPA of a sign's name, by category."""

# espeak-ng has names for these letters, some of them long: `small capital I`, `omicron`.
_NAMED = re.compile("[\u0250-\u02af\u0391-\u03c9]")

# Of Hangul all syllables sound, so that 11,172 letters need not be measured one by one.
_SYLLABLE = re.compile("[\uac00-\ud7a3]")

# Beyond Latin-1, Latin Extended-A and modern Greek, accented letters have sounds but no names.
_ALONE = re.compile(r"(?<![^\W\d_])[\u0180-\u024f\u1e00-\u1fff](?![^\W\d_])")

_DIGIT = re.compile("[0-9]")
_WITHOUT_SOUND = re.compile("[ˈˌː^ ]+")


class Letters:
    """What one voice of espeak-ng reads of each character.

    espeak-ng spells what it has no sound or name for: the name of the script, `letter` or `symbol`
    and the code point, some 30 phonemes. What it would spell is left out, or replaced by its base
    letter. So are scripts of which it says the name before each letter.

    Measured with espeak-ng 1.52 and all seven voices: 30,000 characters, each alone, twice and at
    the end of a word, and a word of 30 scripts. Words of the scripts that are read have 0.7 to 4.7
    symbols for each letter, those of others 8.5 and more. Letters that are read add up to 7 to a
    word, those that are spelled 9 and more. Each voice is measured again when it first meets a
    script and a character, because versions of espeak-ng differ.

    Args:
        ipa: returns the IPA of a text; raises InvalidTextError if espeak-ng crashes on it.
    """

    def __init__(self, ipa: Callable[[str], str]) -> None:
        self._ipa = ipa
        self._said: dict[str, str] = {}
        self._bases: dict[str, str] = {}
        self._words: dict[str, tuple[str, float] | None] = {}

    def skips(self, character: str) -> bool:
        """Tell whether nothing is said of a letter, number or currency sign."""
        return self._read_of(character).isspace()

    def written(self, text: TracedText) -> TracedText:
        """Return what espeak-ng reads of words."""
        if text.text.isascii():
            return text
        text = text.sub(_ALONE, lambda match: self._base_of(match[0]))
        table = {ord(letter): self._read_of(letter) for letter in set(text.text)}
        return text.translate(table)

    def _read_of(self, character: str) -> str:
        """Return what is read of a character: itself, its base letter, a space or nothing."""
        if character.isascii():
            return character
        read = self._said.get(character)
        if read is None:
            read = self._said[character] = self._read_anew(character)
        return read

    def _read_anew(self, character: str) -> str:
        category = unicodedata.category(character)
        if category[0] in "LM":
            return self._letter(character)
        length = self._length(character)
        if not length:
            return " " if is_meaningful(character) else character
        if category[0] == "N":
            is_digit = _DIGIT.search(unicodedata.normalize("NFKC", character)) is not None
            return character if is_digit else self._letter(character)
        longest = _LONGEST_NAMES.get(category) or _LONGEST_NAMES.get(category[0], math.inf)
        return character if length <= longest else " "

    def _letter(self, character: str) -> str:
        measured = self._word(character)
        if measured is not None and _SYLLABLE.match(character):
            return character
        is_needed = is_meaningful(character)
        if (measured is not None or not is_needed) and not self._length(character):
            return " " if is_needed else character
        if measured is not None:
            word, length = measured
            added = self._length(word + character.lower()) - length
            if added <= _MOST_ADDED or _NAMED.match(character):
                return character
            if simpler := self._simpler(character):
                return simpler
        # What is left out separates words, unless it is a mark.
        return "" if unicodedata.category(character)[0] == "M" else " "

    def _base_of(self, character: str) -> str:
        """Return the base letter of a letter that is alone and has no name; else itself."""
        base = self._bases.get(character)
        if base is None:
            spelled = self._length(character) > _MOST_ADDED
            base = (self._simpler(character) if spelled else "") or character
            self._bases[character] = base
        return base

    def _simpler(self, character: str) -> str:
        """Return what is read of a letter without its last accent; empty if it has none."""
        parts = [part for part in unicodedata.decomposition(character).split() if part[0] != "<"]
        if not parts or not (letter := chr(int(parts[0], 16))).isalpha():
            return ""
        return self._read_of(letter).strip()

    def _word(self, character: str) -> tuple[str, float] | None:
        """Return a word of a character's script and its length; None if that is not read."""
        script = unicodedata.name(character, "").partition(" ")[0]
        script = _NAMED_OTHERWISE.get(script, script)
        if script not in self._words:
            word = _WORDS.get(script, "")
            length = self._length(word)
            is_read = word != "" and length <= _MOST_OF_WORD * len(word)
            self._words[script] = (word, length) if is_read else None
        return self._words[script]

    def _length(self, text: str) -> float:
        """Return the number of symbols of IPA; infinite if espeak-ng crashes on the text."""
        try:
            return len(_WITHOUT_SOUND.sub("", self._ipa(text)))
        except InvalidTextError:
            return math.inf
