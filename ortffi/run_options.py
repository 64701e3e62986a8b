"""Options of a run, and how to stop it."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue

from ortffi._api import LogLevel, c_string, member, natural, new
from ortffi._handle import Handle, Owned, Owner
from ortffi.environment import init

_SHRINK_ARENAS = b"memory.enable_memory_arena_shrinkage"


class RunOptions(Owner):
    """Options of a run (`OrtRunOptions`). Several runs may use them, even at the same time.

    A context manager; closed by `close`, the end of a `with` block, or garbage collection.

    Args:
        tag: marks the run's log messages (`RunOptionsSetRunTag`).
        log_level: messages below it are dropped (`RunOptionsSetRunLogSeverityLevel`).
        log_verbosity: how detailed VERBOSE messages are (`RunOptionsSetRunLogVerbosityLevel`).
        shrink_arenas: arenas that return unused memory to the system after the run, such as
            `cpu:0` or `cpu:0;gpu:0`; this costs time.
        config: further configuration entries; see `with_config`.

    Raises:
        TypeError: an argument is of the wrong type.
        ValueError: a number is out of range, or a string contains a NUL.
    """

    def __init__(
        self,
        *,
        tag: str | None = None,
        log_level: LogLevel | None = None,
        log_verbosity: int | None = None,
        shrink_arenas: str | None = None,
        config: Mapping[str, str] | None = None,
    ) -> None:
        if config is not None and not isinstance(config, Mapping):
            raise TypeError(f"config must be a mapping, not {type(config).__name__}")
        entries = {
            c_string("a key of config", key): c_string(f"config[{key!r}]", value)
            for key, value in (config or {}).items()
        }
        if shrink_arenas is not None:
            entries[_SHRINK_ARENAS] = c_string("shrink_arenas", shrink_arenas)
        encoded = None if tag is None else c_string("tag", tag)
        level = None if log_level is None else member("log_level", LogLevel, log_level)
        if log_verbosity is not None:
            natural("log_verbosity", log_verbosity)
        self._api = api = init().api
        self._terminated = False
        super().__init__(Handle(new(api.CreateRunOptions), api.ReleaseRunOptions, "run options"))
        with self._handle.lend() as pointer:
            if encoded is not None:
                api.RunOptionsSetRunTag(pointer, encoded)
            if level is not None:
                api.RunOptionsSetRunLogSeverityLevel(pointer, level)
            if log_verbosity is not None:
                api.RunOptionsSetRunLogVerbosityLevel(pointer, log_verbosity)
            for key, value in entries.items():
                api.AddRunConfigEntry(pointer, key, value)

    def with_config(self, key: str, value: str) -> RunOptions:
        """Set a configuration entry (`AddRunConfigEntry`); return these options.

        ONNX Runtime silently accepts unknown keys.
        """
        with self._handle.lend() as pointer:
            self._api.AddRunConfigEntry(pointer, c_string("key", key), c_string("value", value))
        return self

    @property
    def terminated(self) -> bool:
        """Return whether `terminate` was called or a deadline has passed."""
        return self._terminated

    def terminate(self) -> None:
        """Stop all current and future runs with these options (`RunOptionsSetTerminate`).

        They raise TerminatedError before their next operator begins. Any thread may call it. It
        has effect until `resume`.
        """
        with self._handle.lend() as pointer:
            self._terminated = True
            self._api.RunOptionsSetTerminate(pointer)

    def resume(self) -> None:
        """Allow runs again after `terminate` (`RunOptionsUnsetTerminate`)."""
        with self._handle.lend() as pointer:
            self._api.RunOptionsUnsetTerminate(pointer)
            self._terminated = False

    def deadline(self, seconds: float) -> AbstractContextManager[RunOptions]:
        """Terminate the runs of a `with` block that take longer than a number of seconds.

        Raises:
            TypeError: not a number.
            ValueError: negative, NaN, or too large.
        """
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise TypeError(f"seconds must be a number, not {type(seconds).__name__}")
        if not 0 <= seconds < threading.TIMEOUT_MAX:
            raise ValueError(f"seconds must be between 0 and {threading.TIMEOUT_MAX}")
        return _Deadline(self, seconds)


class _Deadline:
    """A context manager that terminates run options after a time.

    It ends with its block, or when nothing refers to it any more: a signal handler may raise
    before the block begins, or instead of its end.
    """

    def __init__(self, options: RunOptions, seconds: float) -> None:
        self._options = options
        self._seconds = seconds
        self._timer: _Timer | None = None
        self._ends_with_this: Owned | None = None

    def __enter__(self) -> RunOptions:
        """Start the timer, in a thread of its own.

        Raises:
            RuntimeError: the block of this deadline has not ended.
            ClosedError: the options are closed.
        """
        if self._timer is not None:
            raise RuntimeError("this deadline is in use already")
        # `close` must not wait for the block: the block's own thread may call it.
        timer = self._timer = _Timer(terminator(self._options))
        self._ends_with_this = Owned(0, timer.ended.put)
        try:
            # Starting a `threading.Thread` takes locks, which a handler that raises may leave held.
            _thread.start_new_thread(timer.wait, (self._seconds,))
        except BaseException:
            self.__exit__()
            raise
        return self._options

    def __exit__(self, *_: object) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.end()
        self._ends_with_this = None


class _Timer:
    """Calls a function after some seconds, unless it is ended before.

    No lock is held by who ends it, so an exception at any moment leaves none held.
    """

    def __init__(self, function: Callable[[], None]) -> None:
        self.ended: SimpleQueue[object] = SimpleQueue()
        """Gets something when there is nothing to wait for any more."""
        self._function: Callable[[], None] | None = function
        self._is_calling = False

    def wait(self, seconds: float) -> None:
        """Wait for the time or the end; no signal handler runs in this thread."""
        try:
            self.ended.get(timeout=seconds)
        except Empty:
            # `end` removes the function, then looks for a call; one of the two sees the other.
            self._is_calling = True
            function = self._function
            try:
                if function is not None:
                    function()
            finally:
                del function
                self._is_calling = False

    def end(self) -> None:
        """Return when the function has been called or never will be."""
        self._function = None
        self.ended.put(None)
        # While the interpreter exits, that thread has already stopped, wherever it was.
        while self._is_calling and not sys.is_finalizing():
            time.sleep(0.0001)


def terminator(options: RunOptions) -> Callable[[], None]:
    """Return a function that terminates run options, even if they have been closed since.

    Otherwise their active runs could never be stopped. The function keeps the C object alive.

    Raises:
        TypeError: as `handle_of`.
        ClosedError: the options are already closed.
    """
    handle = handle_of(options)
    with handle.lend() as pointer:
        kept = handle.share()

    def terminate(_kept: Owned = kept) -> None:
        options._terminated = True
        options._api.RunOptionsSetTerminate(pointer)

    return terminate


def handle_of(options: RunOptions) -> Handle:
    """Return the handle of run options.

    Raises:
        TypeError: it is another object, which may own a C object of another type.
    """
    if isinstance(options, RunOptions):
        return options._handle
    raise TypeError(f"options must be RunOptions, not {type(options).__name__}")
