"""Spans of a text: words, and the marks between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from service.text.offset_mapping import TracedText


@dataclass(frozen=True, slots=True)
class Override:
    """How the caller wants some words to be read.

    Attributes:
        start: offset of the words in the caller's text, in code points.
        end: likewise, of their end.
        phonemes: their phonemes, in symbols of the vocabulary; None to read them by the rules.
        stress: steps by which their stress is raised, -2 to 2.
        tag: the Penn Treebank tag that they have; `SENSE_1` for the sense that is not the usual
            one; None for that of the sentence.
    """

    start: int
    end: int
    phonemes: str | None = None
    stress: float = 0
    tag: str | None = None


class Span(NamedTuple):
    """Words to be read, or one mark of the vocabulary.

    Attributes:
        text: never blank. Words are separated by one space.
        is_mark: whether this is a mark.
        override: the override of all these words, if any.
        joined: whether these words follow without white space before them.
    """

    text: TracedText
    is_mark: bool = False
    override: Override | None = None
    joined: bool = False

    @property
    def tag(self) -> str | None:
        """Return the part of speech that the caller gives; None for none."""
        return None if self.override is None else self.override.tag
