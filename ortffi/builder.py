"""Building a session step by step."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ortffi._api import ExecutionMode, GraphOptimizationLevel, LogLevel, c_string, new
from ortffi._extents import Extent
from ortffi._handle import Handle
from ortffi._provider_options import OptionValue
from ortffi.elements import Array
from ortffi.environment import init
from ortffi.errors import ProviderUnavailableError, require
from ortffi.options import SessionOptions, apply
from ortffi.prepacked import PrepackedWeights
from ortffi.providers import CPU, CUDA, ExecutionProvider, TensorRT
from ortffi.session import Session
from ortffi.value import Value

if TYPE_CHECKING:
    import logging

    from ortffi.assignment import PlacementLog
    from ortffi.model_file import Model

_BYTES_STAY_IN_USE = (
    "session.use_ort_model_bytes_directly",
    "session.use_ort_model_bytes_for_initializers",
)
"""With these settings a model in ORT format is read in place as long as its session lives."""

_EXTERNAL_FOLDER = "session.model_external_initializers_file_folder_path"


class SessionBuilder:
    """Collects options; a `commit_...` method makes the session.

    Every `with_...` method sets one of the `SessionOptions`, which describe it, and returns the
    builder. A builder can make several sessions. Without a provider the session runs on the CPU,
    which is always the last provider anyway.

    Args:
        options: the options to start with.

    Attributes:
        options: the options so far.

    Raises:
        LibraryNotFoundError: there is no usable ONNX Runtime library.
    """

    def __init__(self, options: SessionOptions | None = None) -> None:
        if options is not None and not isinstance(options, SessionOptions):
            raise TypeError(f"options must be SessionOptions, not {type(options).__name__}")
        self._environment = init()
        self.options = options or SessionOptions()

    def with_options(self, **changes: Any) -> SessionBuilder:
        """Set any fields of `SessionOptions` by name."""
        self.options = replace(self.options, **changes)
        return self

    def with_provider(self, provider: ExecutionProvider) -> SessionBuilder:
        """Add an execution provider after those already added.

        Raises:
            TypeError: it is not an execution provider.
            ProviderUnavailableError: the library was built without it.
        """
        if not isinstance(provider, ExecutionProvider):
            raise TypeError(f"provider must be an ExecutionProvider, not {type(provider).__name__}")
        provider.check(self._environment)
        return self.with_options(providers=(*self.options.providers, provider))

    def with_cpu(self) -> SessionBuilder:
        """Run the remaining nodes on the CPU, which every session does anyway."""
        return self.with_provider(CPU())

    def with_cuda(
        self,
        device_id: int = 0,
        *,
        require: bool = False,
        max_cpu_nodes: int | None = None,
        **options: OptionValue,
    ) -> SessionBuilder:
        """Prefer the CUDA provider.

        Args:
            device_id: the number of the GPU.
            require: refuse a session in which no node runs on the GPU.
            max_cpu_nodes: refuse a session with more nodes than this on the CPU.
            options: the provider's own options, such as `gpu_mem_limit` (bytes); see `CUDA`.

        Raises:
            TypeError: an option is of the wrong type.
            ValueError: an option is unknown or out of range.
            ProviderUnavailableError: the library was built without CUDA.
        """
        return self.with_provider(
            CUDA(device_id, options, require=require, max_cpu_nodes=max_cpu_nodes)
        )

    def with_tensorrt(self, device_id: int = 0, **options: OptionValue) -> SessionBuilder:
        """Prefer the TensorRT provider; see `TensorRT`."""
        return self.with_provider(TensorRT(device_id, options))

    def with_optimization_level(self, level: GraphOptimizationLevel) -> SessionBuilder:
        """Choose how much the graph is optimized."""
        return self._set("optimization_level", level)

    def with_optimized_model(self, path: str | os.PathLike[str]) -> SessionBuilder:
        """Write the optimized model to a file."""
        return self._set("optimized_model_path", path)

    def with_execution_mode(self, mode: ExecutionMode) -> SessionBuilder:
        """Run operators one after another or in parallel."""
        return self._set("execution_mode", mode)

    def with_intra_threads(self, n_threads: int) -> SessionBuilder:
        """Set the number of threads inside an operator."""
        return self._set("intra_op_threads", n_threads)

    def with_inter_threads(self, n_threads: int) -> SessionBuilder:
        """Set the number of threads between operators in parallel mode."""
        return self._set("inter_op_threads", n_threads)

    def with_spinning(self, enabled: bool) -> SessionBuilder:
        """Choose whether idle threads spin before they sleep."""
        return self._set("allow_spinning", enabled)

    def with_shared_threads(self) -> SessionBuilder:
        """Use the environment's thread pools."""
        return self.with_options(shared_threads=True)

    def with_memory_pattern(self, enabled: bool) -> SessionBuilder:
        """Choose whether memory is planned ahead for each shape."""
        return self._set("memory_pattern", enabled)

    def with_cpu_arena(self, enabled: bool) -> SessionBuilder:
        """Choose whether freed CPU memory is kept for the next run."""
        return self._set("cpu_arena", enabled)

    def with_shared_arena(self) -> SessionBuilder:
        """Allocate with the environment's arena."""
        return self.with_options(shared_arena=True)

    def with_prepacked_weights(self, weights: PrepackedWeights) -> SessionBuilder:
        """Share prepacked weights with other sessions."""
        return self._set("prepacked_weights", weights)

    def with_free_dimensions(self, **lengths: int) -> SessionBuilder:
        """Fix symbolic dimensions by name."""
        return self._add("free_dimensions", lengths)

    def with_initializers(self, initializers: Mapping[str, Array | Value]) -> SessionBuilder:
        """Replace weights of the model."""
        return self._add("initializers", initializers)

    def with_external_initializers(
        self, initializers: Mapping[str, Array | Value]
    ) -> SessionBuilder:
        """Replace weights that the model keeps in other files."""
        return self._add("external_initializers", initializers)

    def with_external_files(
        self, files: Mapping[str, bytes | bytearray | memoryview]
    ) -> SessionBuilder:
        """Replace the files with the model's weights by buffers."""
        return self._add("external_files", files)

    def with_deterministic_compute(self) -> SessionBuilder:
        """Ask for kernels that always give the same bits."""
        return self.with_options(deterministic=True)

    def with_custom_ops(self, library: str | os.PathLike[str]) -> SessionBuilder:
        """Load a library of operators."""
        libraries = (*self.options.custom_op_libraries, library)
        return self.with_options(custom_op_libraries=libraries)

    def with_profiling(self, prefix: str | os.PathLike[str]) -> SessionBuilder:
        """Profile the session from the start."""
        return self._set("profiling_prefix", prefix)

    def with_log_level(self, level: LogLevel) -> SessionBuilder:
        """Drop messages below this level."""
        return self._set("log_level", level)

    def with_logger(self, logger: logging.Logger) -> SessionBuilder:
        """Send the session's messages to a logger."""
        return self._set("logger", logger)

    def with_assignment(self) -> SessionBuilder:
        """Record which provider runs which node, for `Session.assignment`."""
        return self.with_options(record_assignment=True)

    def with_config(self, key: str, value: str) -> SessionBuilder:
        """Set a configuration entry."""
        if not isinstance(key, str):
            raise TypeError(f"key must be a str, not {type(key).__name__}")
        return self.with_options(config={**self.options.config, key: value})

    def commit_from_file(self, path: str | os.PathLike[str]) -> Session:
        """Load a model file, in ONNX or ORT format (`CreateSession`).

        Weights in other files are looked up in the same folder.

        Raises:
            TypeError: not a path.
            NoSuchFileError: there is no such file.
            InvalidProtobufError: it is not an ONNX model.
            ProviderUnavailableError: `require` or `max_cpu_nodes` of a provider is not met.
            UnsupportedError: the library is too old for an option.
            InvalidArgumentError: the model has no such initializer as one that was given, or it has
                another element type or shape.
            OrtError: the model is invalid, or a provider or an option was refused.
        """
        name = os.fsdecode(path)
        return self._commit(_FROM_FILE, self.options, name, (c_string("path", name),))

    def commit_from_memory(self, model: bytes | bytearray | memoryview | mmap.mmap) -> Session:
        """Load a model from any contiguous buffer (`CreateSessionFromArray`).

        ONNX Runtime makes its own copy, so the buffer is not needed afterwards. If a
        configuration entry makes it read the bytes in place, the session keeps them alive.

        Raises:
            TypeError: not a contiguous buffer.
            InvalidProtobufError: the bytes are not an ONNX model.
            OrtError: as for `commit_from_file`, like the other errors there.
        """
        try:
            view = memoryview(model).cast("B")
        except (TypeError, ValueError) as error:
            raise TypeError(f"model must be a contiguous buffer: {error}") from error
        return self._commit_buffer(view, self.options)

    def commit_from_mmap(self, path: str | os.PathLike[str]) -> Session:
        """Load a model file by mapping it into memory (`CreateSessionFromArray`).

        A model in ORT format, including its weights, is read in place as long as the session
        lives: processes that load the same file share its memory. A model in ONNX format is
        decoded into the session's own memory as usual. Weights in other files are found from
        ONNX Runtime 1.21 on.

        Raises:
            TypeError: not a path.
            OSError: the file cannot be opened.
            OrtError: as for `commit_from_file`, like the other errors there.
        """
        name = os.fsdecode(path)
        c_string("path", name)
        with open(name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # An empty file cannot be mapped; ONNX Runtime reports the error.
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        folder = os.path.dirname(os.path.abspath(name))
        config = {_EXTERNAL_FOLDER: folder}
        if mapped[4:8] == b"ORTM":
            config.update(dict.fromkeys(_BYTES_STAY_IN_USE, "1"))
        options = replace(self.options, config={**config, **self.options.config})
        return self._commit_buffer(memoryview(mapped), options)

    def _set(self, name: str, value: object) -> SessionBuilder:
        if value is None:
            raise TypeError(f"{name} must not be None")
        return self.with_options(**{name: value})

    def _add(self, name: str, entries: Mapping[str, Any]) -> SessionBuilder:
        if not isinstance(entries, Mapping):
            raise TypeError(f"{name} must be a mapping, not {type(entries).__name__}")
        return self.with_options(**{name: {**getattr(self.options, name), **entries}})

    def _commit_buffer(self, view: memoryview, options: SessionOptions) -> Session:
        array = np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)
        in_place = any(options.config.get(key) == "1" for key in _BYTES_STAY_IN_USE)
        arguments = (array.ctypes.data, array.nbytes)
        return self._commit(_FROM_ARRAY, options, view, arguments, *([array] if in_place else []))

    def _commit(
        self,
        create: str,
        chosen: SessionOptions,
        model: Model,
        arguments: tuple[object, ...],
        *alive: object,
    ) -> Session:
        environment = self._environment
        api = environment.api
        wanted = [p for p in chosen.providers if isinstance(p, CUDA)]
        wanted = [p for p in wanted if p.require or p.max_cpu_nodes is not None]
        placement, weights_memory = None, _weights_memory(chosen, model, create)
        options = Handle(new(api.CreateSessionOptions), api.ReleaseSessionOptions, "options")
        try:
            with options.lend() as pointer:
                placement = self._record(chosen, pointer, always=bool(wanted))
                keep = [*alive, *apply(environment, chosen, pointer)]
                keep += self._log(chosen, pointer, placement)
                weights = chosen.prepacked_weights
                if weights is None:
                    session = new(getattr(api, create), environment.pointer, *arguments, pointer)
                else:
                    create += "WithPrepackedWeightsContainer"
                    with weights.handle.lend() as container:
                        session = new(
                            getattr(api, create), environment.pointer, *arguments, pointer,
                            container,
                        )  # fmt: skip
                        keep.append(weights.handle.share())
        finally:
            options.close()
        made = Session(
            environment, session, *keep, on_host=chosen.on_host, placement=placement,
            weights=weights_memory,
        )  # fmt: skip
        try:
            for provider in wanted:
                _check_assignment(made, provider)
        except BaseException:
            made.close()
            raise
        return made

    def _record(self, chosen: SessionOptions, pointer: int, *, always: bool) -> PlacementLog | None:
        """Record the assignment of nodes; with an older library, read it from the log."""
        if not (always or chosen.record_assignment):
            return None
        from ortffi.assignment import RECORD_ASSIGNMENT, PlacementLog
        from ortffi.logs import to_logger

        api = self._environment.api
        if api.has("Session_GetEpGraphAssignmentInfo"):
            api.AddSessionConfigEntry(pointer, RECORD_ASSIGNMENT.encode(), b"1")
            return None
        require(api, "SetUserLoggingFunction")
        logger = chosen.logger or self._environment.logger
        level = chosen.log_level if chosen.log_level is not None else self._environment.log_level
        return PlacementLog(to_logger(logger), level) if logger else PlacementLog(level=level)

    def _log(
        self, chosen: SessionOptions, pointer: int, placement: PlacementLog | None
    ) -> list[object]:
        """Set the logging options; return the objects that must live as long as the session."""
        api, level = self._environment.api, chosen.log_level
        if chosen.log_id is not None:
            api.SetSessionLogId(pointer, chosen.log_id.encode())
        if chosen.log_verbosity is not None:
            api.SetSessionLogVerbosityLevel(pointer, chosen.log_verbosity)
        if placement is not None:
            level, callback = LogLevel.VERBOSE, placement.callback
        elif chosen.logger is not None:
            from ortffi.logs import LogCallback, to_logger

            callback = LogCallback(to_logger(chosen.logger))
        if level is not None:
            api.SetSessionLogSeverityLevel(pointer, level)
        if placement is None and chosen.logger is None:
            return []
        require(api, "SetUserLoggingFunction")
        api.SetUserLoggingFunction(pointer, callback.function, callback.parameter)
        return [callback, placement]


_FROM_FILE = "CreateSession"
_FROM_ARRAY = "CreateSessionFromArray"


def _weights_memory(chosen: SessionOptions, model: Model, create: str) -> list[Extent]:
    if not (chosen.initializers or chosen.external_initializers):
        return []
    from ortffi._weights import check_weights

    return check_weights(chosen, model, create)


def _check_assignment(session: Session, provider: CUDA) -> None:
    """Raise ProviderUnavailableError if a provider got fewer nodes than required."""
    counts: dict[str, int] = {}
    for node in session.assignment():
        counts[node.provider] = counts.get(node.provider, 0) + 1
    n_cpu, limit = counts.get(CPU().name, 0), provider.max_cpu_nodes
    found = ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
    if provider.require and not counts.get(provider.name):
        raise ProviderUnavailableError(f"no node runs on {provider.name}; nodes: {found}")
    if limit is not None and n_cpu > limit:
        raise ProviderUnavailableError(
            f"{n_cpu} nodes run on the CPU, {limit} are allowed; nodes: {found}"
        )
