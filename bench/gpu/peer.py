"""A process that speaks with the onnxruntime-gpu Python package; `bench.gpu` starts it.

    python -m bench.gpu.peer defaults|exhaustive|heuristic|processor FOLDER THREADS

A model that was prepared for GPUs, encoder and decoder in sessions of the package, with IoBinding:
what goes in is bound from the host, what the encoder gives stays on the GPU, where the decoder
takes it, and the sound is copied when it is there. The number of frames is that of the speech:
there are no buckets, the mask is all ones, and the decoder takes its own statistics. `defaults` are
the provider's: EXHAUSTIVE search of cuDNN's algorithms, and TensorFloat-32. `exhaustive` is the
same without TensorFloat-32, so that it computes as exactly as the service does, and `heuristic`
likewise with the search that the service asks for. `processor` is the package's CPU provider, for
trying the programs of this folder where there is no GPU. The graph is optimised as far as the
service does: what comes above that is for processors, and fails on halves (ONNX Runtime 1.31). It
answers as `bench.speaker` does.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from bench import speaker
from bench.speaker import Request, Speak
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
"""What each side asks the package for."""

_ENCODED = ("features", "spectrum")
"""Outputs of the encoder that the decoder takes as they are."""

_ANY_LENGTH = [1]
"""Buckets of which every number of frames is a multiple."""


def open_package(side: str, folder: str, threads: int) -> tuple[Speak, str]:
    """Load a prepared model with the package.

    Raises:
        SystemExit: it does not compute where it was told to. (The package itself would go on with
            the processor, and only log it.)
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
        binding.bind_cpu_input("style", _style(request))
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
        binding.bind_cpu_input("style", _style(request))
        n_columns = encoded[0].shape()[1]
        binding.bind_cpu_input(MASK, np.ones((1, 1, n_columns), np.float32))
        binding.bind_output(AUDIO, device)
        decoder.run_with_iobinding(binding)
        (samples,) = binding.copy_outputs_to_cpu()
        return samples.ravel(), durations.numpy().ravel()

    return speak, f"{package_version()}, {name}, {side}"


def _open_session(model: Path, provider: str, choices: dict[str, str], threads: int) -> Any:
    """Load a graph. Raises SystemExit."""
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
    """Return the inputs, on the device, by which a decoder takes its own statistics."""
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
    except PackageNotFoundError:  # builds for JetPack have the plain name too
        return f"onnxruntime {version('onnxruntime')}"


def _style(request: Request) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(request["style"]), np.float32).reshape(1, -1)


if __name__ == "__main__":
    for side in PROVIDERS:
        speaker.SIDES[side] = partial(open_package, side)
    try:
        speaker.main()
    except ImportError as error:
        sys.exit(f"bench.gpu.peer: the onnxruntime-gpu package cannot be imported: {error}")
