"""Turns at the model, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from service.speech.cancellation import Cancellation


class _Waiter:
    """A waiting thread."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.has_turn = False


class Turns:
    """A lock that goes to the thread that has waited longest; Python's own goes to any.

    After a turn a thread queues behind all others, so streams progress evenly.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[_Waiter] = deque()
        self._taken = False

    @property
    def n_waiting(self) -> int:
        """Return how many threads wait."""
        return len(self._waiting)

    @contextmanager
    def take(self, cancellation: Cancellation | None = None) -> Iterator[None]:
        """Wait for a turn and hold it for the block.

        Raises:
            ServiceError: the reason of the cancellation, if it came before the turn.
        """
        waiter = _Waiter()
        with self._lock:
            if self._taken:
                self._waiting.append(waiter)
            else:
                self._taken = waiter.has_turn = True
                waiter.woken.set()
        try:
            if cancellation is None:
                waiter.woken.wait()
            else:
                with cancellation.calling(waiter.woken.set):
                    waiter.woken.wait()
                cancellation.check()
            yield
        finally:
            self._leave(waiter)

    def _leave(self, waiter: _Waiter) -> None:
        with self._lock:
            if not waiter.has_turn:
                self._waiting.remove(waiter)
            elif self._waiting:
                following = self._waiting.popleft()
                following.has_turn = True
                following.woken.set()
            else:
                self._taken = False
