"""Open a model on a GPU, and check that it runs there and passes the parity check."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import ortffi
from service.errors import ModelError, SynthesisError
from service.heap import return_freed_memory
from service.machine import explain, foresee
from service.model.budget import affordable, encoder_bytes
from service.model.cuda_graphs import CapturedDecoder
from service.model.decoder import Decoder
from service.model.interface import Model, Used, warm_up
from service.model.parity import SENTENCES, UnlikeError, speaker, style_of
from service.model.placement import GpuCheck, Placement
from service.model.prepared import DECODER, ENCODER, ModelFile, ModelOnDisk, Variant
from service.model.reference import Reference
from service.model.runtime import CaptureRefusedError, GpuUnavailableError, Runtime
from service.model.split_model import SplitModel
from service.model.statistics import StatisticsPredictor
from service.model.whole_model import WholeModel

logger = logging.getLogger(__name__)

PREPARE_COMMAND = "kokoro-service prepare --for cuda"
"""The command that prepares a model for GPUs."""

MIN_GPU_SHARE = 0.5
"""Least share of nodes, and of time, on the GPU. Less means that the model is not for GPUs: of the
published model the CPU would compute nearly everything."""


def require_gpu(runtime: Runtime) -> None:
    """Check what a GPU needs, as far as possible without trying it.

    Trying a damaged library can end the process.

    Raises:
        GpuUnavailableError: something is missing; the message says what to do.
        ProviderError: options of the provider are wrong.
    """
    runtime.gpu_providers()  # reports wrong options first
    lack = runtime.lack_of_gpu()
    if lack:
        raise _explained(lack, runtime)
    problem = foresee(library=runtime.library, device=runtime.cuda_device)
    if problem:
        raise GpuUnavailableError(problem)


def open_on_gpu(
    prepared: ModelOnDisk,
    runtime: Runtime,
    buckets: Sequence[int],
    statistics: StatisticsPredictor | None,
    progress: Callable[[str], None],
) -> Model:
    """Open a model on the GPU; arguments and errors as for `service.model.open`."""
    if runtime.memory_bytes:
        buckets = affordable(buckets, runtime.memory_bytes, prepared.variant)
    provider: Used = "tensorrt" if runtime.provider == "tensorrt" else "cuda"
    with tempfile.TemporaryDirectory(prefix="kokoro-profile-") as folder, ExitStack() as opened:
        profiles = Path(folder)
        model: WholeModel | SplitModel
        try:
            if isinstance(prepared, ModelFile):
                lack = "the model is not split"
                session = runtime.open_on_gpu(prepared.read(), prepared.folder, profiles / "start")
                opened.callback(session.close)
                model = WholeModel.of(session, prepared, runtime, provider, buckets)
            else:
                for_encoder, for_decoder = _shared_out(runtime, prepared.variant)
                session = for_encoder.open_on_gpu(
                    prepared.folder / ENCODER.graph, prepared.folder, profiles / "start"
                )
                opened.callback(session.close)
                path = prepared.folder / DECODER.graph
                decoder, lack = _open_decoder(path, for_decoder, buckets, profiles)
                opened.callback(decoder.close)
                model = SplitModel.of(
                    session, decoder, statistics, prepared, runtime, provider, buckets
                )
        except GpuUnavailableError as error:
            raise _explained(str(error), runtime) from error
        opened.pop_all()
        opened.callback(model.close)
        return_freed_memory()
        model = replace(model, gpu_check=_check(model, prepared.reference(), lack, progress))
        opened.pop_all()
    logger.info("%s on the GPU: %s", model.name, model.gpu_check)
    return model


def _shared_out(runtime: Runtime, variant: Variant) -> tuple[Runtime, Runtime]:
    """Return the runtimes of encoder and decoder, which have a memory limit each."""
    if not runtime.memory_bytes:
        return runtime, runtime
    first = encoder_bytes(runtime.memory_bytes, variant)
    return (
        replace(runtime, memory_bytes=first),
        replace(runtime, memory_bytes=runtime.memory_bytes - first),
    )


def _open_decoder(
    path: Path, runtime: Runtime, buckets: Sequence[int], folder: Path
) -> tuple[Decoder, str]:
    """Open the decoder of a split model; its profile goes into a folder.

    Returns:
        The decoder, and why it captures no CUDA graphs; empty if it does.

    Raises:
        GpuUnavailableError: it cannot be opened.
        ModelError: it is not a decoder.
    """
    lack = ""
    if not runtime.can_capture:
        lack = f"ONNX Runtime {runtime.version} does not support them with {runtime.provider}"
    else:
        try:
            session = runtime.open_on_gpu(path, path.parent, folder / "decoder", capturing=True)
        except CaptureRefusedError as error:
            lack = str(error)
    if lack:
        session = runtime.open_on_gpu(path, path.parent, folder / "decoder")
    try:
        if lack:
            return Decoder(session, buckets), lack
        return CapturedDecoder(session, buckets, runtime.cuda_device), lack
    except ModelError:
        session.close()
        raise


def _check(
    model: WholeModel | SplitModel,
    reference: Reference,
    lack: str,
    progress: Callable[[str], None],
) -> GpuCheck:
    """Run the parity check of a model on the GPU, measure its placement, and warm it up.

    Args:
        model: on the GPU.
        reference: its audio on the CPU.
        lack: why it captures no CUDA graphs; empty if it does.
        progress: called with a line where something takes long.

    Raises:
        GpuUnavailableError: it fails, fails the parity check, or does not run on the GPU.
    """
    say = speaker(model)
    try:
        progress("checking parity of the GPU with the CPU")
        comparisons = reference.check(model)
        started = time.perf_counter()
        name = next(iter(reference.inferences))
        say(name)
        run_s = time.perf_counter() - started
        profiles = [ortffi.read_profile(path) for path in model.end_profiling()]
        placement = Placement.of_last_run(profiles, run_s)
        _require_placed(placement, model.runtime)
        started = time.perf_counter()
        if model.buckets:
            progress(f"warming up {len(model.buckets)} run lengths")
        warm_up(model)
        capture = f"no CUDA graphs: {lack}"
        if isinstance(model, SplitModel) and isinstance(model.decoder, CapturedDecoder):
            capture = _capture(model, model.decoder)
    except UnlikeError as error:
        raise GpuUnavailableError(
            f"the GPU failed the parity check: {error}; this build of ONNX Runtime, its CUDA or "
            f"its cuDNN computes wrongly here: {_CURE}"
        ) from error
    except SynthesisError as error:
        raise _explained(error.message, model.runtime) from error
    distances = {name: comparison.distance_db for name, comparison in comparisons.items()}
    return GpuCheck(placement, distances, time.perf_counter() - started, capture)


_MOST_APART = 1e-3
"""Largest difference between a replay and single kernels, relative to the peak. The kernels are the
same, but stale memory of another window would make a difference of the order of 1."""


def _capture(model: SplitModel, decoder: CapturedDecoder) -> str:
    """Capture CUDA graphs of all window lengths, and compare replays with runs.

    If they differ or cannot be captured, log a warning and use no CUDA graphs.

    Returns:
        The result, for the log.
    """
    token_ids = max(SENTENCES.values(), key=len)
    encoding = model.encode(token_ids, style_of(len(token_ids)), 1.0)
    try:
        for length in decoder.capturable:
            n_frames = min(length, encoding.n_frames)
            windows = ((0, n_frames), (encoding.n_frames - n_frames, encoding.n_frames))
            decode = partial(model.decode, encoding, lengths=[length])
            expected = [decode(*window).samples for window in windows]
            decoder.capture(length)
            for window, samples in zip(windows, expected, strict=True):
                apart = float(np.abs(decode(*window).samples - samples).max())
                if not apart <= _MOST_APART * float(np.abs(samples).max()):
                    raise UnlikeError(f"a replay of {length} frames sounds different")
    except (ortffi.OrtError, SynthesisError, UnlikeError) as error:
        decoder.release()
        reason = error.message if isinstance(error, SynthesisError) else str(error)
        logger.warning("windows are decoded without CUDA graphs, which is slower: %s", reason)
        return f"no CUDA graphs: {reason}"
    return f"CUDA graphs of {', '.join(map(str, decoder.capturable))} frames"


_CURE = (
    "use the versions that docs/jetson.md names for this board, or set precision = float32 if it "
    "is float16"
)


def _require_placed(placement: Placement, runtime: Runtime) -> None:
    share = min(placement.gpu_node_share, placement.gpu_time_share)
    if not share >= MIN_GPU_SHARE:
        raise GpuUnavailableError(
            f"the model does not run on the GPU: {placement}; {runtime.library.name} "
            f"{runtime.version} lacks kernels for it, or the model is not one for GPUs: "
            f"{PREPARE_COMMAND}"
        )


def _explained(message: str, runtime: Runtime) -> GpuUnavailableError:
    """Return an error that says the cause and what to do."""
    return GpuUnavailableError(
        explain(message, library=runtime.library, device=runtime.cuda_device)
    )
