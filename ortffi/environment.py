"""The one `OrtEnv` of the process, and what is made once beside it."""

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
    """Two pools of threads that the sessions of the process share.

    Without them every session has pools of its own. With them a session uses the shared ones
    if it says so (`DisablePerSessionThreads`).

    Attributes:
        intra_op: threads that compute inside an operator, the calling one included; 0 leaves it
            to ONNX Runtime, which counts the host's cores.
        inter_op: threads that run operators side by side in parallel mode; 0 as above.
        spinning: whether a thread without work looks out for more for a while, which is faster
            and uses the processor meanwhile; None leaves ONNX Runtime's default, which is yes.
        denormal_as_zero: whether the threads take numbers very close to zero for zero.
        intra_op_affinity: on which logical processors the intra-op threads run, in the format of
            `session.intra_op_thread_affinities`: one set a thread but the calling one, such as
            `1,2;3,4`, counted from 1. Needs ONNX Runtime 1.14.
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
    """How an arena grows that has no room left."""

    NEXT_POWER_OF_TWO = 0
    """Twice as much each time: fewer allocations."""
    SAME_AS_REQUESTED = 1
    """As much as is needed: less memory held."""


@dataclass(frozen=True)
class ArenaConfig:
    """How the arena is to behave that sessions share; None leaves ONNX Runtime's default.

    Attributes:
        max_mem: bytes it may hold; beyond it a run fails.
        arena_extend_strategy: how it grows.
        initial_chunk_size_bytes: of its first allocation.
        max_dead_bytes_per_chunk: bytes of a chunk that may be left unused before it is split.
        initial_growth_chunk_size_bytes: of the first allocation after the arena was shrunk.
    """

    max_mem: int | None = None
    arena_extend_strategy: ArenaExtendStrategy | None = None
    initial_chunk_size_bytes: int | None = None
    max_dead_bytes_per_chunk: int | None = None
    initial_growth_chunk_size_bytes: int | None = None

    def entries(self) -> dict[str, int]:
        """Return what is set, by the names that `CreateArenaCfgV2` knows.

        Raises:
            TypeError: a value is no int.
            ValueError: it is negative or too large, or no strategy has this number.
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

    Made by `init`; lives until the process ends. It is never released: a session that outlives
    its environment crashes, and CUDA builds crash when it goes at interpreter exit.

    Attributes:
        library: the library in use.
        api: its vtable.
        pointer: the `OrtEnv*`.
        cpu_memory_info: an `OrtMemoryInfo*` for memory that Python owns.
        allocator: the default `OrtAllocator*`.
        log_level: the least severe messages that are passed on, unless a session says otherwise.
        logger: where messages go; None for standard error.
        thread_pools: shared by sessions that want it; None where there are none.
        cpu_arena: shared by sessions that want it; None until `share_cpu_arena`.
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
        self._lock = threading.Lock()
        self._log_callback: LogCallback | None = None
        _smoke_test(self.api, library)
        self.pointer = self._create()
        self.cpu_memory_info = new(self.api.CreateCpuMemoryInfo, ARENA_ALLOCATOR, MEM_TYPE_DEFAULT)
        self.allocator = new(self.api.GetAllocatorWithDefaultOptions)

    def _create(self) -> int:
        """Make the `OrtEnv` by the one of four functions that takes what there is to say."""
        api = self.api
        arguments: list[Any] = [self.log_level, b"ortffi"]
        if self.logger is not None:
            # Only for those who want it.
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
            with options as pointer:
                _set_threading(api, pointer, self.thread_pools)
                return new(create, *arguments, pointer)
        finally:
            options.close()

    def set_log_level(self, level: LogLevel) -> None:
        """Pass on messages of this level and above (`UpdateEnvWithCustomLogLevel`).

        Sessions made before keep the level that they were made with.

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
        # A static string: nobody gives it back.
        return ctypes.string_at(self.api.GetBuildInfoString()).decode("utf-8", "replace")

    def share_cpu_arena(self, config: ArenaConfig | None = None) -> None:
        """Make one CPU arena for all sessions that ask for it (`CreateAndRegisterAllocator`).

        A session asks by its configuration entry `session.use_env_allocators` = `1`; the others
        have an arena each. It stays until the process ends.

        Args:
            config: how it is to behave; ONNX Runtime's defaults when None.

        Raises:
            RuntimeError: there is one already.
            TypeError, ValueError: a value of the configuration is no size or no strategy.
        """
        config = ArenaConfig() if config is None else config
        if not isinstance(config, ArenaConfig):
            raise TypeError(f"config must be an ArenaConfig, not {type(config).__name__}")
        entries = config.entries()
        api = self.api
        with self._lock:
            if self.cpu_arena is not None:
                raise RuntimeError(f"the process has a shared CPU arena already: {self.cpu_arena}")
            keys = (ctypes.c_char_p * len(entries))(*(key.encode() for key in entries))
            values = (ctypes.c_size_t * len(entries))(*entries.values())
            arena = Handle(
                new(api.CreateArenaCfgV2, keys, values, len(entries)), api.ReleaseArenaCfg, "arena"
            )
            try:
                with arena as pointer:
                    api.CreateAndRegisterAllocator(self.pointer, self.cpu_memory_info, pointer)
            finally:
                arena.close()
            self.cpu_arena = config

    def take_string(self, pointer: int) -> str:
        """Copy a string that the default allocator made, and give it back (`AllocatorFree`)."""
        try:
            return ctypes.string_at(pointer).decode("utf-8", "replace")
        finally:
            self.api.AllocatorFree(self.allocator, pointer)


_lock = threading.Lock()
_environment: Environment | None = None


def init(
    library: str | os.PathLike[str] | None = None,
    *,
    log_level: LogLevel | None = None,
    logger: logging.Logger | None = None,
    thread_pools: ThreadPools | None = None,
) -> Environment:
    """Load ONNX Runtime and make its environment, once per process; later calls return the same.

    Safe to call from several threads. Everything in ortffi that needs the library calls it, so an
    explicit call is only needed to choose something, and comes first then. What a later call
    leaves out stays as it is. Do not fork afterwards.

    Args:
        library: a library file; found as `load_library` describes where it is None.
        log_level: least severe messages that the library passes on; WARNING unless given.
        logger: takes the messages, which go to standard error where it is None: from VERBOSE as
            `logging.DEBUG` to FATAL as `logging.CRITICAL`. See `ortffi.logs`.
        thread_pools: threads for sessions to share.

    Raises:
        TypeError, ValueError: an argument is of the wrong type, or no such level or path.
        LibraryNotFoundError: no usable library.
        ApiVersionError: it is too old, or its vtable does not work.
        UnsupportedError: the library is too old for the thread pools' settings.
        RuntimeError: a library is loaded already and it is another one, or something was chosen
            differently before.
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
                f"{_environment.library.path} is loaded already; "
                f"{library} can only be used in another process"
            )
        for name, chosen in (
            ("log_level", log_level),
            ("logger", logger),
            ("thread_pools", thread_pools),
        ):
            in_force = getattr(_environment, name)
            if chosen is not None and chosen != in_force:
                raise RuntimeError(
                    f"ONNX Runtime's environment was made with {name}={in_force!r} already; "
                    f"it cannot have {chosen!r} too. Call init() with it before anything else."
                )
        return _environment


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
    """Make and read a status, so that a vtable in another order shows before it does harm."""
    try:
        api.CreateStatus(ErrorCode.NOT_IMPLEMENTED, b"ortffi")
    except OrtError as error:
        if error.code is ErrorCode.NOT_IMPLEMENTED and error.message == "ortffi":
            return
    raise ApiVersionError(f"the function table of {library.path} does not work as expected")
