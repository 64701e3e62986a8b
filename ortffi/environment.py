"""The one `OrtEnv` of the process, with its CPU memory info, allocator and shared arena."""

from __future__ import annotations

import ctypes
import os
import threading
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from ortffi._api import (
    ARENA_ALLOCATOR,
    MEM_TYPE_DEFAULT,
    Api,
    ErrorCode,
    LogLevel,
    c_string,
    member,
    natural,
    new,
)
from ortffi._handle import Handle
from ortffi.errors import ApiVersionError, OrtError, require
from ortffi.library import Library, library_path, load_library

if TYPE_CHECKING:
    import logging

    from ortffi.logs import LogCallback


@dataclass(frozen=True)
class ThreadPools:
    """Two thread pools that the sessions of the process can share.

    Without them every session has its own pools. With them a session uses the shared pools if it
    asks for them (`DisablePerSessionThreads`).

    Attributes:
        intra_op: threads that compute inside an operator, including the calling thread. With 0,
            ONNX Runtime uses the host's number of cores.
        inter_op: threads that run operators in parallel mode; 0 as above.
        spinning: whether an idle thread spins for a while before it sleeps, which is faster but
            uses the processor; None for ONNX Runtime's default, which is True.
        denormal_as_zero: whether the threads treat denormal numbers as zero.
        intra_op_affinity: the logical processors of the intra-op threads, in the format of
            `session.intra_op_thread_affinities`: one set for each thread except the calling one,
            such as `1,2;3,4`, counted from 1. Needs ONNX Runtime 1.14.
    """

    intra_op: int = 0
    inter_op: int = 0
    spinning: bool | None = None
    denormal_as_zero: bool = False
    intra_op_affinity: str | None = None

    def __post_init__(self) -> None:
        natural("intra_op", self.intra_op)
        natural("inter_op", self.inter_op)
        for name in ("spinning", "denormal_as_zero"):
            value = getattr(self, name)
            if not isinstance(value, bool) and (value is not None or name == "denormal_as_zero"):
                raise TypeError(f"{name} must be a bool, not {type(value).__name__}")
        if self.intra_op_affinity is not None:
            c_string("intra_op_affinity", self.intra_op_affinity)


class ArenaExtendStrategy(IntEnum):
    """How a full arena grows."""

    NEXT_POWER_OF_TWO = 0
    """It doubles each time: fewer allocations."""
    SAME_AS_REQUESTED = 1
    """By what is needed: less memory in use."""


@dataclass(frozen=True)
class ArenaConfig:
    """Configuration of the arena that sessions share; None for ONNX Runtime's default.

    Attributes:
        max_mem: the most bytes that it may hold; a run that needs more fails.
        arena_extend_strategy: how it grows.
        initial_chunk_size_bytes: size of its first allocation.
        max_dead_bytes_per_chunk: unused bytes in a chunk before the chunk is split.
        initial_growth_chunk_size_bytes: size of the first allocation after the arena was shrunk.
    """

    max_mem: int | None = None
    arena_extend_strategy: ArenaExtendStrategy | None = None
    initial_chunk_size_bytes: int | None = None
    max_dead_bytes_per_chunk: int | None = None
    initial_growth_chunk_size_bytes: int | None = None

    def entries(self) -> dict[str, int]:
        """Return the values that are set, by the names that `CreateArenaCfgV2` knows.

        Raises:
            TypeError: a value is not an int.
            ValueError: a value is negative or too large, or no strategy has this number.
        """
        entries = {}
        for name, value in vars(self).items():
            if value is None:
                continue
            if name == "arena_extend_strategy":
                entries[name] = int(member(name, ArenaExtendStrategy, value))
            elif name == "max_mem":
                entries[name] = _size(name, value)
            else:
                # ONNX Runtime keeps these as int and would let a larger one wrap around.
                entries[name] = natural(name, value)
        return entries


class Environment:
    """A loaded library with its environment, CPU memory info and default allocator.

    Made by `init`; it lives until the process ends. It is never released: a session that outlives
    its environment crashes, and CUDA builds crash if it is released at interpreter exit.

    Attributes:
        library: the library in use.
        api: its vtable.
        pointer: the `OrtEnv*`.
        cpu_memory_info: an `OrtMemoryInfo*` for memory that Python owns.
        allocator: the default `OrtAllocator*`.
        log_level: messages below this level are dropped, unless a session has a level of its own.
        logger: where messages go; None for standard error.
        thread_pools: shared by the sessions that ask for them; None if there are none.
        cpu_arena: shared by the sessions that ask for it; None before `share_cpu_arena` and after
            `release_cpu_arena`.
    """

    def __init__(
        self,
        library: Library,
        log_level: LogLevel,
        logger: logging.Logger | None = None,
        thread_pools: ThreadPools | None = None,
    ) -> None:
        self.library = library
        self.api: Api = library.api
        self.log_level = LogLevel(log_level)
        self.logger = logger
        self.thread_pools = thread_pools
        self.cpu_arena: ArenaConfig | None = None
        self._lock = threading.RLock()
        self._log_callback: LogCallback | None = None
        _smoke_test(self.api, library)
        self.pointer = self._create()
        self.cpu_memory_info = new(self.api.CreateCpuMemoryInfo, ARENA_ALLOCATOR, MEM_TYPE_DEFAULT)
        self.allocator = new(self.api.GetAllocatorWithDefaultOptions)

    def _create(self) -> int:
        """Create the `OrtEnv` with the one of four functions that takes the given arguments."""
        api = self.api
        arguments: list[Any] = [self.log_level, b"ortffi"]
        if self.logger is not None:
            # Imported only when it is used.
            from ortffi.logs import LogCallback, to_logger

            self._log_callback = LogCallback(to_logger(self.logger))
            arguments[:0] = [self._log_callback.function, self._log_callback.parameter]
        if self.thread_pools is None:
            create = api.CreateEnv if self.logger is None else api.CreateEnvWithCustomLogger
            return new(create, *arguments)
        create = (
            api.CreateEnvWithGlobalThreadPools
            if self.logger is None
            else api.CreateEnvWithCustomLoggerAndGlobalThreadPools
        )
        options = Handle(
            new(api.CreateThreadingOptions), api.ReleaseThreadingOptions, "threading options"
        )
        try:
            with options.lend() as pointer:
                _set_threading(api, pointer, self.thread_pools)
                return new(create, *arguments, pointer)
        finally:
            options.close()

    def set_log_level(self, level: LogLevel) -> None:
        """Drop messages below a level (`UpdateEnvWithCustomLogLevel`).

        Existing sessions keep their level.

        Raises:
            UnsupportedError: the library is older than 1.14.
        """
        level = member("level", LogLevel, level)
        require(self.api, "UpdateEnvWithCustomLogLevel")
        with self._lock:
            self.api.UpdateEnvWithCustomLogLevel(self.pointer, level)
            self.log_level = level

    @property
    def build_info(self) -> str:
        """Return how the library was built: commit, compiler, flags (`GetBuildInfoString`).

        Raises:
            UnsupportedError: the library is older than 1.15.
        """
        require(self.api, "GetBuildInfoString")
        # A static string, which is never freed.
        return ctypes.string_at(self.api.GetBuildInfoString()).decode("utf-8", "replace")

    def share_cpu_arena(self, config: ArenaConfig | None = None) -> None:
        """Make one CPU arena for all sessions that ask for it (`CreateAndRegisterAllocator`).

        A session asks for it with the configuration entry `session.use_env_allocators` = `1`. All
        other sessions have their own arenas. The shared arena lives until `release_cpu_arena`.

        Args:
            config: its configuration; None for ONNX Runtime's defaults.

        Raises:
            RuntimeError: there already is a shared arena.
            TypeError, ValueError: a value of the configuration is not a size or not a strategy.
        """
        config = ArenaConfig() if config is None else config
        if not isinstance(config, ArenaConfig):
            raise TypeError(f"config must be an ArenaConfig, not {type(config).__name__}")
        entries = config.entries()
        api = self.api
        with self._lock:
            if self.cpu_arena is not None:
                raise RuntimeError(f"the process already has a shared CPU arena: {self.cpu_arena}")
            keys = (ctypes.c_char_p * len(entries))(*(key.encode() for key in entries))
            values = (ctypes.c_size_t * len(entries))(*entries.values())
            arena = Handle(
                new(api.CreateArenaCfgV2, keys, values, len(entries)), api.ReleaseArenaCfg, "arena"
            )
            try:
                with arena.lend() as pointer:
                    api.CreateAndRegisterAllocator(self.pointer, self.cpu_memory_info, pointer)
            finally:
                arena.close()
            self.cpu_arena = config

    def release_cpu_arena(self) -> None:
        """Give up the shared CPU arena, if there is one (`UnregisterAllocator`).

        Sessions that use it keep it. Its memory is freed with the last of them, and of their
        outputs. Then `share_cpu_arena` may make another one.
        """
        with self._lock:
            if self.cpu_arena is not None:
                self.api.UnregisterAllocator(self.pointer, self.cpu_memory_info)
                self.cpu_arena = None

    def take_string(self, pointer: int) -> str:
        """Copy a string that the default allocator allocated, and free it (`AllocatorFree`)."""
        try:
            return ctypes.string_at(pointer).decode("utf-8", "replace")
        finally:
            self.api.AllocatorFree(self.allocator, pointer)


# A signal handler may call `init` while its own thread is inside. No lock is held around a loop:
# Python 3.13 leaves the block without its end if a handler raises at some jumps back.
_lock = threading.RLock()
_environment: Environment | None = None


def init(
    library: str | os.PathLike[str] | None = None,
    *,
    log_level: LogLevel | None = None,
    logger: logging.Logger | None = None,
    thread_pools: ThreadPools | None = None,
) -> Environment:
    """Load ONNX Runtime and create its environment, once per process.

    Later calls return the same environment. Any thread may call it. Everything in ortffi that
    needs the library calls `init`, so you only need to call it to choose something; then call it
    first. A later call may leave arguments out, but must not change them. Do not fork afterwards.

    Args:
        library: a library file; if None, `load_library` describes the search.
        log_level: messages below this level are dropped; WARNING by default.
        logger: takes the messages, from VERBOSE as `logging.DEBUG` to FATAL as
            `logging.CRITICAL`; see `ortffi.logs`. If None, they go to standard error.
        thread_pools: thread pools for sessions to share.

    Raises:
        TypeError, ValueError: an argument is of the wrong type, or not a level or a path.
        LibraryNotFoundError: there is no usable library.
        ApiVersionError: the library is too old, or its vtable does not work.
        UnsupportedError: the library is too old for the thread pools' settings.
        RuntimeError: another library is already loaded, or an earlier call chose something else.
    """
    global _environment
    file = None if library is None else library_path("library", library)
    if log_level is not None:
        log_level = member("log_level", LogLevel, log_level)
    if logger is not None:
        import logging

        if not isinstance(logger, logging.Logger):
            raise TypeError(f"logger must be a Logger, not {type(logger).__name__}")
    if thread_pools is not None and not isinstance(thread_pools, ThreadPools):
        raise TypeError(f"thread_pools must be ThreadPools, not {type(thread_pools).__name__}")
    with _lock:
        if _environment is None:
            level = LogLevel.WARNING if log_level is None else log_level
            _environment = Environment(load_library(file), level, logger, thread_pools)
            return _environment
        if file is not None and os.path.realpath(file) != str(_environment.library.path):
            raise RuntimeError(
                f"{_environment.library.path} is already loaded; "
                f"{library} can only be used in another process"
            )
        _check_choices(_environment, log_level=log_level, logger=logger, thread_pools=thread_pools)
        return _environment


def _check_choices(environment: Environment, **choices: object) -> None:
    for name, chosen in choices.items():
        in_force = getattr(environment, name)
        if chosen is not None and chosen != in_force:
            raise RuntimeError(
                f"ONNX Runtime's environment was already made with {name}={in_force!r}; "
                f"it cannot also have {chosen!r}. Call init() with it before anything else."
            )


def _set_threading(api: Api, options: int, pools: ThreadPools) -> None:
    api.SetGlobalIntraOpNumThreads(options, pools.intra_op)
    api.SetGlobalInterOpNumThreads(options, pools.inter_op)
    if pools.spinning is not None:
        api.SetGlobalSpinControl(options, int(pools.spinning))
    if pools.denormal_as_zero:
        api.SetGlobalDenormalAsZero(options)
    if pools.intra_op_affinity is not None:
        require(api, "SetGlobalIntraOpThreadAffinity")
        api.SetGlobalIntraOpThreadAffinity(
            options, c_string("intra_op_affinity", pools.intra_op_affinity)
        )


def _size(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not 0 <= value < 2 ** (8 * ctypes.sizeof(ctypes.c_size_t)):
        raise ValueError(f"{name} must be a number of bytes, not {value}")
    return value


def _smoke_test(api: Api, library: Library) -> None:
    """Create and read a status, to detect a vtable in another order before it does harm."""
    try:
        api.CreateStatus(ErrorCode.NOT_IMPLEMENTED, b"ortffi")
    except OrtError as error:
        if error.code is ErrorCode.NOT_IMPLEMENTED and error.message == "ortffi":
            return
    raise ApiVersionError(f"the function table of {library.path} does not work as expected")
