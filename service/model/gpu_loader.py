"""From a model file to a model that runs on a GPU, with a proof that it does and is right."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

import ortffi
from service.errors import ModelError, SynthesisError
from service.machine import explain, foresee
from service.memory import return_freed_memory
from service.model.budget import affordable, encoder_bytes
from service.model.cuda_graphs import CapturedDecoder
from service.model.decoder import Decoder
from service.model.kokoro import Kokoro, Preparation, Used
from service.model.manifest import DECODER, ENCODER, GPU_VARIANTS, REFERENCE, Precision, Recipe
from service.model.opening import hold, open_kokoro
from service.model.parity import UnlikeError, encode_longest, speaker
from service.model.placement import GpuProof, Placement
from service.model.reference import NoReferenceError, Reference
from service.model.runtime import CaptureRefusedError, GpuUnavailableError, Runtime
from service.preparation.assembly import default_cache_dir
from service.preparation.rewriting.version import VERSION
from service.preparation.source import Progress, Source
from service.preparation.store import PreparedModels, RefusedError, Workshop
from service.settings import BUCKETS

logger = logging.getLogger(__name__)

COMMAND = "kokoro-service prepare --for cuda"
"""What makes a model for GPUs."""

MIN_GPU_SHARE = 0.5
"""Of the nodes and of the time. Less means that the model is not one for GPUs: with the published
operators the processor would compute nearly all."""

_INTEGERS = (b"ConvInteger", b"MatMulInteger", b"DynamicQuantizeLSTM", b"DynamicQuantizeLinear")
"""Operators that CUDA has no kernels for, as they stand in a model file."""


@dataclass(frozen=True)
class GpuOptions:
    """How a model runs on a GPU.

    Attributes:
        cache_dir: where models are that were prepared for GPUs.
        precision: of the decoder, where the model was prepared by this service.
        buckets: see `Kokoro.buckets`.
    """

    cache_dir: Path = field(default_factory=default_cache_dir)
    precision: Precision = "float32"
    buckets: Sequence[int] = BUCKETS


@dataclass(frozen=True)
class _Model:
    """A model for a GPU: its file or bytes, and what it says on the processor.

    Of a model that is parted `content` is the encoder.
    """

    content: Path | bytearray
    folder: Path
    decoder: Path | None
    sha256: str
    reference: Callable[[], Reference]
    preparation: Preparation


def prepare_for_gpu(
    source: Source, runtime: Runtime, cache_dir: Path, progress: Progress
) -> list[Path]:
    """Make a source fit for GPUs in every precision in which it stays right.

    Returns:
        The folders of the prepared models; the source itself where it is in floats already.

    Raises:
        NotPreparedError: it cannot be prepared.
        ModelError: the source cannot be had.
    """
    if not source.published:
        content, sha256 = source.read(progress)
        if not _is_quantised(content):
            del content
            _reference(source, sha256, runtime.on_processor, cache_dir, progress)
            progress(f"{source.path.name} is in floats: it is taken as it is")
            return [source.path]
        del content
    models, folders = PreparedModels(cache_dir), []
    refusals = []
    for variant in GPU_VARIANTS:
        recipe = _recipe(source, variant)
        try:
            folder = models.get(recipe, Workshop(None, runtime.threads, source.file), progress)
        except RefusedError as error:
            progress(f"{variant}: {error}")
            refusals.append(error)
        else:
            folders.append(folder)
    if not folders:
        raise refusals[0]
    return folders


def load_on_gpu(
    source: Source, runtime: Runtime, options: GpuOptions, progress: Progress
) -> Kokoro:
    """Load a model on the GPU and prove that it runs there and says what it says elsewhere.

    Raises:
        GpuUnavailableError: it cannot be had, or says something else; with cause and cure.
        ProviderError: options of the provider are wrong.
        ModelError: the source cannot be had, or does not fit the contract.
        StartupError: the memory budget is too little.
    """
    runtime.gpu_providers()  # what is wrong with their options comes first
    lack = runtime.lack_of_gpu()
    if lack:
        raise _explained(lack, runtime)
    problem = foresee(library=runtime.library, device=runtime.cuda_device)
    if problem:
        raise GpuUnavailableError(problem)
    model = _find(source, runtime, options, progress)
    buckets = options.buckets
    if runtime.memory_bytes:
        buckets = affordable(buckets, runtime.memory_bytes, model.preparation.variant)
    provider: Used = "tensorrt" if runtime.provider == "tensorrt" else "cuda"
    with tempfile.TemporaryDirectory(prefix="kokoro-profile-") as folder, ExitStack() as opened:
        try:
            of_encoder, of_decoder = _shared_out(runtime, model)
            session = of_encoder.open_on_gpu(model.content, model.folder, Path(folder) / "start")
            opened.callback(session.close)
            decoder, lack = None, "the model is not parted"
            if model.decoder is not None:
                decoder, lack = _open_decoder(model.decoder, of_decoder, buckets, Path(folder))
                opened.callback(decoder.close)
        except GpuUnavailableError as error:
            raise _explained(str(error), runtime) from error
        model = replace(model, content=source.path)  # the bytes may go
        return_freed_memory()
        opened.pop_all()  # `hold` closes them
        kokoro = hold(
            session, provider, source.path.name, model.sha256, runtime, model.preparation,
            buckets, decoder,
        )  # fmt: skip
        try:
            kokoro.gpu_proof = _prove(kokoro, model.reference(), lack, progress)
        except BaseException:
            kokoro.close()
            raise
    logger.info("%s on the GPU: %s", source.path.name, kokoro.gpu_proof)
    return kokoro


def _shared_out(runtime: Runtime, model: _Model) -> tuple[Runtime, Runtime]:
    """Return the runtime for each part of a model: a session's bound of memory is its own."""
    if not runtime.memory_bytes or model.decoder is None:
        return runtime, runtime
    first = encoder_bytes(runtime.memory_bytes, model.preparation.variant)
    return (
        replace(runtime, memory_bytes=first),
        replace(runtime, memory_bytes=runtime.memory_bytes - first),
    )


def _open_decoder(
    path: Path, runtime: Runtime, buckets: Sequence[int], folder: Path
) -> tuple[Decoder, str]:
    """Open the decoder of a parted model; its profile goes into a folder.

    Returns:
        The decoder, and why it captures nothing; nothing where it does.

    Raises:
        GpuUnavailableError: it cannot be had.
        ModelError: it is no decoder.
    """
    lack = "" if runtime.can_capture else f"not with {runtime.provider} of {runtime.version}"
    if not lack:
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


def _find(source: Source, runtime: Runtime, options: GpuOptions, progress: Progress) -> _Model:
    models, recipe = PreparedModels(options.cache_dir), _recipe(source, options.precision)
    try:
        folder = models.find(recipe)
    except RefusedError as error:
        raise GpuUnavailableError(f"{error}; set another precision") from error
    if folder is not None:
        progress(f"the model is one in {options.precision}, prepared for GPUs")
        return _Model(
            folder / ENCODER.graph, folder, folder / DECODER.graph, recipe.source_sha256,
            lambda: Reference.read(folder / REFERENCE),
            Preparation(options.precision, None, f"for GPUs, in {options.precision}"),
        )  # fmt: skip
    if source.published:
        raise _made_for_processors(source)
    content, sha256 = source.read(progress)
    if _is_quantised(content):
        raise _made_for_processors(source)
    return _Model(
        content, source.path.resolve().parent, None, sha256,
        lambda: _reference(source, sha256, runtime.on_processor, options.cache_dir, progress),
        Preparation(None, None, "as it is, in floats"),
    )  # fmt: skip


def _recipe(source: Source, variant: Precision) -> Recipe:
    return Recipe(source.sha256(), VERSION, variant, "any", "any")


def _is_quantised(model: bytearray) -> bool:
    return any(operator in model for operator in _INTEGERS)


def _made_for_processors(source: Source) -> GpuUnavailableError:
    given = "" if source.published else f" --model {source.path.name}"
    return GpuUnavailableError(
        f"{source.path.name} is quantised for processors, and GPUs have no kernels for its "
        f"integers; make a model for them with: {COMMAND}{given}"
    )


def _reference(
    source: Source, sha256: str, runtime: Runtime, cache_dir: Path, progress: Progress
) -> Reference:
    """Return what a model in floats says on the processor; it is asked once."""
    path = cache_dir / "references" / f"{sha256[:16]}-{runtime.version}.npz"
    try:
        return Reference.read(path)
    except NoReferenceError:
        progress("having the processor say what the GPU will be compared with, once")
    model = open_kokoro(source.path, runtime, published=source.published, progress=progress)
    try:
        reference = Reference.record(model)
    except SynthesisError as error:
        raise ModelError(f"{source.path.name} fails on the processor: {error.message}") from error
    finally:
        model.close()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        reference.write(path)
    except OSError as error:
        logger.warning("the reference cannot be kept in %s: %s", path.parent, error.strerror)
    return reference


def _prove(kokoro: Kokoro, reference: Reference, lack: str, progress: Progress) -> GpuProof:
    """Have the model say known sentences, watch where it is computed, and warm it up.

    Args:
        kokoro: the model.
        reference: what it says on the processor.
        lack: why nothing is captured, if so.
        progress: called with a line where something takes long.

    Raises:
        GpuUnavailableError: it fails, says something else, or does not run on the GPU.
    """
    say = speaker(kokoro)
    try:
        progress("comparing what the GPU says with what the processor said")
        comparisons = reference.check(kokoro)
        started = time.perf_counter()
        name = next(iter(reference.inferences))
        say(name)
        run_s = time.perf_counter() - started
        profiles = [ortffi.read_profile(path) for path in kokoro.end_profiling()]
        placement = Placement.of_last_run(profiles, run_s)
        _require_gpu(placement, kokoro.runtime)
        started = time.perf_counter()
        if kokoro.buckets:
            progress(f"warming up for {len(kokoro.buckets)} lengths of speech")
        kokoro.warm_up()
        capture = _capture(kokoro) if not lack else f"no CUDA graphs: {lack}"
    except UnlikeError as error:
        raise GpuUnavailableError(
            f"the GPU does not say what the processor says: {error}; this build of ONNX Runtime, "
            f"its CUDA or cuDNN computes wrongly here: {_CURE}"
        ) from error
    except SynthesisError as error:
        raise _explained(error.message, kokoro.runtime) from error
    distances = {name: comparison.distance_db for name, comparison in comparisons.items()}
    return GpuProof(placement, distances, time.perf_counter() - started, capture)


_MOST_APART = 1e-3
"""Of the peak, the largest difference between a replay and kernels started one by one. They are the
same kernels; what was left in memory from another window would make a difference of a whole."""


def _capture(kokoro: Kokoro) -> str:
    """Have the lengths of windows captured, and prove that replays say what runs do.

    Where they do not, or cannot be had, kernels are started one by one, with a warning.

    Returns:
        What came of it.
    """
    decoder = kokoro.decoder
    assert isinstance(decoder, CapturedDecoder)
    encoding = encode_longest(kokoro)
    try:
        for length in decoder.capturable:
            n_frames = min(length, encoding.n_frames)
            stretches = ((0, n_frames), (encoding.n_frames - n_frames, encoding.n_frames))
            decode = partial(kokoro.decode, encoding, lengths=[length])
            expected = [decode(*stretch).samples for stretch in stretches]
            decoder.capture(length)
            for stretch, samples in zip(stretches, expected, strict=True):
                apart = float(np.abs(decode(*stretch).samples - samples).max())
                if not apart <= _MOST_APART * float(np.abs(samples).max()):
                    raise UnlikeError(f"a replay of {length} frames sounds different")
    except (ortffi.OrtError, SynthesisError, UnlikeError) as error:
        decoder.release()
        reason = error.message if isinstance(error, SynthesisError) else str(error)
        logger.warning("windows are decoded without CUDA graphs, slower: %s", reason)
        return f"no CUDA graphs: {reason}"
    return f"CUDA graphs of {', '.join(map(str, decoder.capturable))} frames"


_CURE = (
    "take the versions that docs/jetson.md names for this board, or set precision = float32 where "
    "it is float16"
)


def _require_gpu(placement: Placement, runtime: Runtime) -> None:
    share = min(placement.gpu_node_share, placement.gpu_time_share)
    if not share >= MIN_GPU_SHARE:
        raise GpuUnavailableError(
            f"the model does not run on the GPU: {placement}; {runtime.library.name} "
            f"{runtime.version} lacks kernels for it, or the model is not one for GPUs: {COMMAND}"
        )


def _explained(message: str, runtime: Runtime) -> GpuUnavailableError:
    """Return the error with cause and cure."""
    return GpuUnavailableError(
        explain(message, library=runtime.library, device=runtime.cuda_device)
    )
