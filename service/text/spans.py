"""Stretches of a text, between which the marks stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from service.text.offset_mapping import TracedText


@dataclass(frozen=True, slots=True)
class Override:
    """What the caller has settled about the reading of some words.

    Attributes:
        start: where the words start in the caller's text, in code points.
        end: likewise.
        phonemes: how they sound, in symbols of the vocabulary; None to read them.
        stress: steps by which their stress is stronger, -2 to 2.
    """

    start: int
    end: int
    phonemes: str | None = None
    stress: float = 0


class Span(NamedTuple):
    """Words to be read, or one mark of the vocabulary.

    Attributes:
        text: never blank; words have one space between each two.
        is_mark: whether it is a mark.
        override: what is settled about these words, all of them.
        joined: whether no white space is before these words in the text.
    """

    text: TracedText
    is_mark: bool = False
    override: Override | None = None
    joined: bool = False
