"""Turns at the workers, first come, first served."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from service.speech.cancellation import Cancellation

T = TypeVar("T")


class _Waiter(Generic[T]):
    """A waiting thread, and its worker once it has a turn."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.turn: list[T] = []


class Turns(Generic[T]):
    """Lends each worker to one thread at a time: to the one that has waited longest.

    Python's own locks go to any thread. After a turn a thread queues behind all others, so streams
    progress evenly.

    Args:
        workers: what is lent.
    """

    def __init__(self, workers: Iterable[T]) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[_Waiter[T]] = deque()
        self._idle = list(workers)

    @property
    def n_waiting(self) -> int:
        """Return how many threads wait."""
        return len(self._waiting)

    @contextmanager
    def take(self, cancellation: Cancellation | None = None) -> Iterator[T]:
        """Wait for a worker and hold it for the block.

        Raises:
            ServiceError: the reason of the cancellation, if it came before the turn.
        """
        waiter = _Waiter[T]()
        with self._lock:
            if self._idle:
                # The last one that worked: under a light load the others take no memory.
                waiter.turn.append(self._idle.pop())
                waiter.woken.set()
            else:
                self._waiting.append(waiter)
        try:
            if cancellation is None:
                waiter.woken.wait()
            else:
                with cancellation.calling(waiter.woken.set):
                    waiter.woken.wait()
                cancellation.check()
            (worker,) = waiter.turn
            yield worker
        finally:
            self._leave(waiter)

    def _leave(self, waiter: _Waiter[T]) -> None:
        with self._lock:
            if not waiter.turn:
                self._waiting.remove(waiter)
            elif self._waiting:
                following = self._waiting.popleft()
                following.turn = waiter.turn
                following.woken.set()
            else:
                self._idle += waiter.turn
