"""Parse the values that inline markup and SSML share.

Every function raises ValueError with the reason. Its caller adds the position.
"""

from __future__ import annotations

import re
import unicodedata

from service.text.vocabulary import describe, load_vocabulary

MAX_PAUSE_S = 60.0
MIN_RATE, MAX_RATE = 0.25, 4.0
MAX_STRESS = 2.0

_SHOWN = 40

_DURATION = re.compile(r"(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>ms|s)", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0}


def quote(text: str) -> str:
    """Return the caller's text as messages show it: quoted and shortened."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def parse_duration(value: str) -> float:
    """Return the seconds of `1.5s` or `500ms`, 0 to 60."""
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{quote(value)} is not a duration such as 1.5s or 500ms")
    seconds = float(match["number"]) * _SECONDS[match["unit"]]
    if seconds > MAX_PAUSE_S:
        raise ValueError(f"{quote(value)} is longer than {MAX_PAUSE_S:g} seconds")
    return seconds


def parse_stress(value: str) -> float:
    """Return the steps of `+1` or `-0.5`: halves, -2 to 2."""
    steps = float(value)
    if abs(steps) > MAX_STRESS or not (2 * steps).is_integer():
        raise ValueError(f"{quote(value)} is not a stress from -2 to +2 in steps of 0.5")
    return steps


def check_rate(rate: float) -> float:
    """Return the rate if markup may set it."""
    if not MIN_RATE <= rate <= MAX_RATE:
        raise ValueError(f"a rate of {rate:g} is not between {MIN_RATE:g} and {MAX_RATE:g}")
    return rate


def parse_phonemes(value: str) -> str:
    """Return phonemes with white space folded. At least one of them must be a sound."""
    phonemes = " ".join(value.split())
    vocabulary = load_vocabulary()
    unknown = vocabulary.unknown(phonemes)
    if unknown:
        raise ValueError(f"{describe(unknown[0])} is not a phoneme of the vocabulary")
    if not phonemes:
        raise ValueError("there are no phonemes")
    if not vocabulary.is_pronounceable(phonemes):
        raise ValueError(f"the phonemes {quote(phonemes)} make no sound")
    return phonemes


def is_blank(text: str) -> bool:
    """Tell whether the text has only white space and invisible formatting."""
    return all(character.isspace() or unicodedata.category(character) == "Cf" for character in text)
