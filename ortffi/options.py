"""Options of a session."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ortffi._api import (
    ErrorCode,
    ExecutionMode,
    GraphOptimizationLevel,
    LogLevel,
    OnnxType,
    c_string,
    member,
    natural,
)
from ortffi._handle import Handle, Loans
from ortffi._shared_object import fault_of
from ortffi.elements import Array
from ortffi.environment import Environment
from ortffi.errors import FailError, require
from ortffi.prepacked import PrepackedWeights
from ortffi.providers import CPU, ExecutionProvider
from ortffi.value import Value

if TYPE_CHECKING:
    import logging

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class SessionOptions:
    """Options of a session; None for ONNX Runtime's default.

    Attributes:
        providers: execution providers in order of preference. The CPU runs the remaining nodes,
            whether it is listed or not.
        optimization_level: how much the graph is optimized (`SetSessionGraphOptimizationLevel`).
        optimized_model_path: where to write the optimized model (`SetOptimizedModelFilePath`).
            Above EXTENDED it is specific to this machine's processor.
        execution_mode: PARALLEL runs independent operators in parallel
            (`SetSessionExecutionMode`).
        intra_op_threads: threads inside an operator (`SetIntraOpNumThreads`). With 0, ONNX Runtime
            uses the host's number of cores, even in a container that may use fewer.
        inter_op_threads: threads between operators in parallel mode (`SetInterOpNumThreads`).
        allow_spinning: whether idle threads spin for a while before they sleep. It is faster, but
            slows down everything else on the machine.
        shared_threads: use the environment's thread pools (`DisablePerSessionThreads`).
        memory_pattern: plan memory ahead for each shape (`EnableMemPattern`). It helps if the same
            shapes recur, and costs memory if they vary.
        cpu_arena: keep freed CPU memory for the next run (`EnableCpuMemArena`).
        shared_arena: allocate with the environment's arena (`session.use_env_allocators`).
        prepacked_weights: shared with other sessions.
        free_dimensions: lengths of symbolic dimensions by name (`AddFreeDimensionOverrideByName`).
        free_dimension_denotations: the same by denotation (`AddFreeDimensionOverride`).
        initializers: weights by name that replace the model's (`AddInitializer`). The session
            borrows them; sessions with the same values share them. The model must have each, with
            the same element type and shape.
        external_initializers: weights that replace those in the model's other files
            (`AddExternalInitializers`).
        external_files: the contents of those files, by name
            (`AddExternalInitializersFromFilesInMemory`, API version 18).
        deterministic: ask for kernels that always give the same bits (`SetDeterministicCompute`,
            API version 17).
        custom_op_libraries: libraries with operators (`RegisterCustomOpsLibrary_V2`). They stay
            loaded.
        profiling_prefix: profile from the start, into a file whose name is this prefix and a time
            (`EnableProfiling`, `Session.end_profiling`).
        log_level: messages below it are dropped (`SetSessionLogSeverityLevel`).
        log_verbosity: how detailed VERBOSE messages are (`SetSessionLogVerbosityLevel`).
        log_id: marks the session's messages (`SetSessionLogId`).
        logger: takes the session's messages (`SetUserLoggingFunction`, API version 17).
        record_assignment: record which provider runs which node, for `Session.assignment`.
        config: further entries (`AddSessionConfigEntry`). ONNX Runtime silently accepts unknown
            keys and values.

    Raises:
        TypeError: an option is of the wrong type.
        ValueError: a number is out of range, a string contains a NUL, or the CPU is not last.
    """

    providers: Sequence[ExecutionProvider] = ()
    optimization_level: GraphOptimizationLevel | None = None
    optimized_model_path: Path | None = None
    execution_mode: ExecutionMode | None = None
    intra_op_threads: int | None = None
    inter_op_threads: int | None = None
    allow_spinning: bool | None = None
    shared_threads: bool = False
    memory_pattern: bool | None = None
    cpu_arena: bool | None = None
    shared_arena: bool = False
    prepacked_weights: PrepackedWeights | None = None
    free_dimensions: Mapping[str, int] = field(default_factory=dict)
    free_dimension_denotations: Mapping[str, int] = field(default_factory=dict)
    initializers: Mapping[str, Array | Value] = field(default_factory=dict)
    external_initializers: Mapping[str, Array | Value] = field(default_factory=dict)
    external_files: Mapping[str, bytes | bytearray | memoryview] = field(default_factory=dict)
    deterministic: bool = False
    custom_op_libraries: Sequence[Path] = ()
    profiling_prefix: Path | None = None
    log_level: LogLevel | None = None
    log_verbosity: int | None = None
    log_id: str | None = None
    logger: logging.Logger | None = None
    record_assignment: bool = False
    config: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            value = getattr(self, name)
            if value is not None or name not in _OPTIONAL:
                object.__setattr__(self, name, check(name, value))

    @property
    def on_host(self) -> bool:
        """Return whether the session computes only in host memory."""
        return all(isinstance(provider, CPU) for provider in self.providers)


def _boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, not {type(value).__name__}")
    return value


def _string(name: str, value: Any) -> str:
    c_string(name, value)
    text: str = value
    return text


def _path(name: str, value: Any) -> str:
    try:
        path = os.fsdecode(value)
    except TypeError as error:
        raise TypeError(f"{name} must be a path, not {type(value).__name__}") from error
    return _string(name, path)


def _is_a(kind: type) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
        return value

    return check


def _logger(name: str, value: Any) -> Any:
    import logging

    return _is_a(logging.Logger)(name, value)


def _enum(kind: type[IntEnum]) -> Callable[[str, Any], Any]:
    return lambda name, value: member(name, kind, value)


def _many(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    def many(name: str, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            raise TypeError(f"{name} must be a sequence, not {type(value).__name__}")
        return tuple(check(f"an element of {name}", item) for item in value)

    return many


def _named(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    def named(name: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} must be a mapping, not {type(value).__name__}")
        return MappingProxyType(
            {
                _string(f"a key of {name}", key): check(f"{name}[{key!r}]", item)
                for key, item in value.items()
            }
        )

    return named


def _tensor(name: str, value: Any) -> Value:
    if isinstance(value, Value):
        if value.kind is not OnnxType.TENSOR:  # ONNX Runtime crashes on an empty optional
            raise TypeError(f"{name} must be a tensor, not {value.kind.name.lower()}")
        return value
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be an array or a Value, not {type(value).__name__}")
    try:
        return Value.from_numpy(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def _buffer(name: str, value: Any) -> memoryview:
    try:
        return memoryview(value).cast("B")
    except TypeError as error:
        raise TypeError(f"{name} must be a contiguous buffer: {error}") from error


def _providers(name: str, value: Any) -> tuple[ExecutionProvider, ...]:
    providers: tuple[ExecutionProvider, ...] = _many(_is_a(ExecutionProvider))(name, value)
    if any(isinstance(provider, CPU) for provider in providers[:-1]):
        raise ValueError("the CPU must be the last of the providers: it runs all remaining nodes")
    return providers


def _dimension(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not 0 <= value < 2**63:
        raise ValueError(f"{name} must be between 0 and {2**63 - 1}, not {value}")
    return int(value)


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "providers": _providers,
    "optimization_level": _enum(GraphOptimizationLevel),
    "optimized_model_path": _path,
    "execution_mode": _enum(ExecutionMode),
    "intra_op_threads": natural,
    "inter_op_threads": natural,
    "allow_spinning": _boolean,
    "shared_threads": _boolean,
    "memory_pattern": _boolean,
    "cpu_arena": _boolean,
    "shared_arena": _boolean,
    "prepacked_weights": _is_a(PrepackedWeights),
    "free_dimensions": _named(_dimension),
    "free_dimension_denotations": _named(_dimension),
    "initializers": _named(_tensor),
    "external_initializers": _named(_tensor),
    "external_files": _named(_buffer),
    "deterministic": _boolean,
    "custom_op_libraries": _many(_path),
    "profiling_prefix": _path,
    "log_level": _enum(LogLevel),
    "log_verbosity": natural,
    "log_id": _string,
    "logger": _logger,
    "record_assignment": _boolean,
    "config": _named(_string),
}

_OPTIONAL = {option.name for option in fields(SessionOptions) if option.default is None}


def apply(environment: Environment, options: SessionOptions, pointer: int) -> list[object]:
    """Set all options except logging in an `OrtSessionOptions*`.

    Returns:
        The objects that must live as long as the session.

    Raises:
        OrtError: ONNX Runtime refused an option.
        UnsupportedError: the library is too old for an option.
        ValueError: the environment has no thread pools or no arena to share.
    """
    api = environment.api
    if options.optimization_level is not None:
        api.SetSessionGraphOptimizationLevel(pointer, options.optimization_level)
    if options.optimized_model_path is not None:
        api.SetOptimizedModelFilePath(pointer, os.fsencode(options.optimized_model_path))
    if options.execution_mode is not None:
        api.SetSessionExecutionMode(pointer, options.execution_mode)
    if options.intra_op_threads is not None:
        api.SetIntraOpNumThreads(pointer, options.intra_op_threads)
    if options.inter_op_threads is not None:
        api.SetInterOpNumThreads(pointer, options.inter_op_threads)
    if options.shared_threads:
        if environment.thread_pools is None:
            raise ValueError("no shared thread pools: make them with ortffi.init(thread_pools=...)")
        api.DisablePerSessionThreads(pointer)
    if options.memory_pattern is not None:
        (api.EnableMemPattern if options.memory_pattern else api.DisableMemPattern)(pointer)
    if options.cpu_arena is not None:
        (api.EnableCpuMemArena if options.cpu_arena else api.DisableCpuMemArena)(pointer)
    for name, length in options.free_dimensions.items():
        api.AddFreeDimensionOverrideByName(pointer, name.encode(), length)
    for denotation, length in options.free_dimension_denotations.items():
        api.AddFreeDimensionOverride(pointer, denotation.encode(), length)
    if options.deterministic:
        require(api, "SetDeterministicCompute")
        api.SetDeterministicCompute(pointer, True)
    for library in options.custom_op_libraries:
        _register_operators(environment, pointer, os.fsencode(library))
    if options.profiling_prefix is not None:
        api.EnableProfiling(pointer, os.fsencode(options.profiling_prefix))
    for key, value in _entries(environment, options).items():
        api.AddSessionConfigEntry(pointer, key.encode(), value.encode())
    for provider in options.providers:
        provider.append(environment, pointer)
    return _add_weights(environment, options, pointer)


def _entries(environment: Environment, options: SessionOptions) -> dict[str, str]:
    entries = {}
    if options.allow_spinning is not None:
        for kind in ("intra", "inter"):
            entries[f"session.{kind}_op.allow_spinning"] = str(int(options.allow_spinning))
    if options.shared_arena:
        if environment.cpu_arena is None:
            raise ValueError("no shared arena: make one with ortffi.init().share_cpu_arena(...)")
        entries["session.use_env_allocators"] = "1"
    return {**entries, **options.config}


def _register_operators(environment: Environment, pointer: int, library: bytes) -> None:
    api = environment.api
    is_new = api.has("RegisterCustomOpsLibrary_V2")
    # The system searches its own folders for a name without a folder.
    fault = fault_of(os.fsdecode(library)) if os.sep.encode() in library else None
    if fault is not None:
        function = "RegisterCustomOpsLibrary_V2" if is_new else "RegisterCustomOpsLibrary"
        raise FailError(ErrorCode.FAIL, f"{os.fsdecode(library)} {fault}", function)
    if is_new:
        api.RegisterCustomOpsLibrary_V2(pointer, library)
    else:
        api.RegisterCustomOpsLibrary(pointer, library, ctypes.byref(ctypes.c_void_p()))


def _add_weights(environment: Environment, options: SessionOptions, pointer: int) -> list[object]:
    api = environment.api
    alive: list[object] = []
    # `SessionOptions` has already converted arrays to values.
    initializers, external = (
        [(name.encode(), cast("Value", value).handle) for name, value in given.items()]
        for given in (options.initializers, options.external_initializers)
    )
    for name, handle in initializers:
        with handle.lend() as value_pointer:
            api.AddInitializer(pointer, name, value_pointer)
            alive.append(handle.share())
    if external:
        require(api, "AddExternalInitializers")
        _lend_all(external, lambda names, values, count: api.AddExternalInitializers(
            pointer, names, values, count
        ))  # fmt: skip
        alive += [handle.share() for _, handle in external]
    if options.external_files:
        require(api, "AddExternalInitializersFromFilesInMemory")
        count = len(options.external_files)
        buffers = [np.frombuffer(view, np.uint8) for view in options.external_files.values()]
        api.AddExternalInitializersFromFilesInMemory(
            pointer,
            (ctypes.c_char_p * count)(*(os.fsencode(name) for name in options.external_files)),
            (ctypes.c_void_p * count)(*(buffer.ctypes.data for buffer in buffers)),
            (ctypes.c_size_t * count)(*(buffer.nbytes for buffer in buffers)),
            count,
        )
        alive += buffers
    return alive


def _lend_all(
    handles: Sequence[tuple[bytes, Handle]], use: Callable[[Any, Any, int], object]
) -> None:
    with Loans() as loans:
        count = len(handles)
        names, values = (ctypes.c_char_p * count)(), (ctypes.c_void_p * count)()
        for index, (name, handle) in enumerate(handles):
            names[index], values[index] = name, loans.add(handle)
        use(names, values, count)
