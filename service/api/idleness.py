"""How long nobody has spoken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Idleness:
    """Calls a function when nothing has been spoken for some time. Used on the event loop only.

    Args:
        after_s: the time in seconds; 0 for never.
        act: the function, which must not block.
    """

    def __init__(self, after_s: float, act: Callable[[], None]) -> None:
        self._after_s = after_s
        self._act = act
        self._n_speaking = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def n_speaking(self) -> int:
        """Return how many utterances are being spoken or wait for their turn."""
        return self._n_speaking

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Speak within the block, and count from its end."""
        self._stop()
        self._n_speaking += 1
        try:
            yield
        finally:
            self._n_speaking -= 1
            self.count()

    def count(self) -> None:
        """Count from now, unless somebody speaks."""
        self._stop()
        if self._after_s and not self._n_speaking:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._after_s, self._act)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
