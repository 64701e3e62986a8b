"""Open a model on disk, and check its inputs and outputs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import ortffi
from service.errors import ModelError
from service.heap import return_freed_memory
from service.model.decoder import Decoder
from service.model.gpu_opening import open_on_gpu
from service.model.interface import Model
from service.model.prepared import DECODER, ENCODER, ModelFile, ModelOnDisk, PreparedModel
from service.model.runtime import Runtime
from service.model.split_model import SplitModel
from service.model.statistics import StatisticsPredictor
from service.model.whole_model import WholeModel
from service.settings import BUCKETS

logger = logging.getLogger(__name__)


def open(
    prepared: ModelOnDisk,
    runtime: Runtime,
    *,
    buckets: Sequence[int] = BUCKETS,
    statistics: StatisticsPredictor | None = None,
    progress: Callable[[str], None] = logger.info,
) -> Model:
    """Open a model on the CPU or on a GPU, as the runtime says.

    On a GPU it must really run there and pass the parity check. Call `require_gpu` before.

    Args:
        prepared: from `service.preparation.get`.
        runtime: to run it with.
        buckets: see `Model.buckets`.
        statistics: of the published model; with them it can decode windows.
        progress: called with a line where something takes long.

    Raises:
        ModelError: ONNX Runtime refuses it, or its inputs or outputs are wrong.
        GpuUnavailableError: it does not run on the GPU, or fails the parity check; the message
            says what to do.
        ProviderError: options of the provider are wrong.
        StartupError: the memory budget is too little.
    """
    if runtime.provider != "cpu":
        model = open_on_gpu(prepared, runtime, buckets, statistics, progress)
    elif isinstance(prepared, ModelFile):
        model = _open_whole(prepared, runtime, buckets)
    else:
        model = _open_split(prepared, runtime, buckets, statistics)
    if not model.gives_durations:
        logger.warning("%s gives no durations, so missing audio cannot be detected", model.name)
    return model


def _open_whole(file: ModelFile, runtime: Runtime, buckets: Sequence[int]) -> Model:
    content = file.read()
    with ExitStack() as opened:
        try:
            session = opened.enter_context(runtime.open_session(content, file.folder))
        except ortffi.OrtError as error:
            raise _unloadable(str(file.path), runtime, error) from error
        del content
        return_freed_memory()
        model = WholeModel.of(session, file, runtime, "cpu", buckets)
        opened.pop_all()  # the model closes it
    return model


def _open_split(
    prepared: PreparedModel,
    runtime: Runtime,
    buckets: Sequence[int],
    statistics: StatisticsPredictor | None,
) -> Model:
    path = prepared.folder / ENCODER.graph
    with ExitStack() as opened:
        try:
            encoder = opened.enter_context(runtime.open_optimized(path, prepared.operators))
            path = prepared.folder / DECODER.graph
            session = opened.enter_context(runtime.open_optimized(path, prepared.operators))
        except ortffi.OrtError as error:
            raise _unloadable(str(path), runtime, error) from error
        decoder = Decoder(session, buckets)
        model = SplitModel.of(encoder, decoder, statistics, prepared, runtime, "cpu", buckets)
        opened.pop_all()  # the model closes them
    return_freed_memory()
    return model


def _unloadable(path: str, runtime: Runtime, error: ortffi.OrtError) -> ModelError:
    reason = " ".join(str(error).split())
    return ModelError(f"{path} cannot be loaded by ONNX Runtime {runtime.version}: {reason}")
