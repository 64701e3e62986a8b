"""How a session is to be made."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ortffi import providers
from ortffi._api import GraphOptimizationLevel, LogLevel, c_string, new
from ortffi._handle import Handle
from ortffi.environment import Environment, init
from ortffi.session import Session

_BYTES_STAY_IN_USE = (
    "session.use_ort_model_bytes_directly",
    "session.use_ort_model_bytes_for_initializers",
)
"""Settings with which a model in ORT format is read in place, for as long as its session lives."""


class SessionBuilder:
    """Collect options, then make a session by a `commit_...` method.

    Every `with_...` method changes the builder and returns it. A builder can be committed more
    than once. Without a provider the session runs on the CPU, which always comes last anyway.

    Raises:
        LibraryNotFoundError: no usable ONNX Runtime library.
    """

    def __init__(self) -> None:
        self._environment: Environment = init()
        self._steps: list[Callable[[int], None]] = []
        self._uses_of_model_bytes: set[str] = set()

    def with_cpu(self) -> SessionBuilder:
        """Run on the CPU what no provider before it takes; needs no C call, it is always there."""
        return self

    def with_cuda(self, device_id: int = 0, **options: str | int | bool) -> SessionBuilder:
        """Prefer the CUDA provider (`SessionOptionsAppendExecutionProvider_CUDA_V2`).

        Args:
            device_id: which GPU.
            options: the provider's documented options, such as `gpu_mem_limit` (bytes) or
                `arena_extend_strategy`; True and False become 1 and 0.
                `cudnn_conv_algo_search` is HEURISTIC unless given.

        Raises:
            ProviderUnavailableError: the library was built without CUDA.
        """
        providers.require_cuda(self._environment)
        settings = {"device_id": str(_natural("device_id", device_id)), **providers.CUDA_DEFAULTS}
        for key, value in options.items():
            text = str(int(value)) if isinstance(value, bool) else str(value)
            settings[key] = c_string(key, text).decode()
        return self._add(lambda o: providers.append_cuda(self._environment, o, settings))

    def with_optimization_level(self, level: GraphOptimizationLevel) -> SessionBuilder:
        """Choose how far the graph is rewritten (`SetSessionGraphOptimizationLevel`)."""
        api, level = self._environment.api, GraphOptimizationLevel(level)
        return self._add(lambda o: api.SetSessionGraphOptimizationLevel(o, level))

    def with_intra_threads(self, n_threads: int) -> SessionBuilder:
        """Use so many threads inside an operator (`SetIntraOpNumThreads`).

        0 leaves it to ONNX Runtime, which counts the host's cores, also in a container that may
        use only some of them.
        """
        api, number = self._environment.api, _natural("n_threads", n_threads)
        return self._add(lambda o: api.SetIntraOpNumThreads(o, number))

    def with_inter_threads(self, n_threads: int) -> SessionBuilder:
        """Use so many threads between operators in parallel mode (`SetInterOpNumThreads`)."""
        api, number = self._environment.api, _natural("n_threads", n_threads)
        return self._add(lambda o: api.SetInterOpNumThreads(o, number))

    def with_memory_pattern(self, enabled: bool) -> SessionBuilder:
        """Plan memory ahead by shape or not (`EnableMemPattern`, `DisableMemPattern`).

        Worth it where the same shapes come again and again; costs memory where they vary.
        """
        api = self._environment.api
        return self._add(api.EnableMemPattern if enabled else api.DisableMemPattern)

    def with_cpu_arena(self, enabled: bool) -> SessionBuilder:
        """Keep freed CPU memory for the next run or not (`EnableCpuMemArena`, `Disable...`)."""
        api = self._environment.api
        return self._add(api.EnableCpuMemArena if enabled else api.DisableCpuMemArena)

    def with_config(self, key: str, value: str) -> SessionBuilder:
        """Set a configuration entry (`AddSessionConfigEntry`).

        ONNX Runtime accepts unknown keys and values without a word.
        """
        api, entry = self._environment.api, (c_string("key", key), c_string("value", value))
        if key in _BYTES_STAY_IN_USE:
            (self._uses_of_model_bytes.add if value == "1" else self._uses_of_model_bytes.discard)(
                key
            )
        return self._add(lambda o: api.AddSessionConfigEntry(o, *entry))

    def with_log_level(self, level: LogLevel) -> SessionBuilder:
        """Print only messages of this level and above (`SetSessionLogSeverityLevel`)."""
        api, level = self._environment.api, LogLevel(level)
        return self._add(lambda o: api.SetSessionLogSeverityLevel(o, level))

    def commit_from_file(self, path: str | os.PathLike[str]) -> Session:
        """Load a model file (`CreateSession`).

        Raises:
            NoSuchFileError: there is no such file.
            InvalidProtobufError: it is not an ONNX model.
            OrtError: the model is invalid, or a provider cannot be had.
        """
        encoded = c_string("path", os.fsdecode(path))
        return self._commit(self._environment.api.CreateSession, encoded)

    def commit_from_memory(self, model: bytes | bytearray | memoryview) -> Session:
        """Load a model from any contiguous buffer (`CreateSessionFromArray`).

        The buffer may go when this returns: ONNX Runtime has its own copy then. (Where a
        configuration entry makes it read the bytes in place, the session keeps them alive.)

        Raises:
            TypeError: not a contiguous buffer.
            InvalidProtobufError: the bytes are not an ONNX model.
            OrtError: the model is invalid, or a provider cannot be had.
        """
        view = memoryview(model).cast("B")
        array = np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)
        keep_alive = array if self._uses_of_model_bytes else None
        return self._commit(
            self._environment.api.CreateSessionFromArray,
            array.ctypes.data,
            array.nbytes,
            keep_alive=keep_alive,
        )

    def _add(self, step: Callable[[int], Any]) -> SessionBuilder:
        self._steps.append(step)
        return self

    def _commit(
        self, create: Callable[..., Any], *model: object, keep_alive: object = None
    ) -> Session:
        environment = self._environment
        api = environment.api
        options = Handle(new(api.CreateSessionOptions), api.ReleaseSessionOptions, "options")
        try:
            with options as pointer:
                for step in self._steps:
                    step(pointer)
                session = new(create, environment.pointer, *model, pointer)
        finally:
            options.close()
        return Session(environment, session, keep_alive)


def _natural(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not 0 <= value < 2**31:
        raise ValueError(f"{name} must be between 0 and 2147483647, not {value}")
    return value
