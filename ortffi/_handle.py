"""Ownership of one C object, and the base of the public objects that own one."""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from threading import get_ident
from types import TracebackType
from typing import Any, Generic, NoReturn, TypeVar
from weakref import ref

from ortffi.errors import ClosedError


class Owned:
    """A C object, released when the last reference to this object is gone.

    The cyclic garbage collector does not see it. It would finalize the objects of a cycle in any
    order, and the `__del__` of one of them could then use a C object that is already released. An
    unseen object dies by its reference count alone, after everything that could use it.

    The release is a chain of C functions. Python code would be a place for a signal handler to
    raise, and Python drops what is raised while an object dies.

    Args:
        pointer: the object; or a `c_void_p` that holds whatever is to be released, maybe nothing.
        release: the C function that releases it.
        keep_alive: objects that must live as long: the owner of its parent, borrowed arrays. They
            must not refer to this one.

    Attributes:
        keep_alive: these objects.
        release: releases the C object.
    """

    __slots__ = ("keep_alive", "release")

    __del__ = property(attrgetter("release"))

    def __init__(
        self,
        pointer: int | ctypes.c_void_p,
        release: Callable[[Any], object],
        *keep_alive: object,
    ) -> None:
        _hide_from_collector(self)
        self.keep_alive = keep_alive
        self.release: Callable[[], object] = partial(release, pointer)


_hide_from_collector = ctypes.pythonapi.PyObject_GC_UnTrack
_hide_from_collector.argtypes = [ctypes.py_object]
_hide_from_collector.restype = None


def _release_nothing_from_now_on() -> None:
    """Keep what would be released: another thread may still use it, and the process ends anyway."""

    def keep(owned: Owned, _kept: list[Owned] = []) -> None:  # noqa: B006, not a global: those go
        _kept.append(owned)

    Owned.__del__ = keep  # type: ignore[assignment]


atexit.register(_release_nothing_from_now_on)


_Thing = TypeVar("_Thing")


class WeakObjects(Generic[_Thing]):
    """Some objects, for as long as others refer to them.

    Unlike a `WeakSet` it runs no Python code when one of them dies; see `Owned`.
    """

    __slots__ = ("_enough", "_references")

    def __init__(self) -> None:
        self._references: dict[int, ref[_Thing]] = {}  # by `id`, which another may have later
        self._enough = 8

    def add(self, thing: _Thing) -> None:
        """Remember an object. Only for one thread at a time."""
        if len(self._references) >= self._enough:
            self._references = {id(each): ref(each) for each in self.alive()}
            self._enough = 8 + 2 * len(self._references)
        self._references[id(thing)] = ref(thing)

    def alive(self) -> list[_Thing]:
        """Return those that others still refer to."""
        found = [each() for each in tuple(self._references.values())]
        return [thing for thing in found if thing is not None]


_LONGEST_PAUSE_S = 0.01
"""Between two looks at what is waited for."""


def wait_while(is_true: Callable[[], object]) -> None:
    """Look ever less often, until it is not true any more.

    A lock to wait for would have to be released by users whom a signal handler may interrupt.
    """
    pause_s = _LONGEST_PAUSE_S / 256
    while is_true():
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


class Loan:
    """One use of a handle: a context manager that lends its pointer. Made by `Handle.lend`.

    It ends with `leave`, or when nothing refers to it any more.
    """

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def enter(self) -> int:
        """Lend the pointer until `leave`; raise ClosedError if `close` has been called."""
        handle = self._handle
        handle.users[self] = get_ident()
        if handle.closed:
            self.leave()
            handle.refuse()
        return handle.pointer

    def leave(self, *_: object) -> None:
        """Return the lent pointer. Calling it again, or without `enter`, does nothing."""
        handle = self._handle
        handle.users.pop(self, None)
        if handle.release_is_due:
            handle.release_if_unused()

    __enter__, __exit__ = enter, leave


class Loans:
    """Uses of several handles that end together: a context manager.

    Unlike an ExitStack it is in no reference cycle after an exception, which would keep the uses.
    """

    __slots__ = ("_loans",)

    def __init__(self) -> None:
        self._loans: list[Loan] = []

    def add(self, handle: Handle) -> int:
        """Lend a handle's pointer until the end of the block; raise as `Loan.enter`."""
        loan = handle.lend()
        self._loans.append(loan)
        return loan.enter()

    def __enter__(self) -> Loans:
        return self

    def __exit__(self, *_: object) -> None:
        for loan in self._loans:
            loan.leave()


class Handle:
    """Owns a C object: lends its pointer, knows its users, releases it once.

    Several threads may use it at once, and `close` waits for the last of them. Garbage collection
    releases the object too.

    A use is an entry of `users`: an object to which only the user refers, and the user's thread.
    Setting and removing an entry are single operations of the interpreter, so lending needs no lock
    (a run of a trivial model takes a few microseconds, locking twice takes a tenth of that). A user
    enters, then checks `closed`; `close` sets it, then checks for users. One of them sees the
    other.

    A signal handler may run between any two operations, raise, and call anything here. So a user
    enters inside the `try` whose `finally` removes the entry first of all; see `Session.run`. If
    even that is prevented, the entry stays, but then nobody refers to its object any more.

    Args:
        pointer: the object, not null.
        release: the C function that releases it.
        what: its name in error messages.
        keep_alive: objects that must live as long: the parent's handle, borrowed arrays.
        before_release: called when `close` has found no more users; may be called twice.
        lock: whoever holds it is a user too.

    Attributes:
        pointer: the object, for callers that have entered or whose own caller has.
        users: the thread of each use.
        closed: whether `close` has been called.
        release_is_due: whether the last user must release the object.
    """

    __slots__ = (
        "__weakref__", "_before_release", "_lock", "_owned", "_releasing", "_what", "closed",
        "pointer", "release_is_due", "users",
    )  # fmt: skip

    def __init__(
        self,
        pointer: int,
        release: Callable[[int], object],
        what: str,
        *keep_alive: object,
        before_release: Callable[[], object] | None = None,
        lock: threading.RLock | None = None,
    ) -> None:
        self._owned: Owned | None = Owned(pointer, release, *keep_alive)
        self._what = what
        self._before_release = before_release
        self._lock = lock
        self._releasing = threading.RLock()
        self.pointer = pointer
        self.users: dict[object, int] = {}
        self.closed = False
        self.release_is_due = False

    def lend(self) -> Loan:
        """Return a context manager that lends the pointer."""
        return Loan(self)

    def check_open(self) -> None:
        """Raise ClosedError if `close` has been called; for what does not use the pointer."""
        if self.closed:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Raise the error of a use after `close`."""
        raise ClosedError(f"this {self._what} is closed")

    def share(self) -> Owned:
        """Return a reference that keeps the object from being released, even by `close`.

        Only for callers that have entered.
        """
        if self._owned is None:
            self.refuse()
        return self._owned

    def is_used_here(self) -> bool:
        """Return whether this thread is a user: whoever calls interrupts a use."""
        return self._is_locked_here() or get_ident() in self._current_users()

    def close(self) -> None:
        """Refuse new users, wait for those inside, release the object.

        Calling it again does nothing. It returns when the object is released, even if another
        thread releases it. References from `share` delay the release.

        If this thread is a user itself, because a signal handler or a log handler calls, there is
        no waiting: the last user releases the object.
        """
        self.closed = True
        if self.is_used_here():
            self.release_is_due = True
            return
        self._wait_for_lock()
        wait_while(self._current_users)
        self._release()

    def release_if_unused(self) -> None:
        """Complete a `close` that could not wait."""
        if not self._is_locked_here():
            self._wait_for_lock()
            if not self._current_users():
                self._release()

    def _is_locked_here(self) -> bool:
        return self._lock is not None and self._lock._is_owned()  # type: ignore[attr-defined]

    def _wait_for_lock(self) -> None:
        if self._lock is not None:
            with self._lock:
                pass

    def _release(self) -> None:
        with self._releasing:
            if self._before_release is not None:
                self._before_release()
                self._before_release = None
            self._owned = None

    def _current_users(self) -> list[int]:
        """Return the thread of each use, after removing the uses that were cut off."""
        if not self.users:
            return []
        # The probe has the references of a use that goes on: two dictionaries and its user's.
        probe = object()
        own, uses = {probe: 0}, {**self.users, probe: 0}
        references = {use: sys.getrefcount(use) for use in uses}
        threads = []
        for use, thread in uses.items():
            if references[use] < references[probe]:
                self.users.pop(use, None)
            elif use not in own:
                threads.append(thread)
        return threads


_Owner = TypeVar("_Owner", bound="Owner")


class Owner:
    """Base of the public objects that own one C object. A context manager."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @property
    def handle(self) -> Handle:
        """Return what owns the C object; its `lend` lends it for the time of a `with` block."""
        return self._handle

    @property
    def closed(self) -> bool:
        """Return whether `close` has been called."""
        return self._handle.closed

    def close(self) -> None:
        """Wait for current users, then release the object. Calling it again does nothing.

        Called during a use by the same thread, for example by a signal handler, it returns at
        once: the object is released when that use ends.
        """
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
