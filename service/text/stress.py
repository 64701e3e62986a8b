"""How strongly a word is said."""

from __future__ import annotations

import re

_PRIMARY, _SECONDARY = "ˈ", "ˌ"
_VOWEL = re.compile("[aeiouyæøœɐɑɒɔɘəɚɛɜɤɥɨɪɯʉʊʌᵊᵻAIOQWY]")


def shift(phonemes: str, steps: float) -> str:
    """Return the phonemes of a word said more strongly by so many steps, or less.

    The levels are no stress, secondary and primary; a word is as strong as its strongest
    syllable. The mark of a word that had none goes before its first vowel; a word without a
    vowel has no stress.
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
        # The last of them is the strongest in the languages at hand: ˌuˌɛs becomes ˌuˈɛs.
        return mark.join(phonemes.rsplit(_SECONDARY, 1))
    return _VOWEL.sub(lambda match: mark + match[0], phonemes, count=1)
