"""How far a book is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from service.audio import SOURCE_RATE_HZ


@dataclass
class Pace:
    """How far a book is, and how long the rest takes, by the phonemes of its plan.

    Attributes:
        totals: phonemes that are made for each chapter, by its number.
        made: those whose sounds are kept.
        n_phonemes: of the whole audio, with what is heard more than once.
    """

    totals: Mapping[int, int]
    made: dict[int, int]
    n_phonemes: int
    _started_s: float = field(default_factory=time.monotonic)
    _made_now: int = 0
    n_samples: int = 0

    def add(self, chapter: int, n_phonemes: int, n_samples: int) -> None:
        """Count a chunk that is now kept."""
        self.made[chapter] = self.made.get(chapter, 0) + n_phonemes
        self._made_now += n_phonemes
        self.n_samples += n_samples

    @property
    def share(self) -> float:
        """Return how much of the book is made, 0 to 1."""
        total = sum(self.totals.values())
        return min(1.0, sum(self.made.values()) / total) if total else 1.0

    def share_of(self, chapter: int) -> float:
        """Return how much of a chapter is made, 0 to 1."""
        total = self.totals.get(chapter, 0)
        return min(1.0, self.made.get(chapter, 0) / total) if total else 1.0

    @property
    def left_s(self) -> float | None:
        """Return the seconds that the rest takes; None before the first chunk."""
        if not self._made_now:
            return None
        rest = sum(self.totals.values()) * (1 - self.share)
        return rest * (time.monotonic() - self._started_s) / self._made_now

    @property
    def foretold_s(self) -> float | None:
        """Return the likely length of the audio in seconds; None before the first chunk."""
        if not self._made_now:
            return None
        return self.n_samples / SOURCE_RATE_HZ * self.n_phonemes / self._made_now
