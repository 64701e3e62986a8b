"""Models for GPUs: made in every precision in which they stay right, and found again."""

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
"""Operators that CUDA has no kernels for, as they stand in a model file."""


def make_for_gpus(
    source: Source, runtime: Runtime, cache_dir: Path, progress: Progress
) -> list[ModelOnDisk]:
    """Make a source fit for GPUs in every precision in which it stays right.

    Args:
        source: a published model.
        runtime: to say with on the processor what GPUs will be compared with.
        cache_dir: where prepared models are kept.
        progress: called with a line where something takes long.

    Returns:
        The prepared models; the source itself where it is in floats already.

    Raises:
        NotPreparedError: it cannot be prepared.
        ModelError: the source cannot be had.
    """
    if not _is_quantized(source):
        file = _in_floats(source, source.sha256(), runtime, cache_dir, progress)
        progress(f"{source.path.name} is in floats: it is taken as it is")
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
    """Return a source as it was prepared for GPUs, or as it is where it is in floats.

    Raises:
        GpuUnavailableError: it was not prepared, or cannot be in this precision.
        ModelError: the source cannot be had.
    """
    model = for_gpu(source, precision, store)
    try:
        if store.has(model):
            progress(f"the model is one in {precision}, prepared for GPUs")
            return model
    except SourceRefusedError as error:
        raise GpuUnavailableError(f"{error}; set another precision") from error
    if _is_quantized(source):
        given = "" if source.published else f" --model {source.path.name}"
        raise GpuUnavailableError(
            f"{source.path.name} is quantized for processors, and GPUs have no kernels for its "
            f"integers; make a model for them with: {PREPARE_COMMAND}{given}"
        )
    return _in_floats(source, model.sha256, runtime, store.cache_dir, progress)


def for_gpu(source: Source, precision: Precision, store: Store) -> PreparedModel:
    """Return a source as it is prepared for GPUs, whether it is there or not."""
    key = CacheKey(source.sha256(), VERSION, precision, "any", "any")
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
    """Return a model in floats as it is, with what it says on the processor; it is asked once."""
    file = ModelFile(source.path, sha256, "as it is, in floats")
    path = cache_dir / "references" / f"{file.sha256[:16]}-{runtime.version}.npz"
    try:
        return replace(file, said=Reference.read(path))
    except NoReferenceError:
        progress("having the processor say what the GPU will be compared with, once")
    try:
        with closing(open_model(file, runtime.on_processor)) as model:
            reference = Reference.record(model)
    except SynthesisError as error:
        raise ModelError(f"{source.path.name} fails on the processor: {error.message}") from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        reference.write(path)
    except OSError as error:
        logger.warning("the reference cannot be kept in %s: %s", path.parent, error.strerror)
    return replace(file, said=reference)
