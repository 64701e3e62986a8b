"""A process that speaks with the onnxruntime-gpu Python package; `bench.gpu` starts it.

    python -m bench.gpu.peer defaults|exhaustive|heuristic|processor FOLDER THREADS

The encoder and the decoder of a model prepared for GPUs run in sessions of the package, with
IoBinding. Inputs are bound from the host, the encoder's outputs stay on the GPU as inputs of the
decoder, and the samples are copied back. Runs have exactly as many frames as the speech: there are
no buckets, the mask is all ones, and the decoder measures its own statistics.

`defaults` are the defaults of the provider: EXHAUSTIVE search for cuDNN's algorithms, and
TensorFloat-32. `exhaustive` is the same without TensorFloat-32, which makes it as precise as the
service. `heuristic` also has the search of the service. `processor` is the package's CPU provider,
to try these programs without a GPU. The graph optimization level is that of the service: the level
above it is for CPUs, and fails on float16 (ONNX Runtime 1.31). It answers as `bench.speaker` does.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from bench import speaker
from bench.speaker import Request, Speak, style_of
from service.model.decoder import AUDIO, MASK
from service.model.durations import TENSOR_NAME as DURATIONS
from service.model.prepared import DECODER, ENCODER

_CUDA = "CUDAExecutionProvider"

Provider = tuple[str, dict[str, str]]

PROVIDERS: dict[str, Provider] = {
    "defaults": (_CUDA, {}),
    "exhaustive": (_CUDA, {"use_tf32": "0"}),
    "heuristic": (_CUDA, {"use_tf32": "0", "cudnn_conv_algo_search": "HEURISTIC"}),
    "processor": ("CPUExecutionProvider", {}),
}
"""The provider and its options for each side."""

_ENCODED = ("features", "spectrum")
"""Outputs of the encoder that are inputs of the decoder."""

_ANY_LENGTH = [1]
"""Every number of frames is a multiple of this bucket."""


def open_package(side: str, folder: str, threads: int) -> tuple[Speak, str]:
    """Load a prepared model with the package.

    Raises:
        SystemExit: the provider cannot be used. (The package itself would fall back to the CPU, and
            only log it.)
    """
    name, choices = PROVIDERS[side]
    encoder, decoder = (
        _open_session(Path(folder) / files.graph, name, choices, threads)
        for files in (ENCODER, DECODER)
    )
    device = "cpu" if name.startswith("CPU") else "cuda"
    unused = _unused_statistics(decoder, device)

    def encode(request: Request) -> list[Any]:
        binding = encoder.io_binding()
        binding.bind_cpu_input("tokens", np.array([[0, *request["token_ids"], 0]], np.int64))
        binding.bind_cpu_input("style", style_of(request))
        binding.bind_cpu_input("speed", np.array([request["speed"]], np.float32))
        binding.bind_cpu_input("buckets", np.array(_ANY_LENGTH, np.int64))
        for output in (*_ENCODED, DURATIONS):
            binding.bind_output(output, device)
        encoder.run_with_iobinding(binding)
        return list(binding.get_outputs())

    def speak(request: Request) -> tuple[np.ndarray, np.ndarray | None]:
        *encoded, durations = encode(request)
        binding = decoder.io_binding()
        for input_name, value in (*zip(_ENCODED, encoded, strict=True), *unused.items()):
            binding.bind_ortvalue_input(input_name, value)
        binding.bind_cpu_input("style", style_of(request))
        n_columns = encoded[0].shape()[1]
        binding.bind_cpu_input(MASK, np.ones((1, 1, n_columns), np.float32))
        binding.bind_output(AUDIO, device)
        decoder.run_with_iobinding(binding)
        (samples,) = binding.copy_outputs_to_cpu()
        return samples.ravel(), durations.numpy().ravel()

    return speak, f"{package_version()}, {name}, {side}"


def _open_session(model: Path, provider: str, choices: dict[str, str], threads: int) -> Any:
    """Load a graph; raise SystemExit if the provider cannot be used."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    session = onnxruntime.InferenceSession(model, options, providers=[(provider, choices)])
    if session.get_providers()[0] != provider:
        raise SystemExit(
            f"bench.gpu.peer: the package at {onnxruntime.__file__} cannot use {provider}"
        )
    return session


def _unused_statistics(decoder: Any, device: str) -> dict[str, Any]:
    """Return inputs on the device that make a decoder measure its own statistics."""
    import onnxruntime

    (shape,) = (info.shape for info in decoder.get_inputs() if info.name == "given")
    inputs = {"given": np.zeros(shape, np.float32), "share": np.zeros(1, np.float32)}
    return {
        name: onnxruntime.OrtValue.ortvalue_from_numpy(array, device, 0)
        for name, array in inputs.items()
    }


def package_version() -> str:
    """Return the installed package and its version.

    Raises:
        PackageNotFoundError: there is neither `onnxruntime-gpu` nor `onnxruntime`.
    """
    try:
        return f"onnxruntime-gpu {version('onnxruntime-gpu')}"
    except PackageNotFoundError:  # builds for JetPack have the plain name
        return f"onnxruntime {version('onnxruntime')}"


if __name__ == "__main__":
    for side in PROVIDERS:
        speaker.SIDES[side] = partial(open_package, side)
    try:
        speaker.main()
    except ImportError as error:
        sys.exit(f"bench.gpu.peer: the onnxruntime-gpu package cannot be imported: {error}")
