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

_FIRST_LENGTHS = (30, 60)
"""Phonemes of the first piece where sound shall start early: two to four seconds of speech."""
_REAL_TIME_FACTOR = 0.6
"""Of the published model on two good cores, with some reserve: a piece is as long as can be made
while the ones before it play."""
_MAX_EARLY_LENGTH = 150
"""Where others wait for their turn, a longer piece would keep them waiting too long."""


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


def split_early(phonemes: str) -> list[str]:
    """Cut phonemes so that sound can start early: a short piece first, then longer ones.

    A piece ends at the best boundary that the lengths allow, the first piece at the nearest such
    place. Otherwise like `split`.

    Args:
        phonemes: one symbol of the vocabulary a character.
    """
    phonemes = " ".join(phonemes.split())
    pieces: list[str] = []
    low, high = _FIRST_LENGTHS
    n_unheard = 0.0  # phonemes that are made and not yet heard, when the last one is made
    while len(phonemes) > high + low:  # so that the rest is no sliver
        place = _place(phonemes, low, high, nearest=not pieces)
        piece, phonemes = phonemes[:place].rstrip(), phonemes[place:].lstrip()
        n_unheard += len(piece) * (1 - _REAL_TIME_FACTOR if pieces else 1)
        pieces.append(piece)
        high = min(_MAX_EARLY_LENGTH, int(n_unheard / _REAL_TIME_FACTOR))
        low = high // 2
    return [*pieces, *split(phonemes, _MAX_EARLY_LENGTH)]


def _place(text: str, low: int, high: int, *, nearest: bool) -> int:
    """Return where to cut between two lengths; the nearest or the farthest of the best places."""
    for boundary in _BOUNDARIES:
        # A boundary that ends beyond `high` by its space alone is within it.
        cuts = [m.end() for m in boundary.finditer(text, 0, high + 2) if low <= m.end() <= high + 1]
        if cuts:
            return cuts[0] if nearest else cuts[-1]
    return high


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
