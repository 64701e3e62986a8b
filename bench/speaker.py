"""A process that speaks on request and measures it; `bench.sides` starts it.

    python -m bench.speaker service|library:FILE|stock|onnxruntime|kokoro-onnx MODEL THREADS

`service` is our `Model.infer` with the settings of its environment (MODEL is not used), `library:`
the same with native operators from a file, and `stock` without them. `onnxruntime` is a bare
session of that package.
`kokoro-onnx` is that package's `Kokoro.create` from phonemes, without trimming silence, on a
session with the same number of threads; it runs in a virtual environment of its own. Each line of
standard input is a request and each line of standard output an answer, both JSON. Only numpy and
the packages of the measured side are imported.

A call is timed from the token ids (kokoro-onnx: from the phonemes) to the samples. CPU time is
counted for 0.2 s longer, since threads of ONNX Runtime still spin after a run. Memory is VmRSS
after the run, and VmHWM since the start of the process.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from bench.procfs import mebibytes

SETTLE_S = 0.2

Request = dict[str, Any]
Speak = Callable[[Request], tuple[np.ndarray, "np.ndarray | None"]]
"""Returns samples, and durations if the side has them."""


def main() -> None:
    """Load the side, print its identity, and answer until standard input ends."""
    side, model, threads = sys.argv[1:]
    side, _, file = side.partition(":")
    if file:
        use_library(Path(file))
    speak, identity = SIDES[side](model, int(threads))
    _print({"identity": identity})
    for line in sys.stdin:
        _print(_answer(speak, json.loads(line)))


def service(_: str, threads: int) -> tuple[Speak, str]:
    """Load the model as the service does with the settings of this environment."""
    from service.loading import load_model, load_runtime
    from service.settings import Settings

    settings = Settings(threads=threads)
    kokoro = load_model(settings, load_runtime(settings), lambda line: None)

    def speak(request: Request) -> tuple[np.ndarray, np.ndarray | None]:
        inference = kokoro.infer(request["token_ids"], style_of(request), request["speed"])
        return inference.samples, inference.durations

    return speak, ", ".join(identity(kokoro))


def stock(_: str, threads: int) -> tuple[Speak, str]:
    """Load the model as the service does without a C compiler."""
    from bench.stock import leave_out_native_operators

    leave_out_native_operators()
    return service(_, threads)


def use_library(file: Path) -> None:
    """Take native operators from a file, in this process."""
    from service.preparation import operators

    operators.native_library = lambda: file  # type: ignore[attr-defined]


def onnxruntime(model: str, threads: int) -> tuple[Speak, str]:
    """Load a model file with the onnxruntime package."""
    session = _session(model, threads)

    def speak(request: Request) -> tuple[np.ndarray, np.ndarray | None]:
        inputs = {
            "tokens": np.array([[0, *request["token_ids"], 0]], np.int64),
            "style": style_of(request),
            "speed": np.array([request["speed"]], np.float32),
        }
        (samples,) = session.run(["audio"], inputs)
        return samples.ravel(), None

    return speak, f"onnxruntime {version('onnxruntime')}"


def kokoro_onnx(model: str, threads: int) -> tuple[Speak, str]:
    """Load a model file with kokoro-onnx."""
    from kokoro_onnx import Kokoro

    with tempfile.TemporaryDirectory() as folder:
        # The package requires a file of voices; each request brings its own style instead.
        voices = Path(folder) / "voices.npz"
        np.savez(voices, none=np.zeros((1, 1, 256), np.float32))
        kokoro = Kokoro.from_session(_session(model, threads), str(voices))

    def speak(request: Request) -> tuple[np.ndarray, np.ndarray | None]:
        voice = np.broadcast_to(style_of(request), (510, 1, 256))
        samples, _ = kokoro.create(
            request["phonemes"], voice, request["speed"], is_phonemes=True, trim=False
        )
        return samples, None

    return speak, f"kokoro-onnx {version('kokoro-onnx')}, onnxruntime {version('onnxruntime')}"


SIDES: dict[str, Callable[[str, int], tuple[Speak, str]]] = {
    "service": service,
    "library": service,
    "stock": stock,
    "onnxruntime": onnxruntime,
    "kokoro-onnx": kokoro_onnx,
}


def identity(kokoro: Any) -> Iterator[str]:
    """Yield everything that decides how a model of ours speaks."""
    import hashlib

    from service.preparation.rewriting.version import VERSION

    variant = kokoro.prepared.variant
    yield str(variant)
    yield f"model {kokoro.sha256[:12]}"
    if variant is not None:
        yield f"rewriting {VERSION}"
    if variant == "native":
        digest = hashlib.sha256(kokoro.prepared.operators.read_bytes()).hexdigest()
        yield f"{kokoro.prepared.kernels} operators {digest[:12]}"
    yield f"ONNX Runtime {kokoro.runtime.version}"


def _session(model: str, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _answer(speak: Speak, request: Request) -> dict[str, object]:
    cpu_s, start = time.process_time(), time.perf_counter()
    samples, durations = speak(request)
    seconds = time.perf_counter() - start
    time.sleep(SETTLE_S)
    cpu_s = time.process_time() - cpu_s
    frames = [] if durations is None else [int(n) for n in durations]
    if request["save"]:
        pcm = np.clip(np.rint(samples * 32767), -32768, 32767).astype(np.int16)
        save(Path(request["save"]), pcm, frames)
    return {
        "seconds": seconds,
        "cpu_s": cpu_s,
        "n_samples": int(samples.size),
        "durations": frames,
        "resident_mib": mebibytes("VmRSS"),
        "peak_mib": mebibytes("VmHWM"),
    }


def save(
    path: Path, samples: np.ndarray, durations: Sequence[int], seams: Sequence[int] = ()
) -> None:
    """Write samples, int16 or float32, and durations; a reader never sees a part of the file.

    Args:
        path: the file.
        samples: [n].
        durations: frames of each token.
        seams: the middle sample of each fade between two windows.
    """
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as file:
        np.savez(
            file,
            samples=samples,
            durations=np.array(durations, np.int32),
            seams=np.array(seams, np.int64),
        )
    os.replace(partial, path)


def style_of(request: Request) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(request["style"]), np.float32).reshape(1, -1)


def _print(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
