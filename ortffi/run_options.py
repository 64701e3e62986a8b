"""Options of a run, and how to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

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

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[RunOptions]:
        """Terminate the runs of a `with` block that take longer than a number of seconds.

        Raises:
            TypeError: not a number.
            ValueError: negative, NaN, or too large.
        """
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise TypeError(f"seconds must be a number, not {type(seconds).__name__}")
        if not 0 <= seconds < threading.TIMEOUT_MAX:
            raise ValueError(f"seconds must be between 0 and {threading.TIMEOUT_MAX}")
        lock = threading.RLock()
        # `close` must not wait for the block: the block's own thread may call it.
        terminate: Callable[[], None] | None = terminator(self)

        def expire() -> None:
            with lock:
                if terminate is not None:
                    terminate()

        timer = threading.Timer(seconds, expire)
        timer.daemon = True
        try:
            timer.start()
            yield self
        finally:
            timer.cancel()
            # Not `join`: if the program exits inside the block, daemon threads have already
            # stopped when this runs.
            with lock:
                terminate = None


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
