"""Foreign words and names, as English speakers say them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from service.text.languages.english.british import in_british

# Letters that Unicode does not split into a letter and an accent.
_FOLDED = str.maketrans(
    {
        "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ı": "i", "ħ": "h", "ŋ": "ng",
        "þ": "th", "Þ": "Th", "ð": "th", "Ð": "Th", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe",
        "ß": "ss", "ə": "e", "ŧ": "t", "ƒ": "f", "ĸ": "k",
    }
)  # fmt: skip


@cache
def loanwords(*, british: bool) -> Mapping[str, str]:
    """Return the phonemes of loanwords by their spelling, with and without a first capital.

    Args:
        british: whether in British or American English.
    """
    file = files("service.text.languages.english") / "data" / "loanwords.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    entries = dict(line.split("\t") for line in lines if line and line[0] != "#")
    if british:
        entries = {
            word: in_british(fold(word), phonemes, foreign=True) or phonemes
            for word, phonemes in entries.items()
        }
    # A name stays a name: only words in small letters are also found with a capital.
    capitals = {word.capitalize(): said for word, said in entries.items() if word.islower()}
    return capitals | entries


def fold(word: str) -> str:
    """Return a word in the letters of English: `Đặng` becomes `Dang`.

    A voice that cannot read a letter would name it. Letters of other scripts stay.
    """
    plain = unicodedata.normalize("NFD", word.translate(_FOLDED))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
