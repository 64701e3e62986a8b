"""The stress of words."""

from __future__ import annotations

import re

_PRIMARY, _SECONDARY = "ˈ", "ˌ"
_VOWEL = re.compile("[aeiouyæøœɐɑɒɔɘəɚɛɜɤɥɨɪɯʉʊʌᵊᵻAIOQWY]")


def shift(phonemes: str, steps: float) -> str:
    """Return the phonemes of a word with its stress raised or lowered by a number of steps.

    The levels are none, secondary and primary stress. The level of a word is that of its strongest
    syllable. A new stress mark goes before the first vowel. A word without a vowel stays
    unstressed.
    """
    strength = 2 if _PRIMARY in phonemes else 1 if _SECONDARY in phonemes else 0
    wanted = max(0, min(2, round(strength + steps)))
    if wanted == strength:
        return phonemes
    if wanted == 0:
        return phonemes.replace(_PRIMARY, "").replace(_SECONDARY, "")
    mark = _PRIMARY if wanted == 2 else _SECONDARY
    if strength == 2:
        return phonemes.replace(_SECONDARY, "").replace(_PRIMARY, mark)
    if strength == 1:
        # In these languages the last one is the strongest: ˌuˌɛs becomes ˌuˈɛs.
        return mark.join(phonemes.rsplit(_SECONDARY, 1))
    return _VOWEL.sub(lambda match: mark + match[0], phonemes, count=1)
