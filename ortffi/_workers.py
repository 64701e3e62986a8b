"""Threads that do a session's submitted runs, whatever signals arrive meanwhile."""

from __future__ import annotations

import _thread
import atexit
import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from operator import attrgetter
from queue import Empty, SimpleQueue
from threading import get_ident

from ortffi._handle import Owned, wait_while
from ortffi.elements import Array

_Runs = SimpleQueue["tuple[object, Future[list[Array]], Callable[[], list[Array]]] | int"]
"""A key, the future and what computes it; or `_END`."""

_END = 0
_MOST_THREADS = min(32, (os.cpu_count() or 1) + 4)  # as in a ThreadPoolExecutor


class _Condition(threading.Condition):
    """Runs no Python code to take and to free its lock: a handler's exception leaves it free."""

    __enter__ = property(attrgetter("_lock.__enter__"))
    __exit__ = property(attrgetter("_lock.__exit__"))


_unfinished: dict[object, tuple[_Runs, _Condition]] = {}
"""The submitted runs of all sessions. Nothing here keeps a run alive."""


class Workers:
    """Threads that take runs from a queue. They start as needed and end with this object.

    A signal handler may interrupt any method, call any, and raise. So they take no lock, and each
    step that others must see is one operation of the interpreter, as in `Handle`. The executors of
    the standard library hold locks meanwhile: a handler that submits waits for itself, and one that
    raises leaves them held.
    """

    def __init__(self) -> None:
        self._runs: _Runs = SimpleQueue()
        self._idle: SimpleQueue[None] = SimpleQueue()
        """Has an item for each thread that has nothing to do, or fewer."""
        self._threads: dict[object, int] = {}
        """The identifier of each thread; 0 until it has begun."""
        self._ends_with_this = Owned(_END, self._runs.put)

    def submit(
        self,
        run: Callable[[], list[Array]],
        callback: Callable[[Future[list[Array]]], object] | None = None,
    ) -> Future[list[Array]]:
        """Let a thread call a function; return the future, which it hands to the callback."""
        future: Future[list[Array]] = Future()
        future._condition = condition = _Condition()
        if callback is not None:
            future.add_done_callback(callback)
        try:
            self._idle.get_nowait()
        except Empty:
            if len(self._threads) < _MOST_THREADS:
                self._start()
        key = object()
        try:
            _unfinished[key] = self._runs, condition
            self._runs.put((key, future, run))
        except BaseException:
            _unfinished.pop(key, None)
            raise
        return future

    def wait(self) -> None:
        """Return when all runs submitted so far are finished; at once in one of the threads."""
        if get_ident() not in self._threads.copy().values():
            _wait(self._runs)

    def end(self) -> None:
        """Let the threads end after the submitted runs. Nothing may be submitted any more."""
        self._runs.put(_END)

    def _start(self) -> None:
        key = object()
        try:
            self._threads[key] = 0
            # Starting a `threading.Thread` takes locks, which a handler that raises may leave held.
            _thread.start_new_thread(_work, (key, self._threads, self._runs, self._idle))
        except BaseException:
            self._threads.pop(key, None)
            raise


def _work(
    own_key: object, threads: dict[object, int], runs: _Runs, idle: SimpleQueue[None]
) -> None:
    """Do runs until the end; no signal handler runs in this thread."""
    threads[own_key] = get_ident()
    while not isinstance(item := runs.get(), int):
        key, future, run = item
        try:
            _finish(future, run)
        except BaseException:  # future objects do the same with an Exception
            logging.getLogger("concurrent.futures").exception("exception calling callback")
        del item, future, run  # before `wait` returns: they may be the last to hold the session
        _unfinished.pop(key, None)
        idle.put(None)
    runs.put(_END)  # for the next
    threads.pop(own_key, None)


def _finish(future: Future[list[Array]], run: Callable[[], list[Array]]) -> None:
    try:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = run()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
    finally:
        del future, run  # the error's traceback keeps this frame


def _wait(of: _Runs | None = None) -> None:
    for key, (runs, condition) in _unfinished.copy().items():
        if of is None or runs is of:
            wait_while(partial(_is_awaited, key, condition))


def _is_awaited(key: object, condition: _Condition) -> bool:
    # A handler that interrupted this thread's use of a future would wait for itself.
    return key in _unfinished and not condition._is_owned()  # type: ignore[attr-defined]


# As with a ThreadPoolExecutor, the interpreter ends after what has been submitted.
with suppress(RuntimeError):  # it ends already
    # Before the functions of `atexit`, which may want the results.
    threading._register_atexit(_wait)  # type: ignore[attr-defined]
atexit.register(_wait)  # for what other threads have submitted since
