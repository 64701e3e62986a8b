"""Graphs whose frames cannot be padded."""

import re

import numpy as np
import pytest
from onnx import TensorProto
from onnx_ir.passes import common as passes
from service.preparation.refusal import RefusedError
from service.preparation.rewriting.padded_encoder import pad_frames
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from tests.service.preparation.rewriting.graph_checks import the_node
from tests.service.preparation.rewriting.padded_graphs import (
    DURATIONS,
    END,
    N_CHANNELS,
    Speech,
    convolution,
    normalized,
    strided,
)
from tests.service.preparation.rewriting.published_graphs import Published


def alone(op_type, **attributes):
    return lambda graph, x: (graph.add(op_type, x, **attributes), N_CHANNELS, 1)


def of_unequal_lengths(graph, x):
    finer = graph.cut(graph.resize(x, 2), 0, -1, 2)
    return graph.add("Add", graph.resize(x, 2), finer), N_CHANNELS, 2


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


def cut(*bounds):
    return lambda graph, x: (graph.cut(x, *bounds), N_CHANNELS, 1)


def half_of_them(graph, x):
    return strided(graph, graph.conv(x, N_CHANNELS, N_CHANNELS, 3, strides=[2], pads=[1, 1]))


UNKNOWN = {
    "a softmax": (alone("Softmax", axis=2), "Softmax of frames"),
    "a mean": (lambda g, x: (g.add("Sub", x, g.mean(x, g.ints(2))), N_CHANNELS, 1), "ReduceMean of frames"),
    "a pool": (alone("AveragePool", kernel_shape=[3], pads=[1, 1]), "AveragePool of frames"),
    "unequal lengths": (of_unequal_lengths, "Add of unequal lengths"),
    "a computed kernel": (
        lambda g, x: (g.add("Conv", x, g.given(5, N_CHANNELS, 3), pads=[1, 1]), 5, 1), "a convolution of another kind"
    ),
    "no pads in numbers": (convolution(3, auto_pad="SAME_UPPER"), "a convolution of another kind"),
    "half of the frames": (half_of_them, "a stride of 2"),
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


def rename_durations(model):
    the_node(model, "Clip").outputs[0].name = "something_else"


def exchange_modulation(model):
    node = the_node(model, "Modulate")
    node.op_type, node.name = "Demodulate", "the node"


def tell_another_output(name):
    def tell(model):
        model.graph.outputs[0].name = name

    return tell


@pytest.mark.parametrize(
    ("layer", "change", "message"),
    [
        (normalized, exchange_modulation, r"Demodulate of a normalization, at node the node$"),
        (convolution(), rename_durations, "nothing numbers the frames"),
        (convolution(), tell_another_output(FEATURES), f"{FEATURES} is not as long as it must be"),
        (convolution(), tell_another_output(SPECTRUM), f"{SPECTRUM} is not as long as it must be"),
    ],
)
def test_speech_that_is_not_what_it_must_be_is_refused(layer, change, message):
    model = Speech().speech(DURATIONS, layer)
    change(model)
    with pytest.raises(RefusedError, match=message):
        pad_frames(model.graph)


def test_a_graph_that_numbers_something_else_is_refused():
    graph = Published()
    numbers = graph.add("Range", *(graph.constant(k, np.int64) for k in (0, 5, 1)))
    model = graph.model(graph.cast(numbers, TensorProto.FLOAT))
    with pytest.raises(RefusedError, match="nothing numbers the frames"):
        pad_frames(model.graph)
