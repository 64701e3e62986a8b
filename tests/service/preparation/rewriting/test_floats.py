from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto
from service.preparation.rewriting.floats import dequantize_products, project_floats
from service.preparation.rewriting.graph import constant
from service.preparation.rewriting.projections import merge_projections
from tests.service.preparation.rewriting.float_graphs import WEIGHT_SCALE, finished, held
from tests.service.preparation.rewriting.graph_checks import (
    attributes_of,
    check_left_alone,
    copied,
    near_misses,
    operators,
    plain,
    the_node,
    tidied,
)
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import convolutions, floats, normalization


def convolved(model):
    convolutions.rules().apply_to_model(model)
    return floats.rules().apply_to_model(model)


def within_quantization(before, after, x, weight):
    """Check that sums are as near as rounding each input to a step of 1/255 of its range allows.

    Args:
        before: of the quantized graph.
        after: of the one in floats.
        x: what is quantized.
        weight: that it is multiplied by, its outputs along the first axis.
    """
    assert before.shape == after.shape
    step = float(max(x.max(), 0) - min(x.min(), 0)) / 255
    # Half a step each. The bias of a convolution is rounded to a step of its accumulator.
    bound = step * (np.abs(weight).reshape(len(weight), -1).sum(axis=1).max() / 2 + WEIGHT_SCALE)
    assert np.abs(after - before).max() <= 1.001 * bound
    assert np.abs(after - before).max() > 0
    assert bound < np.abs(before).max()


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"bias": False},
        {"size": 1},
        {"size": 7, "dilations": [3], "pads": [9, 9]},
        {"size": 12, "strides": [6], "pads": [3, 3]},
        {"pads": [2, 0]},
        {"shared_scale": False, "scale_first": True},
        {"weight_zero": 0},
        {"weight_zero": 255},
    ],
    ids=str,
)
def test_a_convolution_is_one_of_floats(given):
    graph = Published()
    x = graph.given(1, 6, 40)
    # A transpose at the very end would stay.
    published = graph.model(graph.add("Neg", graph.convolution(x, 6, 5, **given)))
    (before,) = plain(published, graph.feeds)
    integers = held(the_node(published, "ConvInteger").inputs[1])
    model = copied(published)
    assert convolved(model) == 1
    assert operators(finished(model)) == {"Conv": 1, "Neg": 1}
    node = the_node(model, "Conv")
    weight = held(node.inputs[1])
    zero = np.float32(given.get("weight_zero", 69))
    assert weight.dtype == np.float32
    np.testing.assert_array_equal(weight, (integers.astype(np.float32) - zero) * WEIGHT_SCALE)
    assert len(node.inputs) == (3 if given.get("bias", True) else 2)
    assert {name: list(value) for name, value in attributes_of(node).items()} == {
        "kernel_shape": [given.get("size", 3)],
        "dilations": given.get("dilations", [1]),
        "strides": given.get("strides", [1]),
        "pads": given.get("pads", [given.get("size", 3) // 2] * 2),
    }
    (after,) = plain(model, graph.feeds)
    within_quantization(before, after, graph.feeds[x], weight)


def test_a_square_is_a_product():
    graph = Published()
    x = graph.given(1, 3, 4)
    published = graph.model(graph.add("Pow", x, graph.constant(2.0)))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert floats.rules().apply_to_model(model) == 1
    assert operators(model) == {"Mul": 1}
    (after,) = plain(model, graph.feeds)
    np.testing.assert_allclose(after, before, rtol=2e-7)


POWERS: dict[str, tuple[str, Callable[[Published], Sequence[str]]]] = {
    "another exponent": ("cubes are no squares", lambda g: [g.add("Pow", g.given(3), g.constant(3.0))]),
    "a computed exponent": ("it may be any", lambda g: [g.add("Pow", g.constant(2.0), g.given(3))]),
    "an exponent for each": ("only some are squares", lambda g: [g.add("Pow", g.given(2), g.constant([2.0, 1.0]))]),
}


@near_misses(POWERS)
def test_other_powers_are_left_alone(near_miss):
    check_left_alone(floats.rules(), near_miss)


# Products.


@pytest.mark.parametrize("given", [{}, {"bias": False}, {"bias_first": False}], ids=str)
@pytest.mark.parametrize("shape", [(1, 7), (1, 9, 7), (4, 3, 7)])
def test_a_product_is_one_of_floats(shape, given):
    graph = Published()
    x = graph.given(*shape)
    published = graph.model(graph.product(graph.quantized(x), 7, 5, **given))
    (before,) = plain(published, graph.feeds)
    integers = held(the_node(published, "MatMulInteger").inputs[1])
    factors = [held(value) for node in published.graph for value in node.inputs if constant(value) is not None]
    (scale,) = (array for array in factors if array.shape == (5,) and 0 < array.max() < 0.01)
    model = copied(published)
    assert dequantize_products(model.graph) == 1
    assert operators(tidied(model)) == {"MatMul": 1} | ({"Add": 1} if given.get("bias", True) else {})
    weight = held(the_node(model, "MatMul").inputs[1])
    np.testing.assert_array_equal(weight, integers.astype(np.float32) * scale)
    (after,) = plain(model, graph.feeds)
    within_quantization(before, after, graph.feeds[x], weight.T)


def test_layers_of_one_weight_have_it_once():
    graph = Published()
    weight = graph.weights(6, 6, kind=np.int8)
    factors = graph.constant(graph.random.uniform(0.001, 0.003, 6))
    x = graph.given(1, 6)
    for _ in range(3):
        quantized, scale, zero = graph.quantized(x)
        sums = graph.add("MatMulInteger", quantized, weight, zero)
        x = graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), graph.add("Mul", scale, factors))
    published = graph.model(x)
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert dequantize_products(model.graph) == 3
    assert operators(tidied(model)) == {"MatMul": 3}
    assert len(model.graph.initializers) == 1
    (after,) = plain(model, graph.feeds)
    np.testing.assert_allclose(after, before, rtol=0, atol=0.02 * np.abs(before).max())


def test_a_product_that_is_an_output_keeps_its_name():
    graph = Published()
    model = graph.model(graph.product(graph.quantized(graph.given(1, 7)), 7, 5, bias=False))
    (before,) = (value.name for value in model.graph.outputs)
    dequantize_products(model.graph)
    assert [value.name for value in tidied(model).graph.outputs] == [before]
    assert plain(model, graph.feeds)[0].shape == (1, 5)


def product_of_two(graph):
    """What one quantized, by the zero point of another."""
    (one, scale, _), (*_, zero) = (graph.quantized(graph.given(1, 7)), graph.quantized(graph.given(1, 7)))
    return graph.product([one, scale, zero], 7, 5)


def product_of_computed(graph):
    quantized, scale, zero = graph.quantized(graph.given(1, 7))
    weight, _, weight_zero = graph.quantized(graph.given(7, 5))
    sums = graph.add("MatMulInteger", quantized, weight, zero, weight_zero)
    factor = graph.add("Mul", scale, graph.constant(0.002))
    return graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), factor)


@pytest.mark.parametrize(
    "build",
    [
        lambda g: g.product(g.quantized(g.given(1, 7)), 7, 5, kind=np.uint8),
        lambda g: g.product(g.quantized(g.given(1, 7)), 7, 5, zero=3),
        product_of_two,
        product_of_computed,
    ],
    ids=["unsigned weights", "a zero point", "of two", "computed weights"],
)
def test_other_products_are_left_alone(build):
    graph = Published()
    published = graph.model(build(graph))
    model = copied(published)
    assert dequantize_products(model.graph) == 0
    assert operators(model) == operators(published)


# Styles.


def test_a_style_is_projected_once_for_all_layers():
    graph = Published()
    style = graph.given(1, 8)
    quantized = graph.quantized(style)
    sizes = (3, 5, 4)
    projected = [graph.product(quantized, 8, 2 * n, bias_first=False) for n in sizes]
    outputs = [
        graph.modulation(graph.norm(graph.given(1, n, 6)), each, n) for n, each in zip(sizes, projected, strict=True)
    ]
    published = graph.model(*projected, *outputs)
    before = plain(published, graph.feeds)[:3]
    model = copied(published)
    normalization.rules().apply_to_model(model)
    assert merge_projections(model.graph, project_floats) == 3
    gemm = the_node(model, "Gemm")
    assert gemm.inputs[0] is model.graph.inputs[0]
    weight, bias = held(gemm.inputs[1]), held(gemm.inputs[2])
    assert (weight.shape, bias.shape) == ((8, 24), (24,))
    styles = [node.inputs[1] for node in model.graph if node.op_type == "Modulate"]
    whole = graph.feeds[style].astype(np.float64) @ weight + bias
    exact = np.split(whole, np.cumsum([2 * n for n in sizes])[:-1], axis=1)
    for value, name in zip(styles, "abc", strict=True):
        assert value is not None
        value.name, value.dtype = name, ir.DataType.FLOAT
    model.graph.outputs[:] = styles  # type: ignore[assignment]
    after = plain(finished(model), graph.feeds)
    assert operators(model) == {"Gemm": 1, "Split": 1}
    for one, other, expected in zip(before, after, exact, strict=True):
        np.testing.assert_allclose(other, expected, rtol=0, atol=1e-6)
        columns = weight[:, : one.size]
        np.testing.assert_allclose(other, one, rtol=0, atol=_half_step(graph.feeds[style]) * _largest(weight))
        assert columns.shape[1] == one.shape[1]


def _half_step(x):
    return 1.001 * float(max(x.max(), 0) - min(x.min(), 0)) / 255 / 2


def _largest(weight):
    return float(np.abs(weight).sum(axis=0).max())


def test_styles_without_a_bias_or_of_floats_are_left_alone():
    graph = Published()
    unbiased = graph.product(graph.quantized(graph.given(1, 8)), 8, 6, bias=False)
    styles = (unbiased, graph.given(1, 6))
    model = graph.model(*(graph.modulation(graph.norm(graph.given(1, 3, 6)), each, 3) for each in styles))
    normalization.rules().apply_to_model(model)
    before = operators(model)
    assert merge_projections(model.graph, project_floats) == 0
    assert operators(model) == before
