"""Ownership of one C object, and what every public object that owns one can do."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

from ortffi.errors import ClosedError


def _release(release: Callable[[int], None], pointer: int, _keep_alive: tuple[object, ...]) -> None:
    release(pointer)


class Handle:
    """Own a C object: lend its pointer, count who is using it, release it once.

    As a context manager it lends the pointer; several threads may hold it at once, and `close`
    waits for the last of them. Garbage collection releases the object too. Interpreter exit does
    not: another thread may still be inside it, and the operating system takes the memory anyway.

    Args:
        pointer: the object, not null.
        release: the C function that takes it back.
        what: its name in error messages.
        keep_alive: whatever must live as long: the parent's handle, borrowed arrays.
    """

    __slots__ = ("__weakref__", "_closed", "_finalizer", "_idle", "_pointer", "_users", "_what")

    def __init__(
        self, pointer: int, release: Callable[[int], None], what: str, *keep_alive: object
    ) -> None:
        self._finalizer = weakref.finalize(self, _release, release, pointer, keep_alive)
        self._finalizer.atexit = False
        self._pointer = pointer
        self._what = what
        # One entry a user. Appending and popping are atomic, so lending takes no lock (a run on
        # a trivial model is a few microseconds, a lock twice a tenth of that): a user enters,
        # then looks at `_closed`; `close` sets it, then looks for users. One of them sees the
        # other.
        self._users: list[None] = []
        self._closed = False
        self._idle = threading.Condition()

    @property
    def closed(self) -> bool:
        """Tell whether `close` was called."""
        return self._closed

    def enter(self) -> int:
        """Lend the pointer until `leave`; raises ClosedError where `close` was called."""
        self._users.append(None)
        if self._closed:
            self.leave()
            raise ClosedError(f"this {self._what} is closed")
        return self._pointer

    def leave(self) -> None:
        """Give the pointer back."""
        self._users.pop()
        if self._closed:
            with self._idle:
                self._idle.notify_all()

    def __enter__(self) -> int:
        return self.enter()

    def __exit__(self, *_: object) -> None:
        self.leave()

    def close(self) -> None:
        """Refuse new users, wait for those inside, release the object. Calling again is harmless.

        Returns when the object is released, also when another thread is the one releasing it.
        """
        self._closed = True
        with self._idle:
            while self._users:
                self._idle.wait()
            self._finalizer()


_Owner = TypeVar("_Owner", bound="Owner")


class Owner:
    """Base of the public objects that own one C object. A context manager."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @property
    def handle(self) -> Handle:
        """Lend the C object for the time of a `with` block."""
        return self._handle

    @property
    def closed(self) -> bool:
        """Tell whether `close` was called."""
        return self._handle.closed

    def close(self) -> None:
        """Wait for those who use the object, then release it. Calling again is harmless."""
        self._handle.close()

    def __enter__(self: _Owner) -> _Owner:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
