"""A model with Kokoro's inputs and outputs that hums its token ids, and rewritings of it.

Each token is a chord of its own, two to four frames long at speed 1; the style is its timbre. The
padding is twelve frames of silence, punctuation six. It costs a fortieth of the real one. Tests
import it, and the preparing processes that they start.
"""

import os
import signal

import numpy as np
import onnx
from onnx import numpy_helper, parser

from service.model.durations import TENSOR_NAME
from service.preparation.manifest import File, Manifest
from service.preparation.refusal import Refusal, RefusedError

COUNTER = "SMALL_KOKORO_COUNTER"
"""Environment variable: a file that gets a line each time that something is rewritten."""

LIFELINE = "SMALL_KOKORO_LIFELINE"
"""Environment variable: a FIFO that `hanging` keeps open for as long as it lives."""

_SILENT = 16
"""Token ids below are the padding and punctuation."""

_COLUMN = 300
"""Samples for each column of features, which hold how loud every partial is. They are whole cycles
of each, so columns join without a click, and a window sounds as it does in the whole."""

_ENCODING = """
    usual = Gather (lengths, tokens)
    longer = Div (usual, speed)
    past = CumSum (longer, one)
    ends = Floor (past)
    past_before = CumSum <exclusive = 1> (longer, one)
    begins = Floor (past_before)
    durations = Sub (ends, begins)
    n_frames = ReduceMax <keepdims = 0> (ends)
    column = Range (zero, n_frames, half)
    end = Unsqueeze (ends, last)
    has_ended = LessOrEqual (end, column)
    counted = Cast <to = 7> (has_ended)
    token = ReduceSum <keepdims = 0> (counted, axes)
    of_tokens = Gather <axis = 0> (chords, tokens)
    of_one = Squeeze (of_tokens, first)
    of_columns = Gather <axis = 0> (of_one, token)
    features = Unsqueeze (of_columns, first)
"""

_SPECTRUM = """
    n_hops_in_floats = Mul (n_frames, hops)
    n_hops = Cast <to = 7> (n_hops_in_floats)
    n_columns = Add (n_hops, one)
    n_columns_in_one = Unsqueeze (n_columns, first)
    shape = Concat <axis = 0> (batch, n_columns_in_one, channels)
    spectrum = ConstantOfShape (shape)
    spectrum_statistics = ConstantOfShape (four_rows)
"""

_DECODING = """
    both = Concat <axis = 1> (style, style)
    timbre = Add (both, unit)
    tinted = Mul (features, timbre)
    sounds = MatMul (tinted, sines)
    audio = Reshape (sounds, flat)
"""

_SMALL_CONSTANTS = """
    <int64 one = {1}, int64[1] first = {0}, int64[1] last = {-1}, int64[2] axes = {0, 1},
     float zero = {0}, float half = {0.5}, float unit = {1}, float hops = {120},
     int64[1] batch = {1}, int64[1] channels = {22}, int64[2] four_rows = {4, 22},
     int64[1] flat = {-1}>
"""

_TOKENS = "int64[1, n] tokens, float[1, 256] style, float[1] speed"


def write_small_kokoro(path, pitch=1.0, frames=1.0):
    """Write a model, so many times as high and as slow as usual."""
    ids, partials = np.arange(178), np.arange(512)
    chords = np.zeros((ids.size, partials.size), np.float32)
    chords[ids, ids % 24] = 0.09
    chords[ids, 24 + ids // 24] = 0.06
    chords[:_SILENT] = 0
    cycles = np.outer(pitch * (1 + partials % 24), np.arange(_COLUMN) / _COLUMN)
    constants = {
        "lengths": frames * np.select([ids == 0, ids < _SILENT], [12, 6], 2 + ids % 3),
        "chords": chords,
        "sines": np.sin(2 * np.pi * cycles),
    }
    onnx.save(_model(_TOKENS, "float[m] audio, float[1, n] durations", _ENCODING + _DECODING, constants), path)
    return path


def write_parts(source, folder, variant):
    """Write encoder and decoder of a model that `write_small_kokoro` wrote."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(source).graph.initializer}
    for_gpu = variant in ("float32", "float16", "rounded")
    encoder = _model(
        _TOKENS + (", int64[b] buckets" if for_gpu else ""),
        "float[1, n] durations, float[1, c, 512] features, float[1, h, 22] spectrum"
        + ("" if for_gpu else ", float[4, 22] spectrum_statistics"),
        _ENCODING + _SPECTRUM,
        constants,
    )
    encoder.graph.output[0].name = TENSOR_NAME
    (node,) = (node for node in encoder.graph.node if node.output[0] == "durations")
    node.output[0] = TENSOR_NAME
    decoder = _model(
        "float[1, c, 512] features, float[1, h, 22] spectrum, float[1, 256] style, float[1] share"
        + (", float[4] given, float[1, 1, c] mask" if for_gpu
           else ", float[?] given, float[4, 22] spectrum_statistics"),
        "float[m] audio",
        _DECODING,
        constants,
    )  # fmt: skip
    for name, model in (("encoder", encoder), ("decoder", decoder)):
        onnx.save(
            model, folder / f"{name}.onnx", save_as_external_data=True, location=f"{name}.bin", size_threshold=1000
        )


def _model(inputs, outputs, nodes, constants):
    """Return a model of those of the constants that its nodes use."""
    opset = '<ir_version: 8, opset_import: ["" : 13]>'
    graph = f"small ({inputs}) => ({outputs}) {_SMALL_CONSTANTS} {{ {nodes} }}"
    model: onnx.ModelProto = parser.parse_model(f"{opset} {graph}")
    used = {name for node in model.graph.node for name in node.input}
    held = [one for one in model.graph.initializer if one.name in used]
    for name, value in constants.items():
        if name in used and name not in {one.name for one in held}:
            held.append(numpy_helper.from_array(value.astype(np.float32), name))
    del model.graph.initializer[:]
    model.graph.initializer.extend(held)
    return model


def note(model):
    """Write the manifest of a prepared model whose files are written."""
    files = {name: File.of(model.folder / name) for name in model.key.files}
    Manifest(model.key, files, {}).write(model.folder)


def faithful(source, folder, variant, progress, layout=0):
    """Write the same model in two parts, with their weights in files of their own."""
    with open(os.environ[COUNTER], "a", encoding="utf-8") as counter:
        counter.write("rewritten\n")
    progress("weights apart")
    write_parts(source, folder, variant)
    return variant


def unknown(source, folder, variant, progress, layout=0):
    with open(os.environ[COUNTER], "a", encoding="utf-8") as counter:
        counter.write("looked at\n")
    raise RefusedError(Refusal("0 known parts are recognized", "the node", "an Add at another"))


def _of_another(**change):
    """Return what writes the two parts of another model than the one that it is given."""

    def rewrite(source, folder, variant, progress, layout=0):
        return faithful(write_small_kokoro(folder / "other.onnx", **change), folder, variant, progress)

    return rewrite


higher = _of_another(pitch=2.0)
longer = _of_another(frames=2.0)
infinite = _of_another(pitch=float("inf"))


def failing(source, folder, variant, progress, layout=0):
    raise RuntimeError("there is a hole in the graph")


def dying(source, folder, variant, progress, layout=0):
    os.kill(os.getpid(), signal.SIGKILL)
    return


def hanging(source, folder, variant, progress, layout=0):
    (folder / "half.onnx").touch()
    with open(os.environ[LIFELINE], "w", encoding="utf-8") as lifeline:
        lifeline.write("rewriting\n")
        lifeline.flush()
        signal.pause()
    return
