from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from service.preparation.rewriting.matrices import fuse_products
from tests.service.preparation.rewriting.graph_checks import copied, fused, operators, plain
from tests.service.preparation.rewriting.published_graphs import Array, Published


def model_of(graph, rank, *outputs):
    """Return the model; the ranks of what it is given are known, as of published ones."""
    model = graph.model(*[graph.add("Neg", output) for output in outputs])
    for value in model.graph.inputs:
        value.shape = ir.Shape([None] * rank)
    return model


@pytest.mark.parametrize(("n_frames", "n_in"), [(1, 1), (3, 7), (16, 64), (33, 50)])
def test_products_of_one_input_are_one_operator_and_the_same_numbers(native, n_frames, n_in):
    graph = Published()
    quantized = graph.quantized(graph.given(1, n_frames, n_in))
    other = graph.quantized(graph.given(1, n_frames, n_in))
    results = [
        *(graph.product(quantized, n_in, n_out) for n_out in (5, 16, 33)),
        graph.product(quantized, n_in, 20, bias=False),
        graph.product(other, n_in, 8),
    ]
    published = model_of(graph, 3, *results)
    before = plain(copied(published), graph.feeds)
    model, count = fused(published, fuse_products)
    assert count == 5
    found = operators(model)
    assert found == {"kokoro.DynamicQuantizeMatMul": 3, "Split": 1, "Neg": 5}
    for one, two in zip(before, native.run(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("widths", "n_outputs"), [((16,), 1), ((32, 32), 2), ((16, 16, 16), 3), ((16,) * 4, 1), ((16, 32), 1), ((8, 8), 1)]
)
def test_equally_wide_products_are_outputs_as_far_as_there_are(native, widths, n_outputs):
    graph = Published()
    quantized = graph.quantized(graph.given(1, 7, 12))
    published = model_of(graph, 3, *(graph.product(quantized, 12, width) for width in widths))
    before = plain(copied(published), graph.feeds)
    model, _ = fused(published, fuse_products)
    (node,) = (node for node in model.graph if node.op_type == "DynamicQuantizeMatMul")
    assert len(node.outputs) == n_outputs
    assert operators(model)["Split"] == (n_outputs < len(widths))
    for one, two in zip(before, native.run(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, two)


def test_layers_with_the_same_weights_share_them(native):
    graph = Published()
    results = []
    for _ in range(3):
        graph.random = np.random.default_rng(7)
        results.append(graph.product(graph.quantized(graph.given(1, 4, 12)), 12, 10))
    published = model_of(graph, 3, *results)
    before = plain(copied(published), graph.feeds)
    model, _ = fused(published, fuse_products)
    assert operators(model)["kokoro.DynamicQuantizeMatMul"] == 3
    taken = {node.inputs[1] for node in model.graph if node.op_type == "DynamicQuantizeMatMul"}
    assert len(taken) == 1
    for one, two in zip(before, native.run(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, two)


def rank_of_two(graph):
    return 2, graph.product(graph.quantized(graph.given(4, 6)), 6, 5)


def unsigned_weights(graph):
    return 3, graph.product(graph.quantized(graph.given(1, 4, 6)), 6, 5, kind=np.uint8)


def shifted_weights(graph):
    return 3, graph.product(graph.quantized(graph.given(1, 4, 6)), 6, 5, zero=3)


def bias_of_frames(graph):
    floats = graph.product(graph.quantized(graph.given(1, 4, 6)), 6, 5, bias=False)
    return 3, graph.add("Add", floats, graph.floats(4, 1))


@pytest.mark.parametrize(
    ("build", "fused_all_the_same"),
    [(rank_of_two, 0), (unsigned_weights, 0), (shifted_weights, 0), (bias_of_frames, 1)],
)
def test_other_products_stay(native, build, fused_all_the_same):
    graph = Published()
    rank, result = build(graph)
    published = model_of(graph, rank, result)
    before: list[Array] = plain(copied(published), graph.feeds)
    model, count = fused(published, fuse_products)
    assert count == operators(model)["kokoro.DynamicQuantizeMatMul"] == fused_all_the_same
    for one, two in zip(before, native.run(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_result_that_is_asked_for_stays_under_its_name(native):
    graph = Published()
    result = graph.product(graph.quantized(graph.given(1, 4, 6)), 6, 5)
    published = graph.model(result)
    published.graph.inputs[0].shape = ir.Shape([1, None, 6])
    (before,) = plain(copied(published), graph.feeds)
    model, _ = fused(published, fuse_products)
    assert model.graph.outputs[0].name == result
    np.testing.assert_array_equal(native.run(model, graph.feeds)[0], before)
