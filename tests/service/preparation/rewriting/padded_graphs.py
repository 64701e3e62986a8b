"""Graphs of one kind of layer each, run with frames that were added."""

import numpy as np
from onnx import TensorProto
from onnx_ir.passes import common as passes
from service.model.durations import SAMPLES_PER_FRAME, TENSOR_NAME
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.padded_encoder import BUCKETS, pad_frames
from service.preparation.rewriting.transposes import cancel_transposes
from tests.service.preparation.rewriting.graph_checks import dialect, plain, the_node, tidied
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import normalization

N_CHANNELS = 4
END = np.iinfo(np.int64).max

# A layer is a function of a `Speech` and of frames [1, N_CHANNELS, T]. It returns a value [1, C, factor * T], C
# and factor.


class Speech(Published):
    """A graph whose frames are numbered as the published one numbers them."""

    def frames(self, durations):
        """The features of tokens, repeated for their frames; those of added ones are not zero."""
        given = self.given_array(np.array([durations], np.float32), "durations")
        clipped = self.add("Clip", given, self.constant(1.0))
        whole = self.cast(clipped, TensorProto.INT64)
        first = self.add("Gather", whole, self.constant(0, np.int64), axis=0)
        ends = self.add("CumSum", first, self.constant(0, np.int32))
        last = self.add("Gather", ends, self.constant(-1, np.int64), axis=0)
        numbers = self.add("Range", self.constant(0, np.int64), last, self.constant(1, np.int64))
        row = self.add("Unsqueeze", numbers, self.ints(0))
        column = self.add("Unsqueeze", ends, self.ints(1))
        starts = self.add("Sub", column, self.add("Unsqueeze", first, self.ints(1)))
        inside = self.add("And", self.add("Less", row, column), self.add("GreaterOrEqual", row, starts))
        features = self.given(1, N_CHANNELS, len(durations))
        repeated = self.add("MatMul", features, self.cast(inside, TensorProto.FLOAT))
        return self.add("Add", repeated, self.floats(1, N_CHANNELS, 1))

    def ints(self, *values):
        return self.constant(values, np.int64)

    def modulated(self, norm, n):
        return self.modulation(norm, self.given(1, 2 * n), n)

    def cut(self, x, *bounds):
        return self.add("Slice", x, *(self.ints(bound) for bound in bounds))

    def resize(self, x, factor, mode="nearest"):
        return self.add(
            "Resize", x, "", self.constant([1.0, 1.0, factor]), mode=mode, nearest_mode="floor",
            coordinate_transformation_mode="asymmetric" if mode == "nearest" else "half_pixel",
        )  # fmt: skip

    def conv(self, x, n_in, n_out, size=3, **attributes):
        weight = self.floats(n_out, n_in, size, scale=(n_in * size) ** -0.5)
        return self.add("Conv", x, weight, self.floats(n_out), **attributes)

    def samples(self, x, layer, n_samples=SAMPLES_PER_FRAME):
        """The model of what a layer makes of something, with samples for each of its frames."""
        value, n_channels, factor = layer(self, x)
        samples = self.resize(self.conv(value, n_channels, 1, 1), n_samples // factor)
        return self.model(self.add("Squeeze", samples, self.ints(0, 1)))

    def speech(self, durations, layer):
        """The whole graph: 600 samples a frame of what the layer makes."""
        model = self.samples(self.frames(durations), layer)
        the_node(model, "Clip").outputs[0].name = TENSOR_NAME
        return recognized(model)


def recognized(model):
    normalization.rules().apply_to_model(model)
    cancel_transposes(model.graph)
    return tidied(model)


def padded(model, pad=pad_frames):
    """The same with buckets or a mask, and how many nodes were told to disregard frames."""
    passes.TopologicalSortPass()(model)
    count = pad(model.graph)
    passes.RemoveUnusedNodesPass()(model)
    assert not dialect(model)
    model.graph.opset_imports.pop(DOMAIN, None)
    return model, count


def run(model, feeds, buckets):
    """What is said of the frames that count; there are whole frames, at least as many."""
    (audio,) = plain(model, feeds | {BUCKETS: np.array(buckets, np.int64)})
    n_samples = int(SAMPLES_PER_FRAME * feeds["durations"].sum())
    assert audio.size >= n_samples
    assert audio.size % SAMPLES_PER_FRAME == 0
    return audio[:n_samples]


def published(durations, layer):
    """What is said without buckets: `plain` cannot run the dialect."""
    graph = Speech()
    (audio,) = plain(graph.samples(graph.frames(durations), layer), graph.feeds)
    return audio, graph


def convolution(size=3, **attributes):
    def build(graph, x):
        return graph.conv(x, N_CHANNELS, 5, size, **attributes), 5, 1

    return build


def two_convolutions(graph, x):
    inner = graph.add("LeakyRelu", graph.conv(x, N_CHANNELS, 6, 3, pads=[1, 1]), alpha=0.1)
    return graph.conv(inner, 6, 5, 7, pads=[9, 9], dilations=[3]), 5, 1


def strided(graph, x):
    finer = graph.conv(graph.resize(x, 6), N_CHANNELS, 5, 3, pads=[1, 1])
    return graph.conv(finer, 5, 4, 6, strides=[3], pads=[2, 1]), 4, 2


def transposed(stride, size, *, group=1, dilation=1, **attributes):
    def build(graph, x):
        weight = graph.floats(N_CHANNELS, 1 if group > 1 else 3, size)
        n_out = N_CHANNELS if group > 1 else 3
        given = attributes | {"strides": [stride], "group": group, "dilations": [dilation]}
        return graph.add("ConvTranspose", x, weight, graph.floats(n_out), **given), n_out, stride

    return build


def normalized(graph, x):
    return graph.conv(graph.modulated(graph.norm(x), N_CHANNELS), N_CHANNELS, 5, 3, pads=[1, 1]), 5, 1


def normalized_twice(graph, x):
    """One normalization that two styles modulate, and another behind them."""
    norm = graph.norm(x)
    one, other = (graph.modulated(norm, N_CHANNELS) for _ in "ab")
    inner = graph.conv(graph.add("Add", one, other), N_CHANNELS, 6, 3, pads=[1, 1])
    return graph.modulated(graph.norm(graph.resize(inner, 2)), 6), 6, 2


def recurrent(direction):
    def build(graph, x):
        n = 2 if direction == "bidirectional" else 1
        first = graph.add("Transpose", x, perm=[2, 0, 1])
        y = graph.add(
            "LSTM", first, graph.floats(n, 12, N_CHANNELS), graph.floats(n, 12, 3),
            graph.floats(n, 24), direction=direction, hidden_size=3,
        )  # fmt: skip
        rows = graph.add("Reshape", graph.add("Transpose", y, perm=[0, 2, 1, 3]), graph.ints(0, 0, -1))
        return graph.add("Transpose", rows, perm=[1, 2, 0]), 3 * n, 1

    return build


def summed(graph, x):
    rows = graph.add("CumSum", graph.add("Transpose", x, perm=[0, 2, 1]), graph.constant(1, np.int32))
    back = graph.add("Transpose", rows, perm=[0, 2, 1])
    return graph.add("Sin", graph.resize(back, 4, "linear")), N_CHANNELS, 4


def spectrum(pads, size=None):
    """Hops of 4 samples of which a frame has 3, and by default as many windows as hops."""

    def build(graph, x):
        samples = graph.resize(graph.conv(x, N_CHANNELS, 1, 1), 12)
        samples = graph.conv(samples, 1, 1, 5, pads=[2, 2])
        ends = graph.constant([0, 0, pads[0], 0, 0, pads[1]], np.int64)
        reflected = graph.add("Pad", samples, ends, mode="reflect")
        return graph.conv(reflected, 1, 6, size or 4 + sum(pads), strides=[4]), 6, 3

    return build


def trimmed(graph, x):
    """Overlapped and added, then cut at both ends, as the sound is."""
    weight = graph.floats(N_CHANNELS, 2, 20)
    y = graph.add("ConvTranspose", x, weight, strides=[10])
    return graph.cut(graph.cut(y, 5, END, 2, 1), 0, -5, 2, 1), 2, 10


def put_together(graph, x):
    both = graph.add("Concat", x, graph.add("Exp", x), axis=1)
    return graph.conv(graph.cut(both, 2, 7, 1, 1), 5, 3, 3, pads=[1, 1]), 3, 1


LAYERS = {
    "a convolution of single frames": (convolution(1), 0),
    "a convolution": (convolution(3, pads=[1, 1]), 1),
    "one that looks back only": (convolution(3, pads=[2, 0]), 1),
    "one that looks ahead only": (convolution(3, pads=[0, 2]), 1),
    "two convolutions": (two_convolutions, 2),
    "a stride": (strided, 2),
    "upsampling": (transposed(10, 20, pads=[5, 5]), 1),
    "upsampling without overlap": (transposed(5, 5), 0),
    "upsampling of each channel": (transposed(2, 3, group=N_CHANNELS, pads=[1, 1], output_padding=[1]), 1),
    "upsampling with samples at the end": (transposed(4, 4, pads=[2, 0], output_padding=[2]), 1),
    "dilated upsampling": (transposed(4, 2, dilation=5, pads=[1, 1]), 1),
    "normalization": (normalized, 2),
    "several normalizations": (normalized_twice, 3),
    "an LSTM": (recurrent("forward"), 1),
    "an LSTM that goes back": (recurrent("reverse"), 1),
    "an LSTM of both": (recurrent("bidirectional"), 1),
    "a sum, interpolated": (summed, 1),
    "reflected ends": (spectrum((4, 4)), 2),
    "a reflected beginning": (spectrum((8, 0)), 1),
    "cut ends": (trimmed, 1),
    "channels put together": (put_together, 1),
}

DURATIONS = [2, 1, 4]
"""Seven frames."""
