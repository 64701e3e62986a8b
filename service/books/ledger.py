"""The ledger of a document: every text that a viewer would show is read, or left out and told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Reason = Literal[
    "page number", "running head", "note mark", "back link", "navigation", "boilerplate",
    "hidden", "deleted", "reading aid", "ornament", "control", "label in a picture", "formula",
    "comment", "not text",
]  # fmt: skip
"""Why a text is not read. A `formula` is said in other words, a `reading aid` tells how an
ideograph is read, a `control` is a button or a field, and what is `not text` is for programs
only."""

REASONS: tuple[Reason, ...] = get_args(Reason)

_UNTOLD: frozenset[Reason] = frozenset({"not text", "formula"})
"""Of which a listener misses nothing."""

_NAMES: dict[Reason, tuple[str, str]] = {
    "hidden": ("hidden text", "hidden texts"),
    "deleted": ("deleted text", "deleted texts"),
    "navigation": ("list of links", "lists of links"),
    "boilerplate": ("notice of Project Gutenberg", "notices of Project Gutenberg"),
    "label in a picture": ("label in a picture", "labels in pictures"),
}


@dataclass(frozen=True, slots=True)
class Omission:
    """What of a document is left out for one reason.

    Attributes:
        reason: why.
        count: of places.
        n_words: of them all.
    """

    reason: Reason
    count: int
    n_words: int

    def __str__(self) -> str:
        """Return it for people: `3 page numbers`."""
        one, many = _NAMES.get(self.reason, (self.reason, f"{self.reason}s"))
        return f"{self.count:,} {one if self.count == 1 else many}"


class Ledger:
    """Counts the characters of a document: all that it shows, what is read, what is left out.

    White space does not count. The first is counted where a document is parsed, the others where
    its paragraphs are made, so that what is lost between them shows.

    Args:
        keeps_texts: whether the texts are kept, which tests look into.

    Attributes:
        notes: what readers should know of the document, in order.
        missing: which text the document should have and has not, in order.
        texts: what is left out, with its reason, if texts are kept.
    """

    def __init__(self, *, keeps_texts: bool = False) -> None:
        self.notes: list[str] = []
        self.missing: list[str] = []
        self.texts: list[tuple[Reason, str]] = []
        self._keeps_texts = keeps_texts
        self._n_found = self._n_read = self._n_left_out = 0
        self._counts: dict[Reason, list[int]] = {}

    def find(self, texts: Iterable[str]) -> None:
        """Count what a document shows."""
        self._n_found += sum(map(_size, texts))

    def read(self, text: str) -> None:
        """Count what is read."""
        self._n_read += _size(text)

    def strike(self, text: str, reason: Reason) -> None:
        """Count as left out what was counted as read."""
        self._n_read -= _size(text)
        self.leave_out(text, reason)

    def leave_out(self, text: str, reason: Reason) -> None:
        """Count what is not read."""
        size = _size(text)
        if not size:
            return
        self._n_left_out += size
        counts = self._counts.setdefault(reason, [0, 0])
        counts[0] += 1
        counts[1] += len(text.split())
        if self._keeps_texts:
            self.texts.append((reason, text))

    def miss(self, line: str) -> None:
        """Keep that text is missing, once."""
        if line not in self.missing:
            self.missing.append(line)

    def note(self, line: str) -> None:
        """Keep what readers should know, once."""
        if line not in self.notes:
            self.notes.append(line)

    @property
    def unaccounted(self) -> int:
        """Characters that are neither read nor left out; negative if some are there twice."""
        return self._n_found - self._n_read - self._n_left_out

    def omissions(self) -> tuple[Omission, ...]:
        """Return what is left out, in the order of `REASONS`."""
        found = self._counts
        return tuple(Omission(one, *found[one]) for one in REASONS if one in found)


def line_of(omissions: Sequence[Omission]) -> str:
    """Return what a listener misses: `2 note marks, 1 page number`; empty if it is nothing."""
    return ", ".join(str(one) for one in omissions if one.reason not in _UNTOLD)


def _size(text: str) -> int:
    return sum(map(len, text.split()))
