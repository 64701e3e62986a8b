"""From a model file to a loaded model: verified, prepared for this machine, fit for use."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from service.errors import ModelError, ProviderError
from service.memory import return_freed_memory
from service.model.decoder import STRETCH_FRAMES
from service.model.gpu_loader import GpuOptions, load_on_gpu
from service.model.kokoro import Kokoro, Preparation
from service.model.manifest import Recipe, Variant
from service.model.opening import open_kokoro, open_prepared
from service.model.runtime import GpuUnavailableError, Runtime
from service.model.statistics import StatisticsPredictor
from service.preparation.layout import LAYOUT
from service.preparation.operators import NativeUnavailableError, find_native_operators
from service.preparation.processor import integer_products
from service.preparation.rewriting.version import VERSION
from service.preparation.source import Progress, Source
from service.preparation.store import NotPreparedError, PreparedModels, Workshop
from service.resources import resource

logger = logging.getLogger(__name__)

STATISTICS = "statistics.npz"
"""Of the published model, beside the voices that come with the service."""


@dataclass(frozen=True)
class Prepared:
    """A prepared model in the cache.

    Attributes:
        folder: with its files.
        recipe: what it was made of.
        operators: library of our own operators that it uses, if it does.
        preparation: the same for people.
    """

    folder: Path
    recipe: Recipe
    operators: Path | None
    preparation: Preparation


def prepare(source: Source, runtime: Runtime, cache_dir: Path, progress: Progress) -> Prepared:
    """Find the model that was prepared for this machine, or make it.

    Raises:
        NotPreparedError: it cannot be prepared.
        ModelError: the source cannot be had.
    """
    variant: Variant
    try:
        native = find_native_operators()
    except NativeUnavailableError as error:
        operators, variant, products, layout = None, "stock", integer_products(), 0
        detail = f"ONNX Runtime's operators, half as fast as our own: {error}"
        preparation = Preparation(variant, None, detail)
    else:
        operators, variant, products, layout = native.path, "native", "any", LAYOUT
        preparation = Preparation(variant, native.kernels, f"our own operators, {native.kernels}")
    recipe = Recipe(source.sha256(), VERSION, variant, runtime.version, products, layout)
    workshop = Workshop(operators, runtime.threads, source.file)
    folder = PreparedModels(cache_dir).get(recipe, workshop, progress)
    return Prepared(folder, recipe, operators, preparation)


def load_kokoro(
    path: Path,
    runtime: Runtime,
    *,
    published: bool,
    progress: Progress,
    prepared_in: Path | None = None,
    gpu: GpuOptions | None = None,
) -> Kokoro:
    """Load a model file and hold it against the contract.

    Args:
        path: the file.
        runtime: the ONNX Runtime to run it with.
        published: whether the file is the published model; see `Source`.
        progress: called with a line where something takes long.
        prepared_in: cache for the model as it is prepared for this machine, which then runs in its
            place on the CPU; None uses the file as it is. Where preparing fails, the file is used
            as it is too, with a warning that says why.
        gpu: how it runs on a GPU, where the runtime asks for one.

    Raises:
        ModelError: the file is missing, is no model, or does not fit the contract.
        ProviderError: a GPU was asked for and cannot be had, or says something else.
    """
    source = Source(path, published)
    if runtime.provider != "cpu":
        try:
            return with_statistics(load_on_gpu(source, runtime, gpu or GpuOptions(), progress))
        except GpuUnavailableError as error:
            if runtime.provider != "auto":
                raise ProviderError(f"provider = {runtime.provider}: {error}") from error
            logger.warning("running on the CPU, since the GPU cannot be used: %s", error)
            runtime = runtime.on_processor
    detail = "as it is: prepare = false"
    if prepared_in is not None:
        try:
            kokoro = _load_prepared(source, runtime, prepared_in, progress)
        except NotPreparedError as error:
            logger.warning("%s; %s is used as it is, up to four times slower", error, path.name)
            detail = f"as it is: {error}"
        else:
            return with_statistics(kokoro)
    return open_kokoro(path, runtime, published=published, progress=progress, detail=detail)


def _load_prepared(source: Source, runtime: Runtime, cache_dir: Path, progress: Progress) -> Kokoro:
    prepared = prepare(source, runtime, cache_dir, progress)
    try:
        kokoro = _open(source, prepared, runtime)
    except ModelError as error:
        # Another environment may have removed it after it was found: then it is made anew.
        # Whatever else is wrong with it still is.
        logger.debug("the prepared model cannot be opened: %s", error)
        prepared = prepare(source, runtime, cache_dir, progress)
        kokoro = _open(source, prepared, runtime)
    return_freed_memory()
    logger.info(
        "%s was prepared for this machine: %s", source.path.name, prepared.preparation.detail
    )
    return kokoro


def _open(source: Source, prepared: Prepared, runtime: Runtime) -> Kokoro:
    return open_prepared(
        prepared.folder,
        prepared.operators,
        runtime,
        name=source.path.name,
        sha256=prepared.recipe.source_sha256,
        preparation=prepared.preparation,
    )


def with_statistics(kokoro: Kokoro) -> Kokoro:
    """Give a model what tells the statistics of a piece, where that is known of it.

    On a GPU with little memory a stretch may be longer than any run.
    """
    decoder = kokoro.decoder
    if decoder is None or (decoder.lengths and decoder.lengths[-1] < STRETCH_FRAMES):
        return kokoro
    statistics = StatisticsPredictor.load(resource("voices") / STATISTICS)
    if statistics.source_sha256 == kokoro.sha256:
        kokoro.statistics = statistics
    return kokoro
