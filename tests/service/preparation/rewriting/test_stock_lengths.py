"""Which operators are told how many frames they get by one and the same value."""

import numpy as np
import pytest
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import nodes_of
from service.preparation.rewriting.lengths import share_lengths
from tests.service.preparation.rewriting.graph_checks import STOCK, operators, recognize
from tests.service.preparation.rewriting.published_graphs import Published


def told(model):
    """Return what convolutions, and then normalizations, are told."""
    return [
        node.inputs[-1]
        for op_type in ("QuantizedConv", "InstanceNorm")
        for node in nodes_of(model.graph, op_type)
        if node.domain == DOMAIN
    ]


def frames(graph, n_channels):
    """Channels first, of an input that is channels last, so that a rewriting turns nothing."""
    return graph.add("Transpose", graph.given(1, 9, n_channels), perm=[0, 2, 1])


def activated(graph, x, n_channels):
    """AdaIN, then Snake."""
    style = graph.given(1, 2 * n_channels)
    return graph.snake(graph.modulation(graph.norm(x), style, n_channels), n_channels)


def spread(dilation):
    return {"dilations": [dilation], "pads": [dilation, dilation]}


def published(graph, *outputs):
    return recognize(graph.model(*outputs))


def test_a_residual_block_counts_its_frames_once():
    graph = Published()
    x = frames(graph, 6)
    for dilation in (1, 3):
        y = graph.convolution(activated(graph, x, 6), 6, 6, 3, **spread(dilation))
        x = graph.add("Add", x, y)
    model = published(graph, x)
    assert share_lengths(model.graph) == 4
    assert len({id(value) for value in told(model)}) == 1
    assert operators(model)["Shape"] == 1


@pytest.mark.parametrize(
    ("pad", "stride", "expected"), [(1, 1, 1), (0, 1, 2), (1, 2, 2)], ids=["as many", "no padding", "stride"]
)
def test_only_a_convolution_that_keeps_frames_passes_their_number_on(pad, stride, expected):
    graph = Published()
    first = graph.convolution(graph.given(1, 5, 9), 5, 6, 3, pads=[pad, pad], strides=[stride])
    model = published(graph, graph.convolution(first, 6, 6, 3))
    assert share_lengths(model.graph) == 2
    assert len({id(value) for value in told(model)}) == expected


def test_sums_of_frames_of_two_origins_are_counted_anew():
    graph = Published()
    parts = [graph.convolution(graph.given(1, 5, 9), 5, 6, 3) for _ in range(2)]
    total = graph.add("Add", *parts)
    model = published(graph, graph.convolution(total, 6, 6, 3))
    assert share_lengths(model.graph) == 3
    assert len({id(value) for value in told(model)}) == 3


def test_frames_that_are_equally_many_are_named_alike():
    graph = Published()
    x = frames(graph, 5)
    y = graph.convolution(activated(graph, x, 5), 5, 6)
    model = published(graph, graph.add("Transpose", y, perm=[0, 2, 1]), y)
    share_lengths(model.graph)
    modulated, convolved = (
        node.outputs[0].shape for op_type in ("Modulate", "QuantizedConv") for node in nodes_of(model.graph, op_type)
    )
    assert modulated is not None
    assert convolved is not None
    assert modulated[1] == convolved[1]
    assert convolved[2] == 6


def test_what_was_told_changes_no_bit():
    graph = Published()
    x = graph.given(1, 6, 9)
    y = graph.convolution(activated(graph, x, 6), 6, 6, 3, **spread(3))
    total = graph.add("Add", x, y)
    strided = graph.convolution(total, 6, 5, 3, strides=[2])
    models = [published(graph, total, strided) for _ in range(2)]
    assert share_lengths(models[1].graph) == 3
    before, after = (STOCK.run(STOCK.lower(model), graph.feeds) for model in models)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
