"""ONNX Runtime for this service: the library, the provider, and how sessions are set up."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import ortffi
from service.errors import ProviderError, StartupError
from service.heap import return_freed_memory
from service.machine import count_processors

_MIN_EXTERNAL_BYTES = 1024
"""Tensors of at least so many bytes go into the file of weights. Shorter ones stay in the graph,
because ONNX Runtime reads some of them (the sizes of a Split) while it loads the graph."""


_ARENA_BYTES = 192 << 20
"""Size of the memory arena that sessions share for the tensors of a run; the longest chunk needs
two thirds of it. It is one region and is free again after each run, so it does not fragment,
however long the chunks are. ONNX Runtime's own smaller regions do not fit tensors of many lengths,
and their number grows. What is never used stays virtual, but for a table of 3 %."""

_sharing = threading.Lock()

Provider = Literal["cpu", "cuda", "tensorrt", "auto"]
"""Where models run. TensorRT leaves to CUDA, and CUDA to the CPU, what they do not support; `auto`
is CUDA if it works."""

Options = Mapping[str, str | int | bool]
"""Options of an execution provider of ONNX Runtime, by its own names."""

_CUDA_DEFAULTS: dict[str, str | int | bool] = {"use_tf32": False}
"""TensorFloat-32 rounds factors to 10 bits: durations near a half would differ from the CPU's."""


_CAPTURE_REFUSED = "graph capture feature"
"""Part of ONNX Runtime's message for a session with nodes that it cannot capture."""

_MANY_GRAPHS = (1, 18)
"""The first version whose sessions can have several CUDA graphs."""


class GpuUnavailableError(ProviderError):
    """The GPU cannot be used; the message is ONNX Runtime's reason."""


class CaptureRefusedError(GpuUnavailableError):
    """Runs of this model cannot become CUDA graphs; the message is ONNX Runtime's reason."""


@dataclass(frozen=True)
class Runtime:
    """A loaded ONNX Runtime, and how to use it.

    Attributes:
        library: the file in use.
        found_by: how it was found.
        version: of ONNX Runtime.
        api_version: the newest API version that it has.
        compiled_in: names of the providers compiled into it.
        provider: from the settings.
        threads: of a run.
        cuda_device: which GPU.
        cuda_options: for the CUDA provider.
        tensorrt_options: for the TensorRT provider.
        memory_bytes: limit of a model on the GPU; 0 for none.
    """

    library: Path
    found_by: str
    version: str
    api_version: int
    compiled_in: tuple[str, ...]
    provider: Provider
    threads: int
    cuda_device: int = 0
    cuda_options: Options = field(default_factory=dict)
    tensorrt_options: Options = field(default_factory=dict)
    memory_bytes: int = 0

    @property
    def on_processor(self) -> Runtime:
        """Return the same runtime for the CPU."""
        return replace(self, provider="cpu")

    def open_session(self, model: bytearray, folder: Path) -> ortffi.Session:
        """Make a session of a serialized model on the CPU.

        Args:
            model: the bytes; not needed afterwards.
            folder: of the model's external tensors.

        Raises:
            ortffi.OrtError: the model is not valid.
        """
        return self._commit(ortffi.SessionBuilder().with_cpu(), model, folder)

    def open_on_gpu(
        self, model: Path | bytearray, folder: Path, profile: Path, *, capturing: bool = False
    ) -> ortffi.Session:
        """Make a session on the GPU, which profiles its runs until `end_profiling`.

        Args:
            model: the file, or its bytes.
            folder: of the model's external tensors.
            profile: prefix of the profile's file name.
            capturing: whether to capture CUDA graphs; see `can_capture`.

        Raises:
            CaptureRefusedError: not all nodes are on the GPU.
            GpuUnavailableError: the GPU cannot be used.
            ProviderError: its options are wrong.
        """
        builder = ortffi.SessionBuilder()
        try:
            for provider in self.gpu_providers(capturing=capturing):
                builder = builder.with_provider(provider)
            # What comes above EXTENDED is for the processor, and fails on halves (ORT 1.31).
            builder = builder.with_optimization_level(
                ortffi.GraphOptimizationLevel.EXTENDED
            ).with_profiling(profile)
            if isinstance(model, bytearray):
                return self._commit(builder, model, folder)
            return self._builder(builder).commit_from_file(model)
        except (ortffi.OrtError, ortffi.ProviderUnavailableError) as error:
            reason = " ".join(str(error).split())
            refused = capturing and _CAPTURE_REFUSED in reason
            raise (CaptureRefusedError if refused else GpuUnavailableError)(reason) from error

    @property
    def can_capture(self) -> bool:
        """Tell whether a session can have several CUDA graphs, selected by run options."""
        version = tuple(int(part) for part in self.version.split(".")[:2])
        return self.provider != "tensorrt" and version >= _MANY_GRAPHS

    def lack_of_gpu(self) -> str:
        """Return the provider that the library was built without; empty if it has all."""
        try:
            for provider in self.gpu_providers():
                provider.check(ortffi.init())
        except ortffi.ProviderUnavailableError as error:
            return str(error)
        return ""

    def gpu_providers(self, *, capturing: bool = False) -> list[ortffi.ExecutionProvider]:
        """Return the GPU's providers, in the order of their priority.

        Args:
            capturing: see `open_on_gpu`.

        Raises:
            ProviderError: their options are wrong.
        """
        providers: list[ortffi.ExecutionProvider] = []
        try:
            if self.provider == "tensorrt":
                providers.append(ortffi.TensorRT(self.cuda_device, self.tensorrt_options))
        except (TypeError, ValueError) as error:
            raise ProviderError(f"tensorrt_options: {error}") from error
        try:
            bounded = {"gpu_mem_limit": self.memory_bytes} if self.memory_bytes else {}
            captured = {"enable_cuda_graph": True} if capturing else {}
            options = {**_CUDA_DEFAULTS, **bounded, **captured, **self.cuda_options}
            providers.append(ortffi.CUDA(self.cuda_device, options))
        except (TypeError, ValueError) as error:
            raise ProviderError(f"cuda_options: {error}") from error
        return providers

    def open_optimized(self, model: Path, operators: Path | None) -> ortffi.Session:
        """Make a session on the CPU of a model that `optimize` wrote.

        Its weights are mapped from their file, so processes share them.

        Args:
            model: the file; its file of weights is beside it.
            operators: library of the native operators, if the model uses them.

        Raises:
            ortffi.OrtError: the model or the library is not valid.
        """
        builder = self._builder(ortffi.SessionBuilder().with_cpu())
        if operators is not None:
            builder = builder.with_custom_ops(operators)
        return builder.with_optimization_level(
            ortffi.GraphOptimizationLevel.DISABLE_ALL
        ).commit_from_file(model)

    def optimize(self, model: Path, operators: Path | None, optimized: Path, weights: str) -> None:
        """Optimize a model with ONNX Runtime once, so that loading is faster.

        The levels up to EXTENDED are the same on every CPU; those above are for float convolutions.

        Args:
            model: the file.
            operators: library of the native operators, if the model uses them.
            optimized: file to write.
            weights: name of the file beside it for the weights.

        Raises:
            ortffi.OrtError: the model or the library is not valid, or a file cannot be written.
        """
        builder = self._builder(ortffi.SessionBuilder().with_cpu())
        if operators is not None:
            builder = builder.with_custom_ops(operators)
        (
            builder.with_optimization_level(ortffi.GraphOptimizationLevel.EXTENDED)
            .with_optimized_model(optimized)
            .with_config("session.optimized_model_external_initializers_file_name", weights)
            .with_config(
                "session.optimized_model_external_initializers_min_size_in_bytes",
                str(_MIN_EXTERNAL_BYTES),
            )
            .commit_from_file(model)
            .close()
        )

    def _builder(self, builder: ortffi.SessionBuilder) -> ortffi.SessionBuilder:
        self._share_arena()
        return (
            builder.with_intra_threads(self.threads)
            .with_shared_arena()
            # Lengths vary with every request; planned memory would pile up for each.
            .with_memory_pattern(False)
            # Threads take small blocks as they come free, instead of an equal share each at
            # the start: 3 % less time on two cores that others use as well.
            .with_config("session.dynamic_block_base", "4")
            # A chunk goes through two sessions, each with threads of its own. The idle ones
            # would spin and take cores from the others: a quarter of the time of 1.5 s of
            # speech on two cores, an eighth of that of 5 s.
            .with_config("session.force_spinning_stop", "1")
        )

    def _share_arena(self) -> None:
        """Make the arena of all sessions on the CPU, unless there is one."""
        environment = ortffi.init()
        # In force once a first run has given back what it ran in. As the size of the very first
        # allocation instead, it would be kept by an idle service too.
        size = min(_ARENA_BYTES, self.memory_bytes or _ARENA_BYTES)
        with _sharing:
            if environment.cpu_arena is None:
                config = ortffi.ArenaConfig(initial_growth_chunk_size_bytes=size)
                environment.share_cpu_arena(config)

    def _commit(
        self, builder: ortffi.SessionBuilder, model: bytearray, folder: Path
    ) -> ortffi.Session:
        return (
            self._builder(builder)
            .with_config("session.model_external_initializers_file_folder_path", str(folder))
            .commit_from_memory(model)
        )

    def usable(self, *, with_gpu: bool = True) -> dict[str, str]:
        """Try the providers that this service can use; return what is wrong with each, or nothing.

        TensorRT is tried only if it is the setting.
        """
        verdicts = {}
        for provider in (ortffi.CPU(), *(self.gpu_providers() if with_gpu else ())):
            name = provider.name.removesuffix("ExecutionProvider").lower()
            try:
                ortffi.try_provider(provider)
                verdicts[name] = ""
            except ortffi.ProviderUnavailableError as error:
                verdicts[name] = " ".join(str(error).split())
        return verdicts


def release_shared_memory() -> None:
    """Return to the system what closed models have left; opened ones are not affected.

    Needs a loaded ONNX Runtime.
    """
    ortffi.init().release_cpu_arena()
    return_freed_memory()


def open_runtime(
    provider: Provider = "cpu",
    threads: int = 0,
    cuda_device: int = 0,
    cuda_options: Options | None = None,
    tensorrt_options: Options | None = None,
    memory_bytes: int = 0,
) -> Runtime:
    """Load ONNX Runtime.

    Args:
        provider: where models run.
        threads: of a run; 0 takes one for each processor that this process may keep busy. (ONNX
            Runtime itself would take all of the host's cores, even in a container that may use only
            some.)
        cuda_device: which GPU.
        cuda_options: for the CUDA provider.
        tensorrt_options: for the TensorRT provider.
        memory_bytes: limit of a model on the GPU; 0 for none.

    Raises:
        StartupError: there is no usable library.
    """
    try:
        environment = ortffi.init()
    except ortffi.LibraryNotFoundError as error:
        raise StartupError(str(error)) from error
    library = environment.library
    return Runtime(
        library.path,
        library.found_by,
        library.version,
        library.api_version,
        tuple(ortffi.available_providers()),
        provider,
        threads or count_processors(),
        cuda_device,
        dict(cuda_options or {}),
        dict(tensorrt_options or {}),
        memory_bytes,
    )
