"""Prepared models for GPUs: make and find them, in each precision."""

from __future__ import annotations

import logging
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from service.errors import ModelError, SynthesisError
from service.model.gpu_opening import PREPARE_COMMAND
from service.model.opening import open as open_model
from service.model.prepared import (
    GPU_VARIANTS,
    CacheKey,
    ModelFile,
    ModelOnDisk,
    Precision,
    PreparedModel,
    unreadable,
)
from service.model.reference import NoReferenceError, Reference
from service.model.runtime import GpuUnavailableError, Runtime
from service.preparation.refusal import SourceRefusedError
from service.preparation.rewriting.version import VERSION
from service.preparation.source import Progress, Source
from service.preparation.store import Store

logger = logging.getLogger(__name__)

_INTEGERS = (b"ConvInteger", b"MatMulInteger", b"DynamicQuantizeLSTM", b"DynamicQuantizeLinear")
"""Operators without CUDA kernels, as a model file names them."""


def make_for_gpus(
    source: Source, runtime: Runtime, cache_dir: Path, progress: Progress
) -> list[ModelOnDisk]:
    """Prepare a source for GPUs, in every precision that passes the parity check.

    Args:
        source: a published model.
        runtime: to record the reference on the CPU.
        cache_dir: cache of prepared models.
        progress: called with a line where something takes long.

    Returns:
        The prepared models; the source itself if it is in floats already.

    Raises:
        NotPreparedError: it cannot be prepared.
        ModelError: the source is missing or damaged.
    """
    if not _is_quantized(source):
        file = _in_floats(source, source.sha256(), runtime, cache_dir, progress)
        progress(f"{source.path.name} is in floats, so it is used as it is")
        return [file]
    store, models = Store(cache_dir), list[ModelOnDisk]()
    refusals = []
    for precision in GPU_VARIANTS:
        model = for_gpu(source, precision, store)
        try:
            store.make(model, source, runtime.threads, progress)
        except SourceRefusedError as error:
            progress(f"{precision}: {error}")
            refusals.append(error)
        else:
            models.append(model)
    if not models:
        raise refusals[0]
    return models


def find_for_gpu(
    source: Source, precision: Precision, store: Store, runtime: Runtime, progress: Progress
) -> ModelOnDisk:
    """Return the prepared model of a source for GPUs, or the source if it is in floats.

    Raises:
        GpuUnavailableError: it was not prepared, or cannot be in this precision.
        ModelError: the source is missing or damaged.
    """
    model = for_gpu(source, precision, store)
    try:
        if store.has(model):
            progress(f"using the model that was prepared for GPUs in {precision}")
            return model
    except SourceRefusedError as error:
        raise GpuUnavailableError(f"{error}; set another precision") from error
    if _is_quantized(source):
        given = "" if source.published else f" --model {source.path.name}"
        raise GpuUnavailableError(
            f"{source.path.name} is quantized for CPUs, and GPUs have no kernels for its integers; "
            f"prepare a model for GPUs with: {PREPARE_COMMAND}{given}"
        )
    return _in_floats(source, model.sha256, runtime, store.cache_dir, progress)


def for_gpu(source: Source, precision: Precision, store: Store) -> PreparedModel:
    """Return the prepared model of a source for GPUs, whether it exists or not."""
    key = CacheKey(source.sha256(), VERSION, precision, "any")
    detail = f"for GPUs, in {precision}"
    return PreparedModel(source.path.name, store.folder(key), key, detail)


def _is_quantized(source: Source) -> bool:
    if source.published:
        return True
    try:
        content = source.path.read_bytes()
    except OSError as error:
        raise unreadable(source.path, error) from error
    return any(operator in content for operator in _INTEGERS)


def _in_floats(
    source: Source, sha256: str, runtime: Runtime, cache_dir: Path, progress: Progress
) -> ModelFile:
    """Return a model in floats as it is, with its reference, which is recorded once."""
    file = ModelFile(source.path, sha256, "as it is, in floats")
    path = cache_dir / "references" / f"{file.sha256[:16]}-{runtime.version}.npz"
    try:
        return replace(file, said=Reference.read(path))
    except NoReferenceError:
        progress("recording the reference on the CPU, once")
    try:
        with closing(open_model(file, runtime.on_processor)) as model:
            reference = Reference.record(model)
    except SynthesisError as error:
        raise ModelError(f"{source.path.name} fails on the CPU: {error.message}") from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        reference.write(path)
    except OSError as error:
        logger.warning("the reference cannot be written to %s: %s", path.parent, error.strerror)
    return replace(file, said=reference)
