"""Foreign words and names, as English speakers say them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

# British vowels, in the order in which they replace American ones.
_BRITISH = (
    ("T", "t"),
    ("æ", "a"),
    ("ɑɹ", "ɑː"),
    ("ɔɹ", "ɔː"),
    ("ɜɹ", "ɜː"),
    ("əɹ", "ə"),
    ("ˈu", "ˈuː"),
    ("ˈi", "ˈiː"),
    ("O", "Q"),
)
_BEFORE_VOWEL = "aeiouæɑɒɔəɛɜɪʊʌᵊAIOQWYˈˌ"

# Letters that Unicode does not split into a letter and an accent.
_FOLDED = str.maketrans(
    {
        "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ı": "i", "ħ": "h", "ŋ": "ng",
        "þ": "th", "Þ": "Th", "ð": "th", "Ð": "Th", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe",
        "ß": "ss", "ə": "e", "ŧ": "t", "ƒ": "f", "ĸ": "k",
    }
)  # fmt: skip


@cache
def loanwords(*, british: bool, with_names: bool = True) -> Mapping[str, str]:
    """Return the phonemes of loanwords by their spelling, with and without a first capital.

    Args:
        british: whether in British or American English.
        with_names: whether with the names that data/foreign_names.py chose.
    """
    entries = (_read("foreign_names.tsv") if with_names else {}) | _read("loanwords.tsv")
    if british:
        entries = {word: _in_british(phonemes) for word, phonemes in entries.items()}
    # A name stays a name: only words in small letters are also found with a capital.
    capitals = {word.capitalize(): said for word, said in entries.items() if word.islower()}
    return capitals | entries


def _read(name: str) -> dict[str, str]:
    """Return the phonemes in a file of data/, by word; a third column says what they agree with."""
    file = files("service.text.languages.english") / "data" / name
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and line[0] != "#")
    return {word: phonemes for word, phonemes, _ in rows}


def fold(word: str) -> str:
    """Return a word in the letters of English: `Đặng` becomes `Dang`.

    A voice that cannot read a letter would name it. Letters of other scripts stay.
    """
    plain = unicodedata.normalize("NFD", word.translate(_FOLDED))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _in_british(phonemes: str) -> str:
    for american, british in _BRITISH:
        if american.endswith("ɹ"):
            parts = phonemes.split(american)
            # The r stays before a vowel.
            phonemes = parts[0] + "".join(
                (american if part[:1] in _BEFORE_VOWEL and part else british) + part
                for part in parts[1:]
            )
        else:
            phonemes = phonemes.replace(american, british)
    return phonemes
