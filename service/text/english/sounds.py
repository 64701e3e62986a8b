"""What kinds of sounds Kokoro's English symbols stand for."""

from __future__ import annotations

VOWELS = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ")
"""Those that take stress, and that weak forms such as `the` look out for; ɐ is never stressed."""

CONSONANTS = frozenset("bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ")

PAUSES = frozenset(";:,.!?—…")
"""Marks at which speech stops."""

FLAPPING = frozenset("AIOWYiuæɑəɛɪɹʊʌ")
"""Sounds after which Americans say a t between vowels as a tap."""

DOUBLE = frozenset("AIOQWYʤʧ")
"""Symbols that stand for two sounds each."""


def is_before_vowel(phonemes: str, default: bool | None) -> bool | None:
    """Tell whether phonemes start with a vowel; None if with a pause.

    Args:
        phonemes: of a word or a mark.
        default: what is true if there is none of these sounds.
    """
    for symbol in phonemes:
        if symbol in VOWELS:
            return True
        if symbol in CONSONANTS:
            return False
        if symbol in PAUSES:
            return None
    return default
