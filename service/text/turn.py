"""The turn to read: one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turn:
    """Lets one thread read at a time.

    Python runs one thread at a time, and each ready thread delays the event loop: with 16 threads
    reading at once, by a second.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reader: int | None = None

    def __enter__(self) -> None:
        self._lock.acquire()
        self._reader = threading.get_ident()

    def __exit__(self, *exception: object) -> None:
        self._reader = None
        self._lock.release()

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Let others read while this thread loads something. It need not have the turn."""
        if self._reader != threading.get_ident():
            yield
            return
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()
