"""Cut phonemes into pieces that the model says well."""

from __future__ import annotations

import re

MAX_PIECE_LENGTH = 250
"""Phonemes of a piece. The model takes 510, but rushes and fades from about 400 on, and its memory
grows with the piece: 400 MB for 100 phonemes, 1,050 for 400."""

_BOUNDARIES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<=[.!?…])[\"”)]*\s+",  # sentences
        r"(?<=[;:—])[\"”)]*\s*",  # clauses
        r"(?<=[,)”\"])\s+",  # phrases
        r"\s+",  # words
    )
)
_MIDDLE = 0.25
"""No cut in the first or last quarter of what is cut: very short pieces garble."""


def split(phonemes: str, max_length: int = MAX_PIECE_LENGTH) -> list[str]:
    """Cut phonemes into pieces of at most `max_length`; nothing but white space is lost.

    What is too long is cut near its middle: between sentences where there is such a place, else
    clauses, phrases, words, and last inside a word. So the pieces come out of similar length.

    Args:
        phonemes: one symbol of the vocabulary a character.
        max_length: 2 to 510.

    Returns:
        The pieces in order, none empty; none at all for blank phonemes.
    """
    phonemes = " ".join(phonemes.split())
    pieces: list[str] = []
    waiting = [phonemes] if phonemes else []
    while waiting:
        text = waiting.pop()
        if len(text) <= max_length:
            pieces.append(text)
            continue
        first, second = _cut(text)
        waiting += [second, first]
    return pieces


def _cut(text: str) -> tuple[str, str]:
    """Cut in two, at the best boundary nearest the middle."""
    middle = len(text) / 2
    low, high = len(text) * _MIDDLE, len(text) * (1 - _MIDDLE)
    for boundary in _BOUNDARIES:
        cuts = [match.end() for match in boundary.finditer(text) if low <= match.end() <= high]
        if cuts:
            place = min(cuts, key=lambda cut: abs(cut - middle))
            return text[:place].rstrip(), text[place:].lstrip()
    return text[: len(text) // 2], text[len(text) // 2 :]
