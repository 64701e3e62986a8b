"""Ownership of one C object, and the base of the public objects that own one."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from ortffi.errors import ClosedError


class _Guard(weakref.ref[object]):
    """Releases a C object when the watched Python object is collected.

    Does what `weakref.finalize` does in a third of the time: each output of a run has one.
    """

    __slots__ = ("keep_alive", "pointer", "release")

    release: Callable[[int], object]
    pointer: int
    keep_alive: tuple[object, ...]


_guards: dict[int, _Guard] = {}
"""By `id`: a weak reference is hashable only if its object is."""

_exiting = False


def release_with(
    owner: object, release: Callable[[int], object], pointer: int, *keep_alive: object
) -> None:
    """Release a C object when `owner` is collected, and keep some objects alive until then.

    Interpreter exit releases nothing: another thread may still be using the object, and the
    operating system frees the memory anyway.
    """
    guard = _Guard(owner, _release)
    guard.release = release
    guard.pointer = pointer
    guard.keep_alive = keep_alive
    _guards[id(guard)] = guard


def _release(guard: Any) -> None:
    if not _exiting:
        del _guards[id(guard)]
        guard.release(guard.pointer)


def _exit() -> None:
    global _exiting
    _exiting = True


atexit.register(_exit)


class Owned:
    """A C object, released when the last reference to this object is gone; see `release_with`.

    Attributes:
        keep_alive: the objects that are kept alive as long.
    """

    __slots__ = ("__weakref__", "keep_alive")

    def __init__(
        self, pointer: int, release: Callable[[int], object], keep_alive: tuple[object, ...]
    ) -> None:
        self.keep_alive = keep_alive
        release_with(self, release, pointer, *keep_alive)


_closing = threading.Lock()


class Handle:
    """Owns a C object: lends its pointer, counts its users, releases it once.

    As a context manager it lends the pointer. Several threads may hold it at once, and `close`
    waits for the last of them. Garbage collection releases the object too.

    Args:
        pointer: the object, not null.
        release: the C function that releases it.
        what: its name in error messages.
        keep_alive: objects that must live as long: the parent's handle, borrowed arrays.
    """

    __slots__ = ("__weakref__", "_closed", "_idle", "_owned", "_pointer", "_users", "_what")

    def __init__(
        self, pointer: int, release: Callable[[int], object], what: str, *keep_alive: object
    ) -> None:
        self._owned: Owned | None = Owned(pointer, release, keep_alive)
        self._pointer = pointer
        self._what = what
        # One entry for each user. Appending and popping are atomic, so lending needs no lock (a
        # run of a trivial model takes a few microseconds, locking twice takes a tenth of that).
        # A user enters, then checks `_closed`; `close` sets it, then checks for users. One of
        # them sees the other.
        self._users: list[None] = []
        self._closed = False
        self._idle: threading.Condition | None = None
        """Made by the first `close`, before it sets `_closed`."""

    @property
    def closed(self) -> bool:
        """Return whether `close` has been called."""
        return self._closed

    @property
    def pointer(self) -> int:
        """Return the pointer, for callers that have entered or whose own caller has."""
        return self._pointer

    def enter(self) -> int:
        """Lend the pointer until `leave`; raise ClosedError if `close` has been called."""
        self._users.append(None)
        if self._closed:
            self.leave()
            raise ClosedError(f"this {self._what} is closed")
        return self._pointer

    def leave(self) -> None:
        """Return the lent pointer."""
        self._users.pop()
        if self._closed and self._idle is not None:
            with self._idle:
                self._idle.notify_all()

    def __enter__(self) -> int:
        return self.enter()

    def __exit__(self, *_: object) -> None:
        self.leave()

    def share(self) -> Owned:
        """Return a reference that keeps the object from being released, even by `close`.

        Only for callers that have entered.
        """
        if self._owned is None:
            raise ClosedError(f"this {self._what} is closed")
        return self._owned

    def close(self) -> None:
        """Refuse new users, wait for those inside, release the object.

        Calling it again does nothing. It returns when the object is released, even if another
        thread releases it. References from `share` delay the release.
        """
        with _closing:
            if self._idle is None:
                self._idle = threading.Condition()
        self._closed = True
        with self._idle:
            while self._users:
                self._idle.wait()
            self._owned = None


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
        """Return whether `close` has been called."""
        return self._handle.closed

    def close(self) -> None:
        """Wait for current users, then release the object. Calling it again does nothing."""
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
