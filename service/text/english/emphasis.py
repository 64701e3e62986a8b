"""How strongly an English word is said: with primary stress, secondary stress, or none."""

from __future__ import annotations

import re
from enum import IntEnum

from service.text.english.sounds import VOWELS

PRIMARY, SECONDARY = "ˈ", "ˌ"

_FIRST_VOWEL = re.compile(f"[{''.join(sorted(VOWELS))}]")


class Strength(IntEnum):
    """The stress of a word's strongest syllable."""

    UNSTRESSED = 0
    SECONDARY = 1
    PRIMARY = 2


def strengthen(phonemes: str, least: Strength) -> str:
    """Return the phonemes of a word, said at least so strongly.

    The mark of a word that had none goes before its first vowel; a word without a vowel stays
    unstressed.
    """
    if least is Strength.UNSTRESSED or PRIMARY in phonemes:
        return phonemes
    if SECONDARY in phonemes:
        return phonemes if least is Strength.SECONDARY else phonemes.replace(SECONDARY, PRIMARY)
    mark = SECONDARY if least is Strength.SECONDARY else PRIMARY
    return _FIRST_VOWEL.sub(lambda match: mark + match[0], phonemes, count=1)


def weaken(phonemes: str) -> str:
    """Return the phonemes of a word with secondary stress where it had primary stress."""
    if PRIMARY not in phonemes:
        return phonemes
    return phonemes.replace(SECONDARY, "").replace(PRIMARY, SECONDARY)


def remove(phonemes: str) -> str:
    """Return the phonemes of a word, unstressed."""
    return phonemes.replace(PRIMARY, "").replace(SECONDARY, "")
