"""A model with Kokoro's inputs and outputs that hums its token ids, and rewritings of it.

Imported by tests, and by the preparing processes that they start.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SAMPLES_PER_FRAME = 600

COUNTER = "SMALL_KOKORO_COUNTER"
"""Environment variable: a file that gets a line each time that something is rewritten."""

LIFELINE = "SMALL_KOKORO_LIFELINE"
"""Environment variable: a FIFO that `hanging` keeps open for as long as it lives."""


def write_small_kokoro(path: Path, pitch: float = 0.005, frames: float = 1.0) -> Path:
    """Write a model: each token is a hum of its own, `frames` frames long."""
    n_samples = int(SAMPLES_PER_FRAME * frames)
    constants = {
        "ramp": pitch * np.arange(n_samples, dtype=np.float32),
        "nothing": np.float32(0),
        "frames": np.float32(frames),
        "axis": np.array([2]),
        "flat": np.array([1, -1]),
    }
    nodes = [
        helper.make_node("Cast", ["tokens"], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["ids", "nothing"], ["zeros"]),
        helper.make_node("Add", ["zeros", "frames"], ["durations"]),
        helper.make_node("Unsqueeze", ["ids", "axis"], ["column"]),
        helper.make_node("Mul", ["column", "ramp"], ["phase"]),
        helper.make_node("Sin", ["phase"], ["hum"]),
        helper.make_node("Reshape", ["hum", "flat"], ["audio"]),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [
            helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, "n"]),
            helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, 256]),
            helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
        ],
        [
            helper.make_tensor_value_info("audio", TensorProto.FLOAT, [1, "m"]),
            helper.make_tensor_value_info("durations", TensorProto.FLOAT, [1, "n"]),
        ],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)])
    onnx.save(model, path)
    return path


def faithful(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    """Write the same model with its weights in a file of their own."""
    with open(os.environ[COUNTER], "a", encoding="utf-8") as counter:
        counter.write("rewritten\n")
    progress("weights apart")
    model = onnx.load(source)
    onnx.save(
        model, folder / "model.onnx", save_as_external_data=True, location="weights.bin",
        size_threshold=64,
    )  # fmt: skip
    return variant


def unknown(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    with open(os.environ[COUNTER], "a", encoding="utf-8") as counter:
        counter.write("looked at\n")
    return None


def higher(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    other = write_small_kokoro(folder / "other.onnx", pitch=0.02)
    return faithful(other, folder, variant, progress, signed_weights=signed_weights)


def longer(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    other = write_small_kokoro(folder / "other.onnx", frames=2.0)
    return faithful(other, folder, variant, progress, signed_weights=signed_weights)


def infinite(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    other = write_small_kokoro(folder / "other.onnx", pitch=float("inf"))
    return faithful(other, folder, variant, progress, signed_weights=signed_weights)


def failing(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    raise RuntimeError("there is a hole in the graph")


def dying(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def hanging(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    *,
    signed_weights: bool,
) -> object:
    (folder / "half.onnx").touch()
    with open(os.environ[LIFELINE], "w", encoding="utf-8") as lifeline:
        lifeline.write("rewriting\n")
        lifeline.flush()
        signal.pause()
    return None
