"""How far a corpus is, and how much time is left: a line on standard error now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

_EVERY_S = (1.0, 30.0)
"""Seconds between two lines: on a terminal, where each takes the place of the one before, and
elsewhere."""


class CorpusProgress:
    """Shows how far a corpus is. A context manager.

    Args:
        n_utterances: to be spoken.
        n_characters: of all of them; the time that is left is reckoned by characters.
        n_kept: utterances that an earlier run has spoken.
        out: where to show it; default: standard error.
        clock: seconds from any origin.
    """

    def __init__(
        self,
        n_utterances: int,
        n_characters: int,
        n_kept: int,
        out: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._n_utterances = n_utterances
        self._n_characters = max(n_characters, 1)
        self._n_kept = n_kept
        self._out = sys.stderr if out is None else out
        self._clock = clock
        self._n_done = self._n_characters_done = 0
        self._audio_s = 0.0
        self._is_terminal = self._out.isatty()
        self._every_s = _EVERY_S[0 if self._is_terminal else 1]
        self._start_s = self._shown_s = clock()

    def __enter__(self) -> CorpusProgress:
        """Tell how much there is to do."""
        self._start_s = self._shown_s = self._clock()
        kept = f", {self._n_kept:,} are there already" if self._n_kept else ""
        self._out.write(f"{self._n_utterances:,} utterances to speak{kept}\n")
        self._out.flush()
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave the last line as it is."""
        if self._n_done:
            self._show("\n" if self._is_terminal else "")

    def advance(self, n_characters: int, audio_s: float) -> None:
        """Count an utterance that was spoken, with the seconds of its audio."""
        self._n_done += 1
        self._n_characters_done += n_characters
        self._audio_s += audio_s
        now_s = self._clock()
        if now_s - self._shown_s >= self._every_s and self._n_done < self._n_utterances:
            self._shown_s = now_s
            self._show()

    def _show(self, end: str = "") -> None:
        past_s = self._clock() - self._start_s
        share = min(self._n_characters_done / self._n_characters, 1.0)
        line = (
            f"{self._n_done:,} of {self._n_utterances:,} utterances, {share:.0%}, "
            f"{duration(self._audio_s)} of speech"
        )
        if 0 < share < 1:
            line += f", {duration(past_s * (1 - share) / share)} left"
        self._out.write(f"\r\033[K{line}{end}" if self._is_terminal else f"{line}\n")
        self._out.flush()


def duration(seconds: float) -> str:
    """Return a duration for people: `4 s`, `12 min`, `3.5 h`, `2.1 days`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"
