"""Foreign words and names, as English speakers say them."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from service.text.languages.english.british import in_british
from service.text.wordlist import WordList

_KEPT = 4096
_SHORTEST_IN_CAPITALS = 5

# Letters that Unicode does not split into a letter and an accent.
_FOLDED = str.maketrans(
    {
        "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ı": "i", "ħ": "h", "ŋ": "ng",
        "þ": "th", "Þ": "Th", "ð": "th", "Ð": "Th", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe",
        "ß": "ss", "ə": "e", "ŧ": "t", "ƒ": "f", "ĸ": "k",
    }
)  # fmt: skip


class Loanwords:
    """The phonemes of loanwords. Safe to share between threads.

    A name stays a name: only words in small letters are also found with a capital. Both are found
    in capitals, in which a shorter word may be an initialism.

    Args:
        british: whether in British or American English.
    """

    def __init__(self, *, british: bool) -> None:
        self._british = british
        self._words = WordList.load("loanwords")
        self.get = lru_cache(_KEPT)(self._find)
        """Return the phonemes of a word, or None."""

    def __contains__(self, word: str) -> bool:
        return self.get(word) is not None

    def _find(self, word: str) -> str | None:
        spellings = [word]
        if word == word.upper() and len(word) >= _SHORTEST_IN_CAPITALS:
            spellings += [word.capitalize(), word.lower()]
        elif word == word.capitalize():
            spellings += [word.lower()]
        for spelling in spellings:
            said = self._words.exact(spelling)
            if isinstance(said, str):
                return in_british(fold(word), said, foreign=True) or said if self._british else said
        return None


def fold(word: str) -> str:
    """Return a word in the letters of English: `Đặng` becomes `Dang`.

    A voice that cannot read a letter would name it. Letters of other scripts stay.
    """
    plain = unicodedata.normalize("NFD", word.translate(_FOLDED))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
