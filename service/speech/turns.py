"""Turns at the workers: first come, first served, and background work after everyone else."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from service.speech.cancellation import Cancellation

T = TypeVar("T")


class _Waiter(Generic[T]):
    """A waiting thread, and its worker once it has a turn.

    Args:
        background: if it is of work that gives way to others.
    """

    def __init__(self, background: Cancellation | None) -> None:
        self.background = background
        self.woken = threading.Event()
        self.turn: list[T] = []

    def give(self, turn: list[T]) -> None:
        """Give it a turn."""
        if self.background is not None:
            self.background.resume()
        self.turn = turn
        self.woken.set()


class Turns(Generic[T]):
    """Lends each worker to one thread at a time: to the one that has waited longest.

    Python's own locks go to any thread. After a turn a thread queues behind all others, so streams
    progress evenly. Background work has a queue of its own, which has turns when the other one is
    empty. Whoever comes while background work has the only worker has it give way.

    Args:
        workers: what is lent.
    """

    def __init__(self, workers: Iterable[T]) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[_Waiter[T]] = deque()
        self._waiting_behind: deque[_Waiter[T]] = deque()
        self._giving_way: deque[_Waiter[T]] = deque()
        """Background work with a turn that nobody has asked back yet."""
        self._idle = list(workers)

    @property
    def n_waiting(self) -> int:
        """Return how many threads wait, without background work."""
        return len(self._waiting)

    @contextmanager
    def take(self, cancellation: Cancellation | None = None) -> Iterator[T]:
        """Wait for a worker and hold it for the block.

        Args:
            cancellation: ends the waiting. If it is of background work, runs in the block raise
                TerminatedError when somebody else needs the worker.

        Raises:
            ServiceError: the reason of the cancellation, if it came before the turn.
        """
        is_background = cancellation is not None and cancellation.is_background
        waiter = _Waiter[T](cancellation if is_background else None)
        with self._lock:
            self._enter(waiter)
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
            with self._lock:
                self._leave(waiter)

    def _enter(self, waiter: _Waiter[T]) -> None:
        if self._idle:
            # The last one that worked: under a light load the others take no memory.
            self._give(waiter, [self._idle.pop()])
        elif waiter.background is not None:
            self._waiting_behind.append(waiter)
        else:
            self._waiting.append(waiter)
            if self._giving_way:
                asked = self._giving_way.popleft()
                assert asked.background is not None
                asked.background.give_way()

    def _leave(self, waiter: _Waiter[T]) -> None:
        if waiter in self._giving_way:
            self._giving_way.remove(waiter)
        if not waiter.turn:
            queue = self._waiting if waiter.background is None else self._waiting_behind
            queue.remove(waiter)
        elif self._waiting:
            self._give(self._waiting.popleft(), waiter.turn)
        elif self._waiting_behind:
            self._give(self._waiting_behind.popleft(), waiter.turn)
        else:
            self._idle += waiter.turn

    def _give(self, waiter: _Waiter[T], turn: list[T]) -> None:
        waiter.give(turn)
        if waiter.background is not None:
            self._giving_way.append(waiter)
