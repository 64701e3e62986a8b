"""The stress of English words: primary, secondary or none."""

from __future__ import annotations

import re
from enum import IntEnum

from service.text.languages.english.sounds import VOWELS

PRIMARY, SECONDARY = "ˈ", "ˌ"

_FIRST_VOWEL = re.compile(f"[{''.join(sorted(VOWELS))}]")


class Strength(IntEnum):
    """The stress of a word's strongest syllable."""

    UNSTRESSED = 0
    SECONDARY = 1
    PRIMARY = 2


def strengthen(phonemes: str, least: Strength) -> str:
    """Return the phonemes of a word with at least this stress.

    A new stress mark goes before the first vowel. A word without a vowel stays unstressed.
    """
    if least is Strength.UNSTRESSED or PRIMARY in phonemes:
        return phonemes
    if SECONDARY in phonemes:
        return phonemes if least is Strength.SECONDARY else phonemes.replace(SECONDARY, PRIMARY)
    mark = SECONDARY if least is Strength.SECONDARY else PRIMARY
    return _FIRST_VOWEL.sub(lambda match: mark + match[0], phonemes, count=1)


def weaken(phonemes: str) -> str:
    """Return the phonemes of a word with secondary stress in place of primary stress."""
    if PRIMARY not in phonemes:
        return phonemes
    return phonemes.replace(SECONDARY, "").replace(PRIMARY, SECONDARY)


def remove(phonemes: str) -> str:
    """Return the phonemes of a word without stress."""
    return phonemes.replace(PRIMARY, "").replace(SECONDARY, "")
