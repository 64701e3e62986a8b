"""Where a run's time goes, node by node, from ONNX Runtime's profile.

    python -m bench.profiling service|stock FOLDER THREADS N_TOKENS N_RUNS

It loads the model with the settings of its environment, in the service's own sessions with
profiling on. After one run to warm up it makes N_RUNS runs. Then it prints the seconds of audio of
a run, and for each session the path of its profile in FOLDER and the parts of its nodes. `profile`
runs it for a side and reads the files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import onnx

import ortffi
from bench import speech
from bench.processes import THREADS, answer, python
from bench.sides import Side

Shape = tuple[int, ...]

CONVOLUTIONS = {
    "ConvInteger": lambda x, w, y: prod(y) * prod(w[1:]),
    "MatMulInteger": lambda x, w, y: prod(y) * x[-1],
    "MatMulIntegerToFloat": lambda x, w, y: prod(y) * x[-1],
    "DynamicQuantizeMatMul": lambda x, w, y: prod(y) * x[-1],
    # Weights [Co / 16, K, Ci / 4, 16, 4].
    "DynamicQuantizeConv": lambda x, w, y: prod(y) * x[-1] * w[1],
    "ResidualBlock": lambda x, w, y: 6 * prod(y) * x[-1] * w[1],
}
"""Multiplications of the 8-bit operators, from the shapes of x, weights and y."""

_PACKED_RANK = 5
"""Rank of the native operators' weights; no other input of theirs has this rank."""

CLASSES = {
    "byte products": tuple(CONVOLUTIONS),
    "float products": ("Conv", "FusedConv", "ConvTranspose", "MatMul", "Gemm", "FusedMatMul"),
    "recurrent": ("LSTM", "DynamicQuantizeLSTM"),
    "quantization": (
        "DynamicQuantizeLinear",
        "QuantizeLinear",
        "DequantizeLinear",
        "Cast",
        "Floor",
    ),
    "statistics": (
        *("ReduceMean", "ReduceSum", "InstanceNormalization", "LayerNormalization"),
        *("SkipLayerNormalization", "ChannelStatistics"),
    ),
    "sine and similar": (
        *("Sin", "Cos", "Atan", "Exp", "Tanh", "Sqrt", "Pow", "STFT", "Softmax"),
        *("HarmonicSource", "PolarToCartesian"),
    ),
    "arithmetic": ("Add", "Sub", "Mul", "Div", "LeakyRelu", "Relu", "Where", "Round", "Neg"),
    "moving data": (
        *("Transpose", "Concat", "Gather", "Slice", "Split", "Reshape", "Pad", "Resize"),
        *("Expand", "Tile", "Unsqueeze", "Squeeze", "ScatterND", "CumSum"),
    ),
}
"""Operators by what they do; all others are `other`."""

PARTS = (
    "text encoder",
    "prosody",
    "decoder",
    "source",
    "generator, 1st stage",
    "generator, 2nd stage",
    "output",
)
_PARTS = (
    # The first one that a node's name contains; the order counts.
    ("encoder.predictor.", "prosody"),
    ("encoder.bert", "text encoder"),
    ("encoder.text_encoder.", "text encoder"),
    ("encoder.", "prosody"),
    (".generator.m_source", "source"),
    (".generator.f0_upsamp", "source"),
    (".generator.stft", "source"),
    (".generator.istft", "output"),
    (".generator.conv_post", "output"),
    (".generator.ups.0", "generator, 1st stage"),
    (".generator.noise_convs.0", "generator, 1st stage"),
    (".generator.noise_res.0", "generator, 1st stage"),
    (".generator.resblocks.0", "generator, 1st stage"),
    (".generator.resblocks.1", "generator, 1st stage"),
    (".generator.resblocks.2", "generator, 1st stage"),
    (".generator.ups.1", "generator, 2nd stage"),
    (".generator.noise_convs.1", "generator, 2nd stage"),
    (".generator.noise_res.1", "generator, 2nd stage"),
    (".generator.resblocks.3", "generator, 2nd stage"),
    (".generator.resblocks.4", "generator, 2nd stage"),
    (".generator.resblocks.5", "generator, 2nd stage"),
    (".decoder.encode.", "decoder"),
    (".decoder.decode.", "decoder"),
    (".decoder.F0_conv", "decoder"),
    (".decoder.N_conv", "decoder"),
    (".decoder.asr_res", "decoder"),
)


@dataclass(frozen=True)
class Node:
    """One computation of one node.

    Attributes:
        part: part of the model, one of `PARTS`.
        operator: type of the node.
        seconds: time it took.
        multiplications: number of 8-bit multiplications.
    """

    part: str
    operator: str
    seconds: float
    multiplications: int

    @property
    def kind(self) -> str:
        """Return which of `CLASSES` it belongs to."""
        found = (name for name, operators in CLASSES.items() if self.operator in operators)
        return next(found, "other")


@dataclass(frozen=True)
class Run:
    """One run of a model: its nodes, its time in seconds, and the length of its audio."""

    nodes: tuple[Node, ...]
    seconds: float
    audio_s: float


def profile(side: Side, n_tokens: int, n_runs: int, threads: int = THREADS) -> Run:
    """Return the run of a side with the median time.

    Raises:
        ChildError: the process ended.
    """
    with tempfile.TemporaryDirectory() as folder:
        arguments = [side.kind, folder, *map(str, (threads, n_tokens, n_runs))]
        run = python("-m", "bench.profiling", *arguments, environment=side.environment())
        with run as process:
            profiled = json.loads(answer(process))
        sessions = [
            read_runs(Path(session["file"]), profiled["audio_s"], session["parts"])[1:]
            for session in profiled["sessions"]
        ]
    runs = [joined(of_sessions) for of_sessions in zip(*sessions, strict=True)]
    return sorted(runs, key=lambda run: run.seconds)[len(runs) // 2]


def joined(runs: Sequence[Run]) -> Run:
    """Return the runs of a model's sessions, one after the other, as one run."""
    nodes = tuple(node for run in runs for node in run.nodes)
    return Run(nodes, sum(run.seconds for run in runs), runs[0].audio_s)


def read_runs(path: Path, audio_s: float, parts: Mapping[str, str]) -> list[Run]:
    """Read the profile of a session.

    Args:
        path: the file.
        audio_s: length of the audio of each run.
        parts: parts of nodes by name. A node that is missing here, and whose name does not show its
            part, belongs to the part of the node before it.
    """
    events: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    runs = sorted(
        ((event["ts"], event["dur"]) for event in events if event["name"] == "model_run"),
    )
    kernels = sorted(
        (event for event in events if str(event["name"]).endswith("_kernel_time")),
        key=lambda event: event["ts"],
    )
    found = []
    for start, duration in runs:
        inside = [event for event in kernels if start <= event["ts"] <= start + duration]
        found.append(Run(tuple(_nodes(inside, parts)), duration * 1e-6, audio_s))
    return found


def part_of(name: str) -> str | None:
    """Return the part of the model that the name of a node or tensor shows, or None."""
    dotted = name.replace("/", ".")
    return next((part for mark, part in _PARTS if mark in dotted), None)


def parts_of(graph: onnx.GraphProto) -> dict[str, str]:
    """Return the part of each node of a graph, by the node's name.

    The name of the node, an output or a weight shows the part. Otherwise it is the last part, in
    the order of `PARTS`, of the nodes that compute its inputs.
    """
    weights = {tensor.name for tensor in graph.initializer}
    found: dict[str, str] = {}
    made: dict[str, str] = {}
    for node in graph.node:
        own = (node.name, *node.output, *(name for name in node.input if name in weights))
        part = next((part for part in map(part_of, own) if part), None)
        if part is None:
            before = [made[name] for name in node.input if name in made]
            part = max(before, key=PARTS.index, default=None)
        if part:
            found[node.name] = part
            made.update(dict.fromkeys(node.output, part))
    return found


def _nodes(events: Sequence[dict[str, Any]], parts: Mapping[str, str]) -> Iterator[Node]:
    part = PARTS[0]
    ended = 0
    for event in events:
        if event["ts"] < ended:
            continue  # in the body of a loop or branch, whose own event has this time already
        ended = event["ts"] + event["dur"]
        name = event["name"].removesuffix("_kernel_time")
        part = parts.get(name) or part_of(name) or part
        operator = event["args"]["op_name"]
        count = CONVOLUTIONS.get(operator)
        multiplications = 0
        if count is not None:
            x, *others = _shapes(event["args"]["input_type_shape"])
            w = next((shape for shape in others if len(shape) == _PACKED_RANK), others[0])
            multiplications = count(x, w, _shapes(event["args"]["output_type_shape"])[0])
        yield Node(part, operator, event["dur"] * 1e-6, multiplications)


def _graph(model: object) -> onnx.GraphProto:
    if isinstance(model, Path):
        return onnx.load(str(model), load_external_data=False).graph
    assert isinstance(model, bytearray)
    return onnx.load_from_string(bytes(model)).graph


def _shapes(typed_shapes: Sequence[dict[str, list[int]]]) -> list[Shape]:
    return [tuple(shape) for value in typed_shapes for shape in value.values()]


@contextmanager
def _profiled(folder: Path) -> Iterator[list[tuple[ortffi.Session, object]]]:
    """Turn on profiling in new sessions; yield the list of them, each with its model."""
    sessions: list[tuple[ortffi.Session, object]] = []
    originals = {
        name: getattr(ortffi.SessionBuilder, name)
        for name in ("commit_from_memory", "commit_from_file")
    }

    def wrapped(original: Any) -> Any:
        def commit(builder: ortffi.SessionBuilder, model: object) -> ortffi.Session:
            # ONNX Runtime adds the time in seconds only.
            prefix = folder / f"session-{len(sessions)}"
            session: ortffi.Session = original(builder.with_profiling(prefix), model)
            sessions.append((session, model))
            return session

        return commit

    for name, original in originals.items():
        setattr(ortffi.SessionBuilder, name, wrapped(original))
    try:
        yield sessions
    finally:
        for name, original in originals.items():
            setattr(ortffi.SessionBuilder, name, original)


def main() -> None:
    """Profile in this process."""
    from bench.stock import leave_out_native_operators
    from service.loading import load_model, load_runtime
    from service.settings import Settings

    kind, folder, threads, n_tokens, n_runs = sys.argv[1:]
    if kind == "stock":
        leave_out_native_operators()
    settings = Settings(threads=int(threads))
    with _profiled(Path(folder)) as sessions:
        kokoro = load_model(settings, load_runtime(settings), lambda line: None)
    token_ids, style = speech.inputs(speech.phonemes(int(n_tokens)), settings.voice)
    for _ in range(int(n_runs) + 1):
        audio_s = kokoro.infer(token_ids, style, 1.0).samples.size / 24_000
    result = {
        "audio_s": audio_s,
        "sessions": [
            {"file": str(session.end_profiling()), "parts": parts_of(_graph(model))}
            for session, model in sessions
        ],
    }
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
