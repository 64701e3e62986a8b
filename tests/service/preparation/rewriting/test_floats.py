"""Floats in the place of quantized numbers: convolutions, products, styles, embeddings, LSTMs."""

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto

from service.preparation.rewriting import convolutions, floats, normalization
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import constant
from service.preparation.rewriting.projections import merge_projections
from service.preparation.rewriting.transposes import cancel_transposes
from tests.service.preparation.checks import (
    EXACT,
    STOCK,
    attributes_of,
    check_near_misses,
    check_plain_step,
    check_run,
    check_step,
    copied,
    operators,
    plain,
    the_node,
    tidied,
    within,
)
from tests.service.preparation.rewriting.published_graphs import MICROSOFT, N_HIDDEN, N_IN, recurrent

WEIGHT_SCALE = np.float32(0.0021)
"""Of every convolution in `Published`."""


def finished(model):
    cancel_transposes(model.graph)
    model.graph.opset_imports.pop(DOMAIN, None)
    return tidied(model)


def held(value):
    array = constant(value)
    return value.producer().attributes["value"].as_tensor().numpy() if array is None else array


def within_quantization(x, weight):
    """Return what checks that sums are as near as rounding each of `x` to 1/255 of its range allows."""

    def near(before, after):
        step = float(max(x.max(), 0) - min(x.min(), 0)) / 255
        # Half a step each. The bias of a convolution is rounded to a step of its accumulator.
        bound = step * (np.abs(weight).reshape(len(weight), -1).sum(axis=1).max() / 2 + WEIGHT_SCALE)
        assert 0 < np.abs(after - before).max() <= 1.001 * bound
        assert bound < np.abs(before).max()

    return near


@pytest.mark.parametrize("given", [
    {}, {"bias": False}, {"size": 1}, {"size": 7, "dilations": [3], "pads": [9, 9]}, {"pads": [2, 0]},
    {"size": 12, "strides": [6], "pads": [3, 3]}, {"shared_scale": False, "scale_first": True},
    {"weight_zero": 0}, {"weight_zero": 255},
], ids=str)  # fmt: skip
def test_a_convolution_is_one_of_floats(graph, given):
    x = graph.given(1, 6, 40)
    # A transpose at the very end would stay.
    published = graph.model(graph.add("Neg", graph.convolution(x, 6, 5, **given)))
    model = copied(published)
    convolutions.rules().apply_to_model(model)
    assert floats.rules().apply_to_model(model) == 1
    assert operators(finished(model)) == {"Conv": 1, "Neg": 1}
    node = the_node(model, "Conv")
    weight, integers = held(node.inputs[1]), held(the_node(published, "ConvInteger").inputs[1])
    assert weight.dtype == np.float32
    zero = np.float32(given.get("weight_zero", 69))
    np.testing.assert_array_equal(weight, (integers.astype(np.float32) - zero) * WEIGHT_SCALE)
    assert len(node.inputs) == (3 if given.get("bias", True) else 2)
    size = given.get("size", 3)
    expected = {"kernel_shape": [size], "dilations": [1], "strides": [1], "pads": [size // 2] * 2}
    found = {name: list(value) for name, value in attributes_of(node).items()}
    assert found == expected | {name: given[name] for name in expected.keys() & given}
    check_run(STOCK, published, model, graph.feeds, within_quantization(graph.feeds[x], weight))


def test_a_square_is_a_product_and_other_powers_are_left_alone(graph):
    square = graph.add("Pow", graph.given(1, 3, 4), graph.constant(2.0))
    model = check_step(STOCK, graph, floats.rules(), 1, square, near=within(0, rtol=2e-7))
    assert operators(model) == {"Mul": 1}
    powers = {
        "another exponent": lambda g: g.add("Pow", g.given(3), g.constant(3.0)),
        "a computed exponent": lambda g: g.add("Pow", g.constant(2.0), g.given(3)),
        "an exponent for each": lambda g: g.add("Pow", g.given(2), g.constant([2.0, 1.0])),
    }
    check_near_misses(floats.rules(), powers)


# Products.
@pytest.mark.parametrize("given", [{}, {"bias": False}, {"bias_first": False}], ids=str)
@pytest.mark.parametrize("shape", [(1, 7), (1, 9, 7), (4, 3, 7)])
def test_a_product_is_one_of_floats(graph, shape, given):
    x = graph.given(*shape)
    product = graph.product(graph.quantized(x), 7, 5, **given)
    published = graph.model(product)
    integers = held(the_node(published, "MatMulInteger").inputs[1])
    factors = [held(value) for node in published.graph for value in node.inputs if constant(value) is not None]
    (scale,) = (array for array in factors if array.shape == (5,) and 0 < array.max() < 0.01)
    weight = integers.astype(np.float32) * scale
    near = within_quantization(graph.feeds[x], weight.T)
    model = check_plain_step(graph, floats.dequantize_products, 1, product, near=near)
    assert operators(model) == {"MatMul": 1} | ({"Add": 1} if given.get("bias", True) else {})
    np.testing.assert_array_equal(held(the_node(model, "MatMul").inputs[1]), weight)


def test_layers_of_one_weight_have_it_once(graph):
    weight = graph.weights(6, 6, kind=np.int8)
    factors = graph.constant(graph.random.uniform(0.001, 0.003, 6))
    x = graph.given(1, 6)
    for _ in range(3):
        quantized, scale, zero = graph.quantized(x)
        sums = graph.add("MatMulInteger", quantized, weight, zero)
        x = graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), graph.add("Mul", scale, factors))
    model = check_plain_step(graph, floats.dequantize_products, 3, x, near=within(0, relative=0.02))
    assert (operators(model), len(model.graph.initializers)) == ({"MatMul": 3}, 1)


def test_a_product_that_is_an_output_keeps_its_name(graph):
    model = graph.model(graph.product(graph.quantized(graph.given(1, 7)), 7, 5, bias=False))
    before = [value.name for value in model.graph.outputs]
    floats.dequantize_products(model.graph)
    assert [value.name for value in tidied(model).graph.outputs] == before
    assert plain(model, graph.feeds)[0].shape == (1, 5)


def product_of_computed(graph):
    quantized, scale, zero = graph.quantized(graph.given(1, 7))
    weight, _, weight_zero = graph.quantized(graph.given(7, 5))
    sums = graph.add("MatMulInteger", quantized, weight, zero, weight_zero)
    return graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), graph.add("Mul", scale, graph.constant(0.002)))


def test_other_products_are_left_alone():
    products = {
        "unsigned weights": lambda g: g.product(g.quantized(g.given(1, 7)), 7, 5, kind=np.uint8),
        "a zero point": lambda g: g.product(g.quantized(g.given(1, 7)), 7, 5, zero=3),
        "by the zero point of another": lambda g: g.product(
            [*g.quantized(g.given(1, 7))[:2], g.quantized(g.given(1, 7))[2]], 7, 5
        ),
        "computed weights": product_of_computed,
    }
    check_near_misses(lambda model: floats.dequantize_products(model.graph), products)


# Styles.
def test_a_style_is_projected_once_for_all_layers(graph):
    style, sizes = graph.given(1, 8), (3, 5, 4)
    quantized = graph.quantized(style)
    projected = [graph.product(quantized, 8, 2 * n, bias_first=False) for n in sizes]
    layers = zip(sizes, projected, strict=True)
    published = graph.model(
        *projected, *(graph.modulation(graph.norm(graph.given(1, n, 6)), each, n) for n, each in layers)
    )
    before = plain(published, graph.feeds)[:3]
    model = copied(published)
    normalization.rules().apply_to_model(model)
    assert merge_projections(model.graph, floats.project_floats) == 3
    gemm = the_node(model, "Gemm")
    assert gemm.inputs[0] is model.graph.inputs[0]
    weight, bias = held(gemm.inputs[1]), held(gemm.inputs[2])
    assert (weight.shape, bias.shape) == ((8, 24), (24,))
    styles = [node.inputs[1] for node in model.graph if node.op_type == "Modulate"]
    for value, name in zip(styles, "abc", strict=True):
        value.name, value.dtype = name, ir.DataType.FLOAT
    model.graph.outputs[:] = styles
    after = plain(finished(model), graph.feeds)
    assert operators(model) == {"Gemm": 1, "Split": 1}
    x = graph.feeds[style]
    exact = np.split(x.astype(np.float64) @ weight + bias, np.cumsum([2 * n for n in sizes])[:-1], axis=1)
    half_step = 1.001 * float(max(x.max(), 0) - min(x.min(), 0)) / 255 / 2
    for one, other, expected in zip(before, after, exact, strict=True):
        np.testing.assert_allclose(other, expected, rtol=0, atol=1e-6)
        np.testing.assert_allclose(other, one, rtol=0, atol=half_step * np.abs(weight).sum(axis=0).max())


def test_styles_without_a_bias_or_of_floats_are_left_alone(graph):
    styles = (graph.product(graph.quantized(graph.given(1, 8)), 8, 6, bias=False), graph.given(1, 6))
    model = graph.model(*(graph.modulation(graph.norm(graph.given(1, 3, 6)), each, 3) for each in styles))
    normalization.rules().apply_to_model(model)
    before = operators(model)
    assert (merge_projections(model.graph, floats.project_floats), operators(model)) == (0, before)


# Embeddings.
def looked_up(graph, table, n=9):
    return graph.add("Gather", table, graph.given_array(graph.random.integers(0, 20, (1, n))), axis=0)


def table_of(graph, kind=np.uint8, most=120):
    return graph.constant(graph.random.integers(0, most, (20, 6)), kind)


@pytest.mark.parametrize(("kind", "zero"), [(np.uint8, 121), (np.int8, 0), (np.int8, -7), (np.int8, None)])
def test_rows_are_taken_of_a_table_of_floats(graph, kind, zero):
    given = [] if zero is None else [graph.constant(zero, kind)]
    rows = graph.add("DequantizeLinear", looked_up(graph, table_of(graph, kind)), graph.constant(0.005), *given)
    assert operators(check_plain_step(graph, floats.dequantize_embeddings, 1, rows, near=EXACT)) == {"Gather": 1}


def test_an_embedding_that_is_looked_up_twice_is_there_once(graph):
    table, given = table_of(graph, most=256), [graph.constant(0.005), graph.constant(121, np.uint8)]
    outputs = [graph.add("DequantizeLinear", looked_up(graph, table, n), *given) for n in (3, 5)]
    model = check_plain_step(graph, floats.dequantize_embeddings, 2, *outputs, near=EXACT)
    assert (operators(model), len(model.graph.initializers)) == ({"Gather": 2}, 1)


def test_what_is_no_table_of_one_scale_is_left_alone():
    def of_computed(graph, rows=None):
        quantized, scale, zero = graph.quantized(graph.given(20, 6))
        if rows:
            quantized = graph.add("Gather", quantized, graph.constant(rows, np.int64))
        return graph.add("DequantizeLinear", quantized, scale, zero)

    def of_several_scales(graph):
        scales = graph.constant(np.linspace(0.1, 0.6, 6))
        return graph.add("DequantizeLinear", looked_up(graph, table_of(graph)), scales, axis=2)

    tables = {
        "no table": lambda graph: of_computed(graph, [3, 5]), "no rows": of_computed, "scales": of_several_scales
    }  # fmt: skip
    check_near_misses(lambda model: floats.dequantize_embeddings(model.graph), tables)


# LSTMs.
NEAR_LSTM = within(0.02)
"""In and state are rounded to 1/255 of their ranges, at each step anew."""


@pytest.mark.parametrize("given", [
    {}, {"both_ways": False}, {"kind": np.uint8, "zero": 128}, {"by_column": True}, {"state": None},
    {"state": 0.7}, {"peepholes": True},
], ids=str)  # fmt: skip
def test_an_lstm_is_one_of_floats(graph, given):
    outputs = recurrent(graph, graph.given(11, 1, N_IN), **given)
    old = the_node(graph.model(*outputs), "DynamicQuantizeLSTM")
    model = check_plain_step(graph, floats.dequantize_lstms, 1, *outputs, near=NEAR_LSTM)
    assert operators(model) == {"LSTM": 1} | ({"ConstantOfShape": 1} if given.get("state") else {})
    node = the_node(model, "LSTM")
    for place, scale_place in ((1, 8), (2, 10)):
        integers, scale, zero = (held(old.inputs[k]).astype(np.float32) for k in (place, scale_place, scale_place + 1))
        columns = (len(integers), 1, -1)
        expected = (integers - zero.reshape(columns)) * scale.reshape(columns)
        np.testing.assert_array_equal(held(node.inputs[place]), expected.transpose(0, 2, 1))
    assert all(np.abs(output).max() > 0.1 for output in plain(model, graph.feeds))


def test_lstms_of_the_same_weights_have_them_once(graph):
    weights = tuple(graph.weights(2, n, 4 * N_HIDDEN, kind=np.int8) for n in (N_IN, N_HIDDEN))
    scales = (graph.constant([0.004, 0.005]), graph.constant([0, 0], np.int8)) * 2
    outputs = [
        graph.add_many(
            "DynamicQuantizeLSTM", 1, graph.given(4, 1, N_IN), *weights, "", "", "", "", "", *scales,
            domain=MICROSOFT, hidden_size=N_HIDDEN, direction="bidirectional",
        )[0]
        for _ in range(2)
    ]  # fmt: skip
    model = check_plain_step(graph, floats.dequantize_lstms, 2, *outputs, near=NEAR_LSTM)
    assert (operators(model), len(model.graph.initializers)) == ({"LSTM": 2}, 2)


def test_an_lstm_whose_weights_are_computed_is_left_alone(graph):
    given = graph.given_array(graph.random.integers(-127, 128, (1, N_IN, 4 * N_HIDDEN)).astype(np.int64))
    weights = graph.cast(given, TensorProto.INT8), graph.weights(1, N_HIDDEN, 4 * N_HIDDEN, kind=np.int8)
    model = graph.model(*recurrent(graph, graph.given(3, 1, N_IN), both_ways=False, weights=weights)[:1])
    before = operators(model)
    assert (floats.dequantize_lstms(model.graph), operators(model)) == (0, before)
