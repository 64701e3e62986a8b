from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from service.preparation.rewriting import convolutions, floats, normalization
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.floats import (
    dequantize_embeddings,
    dequantize_lstms,
    dequantize_products,
    project_floats,
)
from service.preparation.rewriting.graph import constant
from service.preparation.rewriting.projections import merge_projections
from service.preparation.rewriting.transposes import cancel_transposes
from tests.service.preparation.rewriting.published_graphs import (
    MICROSOFT,
    Array,
    NearMiss,
    Published,
    attributes_of,
    check_left_alone,
    copied,
    near_misses,
    operators,
    plain,
    the_node,
    tidied,
)

WEIGHT_SCALE = np.float32(0.0021)
"""Of every convolution in `Published`."""


def finished(model: ir.Model) -> ir.Model:
    """Drop what nobody uses any more, and the dialect with it."""
    cancel_transposes(model.graph)
    model.graph.opset_imports.pop(DOMAIN, None)
    return tidied(model)


def held(value: ir.Value | None) -> Array:
    """What an initializer or a Constant holds."""
    assert value is not None
    array = constant(value)
    if array is None:
        made = value.producer()
        assert made is not None
        array = made.attributes["value"].as_tensor().numpy()
    return array


def convolved(model: ir.Model) -> int:
    convolutions.rules().apply_to_model(model)
    return floats.rules().apply_to_model(model)


def within_quantisation(before: Array, after: Array, x: Array, weight: Array) -> None:
    """Check that sums are as near as rounding each input to a step of 1/255 of its range allows.

    Args:
        before: of the quantised graph.
        after: of the one in floats.
        x: what is quantised.
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
def test_a_convolution_is_one_of_floats(given: dict[str, Any]) -> None:
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
    within_quantisation(before, after, graph.feeds[x], weight)


def test_a_square_is_a_product() -> None:
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
    "another exponent": (
        "cubes are no squares",
        lambda g: [g.add("Pow", g.given(3), g.constant(3.0))],
    ),
    "a computed exponent": (
        "it may be any",
        lambda g: [g.add("Pow", g.constant(2.0), g.given(3))],
    ),
    "an exponent for each": (
        "only some are squares",
        lambda g: [g.add("Pow", g.given(2), g.constant([2.0, 1.0]))],
    ),
}


@near_misses(POWERS)
def test_other_powers_are_left_alone(near_miss: NearMiss) -> None:
    check_left_alone(floats.rules(), near_miss)


# Products.


@pytest.mark.parametrize("given", [{}, {"bias": False}, {"bias_first": False}], ids=str)
@pytest.mark.parametrize("shape", [(1, 7), (1, 9, 7), (4, 3, 7)])
def test_a_product_is_one_of_floats(shape: tuple[int, ...], given: dict[str, Any]) -> None:
    graph = Published()
    x = graph.given(*shape)
    published = graph.model(graph.product(graph.quantized(x), 7, 5, **given))
    (before,) = plain(published, graph.feeds)
    integers = held(the_node(published, "MatMulInteger").inputs[1])
    factors = [
        held(value)
        for node in published.graph
        for value in node.inputs
        if constant(value) is not None
    ]
    (scale,) = (array for array in factors if array.shape == (5,) and 0 < array.max() < 0.01)
    model = copied(published)
    assert dequantize_products(model.graph) == 1
    assert operators(tidied(model)) == {"MatMul": 1} | (
        {"Add": 1} if given.get("bias", True) else {}
    )
    weight = held(the_node(model, "MatMul").inputs[1])
    np.testing.assert_array_equal(weight, integers.astype(np.float32) * scale)
    (after,) = plain(model, graph.feeds)
    within_quantisation(before, after, graph.feeds[x], weight.T)


def test_layers_of_one_weight_have_it_once() -> None:
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


def test_a_product_that_is_an_output_keeps_its_name() -> None:
    graph = Published()
    model = graph.model(graph.product(graph.quantized(graph.given(1, 7)), 7, 5, bias=False))
    (before,) = (value.name for value in model.graph.outputs)
    dequantize_products(model.graph)
    assert [value.name for value in tidied(model).graph.outputs] == [before]
    assert plain(model, graph.feeds)[0].shape == (1, 5)


def product_of_two(graph: Published) -> str:
    """What one quantised, by the zero point of another."""
    (one, scale, _), (*_, zero) = (
        graph.quantized(graph.given(1, 7)),
        graph.quantized(graph.given(1, 7)),
    )
    return graph.product([one, scale, zero], 7, 5)


def product_of_computed(graph: Published) -> str:
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
def test_other_products_are_left_alone(build: Callable[[Published], str]) -> None:
    graph = Published()
    published = graph.model(build(graph))
    model = copied(published)
    assert dequantize_products(model.graph) == 0
    assert operators(model) == operators(published)


# Styles.


def test_a_style_is_projected_once_for_all_layers() -> None:
    graph = Published()
    style = graph.given(1, 8)
    quantized = graph.quantized(style)
    sizes = (3, 5, 4)
    projected = [graph.product(quantized, 8, 2 * n, bias_first=False) for n in sizes]
    outputs = [
        graph.modulation(graph.norm(graph.given(1, n, 6)), each, n)
        for n, each in zip(sizes, projected, strict=True)
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
        np.testing.assert_allclose(
            other, one, rtol=0, atol=_half_step(graph.feeds[style]) * _largest(weight)
        )
        assert columns.shape[1] == one.shape[1]


def _half_step(x: Array) -> float:
    return 1.001 * float(max(x.max(), 0) - min(x.min(), 0)) / 255 / 2


def _largest(weight: Array) -> float:
    return float(np.abs(weight).sum(axis=0).max())


def test_styles_without_a_bias_or_of_floats_are_left_alone() -> None:
    graph = Published()
    unbiased = graph.product(graph.quantized(graph.given(1, 8)), 8, 6, bias=False)
    styles = (unbiased, graph.given(1, 6))
    model = graph.model(
        *(graph.modulation(graph.norm(graph.given(1, 3, 6)), each, 3) for each in styles)
    )
    normalization.rules().apply_to_model(model)
    before = operators(model)
    assert merge_projections(model.graph, project_floats) == 0
    assert operators(model) == before


# Embeddings.


def embedded(
    graph: Published, *, kind: type = np.uint8, scale: Any = 0.005, zero: Any = 121
) -> str:
    table = graph.constant(graph.random.integers(0, 120, (20, 6)), kind)
    ids = graph.given_array(graph.random.integers(0, 20, (1, 9)))
    rows = graph.add("Gather", table, ids, axis=0)
    given = [] if zero is None else [graph.constant(zero, kind)]
    return graph.add("DequantizeLinear", rows, graph.constant(scale), *given)


@pytest.mark.parametrize(
    ("kind", "zero"), [(np.uint8, 121), (np.int8, 0), (np.int8, -7), (np.int8, None)]
)
def test_rows_are_taken_of_a_table_of_floats(kind: type, zero: int | None) -> None:
    graph = Published()
    published = graph.model(embedded(graph, kind=kind, zero=zero))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert dequantize_embeddings(model.graph) == 1
    assert operators(tidied(model)) == {"Gather": 1}
    (after,) = plain(model, graph.feeds)
    np.testing.assert_array_equal(after, before)


def test_an_embedding_that_is_looked_up_twice_is_there_once() -> None:
    graph = Published()
    table = graph.constant(graph.random.integers(0, 256, (20, 6)), np.uint8)
    given = [graph.constant(0.005), graph.constant(121, np.uint8)]
    outputs = [
        graph.add(
            "DequantizeLinear",
            graph.add("Gather", table, graph.given_array(graph.random.integers(0, 20, (1, n)))),
            *given,
        )
        for n in (3, 5)
    ]
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert dequantize_embeddings(model.graph) == 2
    assert operators(tidied(model)) == {"Gather": 2}
    assert len(model.graph.initializers) == 1
    for one, other in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(other, one)


def embedding_of_a_scale_for_each(graph: Published) -> str:
    return embedded(graph, scale=[[[0.005] * 6]], zero=None)


def embedding_of_no_table(graph: Published) -> str:
    quantized, scale, zero = graph.quantized(graph.given(20, 6))
    rows = graph.add("Gather", quantized, graph.constant([3, 5], np.int64))
    return graph.add("DequantizeLinear", rows, scale, zero)


def no_rows(graph: Published) -> str:
    quantized, scale, zero = graph.quantized(graph.given(20, 6))
    return graph.add("DequantizeLinear", quantized, scale, zero)


@pytest.mark.parametrize("build", [embedding_of_no_table, no_rows])
def test_what_is_no_table_is_left_alone(build: Callable[[Published], str]) -> None:
    graph = Published()
    model = graph.model(build(graph))
    before = operators(model)
    assert dequantize_embeddings(model.graph) == 0
    assert operators(model) == before


def test_a_table_of_several_scales_is_left_alone() -> None:
    graph = Published()
    rows = graph.add(
        "Gather",
        graph.constant(graph.random.integers(0, 120, (20, 2)), np.uint8),
        graph.given_array(graph.random.integers(0, 20, (4,))),
    )
    model = graph.model(graph.add("DequantizeLinear", rows, graph.constant([0.1, 0.2]), axis=1))
    assert dequantize_embeddings(model.graph) == 0
    assert plain(model, graph.feeds)[0].shape == (4, 2)


# LSTMs.

N_IN, N_HIDDEN = 6, 5


def recurrent(
    graph: Published,
    x: str,
    *,
    kind: type = np.int8,
    zero: int = 0,
    by_column: bool = False,
    both_ways: bool = True,
    state: float | None = 0.0,
    peepholes: bool = False,
    weights: tuple[str, str] | None = None,
) -> list[str]:
    """The outputs of an LSTM in the published form of [T, 1, N_IN]."""
    n = 2 if both_ways else 1

    def matrix(n_rows: int) -> str:
        return graph.weights(n, n_rows, 4 * N_HIDDEN, kind=kind)

    def scales() -> list[str]:
        shape = (n, 4 * N_HIDDEN) if by_column else (n,)
        return [
            graph.constant(graph.random.uniform(0.002, 0.006, shape)),
            graph.constant(np.full(shape, zero), kind),
        ]

    w, r = weights or (matrix(N_IN), matrix(N_HIDDEN))
    states = ["", ""]
    if state is not None:
        shape = graph.constant([n, 1, N_HIDDEN], np.int64)
        value = helper.make_tensor("value", TensorProto.FLOAT, [1], [state])
        states = [graph.add("ConstantOfShape", shape, value=value)] * 2
    holes = graph.floats(n, 3 * N_HIDDEN) if peepholes else ""
    return graph.add_many(
        "DynamicQuantizeLSTM", 3, x, w, r, graph.floats(n, 8 * N_HIDDEN, scale=0.3), "", *states,
        holes, *scales(), *scales(), domain=MICROSOFT, hidden_size=N_HIDDEN,
        direction="bidirectional" if both_ways else "forward",
    )  # fmt: skip


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"both_ways": False},
        {"kind": np.uint8, "zero": 128},
        {"by_column": True},
        {"state": None},
        {"state": 0.7},
        {"peepholes": True},
    ],
    ids=str,
)
def test_an_lstm_is_one_of_floats(given: dict[str, Any]) -> None:
    graph = Published()
    published = graph.model(*recurrent(graph, graph.given(11, 1, N_IN), **given))
    before = plain(published, graph.feeds)
    old = the_node(published, "DynamicQuantizeLSTM")
    model = copied(published)
    assert dequantize_lstms(model.graph) == 1
    found = operators(tidied(model))
    assert found == {"LSTM": 1} | ({"ConstantOfShape": 1} if given.get("state") else {})
    node = the_node(model, "LSTM")
    for place, scale_place in ((1, 8), (2, 10)):
        integers, scale, zero = (
            held(old.inputs[k]).astype(np.float32) for k in (place, scale_place, scale_place + 1)
        )
        columns = (len(integers), 1, -1)
        expected = (integers - zero.reshape(columns)) * scale.reshape(columns)
        np.testing.assert_array_equal(held(node.inputs[place]), expected.transpose(0, 2, 1))
    after = plain(model, graph.feeds)
    for one, other in zip(before, after, strict=True):
        assert one.shape == other.shape
        # In and state are rounded to 1/255 of their ranges, at each step anew.
        np.testing.assert_allclose(other, one, rtol=0, atol=0.02)
        assert np.abs(other).max() > 0.1


def test_lstms_of_the_same_weights_have_them_once() -> None:
    graph = Published()
    weights = tuple(graph.weights(2, n, 4 * N_HIDDEN, kind=np.int8) for n in (N_IN, N_HIDDEN))
    scale, zero = graph.constant([0.004, 0.005]), graph.constant([0, 0], np.int8)
    outputs = [
        graph.add_many(
            "DynamicQuantizeLSTM", 1, graph.given(4, 1, N_IN), *weights, "", "", "", "", "",
            scale, zero, scale, zero, domain=MICROSOFT, hidden_size=N_HIDDEN,
            direction="bidirectional",
        )[0]
        for _ in range(2)
    ]  # fmt: skip
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert dequantize_lstms(model.graph) == 2
    assert operators(tidied(model)) == {"LSTM": 2}
    assert len(model.graph.initializers) == 2
    for one, other in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=0.02)


def test_an_lstm_whose_weights_are_computed_is_left_alone() -> None:
    graph = Published()
    shape = (1, N_IN, 4 * N_HIDDEN)
    given = graph.given_array(graph.random.integers(-127, 128, shape).astype(np.int64))
    weight = graph.cast(given, TensorProto.INT8)
    recurrence = graph.weights(1, N_HIDDEN, 4 * N_HIDDEN, kind=np.int8)
    x = graph.given(3, 1, N_IN)
    model = graph.model(*recurrent(graph, x, both_ways=False, weights=(weight, recurrence))[:1])
    before = operators(model)
    assert dequantize_lstms(model.graph) == 0
    assert operators(model) == before
