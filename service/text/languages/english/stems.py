"""Inflectional endings of English: the stems before them, and their phonemes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from service.text.languages.english.sounds import FLAPPING

# `running`, `picnicking`.
_DOUBLED = re.compile(r"(?:([bcdgklmnprstvxz])\1|ck)ing$")


class Ending(NamedTuple):
    """An ending of inflected words.

    Attributes:
        stems: yields the stems that a word may have, the likeliest first.
        attach: returns the phonemes of a stem with the ending. Takes those of the stem, and whether
            they are British. Returns None if there is no rule.
        stressed: whether the stem is stressed, even if it may be unstressed alone.
    """

    stems: Callable[[str], Iterator[str]]
    attach: Callable[[str, bool], str | None]
    stressed: bool = False


def _stems_of_s(word: str) -> Iterator[str]:
    if len(word) < 3 or word[-1] != "s":
        return
    if word[-2] != "s":
        yield word[:-1]
    if word.endswith("'s") or (len(word) > 4 and word.endswith("es") and word[-3] != "i"):
        yield word[:-2]
    if len(word) > 4 and word.endswith("ies"):
        yield f"{word[:-3]}y"


def _stems_of_ed(word: str) -> Iterator[str]:
    if len(word) < 4 or word[-1] != "d":
        return
    if word[-2] != "d":
        yield word[:-1]
    if len(word) > 4 and word[-2] == "e" and word[-3] != "e":
        yield word[:-2]


def _stems_of_ing(word: str) -> Iterator[str]:
    if len(word) < 5 or not word.endswith("ing"):
        return
    if len(word) > 5:
        yield word[:-3]
    yield f"{word[:-3]}e"
    if len(word) > 5 and _DOUBLED.search(word):
        yield word[:-4]


def _attach_s(stem: str, british: bool) -> str:
    if stem[-1] in "ptkfθ":
        return f"{stem}s"
    if stem[-1] in "szʃʒʧʤ":
        return f"{stem}{_weak_vowel(british)}z"
    return f"{stem}z"


def _attach_ed(stem: str, british: bool) -> str:
    if stem[-1] in "pkfθʃsʧ":
        return f"{stem}t"
    if stem[-1] == "d":
        return f"{stem}{_weak_vowel(british)}d"
    if stem[-1] != "t":
        return f"{stem}d"
    # A lone t is pronounced the British way in both varieties.
    return f"{tapped(stem, british)}{_weak_vowel(british or len(stem) == 1)}d"


def _attach_ing(stem: str, british: bool) -> str | None:
    # After these, British English inserts an r that the phonemes of the stem do not show.
    if british and stem[-1] in "əː":
        return None
    return f"{tapped(stem, british)}ɪŋ"


def tapped(stem: str, british: bool) -> str:
    """Return a stem as before a vowel: Americans tap a final t, as in `waiting`."""
    taps = not british and stem[-1] == "t" and stem[-2:-1] in FLAPPING
    return f"{stem[:-1]}ɾ" if taps else stem


def _weak_vowel(british: bool) -> str:
    return "ɪ" if british else "ᵻ"


S = Ending(_stems_of_s, _attach_s)
ED = Ending(_stems_of_ed, _attach_ed)
ING = Ending(_stems_of_ing, _attach_ing, stressed=True)

ENDINGS = (S, ED, ING)
"""All endings, in the order in which they are tried."""
