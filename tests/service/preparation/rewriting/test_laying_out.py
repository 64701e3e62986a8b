"""Weights in the layout that the kernels of a processor read."""

import numpy as np
import pytest
from service.preparation.layout import Layout
from service.preparation.rewriting.laying_out import lay_out
from service.preparation.rewriting.packing import pair_groups
from tests.service.preparation.rewriting.graph_checks import attributes_of
from tests.service.preparation.rewriting.native_graphs import array, ended, frames, fused, operands
from tests.service.preparation.rewriting.published_graphs import Published


def two_convolutions():
    """One of an even number of groups of channels and one of an odd number."""
    graph = Published()
    x = graph.convolution(frames(graph, 9), 9, 24)
    return fused(graph, ended(graph, graph.convolution(x, 24, 5)))


def packed_nodes(model):
    return [node for node in model.graph if node.op_type == "DynamicQuantizeConv"]


def test_only_weights_and_the_number_of_their_layout_change():
    centered, paired = two_convolutions(), two_convolutions()
    assert lay_out(paired.graph, Layout.CENTERED_PAIRS) == 2
    nodes = list(zip(packed_nodes(centered), packed_nodes(paired), strict=True))
    assert [array(one.inputs[1]).shape[2] for one, _ in nodes] == [3, 6]
    for one, other in nodes:
        assert attributes_of(one) | {"layout": Layout.CENTERED_PAIRS} == attributes_of(other)
        weight = array(one.inputs[1])
        np.testing.assert_array_equal(array(other.inputs[1]), pair_groups(weight))
        assert not np.array_equal(array(other.inputs[1]), weight)
        for name in ("weight_sums", "runs", "bias"):
            np.testing.assert_array_equal(array(operands(one)[name]), array(operands(other)[name]))


def test_what_is_packed_is_in_the_first_layout():
    model = two_convolutions()
    before = [array(node.inputs[1]).copy() for node in packed_nodes(model)]
    assert lay_out(model.graph, Layout.CENTERED) == 2
    for node, weight in zip(packed_nodes(model), before, strict=True):
        assert node.attributes["layout"].as_int() == Layout.CENTERED
        np.testing.assert_array_equal(array(node.inputs[1]), weight)


def test_weights_that_nodes_share_are_laid_out_once():
    model = two_convolutions()
    one, other = packed_nodes(model)
    weight = array(one.inputs[1])
    other.replace_input_with(1, one.inputs[1])
    lay_out(model.graph, Layout.CENTERED_PAIRS)
    assert one.inputs[1] is other.inputs[1]
    np.testing.assert_array_equal(array(one.inputs[1]), pair_groups(weight))


@pytest.mark.parametrize("layout", list(Layout))
def test_a_graph_without_packed_weights_stays_as_it_is(layout):
    graph = Published()
    model = graph.model(ended(graph, frames(graph, 5)))
    assert lay_out(model.graph, layout) == 0
