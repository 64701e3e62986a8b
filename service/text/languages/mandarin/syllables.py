"""The phonemes of Mandarin syllables, in the symbols of Kokoro's Mandarin voices."""

from __future__ import annotations

_INITIALS = {
    "b": "p", "p": "pʰ", "m": "m", "f": "f",
    "d": "t", "t": "tʰ", "n": "n", "l": "l",
    "g": "k", "k": "kʰ", "h": "x",
    "j": "ʨ", "q": "ʨʰ", "x": "ɕ",
    "zh": "ꭧ", "ch": "ꭧʰ", "sh": "ʂ", "r": "ɻ",
    "z": "ʦ", "c": "ʦʰ", "s": "s",
}  # fmt: skip

# The tone replaces the bar.
_FINALS = {
    "a": "a|", "ai": "ai|", "an": "a|n", "ang": "a|ŋ", "ao": "au|",
    "e": "ɤ|", "ei": "ei|", "en": "ə|n", "eng": "ə|ŋ",
    "o": "wo|", "ong": "ʊ|ŋ", "ou": "ou|",
    "i": "i|", "in": "i|n", "ing": "i|ŋ",
    "ia": "ja|", "ian": "jɛ|n", "iang": "ja|ŋ", "iao": "jau|",
    "ie": "je|", "iong": "jʊ|ŋ", "iou": "jou|",
    "u": "u|", "ua": "wa|", "uai": "wai|", "uan": "wa|n", "uang": "wa|ŋ",
    "uei": "wei|", "uen": "wə|n", "ueng": "wə|ŋ", "uo": "wo|",
    "ü": "y|", "üan": "ɥɛ|n", "üe": "ɥe|", "ün": "y|n",
}  # fmt: skip

_INTERJECTIONS = {
    "er": "ɚ|", "o": "ɔ|", "io": "jɔ|", "ê": "ɛ|",
    "m": "m|", "n": "n|", "ng": "ŋ|", "hm": "hm|", "hng": "hŋ|",
}  # fmt: skip
"""Syllables outside the tables above, mostly interjections."""

_TONES = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}

SIBILANTS = ("zh", "ch", "sh", "r", "z", "c", "s")
"""Initials after which an i only prolongs the initial."""

_GLIDES = {"y": "i", "w": "u"}
"""First letter of a final without an initial, and the vowel it stands for."""

_CONTRACTED = {"iu": "iou", "ui": "uei", "un": "uen"}
"""Finals that are abbreviated after an initial."""


def phonemes(syllable: str) -> str | None:
    """Return the phonemes of a pinyin syllable with tone, such as `lü4`; None for other text.

    Args:
        syllable: lower-case letters, and the tone from 1 to 5; 5 is the neutral tone.
    """
    body, tone = syllable[:-1], _TONES.get(syllable[-1:])
    pattern = _pattern(body)
    return None if tone is None or pattern is None else pattern.replace("|", tone)


def parts(body: str) -> tuple[str, str] | None:
    """Return initial and final of a pinyin syllable without its tone; None for other text.

    Finals are those of the tables above, without abbreviations: `iou`, `üe`; interjections are
    finals too.
    """
    if body in _INTERJECTIONS:
        return "", body
    initial = body[:2] if body[:2] in _INITIALS else body[:1]
    if initial not in _INITIALS:
        final = _without_initial(body)
        return ("", final) if final in _FINALS else None
    final = body[len(initial) :]
    if initial in ("j", "q", "x") and final.startswith("u"):
        final = f"ü{final[1:]}"
    final = _CONTRACTED.get(final, final)
    return (initial, final) if final in _FINALS else None


def _pattern(body: str) -> str | None:
    found = parts(body)
    if found is None:
        return None
    initial, final = found
    if final == "i" and initial in SIBILANTS:
        return f"{_INITIALS[initial]}ɨ|"
    return f"{_INITIALS.get(initial, '')}{_INTERJECTIONS.get(body) or _FINALS[final]}"


def _without_initial(body: str) -> str:
    """Return a final without an initial as it is written after one: `yan` as `ian`."""
    if body.startswith("yu"):
        return f"ü{body[2:]}"
    if body.startswith(("yi", "wu")) or body in ("yo", "wong"):
        return body[1:]
    return f"{_GLIDES.get(body[:1], body[:1])}{body[1:]}"
