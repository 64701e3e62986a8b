from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto
from onnx_ir.passes import common as passes

from service.model.durations import SAMPLES_PER_FRAME, TENSOR_NAME
from service.preparation.refusal import RefusedError
from service.preparation.rewriting import normalization
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.masked_decoder import MASK, mask_frames
from service.preparation.rewriting.padded_encoder import BUCKETS, pad_frames
from service.preparation.rewriting.padding import Length, Padding
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from service.preparation.rewriting.transposes import cancel_transposes
from tests.profiles import costly
from tests.service.preparation.rewriting.published_graphs import (
    Array,
    Published,
    copied,
    dialect,
    plain,
    tidied,
)

N_CHANNELS = 4
Layer = Callable[["Speech", str], tuple[str, int, int]]
"""Adds layers to frames [1, N_CHANNELS, T]; returns a value [1, C, factor * T], C and factor."""


class Speech(Published):
    """A graph whose frames are numbered as the published one numbers them."""

    def frames(self, durations: list[int]) -> str:
        """The features of tokens, repeated for their frames; those of added ones are not zero."""
        given = self.given_array(np.array([durations], np.float32), "durations")
        clipped = self.add("Clip", given, self.constant(1.0))
        whole = self.cast(clipped, TensorProto.INT64)
        ends = self.add(
            "CumSum", self.add("Gather", whole, self.constant(0, np.int64), axis=0),
            self.constant(0, np.int32),
        )  # fmt: skip
        last = self.add("Gather", ends, self.constant(-1, np.int64), axis=0)
        numbers = self.add("Range", self.constant(0, np.int64), last, self.constant(1, np.int64))
        row = self.add("Unsqueeze", numbers, self.ints(0))
        column = self.add("Unsqueeze", ends, self.ints(1))
        first = self.add("Gather", whole, self.constant(0, np.int64))
        starts = self.add("Sub", column, self.add("Unsqueeze", first, self.ints(1)))
        inside = self.add(
            "And", self.add("Less", row, column), self.add("GreaterOrEqual", row, starts)
        )
        features = self.given(1, N_CHANNELS, len(durations))
        repeated = self.add("MatMul", features, self.cast(inside, TensorProto.FLOAT))
        return self.add("Add", repeated, self.floats(1, N_CHANNELS, 1))

    def ints(self, *values: int) -> str:
        return self.constant(values, np.int64)

    def style(self, n_channels: int) -> str:
        return self.given(1, 2 * n_channels)

    def resize(self, x: str, factor: int, mode: str = "nearest") -> str:
        return self.add(
            "Resize", x, "", self.constant([1.0, 1.0, factor]), mode=mode, nearest_mode="floor",
            coordinate_transformation_mode="asymmetric" if mode == "nearest" else "half_pixel",
        )  # fmt: skip

    def conv(self, x: str, n_in: int, n_out: int, size: int = 3, **attributes: Any) -> str:
        weight = self.floats(n_out, n_in, size, scale=(n_in * size) ** -0.5)
        return self.add("Conv", x, weight, self.floats(n_out), **attributes)

    def speech(self, durations: list[int], layer: Layer) -> ir.Model:
        """The whole graph: 600 samples a frame of what the layer makes."""
        value, n_channels, factor = layer(self, self.frames(durations))
        one = self.conv(value, n_channels, 1, 1)
        samples = self.resize(one, SAMPLES_PER_FRAME // factor)
        audio = self.add("Squeeze", samples, self.ints(0, 1))
        model = self.model(audio)
        for node in model.graph:
            if node.op_type == "Clip":
                node.outputs[0].name = TENSOR_NAME
        normalization.rules().apply_to_model(model)
        cancel_transposes(model.graph)
        return tidied(model)


def padded(model: ir.Model, pad: Callable[[ir.Graph], int] = pad_frames) -> tuple[ir.Model, int]:
    """The same with buckets or a mask, and how many nodes were told to disregard frames."""
    passes.TopologicalSortPass()(model)
    count = pad(model.graph)
    passes.RemoveUnusedNodesPass()(model)
    assert not dialect(model)
    model.graph.opset_imports.pop(DOMAIN, None)
    return model, count


def run(model: ir.Model, feeds: dict[str, Array], buckets: list[int]) -> Array:
    """What is said of the frames that count; there are whole frames, at least as many."""
    (audio,) = plain(model, feeds | {BUCKETS: np.array(buckets, np.int64)})
    n_samples = int(SAMPLES_PER_FRAME * feeds["durations"].sum())
    assert audio.size >= n_samples
    assert audio.size % SAMPLES_PER_FRAME == 0
    return audio[:n_samples]


def published(durations: list[int], layer: Layer) -> tuple[Array, Speech]:
    """What is said without buckets: `plain` cannot run the dialect."""
    graph = Speech()
    value, n_channels, factor = layer(graph, graph.frames(durations))
    samples = graph.resize(graph.conv(value, n_channels, 1, 1), SAMPLES_PER_FRAME // factor)
    model = graph.model(graph.add("Squeeze", samples, graph.ints(0, 1)))
    (audio,) = plain(model, graph.feeds)
    return audio, graph


# One kind of layer each. The last value of a frame must be unlike 0 in all of them.


def convolution(size: int = 3, **attributes: Any) -> Layer:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        return graph.conv(x, N_CHANNELS, 5, size, **attributes), 5, 1

    return build


def two_convolutions(graph: Speech, x: str) -> tuple[str, int, int]:
    inner = graph.add("LeakyRelu", graph.conv(x, N_CHANNELS, 6, 3, pads=[1, 1]), alpha=0.1)
    return graph.conv(inner, 6, 5, 7, pads=[9, 9], dilations=[3]), 5, 1


def strided(graph: Speech, x: str) -> tuple[str, int, int]:
    finer = graph.conv(graph.resize(x, 6), N_CHANNELS, 5, 3, pads=[1, 1])
    return graph.conv(finer, 5, 4, 6, strides=[3], pads=[2, 1]), 4, 2


def transposed(
    stride: int, size: int, *, group: int = 1, dilation: int = 1, **attributes: Any
) -> Layer:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        weight = graph.floats(N_CHANNELS, 1 if group > 1 else 3, size)
        n_out = N_CHANNELS if group > 1 else 3
        y = graph.add(
            "ConvTranspose", x, weight, graph.floats(n_out), strides=[stride], group=group,
            dilations=[dilation], **attributes,
        )  # fmt: skip
        return y, n_out, stride

    return build


def normalised(graph: Speech, x: str) -> tuple[str, int, int]:
    y = graph.modulation(graph.norm(x), graph.style(N_CHANNELS), N_CHANNELS)
    return graph.conv(y, N_CHANNELS, 5, 3, pads=[1, 1]), 5, 1


def normalised_twice(graph: Speech, x: str) -> tuple[str, int, int]:
    """One normalisation that two styles modulate, and another behind them."""
    norm = graph.norm(x)
    one, other = (graph.modulation(norm, graph.style(N_CHANNELS), N_CHANNELS) for _ in "ab")
    inner = graph.conv(graph.add("Add", one, other), N_CHANNELS, 6, 3, pads=[1, 1])
    return graph.modulation(graph.norm(graph.resize(inner, 2)), graph.style(6), 6), 6, 2


def recurrent(direction: str) -> Layer:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        n = 2 if direction == "bidirectional" else 1
        first = graph.add("Transpose", x, perm=[2, 0, 1])
        y = graph.add(
            "LSTM", first, graph.floats(n, 12, N_CHANNELS), graph.floats(n, 12, 3),
            graph.floats(n, 24), direction=direction, hidden_size=3,
        )  # fmt: skip
        rows = graph.add(
            "Reshape", graph.add("Transpose", y, perm=[0, 2, 1, 3]), graph.ints(0, 0, -1)
        )
        return graph.add("Transpose", rows, perm=[1, 2, 0]), 3 * n, 1

    return build


def summed(graph: Speech, x: str) -> tuple[str, int, int]:
    rows = graph.add(
        "CumSum", graph.add("Transpose", x, perm=[0, 2, 1]), graph.constant(1, np.int32)
    )
    back = graph.add("Transpose", rows, perm=[0, 2, 1])
    return graph.add("Sin", graph.resize(back, 4, "linear")), N_CHANNELS, 4


def spectrum(pads: tuple[int, int], size: int | None = None) -> Layer:
    """Hops of 4 samples of which a frame has 3, and by default as many windows as hops."""

    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        samples = graph.resize(graph.conv(x, N_CHANNELS, 1, 1), 12)
        samples = graph.conv(samples, 1, 1, 5, pads=[2, 2])
        ends = graph.constant([0, 0, pads[0], 0, 0, pads[1]], np.int64)
        reflected = graph.add("Pad", samples, ends, mode="reflect")
        return graph.conv(reflected, 1, 6, size or 4 + sum(pads), strides=[4]), 6, 3

    return build


def trimmed(graph: Speech, x: str) -> tuple[str, int, int]:
    """Overlapped and added, then cut at both ends, as the sound is."""
    weight = graph.floats(N_CHANNELS, 2, 20)
    y = graph.add("ConvTranspose", x, weight, strides=[10])
    begun = graph.add("Slice", y, *(graph.ints(k) for k in (5, np.iinfo(np.int64).max, 2, 1)))
    return graph.add("Slice", begun, *(graph.ints(k) for k in (0, -5, 2, 1))), 2, 10


def put_together(graph: Speech, x: str) -> tuple[str, int, int]:
    both = graph.add("Concat", x, graph.add("Exp", x), axis=1)
    part = graph.add("Slice", both, *(graph.ints(k) for k in (2, 7, 1, 1)))
    return graph.conv(part, 5, 3, 3, pads=[1, 1]), 3, 1


LAYERS: dict[str, tuple[Layer, int]] = {
    "a convolution of single frames": (convolution(1), 0),
    "a convolution": (convolution(3, pads=[1, 1]), 1),
    "one that looks back only": (convolution(3, pads=[2, 0]), 1),
    "one that looks ahead only": (convolution(3, pads=[0, 2]), 1),
    "two convolutions": (two_convolutions, 2),
    "a stride": (strided, 2),
    "upsampling": (transposed(10, 20, pads=[5, 5]), 1),
    "upsampling without overlap": (transposed(5, 5), 0),
    "upsampling of each channel": (
        transposed(2, 3, group=N_CHANNELS, pads=[1, 1], output_padding=[1]), 1
    ),
    "upsampling with samples at the end": (
        transposed(4, 4, pads=[2, 0], output_padding=[2]), 1
    ),
    "dilated upsampling": (transposed(4, 2, dilation=5, pads=[1, 1]), 1),
    "normalisation": (normalised, 2),
    "several normalisations": (normalised_twice, 3),
    "an LSTM": (recurrent("forward"), 1),
    "an LSTM that goes back": (recurrent("reverse"), 1),
    "an LSTM of both": (recurrent("bidirectional"), 1),
    "a sum, interpolated": (summed, 1),
    "reflected ends": (spectrum((4, 4)), 2),
    "a reflected beginning": (spectrum((8, 0)), 1),
    "cut ends": (trimmed, 1),
    "channels put together": (put_together, 1),
}  # fmt: skip

DURATIONS = [2, 1, 4]
"""Seven frames."""


@pytest.mark.parametrize("buckets", [[1], [8], [2, 5, 40]], ids=str)
@pytest.mark.parametrize("what", LAYERS)
def test_added_frames_change_nothing(what: str, buckets: list[int]) -> None:
    layer, n_told = LAYERS[what]
    before, graph = published(DURATIONS, layer)
    assert before.shape == (SAMPLES_PER_FRAME * sum(DURATIONS),)
    model, count = padded(Speech().speech(DURATIONS, layer))
    assert count == n_told
    after = run(model, graph.feeds, buckets)
    assert after.shape == before.shape
    # float32; a mean of 8 frames adds in another order than one of 40.
    np.testing.assert_allclose(after, before, rtol=0, atol=3e-6 * (1 + np.abs(before).max()))


@pytest.mark.parametrize("what", [what for what, (_, count) in LAYERS.items() if count])
def test_frames_that_are_only_added_would_be_heard(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test of all layers sees it when nobody disregards frames."""

    def untold(self: Any, node: ir.Node, *_: Any) -> int:
        return 1

    layer, _ = LAYERS[what]
    before, graph = published(DURATIONS, layer)
    monkeypatch.setattr(Padding, "_silence", untold)
    monkeypatch.setattr(
        "service.preparation.rewriting.padded_encoder._Padded._end_sequence", untold
    )
    monkeypatch.setattr(Padding, "_mask", lambda self, length: self.make(
        "Unsqueeze", [_ones(self, length), self._ints(0, 1)]
    ))  # fmt: skip
    _unreflect(monkeypatch)
    model, _ = padded(Speech().speech(DURATIONS, layer))
    after = run(model, graph.feeds, [40])
    if what == "an LSTM":  # which never looks ahead
        np.testing.assert_allclose(after, before, atol=1e-6)
    elif what in ("one that looks back only", "a reflected beginning"):
        assert after.shape == before.shape
    else:
        assert np.abs(after - before).max() > 1e-3


def _ones(padding: Any, length: Any) -> ir.Value:
    frames = padding._of(length, padding.total)
    row = padding.make("Unsqueeze", [frames, padding._ints(0)])
    one = padding._constant(np.array([1], np.float32))
    ones: ir.Value = padding.make("Expand", [one, row])
    return ones


def _unreflect(monkeypatch: pytest.MonkeyPatch) -> None:
    def pad(self: Any, node: ir.Node, length: Any) -> Any:
        amounts = node.inputs[1].const_value.numpy()  # type: ignore[union-attr]
        return Length(length.factor, length.extra + int(amounts[2] + amounts[5])), 0

    monkeypatch.setattr(Padding, "_pad", pad)


def everything(graph: Speech, x: str) -> tuple[str, int, int]:
    """Most of them, one after the other, as in the published graph."""
    lstm, n_channels, _ = recurrent("bidirectional")(graph, x)
    inner = graph.conv(lstm, n_channels, N_CHANNELS, 5, pads=[2, 2])
    inner, n_channels, _ = normalised_twice(graph, inner)
    grown = graph.add(
        "ConvTranspose", inner, graph.floats(n_channels, 3, 20, scale=0.3), graph.floats(3),
        strides=[10], pads=[5, 5],
    )  # fmt: skip
    source, n_bins, _ = spectrum((4, 4), 8)(graph, x)
    fine = graph.conv(source, n_bins, 3, 3, pads=[1, 1])
    # There is a window more than hops: it is cut off.
    cut = graph.add("Slice", fine, *(graph.ints(k) for k in (0, -1, 2, 1)))
    coarse = graph.conv(cut, 3, 3, 6, strides=[3], pads=[2, 1])
    return graph.add("Add", grown, graph.resize(coarse, 20)), 3, 20


@costly(part=40)
@given(
    durations=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    table=st.sets(st.integers(1, 60), min_size=1, max_size=5).map(sorted),
)
def test_whatever_the_durations_and_the_table(durations: list[int], table: list[int]) -> None:
    before, graph = published(durations, everything)
    model, _ = padded(Speech().speech(durations, everything))
    after = run(model, graph.feeds, table)
    assert after.shape == before.shape == (SAMPLES_PER_FRAME * sum(durations),)
    np.testing.assert_allclose(after, before, rtol=0, atol=2e-5 * (1 + np.abs(before).max()))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([1], 7), ([7], 7), ([8], 8), ([6], 12), ([2], 8), ([3, 5], 10), ([7, 8], 7), ([3, 9], 9),
        ([2, 4, 64], 64), ([100, 200], 100),
    ],
)  # fmt: skip
def test_the_frames_are_those_of_the_first_bucket_that_is_large_enough(
    table: list[int], expected: int
) -> None:
    model, _ = padded(Speech().speech(DURATIONS, convolution(1)))
    (conv,) = (node for node in model.graph if node.op_type == "Conv" and _size(node) == 5)
    model.graph.outputs.append(conv.outputs[0])
    conv.outputs[0].type = ir.TensorType(ir.DataType.FLOAT)
    graph = Speech()
    graph.speech(DURATIONS, convolution(1))
    feeds = graph.feeds | {BUCKETS: np.array(table, np.int64)}
    audio, inside = plain(model, feeds)
    assert inside.shape == (1, 5, expected)
    assert audio.shape == (expected * SAMPLES_PER_FRAME,)


def _size(node: ir.Node) -> int:
    weight = node.inputs[1]
    assert weight is not None
    assert weight.const_value is not None
    return int(weight.const_value.numpy().shape[0])


def test_the_table_is_an_input_and_the_output_keeps_its_name() -> None:
    model = Speech().speech(DURATIONS, convolution(3, pads=[1, 1]))
    names = [value.name for value in model.graph.outputs]
    inputs = [value.name for value in model.graph.inputs]
    model, _ = padded(model)
    assert [value.name for value in model.graph.outputs] == names
    assert [value.name for value in model.graph.inputs] == [*inputs, BUCKETS]
    assert model.graph.inputs[-1].dtype == ir.DataType.INT64
    assert copied(model).graph.inputs[-1].name == BUCKETS


# What is not known.


def unknown(op_type: str, **attributes: Any) -> Layer:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        return graph.add(op_type, x, **attributes), N_CHANNELS, 1

    return build


def averaged(graph: Speech, x: str) -> tuple[str, int, int]:
    return graph.add("Sub", x, graph.mean(x, graph.ints(2))), N_CHANNELS, 1


def of_unequal_lengths(graph: Speech, x: str) -> tuple[str, int, int]:
    finer = graph.add("Slice", graph.resize(x, 2), *(graph.ints(k) for k in (0, -1, 2)))
    return graph.add("Add", graph.resize(x, 2), finer), N_CHANNELS, 2


def computed_kernel(graph: Speech, x: str) -> tuple[str, int, int]:
    return graph.add("Conv", x, graph.given(5, N_CHANNELS, 3), pads=[1, 1]), 5, 1


def fractions(graph: Speech, x: str) -> tuple[str, int, int]:
    return graph.resize(graph.resize(x, 3), 0.5), N_CHANNELS, 1  # type: ignore[arg-type]


def ended_lstm(graph: Speech, x: str) -> tuple[str, int, int]:
    y = graph.add(
        "LSTM", graph.add("Transpose", x, perm=[2, 0, 1]), graph.floats(1, 12, N_CHANNELS),
        graph.floats(1, 12, 3), "", graph.constant([3], np.int32), hidden_size=3,
    )  # fmt: skip
    rows = graph.add("Squeeze", y, graph.ints(1))
    return graph.add("Transpose", rows, perm=[1, 2, 0]), 3, 1


def padded_with(mode: str) -> Layer:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        ends = graph.constant([0, 0, 1, 0, 0, 1], np.int64)
        return graph.conv(graph.add("Pad", x, ends, mode=mode), N_CHANNELS, 5, 3), 5, 1

    return build


def summed_over(axis: int) -> Layer:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        return graph.add("CumSum", x, graph.constant(axis, np.int32)), N_CHANNELS, 1

    return build


def cut(*bounds: int) -> Layer:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        return graph.add("Slice", x, *(graph.ints(k) for k in bounds)), N_CHANNELS, 1

    return build


def normalised_only_sometimes(graph: Speech, x: str) -> tuple[str, int, int]:
    return strided(graph, graph.conv(x, N_CHANNELS, N_CHANNELS, 3, strides=[2], pads=[1, 1]))


UNKNOWN: dict[str, tuple[Layer, str]] = {
    "a softmax": (unknown("Softmax", axis=2), "Softmax of frames"),
    "a mean": (averaged, "ReduceMean of frames"),
    "a pool": (
        unknown("AveragePool", kernel_shape=[3], pads=[1, 1]), "AveragePool of frames"
    ),
    "unequal lengths": (of_unequal_lengths, "Add of unequal lengths"),
    "a computed kernel": (computed_kernel, "a convolution of another kind"),
    "no pads in numbers": (convolution(3, auto_pad="SAME_UPPER"), "a convolution of another kind"),
    "half of the frames": (normalised_only_sometimes, "a stride of 2"),
    "a share of the frames": (fractions, "a Resize of another kind"),
    "frames mixed with the next": (
        lambda graph, x: (graph.resize(x, 4, "linear"), N_CHANNELS, 4), "a Resize that mixes"
    ),
    "an LSTM that ends elsewhere": (ended_lstm, "knows where its sequences end"),
    "zeros around": (padded_with("constant"), "a Pad that does not reflect"),
    "the last one repeated": (padded_with("edge"), "a Pad that does not reflect"),
    "a sum over channels": (summed_over(2), "a CumSum over another axis"),
    "some frames": (cut(0, 3, 2, 1), "a Slice between 0 and 3"),
    "the last frames": (cut(-3, np.iinfo(np.int64).max, 2, 1), "a Slice between -3"),
    "every other frame": (cut(0, np.iinfo(np.int64).max, 2, 2), "a Slice of some frames only"),
    "no axis named": (cut(0, 3), "a Slice of another kind"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_not_known_is_refused_by_name(what: str) -> None:
    layer, message = UNKNOWN[what]
    model = Speech().speech(DURATIONS, layer)
    passes.TopologicalSortPass()(model)
    for number, node in enumerate(model.graph):
        node.name = f"node {number}"
    with pytest.raises(RefusedError) as caught:
        pad_frames(model.graph)
    assert message in caught.value.refusal.reason
    assert re.fullmatch(r"node \d+", caught.value.refusal.node)


def test_a_normalisation_that_is_not_modulated_is_refused() -> None:
    model = Speech().speech(DURATIONS, normalised)
    (modulate,) = (node for node in model.graph if node.op_type == "Modulate")
    modulate.op_type = "Demodulate"
    modulate.name = "the node"
    with pytest.raises(RefusedError, match=r"Demodulate of a normalisation, at node the node$"):
        pad_frames(model.graph)


def test_a_graph_that_numbers_no_frames_is_refused() -> None:
    graph = Published()
    numbers = graph.add("Range", *(graph.constant(k, np.int64) for k in (0, 5, 1)))
    model = graph.model(graph.cast(numbers, TensorProto.FLOAT))
    with pytest.raises(RefusedError, match="nothing numbers the frames"):
        pad_frames(model.graph)


def test_durations_of_another_name_are_none() -> None:
    model = Speech().speech(DURATIONS, convolution())
    (clip,) = (node for node in model.graph if node.op_type == "Clip")
    clip.outputs[0].name = "something_else"
    with pytest.raises(RefusedError, match="nothing numbers the frames"):
        pad_frames(model.graph)


@pytest.mark.parametrize("name", [FEATURES, SPECTRUM])
def test_what_a_decoder_is_given_must_be_as_long_as_it_says(name: str) -> None:
    model = Speech().speech(DURATIONS, convolution())
    model.graph.outputs[0].name = name
    with pytest.raises(RefusedError, match=f"{name} is not as long as it must be"):
        pad_frames(model.graph)


# Decoders, which are told how many frames count.


def decoder(layer: Layer, n_frames: int, n_added: int = 0) -> tuple[Speech, ir.Model]:
    """A graph from features to samples; added frames are full of what must not be heard."""
    noise = np.random.default_rng(5)
    features = noise.normal(size=(1, 2 * n_frames, N_CHANNELS)).astype(np.float32)
    added = noise.normal(size=(1, 2 * n_added, N_CHANNELS)).astype(np.float32)
    graph = Speech()
    given = graph.given_array(np.concatenate([features, 10 * added], axis=1), FEATURES)
    value, n_channels, factor = layer(graph, graph.add("Transpose", given, perm=[0, 2, 1]))
    one = graph.conv(value, n_channels, 1, 1)
    samples = graph.resize(one, SAMPLES_PER_FRAME // (2 * factor))
    model = graph.model(graph.add("Squeeze", samples, graph.ints(0, 1)))
    spectrum = ir.Value(
        name=SPECTRUM, shape=ir.Shape([1, None, 22]), type=ir.TensorType(ir.DataType.FLOAT)
    )
    model.graph.inputs.append(spectrum)
    return graph, model


def masked(model: ir.Model) -> tuple[ir.Model, int]:
    normalization.rules().apply_to_model(model)
    cancel_transposes(model.graph)
    return padded(tidied(model), mask_frames)


IN_ENCODERS = ("an LSTM", "an LSTM that goes back", "an LSTM of both", "reflected ends")


@pytest.mark.parametrize("n_added", [0, 1, 9])
@pytest.mark.parametrize("what", [what for what in LAYERS if what not in IN_ENCODERS])
def test_masked_frames_change_nothing(what: str, n_added: int) -> None:
    layer, n_told = LAYERS[what]
    graph, model = decoder(layer, 7)
    silence = {SPECTRUM: np.zeros((1, 1, 22), np.float32)}
    (before,) = plain(model, graph.feeds | silence)
    graph, model = decoder(layer, 7, n_added)
    model, count = masked(model)
    assert count == n_told
    mask = np.zeros((1, 1, 2 * (7 + n_added)), np.float32)
    mask[..., : 2 * 7] = 1
    (after,) = plain(model, graph.feeds | silence | {MASK: mask})
    assert after.shape == (SAMPLES_PER_FRAME * (7 + n_added),)
    assert not {"Shape", "Range"} & {node.op_type for node in model.graph}
    after = after[: before.size]
    np.testing.assert_allclose(after, before, rtol=0, atol=3e-6 * (1 + np.abs(before).max()))


UNAWARE = ("one that looks back only", "a reflected beginning")
"""They look at nothing that was added."""


@pytest.mark.parametrize(
    "what", [what for what, (_, n) in LAYERS.items() if n and what not in (*IN_ENCODERS, *UNAWARE)]
)
def test_frames_that_are_not_masked_are_heard(what: str) -> None:
    layer, _ = LAYERS[what]
    graph, model = decoder(layer, 7)
    silence = {SPECTRUM: np.zeros((1, 1, 22), np.float32)}
    (before,) = plain(model, graph.feeds | silence)
    graph, model = decoder(layer, 7, 9)
    model, _ = masked(model)
    (after,) = plain(model, graph.feeds | silence | {MASK: np.ones((1, 1, 32), np.float32)})
    assert np.abs(after[: before.size] - before).max() > 1e-3


@pytest.mark.parametrize(
    ("what", "message"),
    [("an LSTM", "an LSTM of frames"), ("reflected ends", "a Pad behind the last frame")],
)
def test_what_only_an_encoder_can_do_is_refused_in_a_decoder(what: str, message: str) -> None:
    _, model = decoder(LAYERS[what][0], 7)
    with pytest.raises(RefusedError, match=message):
        masked(model)


def test_a_decoder_of_another_rate_is_refused() -> None:
    def build(graph: Speech, x: str) -> tuple[str, int, int]:
        return graph.resize(x, 2), N_CHANNELS, 1

    _, model = decoder(build, 7)
    with pytest.raises(RefusedError, match="is not as long as it must be"):
        masked(model)
