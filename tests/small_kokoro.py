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

from service.preparation.refusal import Refusal, RefusedError

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
    layout: int = 0,
) -> object:
    """Write the same model in two parts, with their weights in files of their own."""
    with open(os.environ[COUNTER], "a", encoding="utf-8") as counter:
        counter.write("rewritten\n")
    progress("weights apart")
    write_parts(source, folder, variant)
    return variant


HALF_FRAME = SAMPLES_PER_FRAME // 2
"""Samples for each column of features, which hold a token id and how often it came before."""


def write_parts(source: Path, folder: Path, variant: str) -> None:
    """Write encoder and decoder of a model that `write_small_kokoro` wrote."""
    held = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(source).graph.initializer
    }
    for_gpu = variant in ("float32", "float16", "rounded")
    parts = {
        "encoder": _encoder(int(held["frames"]), for_gpu),
        "decoder": _decoder(held["ramp"][:HALF_FRAME], for_gpu),
    }
    for name, model in parts.items():
        onnx.save(
            model, folder / f"{name}.onnx", save_as_external_data=True, location=f"{name}.bin",
            size_threshold=1000,
        )  # fmt: skip


def _encoder(frames: int, for_gpu: bool) -> onnx.ModelProto:
    columns = np.zeros((1, 1, 2 * frames, 512), np.float32)
    columns[0, 0, :, 1] = np.arange(2 * frames)
    first = np.zeros((1, 1, 1, 512), np.float32)
    first[..., 0] = 1
    nodes = [
        helper.make_node("Cast", ["tokens"], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["ids", "nothing"], ["zeros"]),
        helper.make_node("Add", ["zeros", "frames"], ["/encoder/Clip_output_0"]),
        helper.make_node("Unsqueeze", ["ids", "axes"], ["column"]),
        helper.make_node("Mul", ["column", "first"], ["of_tokens"]),
        helper.make_node("Add", ["of_tokens", "columns"], ["of_halves"]),
        helper.make_node("Reshape", ["of_halves", "to_columns"], ["features"]),
        helper.make_node("Unsqueeze", ["zeros", "last"], ["silent_token"]),
        helper.make_node("Mul", ["silent_token", "hops"], ["silent_hops"]),
        helper.make_node("Reshape", ["silent_hops", "to_hops"], ["silence"]),
        helper.make_node("Pad", ["silence", "one_more"], ["spectrum"]),
    ]
    constants = {
        "nothing": np.float32(0),
        "frames": np.float32(frames),
        "axes": np.array([2, 3]),
        "last": np.array([2]),
        "first": first,
        "columns": columns,
        "to_columns": np.array([1, -1, 512]),
        "hops": np.ones((1, 1, 120 * frames * 22), np.float32),
        "to_hops": np.array([1, -1, 22]),
        "one_more": np.array([0, 0, 0, 0, 1, 0]),
    }
    inputs = [
        helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, "n"]),
        helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, 256]),
        helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
    ]
    if for_gpu:
        inputs.append(helper.make_tensor_value_info("buckets", TensorProto.INT64, ["m"]))
    outputs = [
        helper.make_tensor_value_info("/encoder/Clip_output_0", TensorProto.FLOAT, [1, "n"]),
        helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, "c", 512]),
        helper.make_tensor_value_info("spectrum", TensorProto.FLOAT, [1, "h", 22]),
    ]
    return _model(nodes, inputs, outputs, constants)


def _decoder(ramp: np.ndarray, for_gpu: bool) -> onnx.ModelProto:
    pitch = float(ramp[1])
    nodes = [
        helper.make_node("MatMul", ["features", "first_two"], ["both"]),
        helper.make_node("Split", ["both"], ["ids", "before"], axis=2),
        helper.make_node("Mul", ["before", "past"], ["offset"]),
        helper.make_node("Add", ["offset", "ramp"], ["phase_of_one"]),
        helper.make_node("Mul", ["phase_of_one", "ids"], ["phase"]),
        helper.make_node("Sin", ["phase"], ["hum"]),
        helper.make_node("Reshape", ["hum", "flat"], ["audio"]),
    ]
    constants = {
        "first_two": np.eye(512, 2, dtype=np.float32),
        "past": np.float32(pitch * HALF_FRAME),
        "ramp": ramp,
        "flat": np.array([-1]),
    }
    shapes = {
        "features": [1, "c", 512], "spectrum": [1, "h", 22], "style": [1, 256], "given": [4],
        "share": [1],
    }  # fmt: skip
    shapes |= {"mask": [1, 1, "c"]} if for_gpu else {}
    return _model(
        nodes,
        [helper.make_tensor_value_info(*each) for each in _of_floats(shapes)],
        [helper.make_tensor_value_info("audio", TensorProto.FLOAT, ["m"])],
        constants,
    )


def _of_floats(shapes: dict[str, list[object]]) -> list[tuple[str, int, list[object]]]:
    return [(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]


def _model(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    constants: dict[str, np.ndarray],
) -> onnx.ModelProto:
    held = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "small", inputs, outputs, held)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)])


def unknown(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    layout: int = 0,
) -> object:
    with open(os.environ[COUNTER], "a", encoding="utf-8") as counter:
        counter.write("looked at\n")
    raise RefusedError(Refusal("0 known parts are recognized", "the node", "an Add at another"))


def higher(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    layout: int = 0,
) -> object:
    other = write_small_kokoro(folder / "other.onnx", pitch=0.02)
    return faithful(other, folder, variant, progress)


def longer(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    layout: int = 0,
) -> object:
    other = write_small_kokoro(folder / "other.onnx", frames=2.0)
    return faithful(other, folder, variant, progress)


def infinite(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    layout: int = 0,
) -> object:
    other = write_small_kokoro(folder / "other.onnx", pitch=float("inf"))
    return faithful(other, folder, variant, progress)


def failing(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    layout: int = 0,
) -> object:
    raise RuntimeError("there is a hole in the graph")


def dying(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    layout: int = 0,
) -> object:
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def hanging(
    source: Path,
    folder: Path,
    variant: str,
    progress: Callable[[str], None],
    layout: int = 0,
) -> object:
    (folder / "half.onnx").touch()
    with open(os.environ[LIFELINE], "w", encoding="utf-8") as lifeline:
        lifeline.write("rewriting\n")
        lifeline.flush()
        signal.pause()
    return None
