"""The one `OrtEnv` of the process, and what is made once beside it."""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path

from ortffi._api import ARENA_ALLOCATOR, MEM_TYPE_DEFAULT, Api, ErrorCode, LogLevel, new
from ortffi.errors import ApiVersionError, OrtError
from ortffi.library import Library, load_library


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
    """

    def __init__(self, library: Library, log_level: LogLevel) -> None:
        self.library = library
        self.api: Api = library.api
        _smoke_test(self.api, library)
        self.pointer = new(self.api.CreateEnv, log_level, b"ortffi")
        self.cpu_memory_info = new(self.api.CreateCpuMemoryInfo, ARENA_ALLOCATOR, MEM_TYPE_DEFAULT)
        self.allocator = new(self.api.GetAllocatorWithDefaultOptions)

    def take_string(self, pointer: int) -> str:
        """Copy a string that the default allocator made, and give it back (`AllocatorFree`)."""
        try:
            return ctypes.string_at(pointer).decode("utf-8", "replace")
        finally:
            self.api.AllocatorFree(self.allocator, pointer)


_lock = threading.Lock()
_environment: Environment | None = None


def init(
    library: str | os.PathLike[str] | None = None, *, log_level: LogLevel = LogLevel.WARNING
) -> Environment:
    """Load ONNX Runtime and make its environment, once per process; later calls return the same.

    Safe to call from several threads. Everything in ortffi that needs the library calls it, so an
    explicit call is only needed to choose the library or the log level. Do not fork afterwards.

    Args:
        library: a library file; found as `load_library` describes where it is None.
        log_level: least severe messages that the library prints to standard error.

    Raises:
        LibraryNotFoundError: no usable library.
        ApiVersionError: it is too old, or its vtable does not work.
        RuntimeError: a different library is loaded already.
    """
    global _environment
    with _lock:
        if _environment is None:
            _environment = Environment(load_library(library), log_level)
        elif library is not None and Path(library).resolve() != _environment.library.path:
            raise RuntimeError(
                f"{_environment.library.path} is loaded already; "
                f"{library} can only be used in another process"
            )
        return _environment


def _smoke_test(api: Api, library: Library) -> None:
    """Make and read a status, so that a vtable in another order shows before it does harm."""
    try:
        api.CreateStatus(ErrorCode.NOT_IMPLEMENTED, b"ortffi")
    except OrtError as error:
        if error.code is ErrorCode.NOT_IMPLEMENTED and error.message == "ortffi":
            return
    raise ApiVersionError(f"the function table of {library.path} does not work as expected")
