"""How far a long text is: a bar on a terminal, otherwise a line for each chunk."""

from __future__ import annotations

import shutil
import sys
from types import TracebackType

_LABEL_WIDTH = 32
"""Columns for the numbers beside the bar."""


class Progress:
    """Shows on standard error how far the speech of a text is; nothing if it is one chunk.

    Args:
        length: of the text, in characters.
    """

    def __init__(self, length: int) -> None:
        self._length = max(length, 1)
        self._is_terminal = sys.stderr.isatty()
        self._is_shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        if self._is_shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def show(self, n_chunks: int, end: int, audio_s: float) -> None:
        """Show that so many chunks are made.

        Args:
            n_chunks: how many.
            end: where in the text the last one ends.
            audio_s: seconds of audio.
        """
        share = min(end / self._length, 1.0)
        if not self._is_terminal:
            line = f"chunk {n_chunks}, {share:.0%}, {audio_s:.1f} s of speech\n"
            sys.stderr.write(line)
        elif n_chunks > 1 or share < 0.9:
            width = max(shutil.get_terminal_size().columns - _LABEL_WIDTH, 10)
            bar = "#" * round(share * width)
            sys.stderr.write(f"\r[{bar:<{width}}] {share:4.0%}, {audio_s:.1f} s of speech")
            self._is_shown = True
        sys.stderr.flush()
