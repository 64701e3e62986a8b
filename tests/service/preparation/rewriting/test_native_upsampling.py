"""What is fused into upsampling."""

import numpy as np
import pytest
from service.preparation.rewriting.packing import pack_strided
from tests.service.preparation.rewriting.graph_checks import attributes_of, operators, the_node
from tests.service.preparation.rewriting.native_graphs import array, ended, frames, fused
from tests.service.preparation.rewriting.published_graphs import Published


def test_upsampling_takes_in_what_is_around_it():
    graph = Published()
    x = graph.add("LeakyRelu", frames(graph, 5), alpha=0.1)
    upsampled = graph.upsampling(x, 5, 3, 6)
    pads = graph.constant([0, 0, 1, 0, 0, 0], np.int64)
    reflected = graph.add("Pad", upsampled, pads, mode="reflect")
    total = graph.add("Add", reflected, frames(graph, 3, 55))
    model = fused(graph, ended(graph, graph.add("Div", total, graph.constant(2.0))))
    assert operators(model) == {"kokoro.ConvTranspose": 1, "Div": 1, "Softmax": 1}
    node = the_node(model, "ConvTranspose")
    assert attributes_of(node) == {
        "channels": 3, "stride": 6, "pad": 3, "reflect": 1, "negative_slope": pytest.approx(0.1)
    }  # fmt: skip
    weight = next(iter(graph.model().graph.initializers.values()))
    np.testing.assert_array_equal(array(node.inputs[1]), pack_strided(array(weight), 6))
    assert len(node.inputs) == 4


def test_upsampling_takes_in_one_sum():
    graph = Published()
    total = graph.upsampling(frames(graph, 5), 5, 3, 6)
    for _ in range(2):
        total = graph.add("Add", total, frames(graph, 3, 54))
    found = operators(fused(graph, ended(graph, total)))
    assert found == {"kokoro.ConvTranspose": 1, "Add": 1, "Softmax": 1}


@pytest.mark.parametrize("epsilon", [1e-5, 1e-3])
def test_the_epsilon_goes_along(epsilon):
    graph = Published()
    normalized = graph.norm(frames(graph, 6), epsilon=epsilon)
    x = graph.modulation(normalized, graph.given(1, 12), 6)
    node = the_node(fused(graph, graph.convolution(x, 6, 5)), "DynamicQuantizeConv")
    assert node.attributes["epsilon"].as_float() == pytest.approx(epsilon)


def test_upsampling_alone():
    graph = Published()
    model = fused(graph, graph.upsampling(frames(graph, 5), 5, 3, 10))
    assert operators(model) == {"kokoro.ConvTranspose": 1, "Transpose": 1}
    node = the_node(model, "ConvTranspose")
    assert attributes_of(node) == {"channels": 3, "stride": 10, "pad": 5, "reflect": 0, "negative_slope": 1.0}
    assert len(node.inputs) == 3
