"""The way to a prepared model: found in the cache, or made."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from service.model.prepared import CacheKey, ModelOnDisk, PreparedModel
from service.model.runtime import Runtime
from service.preparation.for_gpus import find_for_gpu, make_for_gpus
from service.preparation.layout import LAYOUT
from service.preparation.operators import NativeUnavailableError, find_native_operators
from service.preparation.processor import integer_products
from service.preparation.rewriting.version import VERSION
from service.preparation.source import Progress, Source
from service.preparation.store import Store

__all__ = ["Target", "get", "make_for_gpus"]

Target = Literal["processor", "float32", "float16"]
"""What a model is prepared for: this machine's processor, or GPUs in a precision."""


def get(
    source: Source,
    target: Target,
    runtime: Runtime,
    cache_dir: Path,
    progress: Progress,
    kernels: str | None = None,
) -> ModelOnDisk:
    """Return a source as it was prepared for a target.

    For the processor it is made where it is missing. For GPUs it is only looked for, since making
    it takes minutes: `make_for_gpus` does that; a source in floats is returned as it is.

    Args:
        source: a published model.
        target: what it is for.
        runtime: to run it with.
        cache_dir: where prepared models are kept.
        progress: called with a line where something takes long.
        kernels: the instruction set of the native operators; see `find_native_operators`.

    Raises:
        SettingsError: there are no such kernels here.
        NotPreparedError: for the processor it cannot be prepared.
        GpuUnavailableError: for GPUs it was not prepared; the message says how it is.
        ModelError: the source cannot be had.
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
    """Return the model as it is best prepared for this processor, whether it is there or not."""
    sha256, version = source.sha256(), runtime.version
    try:
        native = find_native_operators(kernels=kernels)
    except NativeUnavailableError as error:
        key = CacheKey(sha256, VERSION, "stock", version, integer_products())
        detail = f"ONNX Runtime's operators, half as fast as our own: {error}"
        return PreparedModel(source.path.name, store.folder(key), key, detail)
    key = CacheKey(sha256, VERSION, "native", version, "any", LAYOUT)
    detail = f"our own operators, {native.kernels}"
    return PreparedModel(
        source.path.name, store.folder(key), key, detail, native.path, native.kernels
    )
