"""A word as Open JTalk finds it."""

from __future__ import annotations

from typing import NamedTuple


class Morpheme(NamedTuple):
    """A word of the dictionary, or part of one.

    Attributes:
        start: offset in the text.
        end: likewise.
        pronunciation: in katakana, as spoken; empty if it is silent.
        pos: part of speech.
        kind: subclass of the part of speech.
        lemma: the form that the dictionary lists.
        continues: whether it belongs to the accent phrase of the morpheme before it.
    """

    start: int
    end: int
    pronunciation: str
    pos: str
    kind: str
    lemma: str
    continues: bool
