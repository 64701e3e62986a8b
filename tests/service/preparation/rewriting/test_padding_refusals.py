"""Graphs whose frames cannot be padded."""

from __future__ import annotations

import re

import numpy as np
import pytest
from onnx import TensorProto
from onnx_ir.passes import common as passes
from service.preparation.refusal import RefusedError
from service.preparation.rewriting.padded_encoder import pad_frames
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from tests.service.preparation.rewriting.padded_graphs import (
    DURATIONS,
    N_CHANNELS,
    Layer,
    Speech,
    convolution,
    normalized,
    strided,
)
from tests.service.preparation.rewriting.published_graphs import Published


def unknown(op_type, **attributes):
    def build(graph, x):
        return graph.add(op_type, x, **attributes), N_CHANNELS, 1

    return build


def averaged(graph, x):
    return graph.add("Sub", x, graph.mean(x, graph.ints(2))), N_CHANNELS, 1


def of_unequal_lengths(graph, x):
    finer = graph.add("Slice", graph.resize(x, 2), *(graph.ints(k) for k in (0, -1, 2)))
    return graph.add("Add", graph.resize(x, 2), finer), N_CHANNELS, 2


def computed_kernel(graph, x):
    return graph.add("Conv", x, graph.given(5, N_CHANNELS, 3), pads=[1, 1]), 5, 1


def fractions(graph, x):
    return graph.resize(graph.resize(x, 3), 0.5), N_CHANNELS, 1  # type: ignore[arg-type]


def ended_lstm(graph, x):
    y = graph.add(
        "LSTM", graph.add("Transpose", x, perm=[2, 0, 1]), graph.floats(1, 12, N_CHANNELS),
        graph.floats(1, 12, 3), "", graph.constant([3], np.int32), hidden_size=3,
    )  # fmt: skip
    rows = graph.add("Squeeze", y, graph.ints(1))
    return graph.add("Transpose", rows, perm=[1, 2, 0]), 3, 1


def padded_with(mode):
    def build(graph, x):
        ends = graph.constant([0, 0, 1, 0, 0, 1], np.int64)
        return graph.conv(graph.add("Pad", x, ends, mode=mode), N_CHANNELS, 5, 3), 5, 1

    return build


def summed_over(axis):
    def build(graph, x):
        return graph.add("CumSum", x, graph.constant(axis, np.int32)), N_CHANNELS, 1

    return build


def cut(*bounds):
    def build(graph, x):
        return graph.add("Slice", x, *(graph.ints(k) for k in bounds)), N_CHANNELS, 1

    return build


def normalized_only_sometimes(graph, x):
    return strided(graph, graph.conv(x, N_CHANNELS, N_CHANNELS, 3, strides=[2], pads=[1, 1]))


UNKNOWN: dict[str, tuple[Layer, str]] = {
    "a softmax": (unknown("Softmax", axis=2), "Softmax of frames"),
    "a mean": (averaged, "ReduceMean of frames"),
    "a pool": (unknown("AveragePool", kernel_shape=[3], pads=[1, 1]), "AveragePool of frames"),
    "unequal lengths": (of_unequal_lengths, "Add of unequal lengths"),
    "a computed kernel": (computed_kernel, "a convolution of another kind"),
    "no pads in numbers": (convolution(3, auto_pad="SAME_UPPER"), "a convolution of another kind"),
    "half of the frames": (normalized_only_sometimes, "a stride of 2"),
    "a share of the frames": (fractions, "a Resize of another kind"),
    "frames mixed with the next": (
        lambda graph, x: (graph.resize(x, 4, "linear"), N_CHANNELS, 4),
        "a Resize that mixes",
    ),
    "an LSTM that ends elsewhere": (ended_lstm, "knows where its sequences end"),
    "zeros around": (padded_with("constant"), "a Pad that does not reflect"),
    "the last one repeated": (padded_with("edge"), "a Pad that does not reflect"),
    "a sum over channels": (summed_over(2), "a CumSum over another axis"),
    "some frames": (cut(0, 3, 2, 1), "a Slice between 0 and 3"),
    "the last frames": (cut(-3, np.iinfo(np.int64).max, 2, 1), "a Slice between -3"),
    "every other frame": (cut(0, np.iinfo(np.int64).max, 2, 2), "a Slice of some frames only"),
    "no axis named": (cut(0, 3), "a Slice of another kind"),
}


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


def test_a_normalization_that_is_not_modulated_is_refused():
    model = Speech().speech(DURATIONS, normalized)
    (modulate,) = (node for node in model.graph if node.op_type == "Modulate")
    modulate.op_type = "Demodulate"
    modulate.name = "the node"
    with pytest.raises(RefusedError, match=r"Demodulate of a normalization, at node the node$"):
        pad_frames(model.graph)


def test_a_graph_that_numbers_no_frames_is_refused():
    graph = Published()
    numbers = graph.add("Range", *(graph.constant(k, np.int64) for k in (0, 5, 1)))
    model = graph.model(graph.cast(numbers, TensorProto.FLOAT))
    with pytest.raises(RefusedError, match="nothing numbers the frames"):
        pad_frames(model.graph)


def test_durations_of_another_name_are_none():
    model = Speech().speech(DURATIONS, convolution())
    (clip,) = (node for node in model.graph if node.op_type == "Clip")
    clip.outputs[0].name = "something_else"
    with pytest.raises(RefusedError, match="nothing numbers the frames"):
        pad_frames(model.graph)


@pytest.mark.parametrize("name", [FEATURES, SPECTRUM])
def test_what_a_decoder_is_given_must_be_as_long_as_it_says(name):
    model = Speech().speech(DURATIONS, convolution())
    model.graph.outputs[0].name = name
    with pytest.raises(RefusedError, match=f"{name} is not as long as it must be"):
        pad_frames(model.graph)
