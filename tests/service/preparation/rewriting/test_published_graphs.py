"""What holds the graphs of these tests to what every processor multiplies exactly."""

import numpy as np
import onnx_ir as ir
import pytest
from tests.service.preparation.rewriting.graph_checks import check_exact, plain
from tests.service.preparation.rewriting.published_graphs import WIDEST, Published


def product(graph, widest):
    weight = graph.constant(np.full((4, 3), widest), np.int8)
    quantized, _, zero = graph.quantized(graph.given(2, 4))
    return graph.model(graph.cast(graph.add("MatMulInteger", quantized, weight, zero), 1))


@pytest.mark.parametrize("widest", [WIDEST, -WIDEST])
def test_weights_of_these_graphs_are_multiplied_exactly(widest):
    graph = Published()
    model = product(graph, widest)
    (x,) = graph.feeds.values()
    low, high = min(x.min(), 0), max(x.max(), 0)
    scale = (high - low) / np.float32(255)
    zero = np.rint(-low / scale)
    quantized = np.clip(np.rint(x / scale) + zero, 0, 255) - zero
    expected = quantized @ np.full((4, 3), widest)
    np.testing.assert_array_equal(plain(model, graph.feeds)[0], expected)


@pytest.mark.parametrize("widest", [WIDEST + 1, -WIDEST - 1, 127, -128])
def test_wider_weights_are_refused_on_every_processor(widest):
    with pytest.raises(AssertionError, match="two weights of"):
        check_exact(product(Published(), widest))


def test_signed_weights_that_are_computed_are_refused():
    graph = Published()
    quantized, _, zero = graph.quantized(graph.given(2, 4))
    weight = graph.cast(graph.given(4, 3), ir.DataType.INT8)
    product = graph.add("MatMulInteger", quantized, weight, zero)
    with pytest.raises(AssertionError, match="may be too wide"):
        check_exact(graph.model(graph.cast(product, 1)))
