"""Frames that are added, in encoders and in decoders."""

import re

import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import strategies as st
from onnx import TensorProto
from onnx_ir.passes import common as passes

from service.model.durations import SAMPLES_PER_FRAME, TENSOR_NAME
from service.preparation.refusal import RefusedError
from service.preparation.rewriting import normalization
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.masked_decoder import MASK, mask_frames
from service.preparation.rewriting.padded_encoder import BUCKETS, pad_frames
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from service.preparation.rewriting.transposes import cancel_transposes
from tests.profiles import costly, given
from tests.service.preparation.checks import copied, dialect, plain, the_node, tidied
from tests.service.preparation.rewriting.published_graphs import Published

N_CHANNELS = 4
END = np.iinfo(np.int64).max

# A layer is a function of a `Speech` and of frames [1, N_CHANNELS, T]. It returns a value [1, C, factor * T], C
# and factor.


class Speech(Published):
    """A graph whose frames are numbered as the published one numbers them."""

    def numbered(self, durations):
        """The features of tokens, repeated for their frames; those of added ones are not zero."""
        given = self.given_array(np.array([durations], np.float32), "durations")
        whole = self.cast(self.add("Clip", given, self.constant(1.0)), TensorProto.INT64)
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
        model = self.samples(self.numbered(durations), layer)
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
    (audio,) = plain(graph.samples(graph.numbered(durations), layer), graph.feeds)
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
    y = graph.add("ConvTranspose", x, graph.floats(N_CHANNELS, 2, 20), strides=[10])
    return graph.cut(graph.cut(y, 5, END, 2, 1), 0, -5, 2, 1), 2, 10


def put_together(graph, x):
    both = graph.add("Concat", x, graph.add("Exp", x), axis=1)
    return graph.conv(graph.cut(both, 2, 7, 1, 1), 5, 3, 3, pads=[1, 1]), 3, 1


LAYERS = {
    "a convolution of single frames": (convolution(1), 0), "a convolution": (convolution(3, pads=[1, 1]), 1),
    "one that looks back only": (convolution(3, pads=[2, 0]), 1),
    "one that looks ahead only": (convolution(3, pads=[0, 2]), 1), "two convolutions": (two_convolutions, 2),
    "a stride": (strided, 2), "upsampling": (transposed(10, 20, pads=[5, 5]), 1),
    "upsampling without overlap": (transposed(5, 5), 0),
    "upsampling of each channel": (transposed(2, 3, group=N_CHANNELS, pads=[1, 1], output_padding=[1]), 1),
    "upsampling with samples at the end": (transposed(4, 4, pads=[2, 0], output_padding=[2]), 1),
    "dilated upsampling": (transposed(4, 2, dilation=5, pads=[1, 1]), 1), "normalization": (normalized, 2),
    "several normalizations": (normalized_twice, 3), "an LSTM": (recurrent("forward"), 1),
    "an LSTM that goes back": (recurrent("reverse"), 1), "an LSTM of both": (recurrent("bidirectional"), 1),
    "a sum, interpolated": (summed, 1), "reflected ends": (spectrum((4, 4)), 2),
    "a reflected beginning": (spectrum((8, 0)), 1), "cut ends": (trimmed, 1),
    "channels put together": (put_together, 1),
}  # fmt: skip

DURATIONS = [2, 1, 4]
"""Seven frames."""


@pytest.mark.parametrize("buckets", [[1], [8], [2, 5, 40]], ids=str)
@pytest.mark.parametrize("what", LAYERS)
def test_added_frames_change_nothing(what, buckets):
    layer, n_told = LAYERS[what]
    before, graph = published(DURATIONS, layer)
    model, count = padded(Speech().speech(DURATIONS, layer))
    assert count == n_told
    after = run(model, graph.feeds, buckets)
    assert after.shape == before.shape == (SAMPLES_PER_FRAME * sum(DURATIONS),)
    # float32; a mean of 8 frames adds in another order than one of 40.
    np.testing.assert_allclose(after, before, rtol=0, atol=3e-6 * (1 + np.abs(before).max()))


def everything(graph, x):
    """Most of them, one after the other, as in the published graph."""
    lstm, n_channels, _ = recurrent("bidirectional")(graph, x)
    inner = graph.conv(lstm, n_channels, N_CHANNELS, 5, pads=[2, 2])
    inner, n_channels, _ = normalized_twice(graph, inner)
    weight = graph.floats(n_channels, 3, 20, scale=0.3)
    grown = graph.add("ConvTranspose", inner, weight, graph.floats(3), strides=[10], pads=[5, 5])
    source, n_bins, _ = spectrum((4, 4), 8)(graph, x)
    fine = graph.conv(source, n_bins, 3, 3, pads=[1, 1])
    # There is a window more than hops: it is cut off.
    coarse = graph.conv(graph.cut(fine, 0, -1, 2, 1), 3, 3, 6, strides=[3], pads=[2, 1])
    return graph.add("Add", grown, graph.resize(coarse, 20)), 3, 20


@costly(part=40)
@given(
    durations=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    table=st.sets(st.integers(1, 60), min_size=1, max_size=5).map(sorted),
)
def test_whatever_the_durations_and_the_table(durations, table):
    before, graph = published(durations, everything)
    model, _ = padded(Speech().speech(durations, everything))
    after = run(model, graph.feeds, table)
    assert after.shape == before.shape == (SAMPLES_PER_FRAME * sum(durations),)
    np.testing.assert_allclose(after, before, rtol=0, atol=2e-5 * (1 + np.abs(before).max()))


@pytest.mark.parametrize(("table", "expected"), [
    ([1], 7), ([7], 7), ([8], 8), ([6], 12), ([2], 8), ([3, 5], 10), ([7, 8], 7), ([3, 9], 9),
    ([2, 4, 64], 64), ([100, 200], 100),
])  # fmt: skip
def test_the_frames_are_those_of_the_first_bucket_that_is_large_enough(table, expected):
    graph = Speech()
    model, _ = padded(graph.speech(DURATIONS, convolution(1)))
    conv = next(node for node in model.graph if node.op_type == "Conv")
    model.graph.outputs.append(conv.outputs[0])
    conv.outputs[0].type = ir.TensorType(ir.DataType.FLOAT)
    audio, inside = plain(model, graph.feeds | {BUCKETS: np.array(table, np.int64)})
    assert inside.shape == (1, 5, expected)
    assert audio.shape == (expected * SAMPLES_PER_FRAME,)


def test_the_table_is_an_input_and_the_output_keeps_its_name():
    model = Speech().speech(DURATIONS, convolution(3, pads=[1, 1]))
    inputs, outputs = ([value.name for value in ends] for ends in (model.graph.inputs, model.graph.outputs))
    model = copied(padded(model)[0])
    assert [value.name for value in model.graph.outputs] == outputs
    assert [value.name for value in model.graph.inputs] == [*inputs, BUCKETS]
    assert model.graph.inputs[-1].dtype == ir.DataType.INT64


# Decoders, which are told how many frames count.
def decoder(layer, n_frames, n_added=0):
    """A graph from features to samples; added frames are full of what must not be heard."""
    noise = np.random.default_rng(5)
    features = noise.normal(size=(1, 2 * n_frames, N_CHANNELS)).astype(np.float32)
    added = noise.normal(size=(1, 2 * n_added, N_CHANNELS)).astype(np.float32)
    graph = Speech()
    given = graph.given_array(np.concatenate([features, 10 * added], axis=1), FEATURES)
    model = graph.samples(graph.add("Transpose", given, perm=[0, 2, 1]), layer, SAMPLES_PER_FRAME // 2)
    shape = ir.Shape([1, None, 22])
    model.graph.inputs.append(ir.Value(name=SPECTRUM, shape=shape, type=ir.TensorType(ir.DataType.FLOAT)))
    return model, graph.feeds | {SPECTRUM: np.zeros((1, 1, 22), np.float32)}


def masked(model):
    return padded(recognized(model), mask_frames)


IN_ENCODERS = ("an LSTM", "an LSTM that goes back", "an LSTM of both", "reflected ends")


UNAWARE = ("one that looks back only", "a reflected beginning")
"""They look at nothing that was added."""


@pytest.mark.parametrize("what", [what for what in LAYERS if what not in IN_ENCODERS])
def test_masked_frames_change_nothing_and_others_are_heard(what):
    layer, n_told = LAYERS[what]
    (before,) = plain(*decoder(layer, 7))
    for n_added in (0, 1, 9):
        model, feeds = decoder(layer, 7, n_added)
        model, count = masked(model)
        assert count == n_told
        assert not {"Shape", "Range"} & {node.op_type for node in model.graph}
        mask = np.zeros((1, 1, 2 * (7 + n_added)), np.float32)
        mask[..., : 2 * 7] = 1
        (after,) = plain(model, feeds | {MASK: mask})
        assert after.shape == (SAMPLES_PER_FRAME * (7 + n_added),)
        np.testing.assert_allclose(after[: before.size], before, rtol=0, atol=3e-6 * (1 + np.abs(before).max()))
    if n_told and what not in UNAWARE:
        (heard,) = plain(model, feeds | {MASK: np.ones_like(mask)})
        assert np.abs(heard[: before.size] - before).max() > 1e-3


@pytest.mark.parametrize(
    ("what", "message"), [("an LSTM", "an LSTM of frames"), ("reflected ends", "a Pad behind the last frame")]
)
def test_what_only_an_encoder_can_do_is_refused_in_a_decoder(what, message):
    with pytest.raises(RefusedError, match=message):
        masked(decoder(LAYERS[what][0], 7)[0])


def test_a_decoder_of_another_rate_is_refused():
    model, _ = decoder(lambda graph, x: (graph.resize(x, 2), N_CHANNELS, 1), 7)
    with pytest.raises(RefusedError, match="is not as long as it must be"):
        masked(model)


# Graphs whose frames cannot be padded.
def alone(op_type, **attributes):
    return lambda graph, x: (graph.add(op_type, x, **attributes), N_CHANNELS, 1)


def ended_lstm(graph, x):
    y = graph.add(
        "LSTM", graph.add("Transpose", x, perm=[2, 0, 1]), graph.floats(1, 12, N_CHANNELS),
        graph.floats(1, 12, 3), "", graph.constant([3], np.int32), hidden_size=3,
    )  # fmt: skip
    return graph.add("Transpose", graph.add("Squeeze", y, graph.ints(1)), perm=[1, 2, 0]), 3, 1


def padded_with(mode):
    def build(graph, x):
        ends = graph.constant([0, 0, 1, 0, 0, 1], np.int64)
        return graph.conv(graph.add("Pad", x, ends, mode=mode), N_CHANNELS, 5, 3), 5, 1

    return build


def cut(*bounds):
    return lambda graph, x: (graph.cut(x, *bounds), N_CHANNELS, 1)


UNKNOWN = {
    "a softmax": (alone("Softmax", axis=2), "Softmax of frames"),
    "a mean": (lambda g, x: (g.add("Sub", x, g.mean(x, g.ints(2))), N_CHANNELS, 1), "ReduceMean of frames"),
    "a pool": (alone("AveragePool", kernel_shape=[3], pads=[1, 1]), "AveragePool of frames"),
    "unequal lengths": (
        lambda g, x: (g.add("Add", g.resize(x, 2), g.cut(g.resize(x, 2), 0, -1, 2)), N_CHANNELS, 2),
        "Add of unequal lengths"
    ),
    "a computed kernel": (
        lambda g, x: (g.add("Conv", x, g.given(5, N_CHANNELS, 3), pads=[1, 1]), 5, 1), "a convolution of another kind"
    ),
    "no pads in numbers": (convolution(3, auto_pad="SAME_UPPER"), "a convolution of another kind"),
    "half of the frames": (
        lambda g, x: strided(g, g.conv(x, N_CHANNELS, N_CHANNELS, 3, strides=[2], pads=[1, 1])), "a stride of 2"
    ),
    "a share of the frames": (
        lambda g, x: (g.resize(g.resize(x, 3), 0.5), N_CHANNELS, 1), "a Resize of another kind"
    ),
    "frames mixed with the next": (lambda g, x: (g.resize(x, 4, "linear"), N_CHANNELS, 4), "a Resize that mixes"),
    "an LSTM that ends elsewhere": (ended_lstm, "knows where its sequences end"),
    "zeros around": (padded_with("constant"), "a Pad that does not reflect"),
    "the last one repeated": (padded_with("edge"), "a Pad that does not reflect"),
    "a sum over channels": (
        lambda g, x: (g.add("CumSum", x, g.constant(2, np.int32)), N_CHANNELS, 1), "a CumSum over another axis"
    ),
    "some frames": (cut(0, 3, 2, 1), "a Slice between 0 and 3"),
    "the last frames": (cut(-3, END, 2, 1), "a Slice between -3"),
    "every other frame": (cut(0, END, 2, 2), "a Slice of some frames only"),
    "no axis named": (cut(0, 3), "a Slice of another kind"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_not_known_is_refused_by_name(what):
    layer, message = UNKNOWN[what]
    model = Speech().speech(DURATIONS, layer)
    passes.TopologicalSortPass()(model)
    for number, node in enumerate(model.graph):
        node.name = f"node {number}"
    with pytest.raises(RefusedError) as caught:
        pad_frames(model.graph)
    assert message in caught.value.refusal.reason
    assert re.fullmatch(r"node \d+", caught.value.refusal.node)


def test_another_operator_behind_a_normalization_is_refused():
    model = Speech().speech(DURATIONS, normalized)
    node = the_node(model, "Modulate")
    node.op_type, node.name = "Demodulate", "the node"
    with pytest.raises(RefusedError, match=r"Demodulate of a normalization, at node the node$"):
        pad_frames(model.graph)


@pytest.mark.parametrize(("output_of", "name", "message"), [
    ("Clip", "something_else", "nothing numbers the frames"),
    *(("Squeeze", name, f"{name} is not as long as it must be") for name in (FEATURES, SPECTRUM)),
])  # fmt: skip
def test_speech_that_is_not_what_it_must_be_is_refused(output_of, name, message):
    model = Speech().speech(DURATIONS, convolution())
    the_node(model, output_of).outputs[0].name = name
    with pytest.raises(RefusedError, match=message):
        pad_frames(model.graph)


def test_a_graph_that_numbers_something_else_is_refused(graph):
    numbers = graph.add("Range", *(graph.constant(k, np.int64) for k in (0, 5, 1)))
    model = graph.model(graph.cast(numbers, TensorProto.FLOAT))
    with pytest.raises(RefusedError, match="nothing numbers the frames"):
        pad_frames(model.graph)
