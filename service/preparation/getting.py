"""Get a prepared model from the cache, or make it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from service.model.prepared import CacheKey, ModelOnDisk, PreparedModel
from service.model.runtime import Runtime
from service.preparation.for_gpus import find_for_gpu, make_for_gpus
from service.preparation.layout import Layout
from service.preparation.operators import (
    NativeOperators,
    NativeUnavailableError,
    find_native_operators,
)
from service.preparation.rewriting.version import VERSION
from service.preparation.source import Progress, Source
from service.preparation.store import Store

__all__ = ["Target", "get", "make_for_gpus"]

Target = Literal["processor", "float32", "float16"]
"""What a model is prepared for: this CPU, or GPUs in a precision."""


def get(
    source: Source,
    target: Target,
    runtime: Runtime,
    cache_dir: Path,
    progress: Progress,
    kernels: str | None = None,
) -> ModelOnDisk:
    """Return the prepared model of a source for a target.

    For the CPU a missing model is made. For GPUs it is only looked up, because making it takes
    minutes; `make_for_gpus` makes it. A source in floats is returned as it is.

    Args:
        source: a published model.
        target: what to prepare it for.
        runtime: to run it with.
        cache_dir: cache of prepared models.
        progress: called with a line where something takes long.
        kernels: the instruction set of the native operators; see `find_native_operators`.

    Raises:
        SettingsError: there are no such kernels here.
        NotPreparedError: it cannot be prepared for the CPU.
        GpuUnavailableError: it was not prepared for GPUs; the message says how to.
        ModelError: the source is missing or damaged.
    """
    store = Store(cache_dir)
    if target != "processor":
        return find_for_gpu(source, target, store, runtime, progress)
    model = _for_processor(source, store, runtime, kernels)
    store.make(model, source, runtime.threads, progress)
    return model


def _for_processor(
    source: Source, store: Store, runtime: Runtime, kernels: str | None
) -> PreparedModel:
    """Return the best prepared model for this CPU, whether it exists or not."""
    sha256, version = source.sha256(), runtime.version
    try:
        native = find_native_operators(kernels=kernels)
    except NativeUnavailableError as error:
        key = CacheKey(sha256, VERSION, "stock", version)
        detail = f"ONNX Runtime's operators, half as fast as native ones: {error}"
        return PreparedModel(source.path.name, store.folder(key), key, detail)

    def of(native: NativeOperators) -> PreparedModel:
        key = CacheKey(sha256, VERSION, "native", version, int(native.layout))
        detail = f"native operators, {native.kernels}"
        if native.passed_over:
            detail += f", not the faster {native.passed_over}"
        return PreparedModel(
            source.path.name, store.folder(key), key, detail, native.path, native.kernels
        )

    model = of(native)
    # An image holds the layout that all processors but the newest read best, and cannot prepare.
    if kernels is None and native.layout != Layout.CENTERED and not store.can_make:
        widespread = of(find_native_operators(layout=Layout.CENTERED))
        if not store.has(model) and store.has(widespread):
            return widespread
        find_native_operators(kernels=native.kernels)
    return model
