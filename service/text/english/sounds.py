"""Classes of Kokoro's English symbols."""

from __future__ import annotations

VOWELS = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ")
"""Vowels that can be stressed and that decide weak forms such as `the`. ɐ is never stressed."""

CONSONANTS = frozenset("bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ")

PAUSES = frozenset(";:,.!?—…")
"""Marks at which speech pauses."""

FLAPPING = frozenset("AIOWYiuæɑəɛɪɹʊʌ")
"""Sounds after which Americans pronounce a t between vowels as a tap."""

DOUBLE = frozenset("AIOQWYʤʧ")
"""Symbols that each stand for two sounds."""


def is_before_vowel(phonemes: str, default: bool | None) -> bool | None:
    """Tell whether phonemes start with a vowel; None if they start with a pause.

    Args:
        phonemes: the phonemes of a word, or a mark.
        default: the result if they have neither a vowel, a consonant nor a pause.
    """
    for symbol in phonemes:
        if symbol in VOWELS:
            return True
        if symbol in CONSONANTS:
            return False
        if symbol in PAUSES:
            return None
    return default
