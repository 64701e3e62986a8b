"""Undo the quantization: the same operators in floats, with weights multiplied by their scales.

For GPUs, which have no kernels for the published integers. Activations stay channels first, as
published. Layers that share weights in the source share them here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience
from onnxscript.rewriter import RewriteRuleSet

from service.preparation.rewriting.constants import stored
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import (
    CHANNELS_LAST,
    Array,
    constant,
    initializer,
    is_zeros,
    maker,
    nodes_of,
    replace_value,
    scalar,
)
from service.preparation.rewriting.products import product_of
from service.preparation.rewriting.rule import Rule, rule_set

_MATRICES = ((1, 8), (2, 10))
"""Which inputs of a DynamicQuantizeLSTM are weights, and where the scale of each is."""

_STATES, _PEEPHOLES = slice(5, 7), 7
"""Which inputs of an LSTM are its first states, and which the weights of its peepholes."""


def rules() -> RewriteRuleSet:
    """Return the rules that replace `QuantizedConv` by float convolutions, and Pow by products."""
    return rule_set(_Conv, _Square)


class _Conv(Rule):
    def pattern(self, op: Any, x: Any, weight: Any) -> Any:
        return op.QuantizedConv(
            x, weight, _domain=DOMAIN, _allow_other_inputs=True, _allow_other_attributes=True,
            _outputs=["convolved"],
        )  # fmt: skip

    def rewrite(self, op: Any, x: ir.Value, weight: ir.Value, convolved: ir.Value) -> Any:
        node, integers = convolved.producer(), constant(weight)
        assert node is not None  # matched
        assert integers is not None  # recognized as such
        zero_point = node.attributes["weight_zero_point"].as_int()
        scale = np.float32(node.attributes["weight_scale"].as_float())
        floats = (integers.astype(np.float32) - np.float32(zero_point)) * scale
        channels_first = op.Transpose(x, perm=CHANNELS_LAST)
        y = op.Conv(
            channels_first,
            stored(op, floats, f"{weight.name}_float"),
            *node.inputs[2:3],
            kernel_shape=integers.shape[2:],
            dilations=[node.attributes["dilation"].as_int()],
            strides=[node.attributes["stride"].as_int()],
            pads=[node.attributes[f"pad_{end}"].as_int() for end in ("begin", "end")],
        )
        return op.Transpose(y, perm=CHANNELS_LAST)


class _Square(Rule):
    def pattern(self, op: Any, x: Any, exponent: Any) -> Any:
        return op.Pow(x, exponent)

    def check(self, context: Any, exponent: ir.Value, **_: Any) -> bool:
        return scalar(exponent) == 2.0

    def rewrite(self, op: Any, x: ir.Value, **_: Any) -> Any:
        return op.Mul(x, x)


def project_floats(
    graph: ir.Graph, quantize: ir.Node, weight: Array, scale: Array, bias: Array
) -> ir.Node:
    """Make one float product of a style's products, for `merge_projections`."""
    style = quantize.inputs[0]
    assert style is not None
    name = f"{style.name}_projection"
    inputs = [
        style,
        initializer(graph, weight * scale, f"{name}_weight"),
        initializer(graph, bias, f"{name}_bias"),
    ]
    return ir.node("Gemm", inputs)


def dequantize_products(graph: ir.Graph, among: Iterable[ir.Node] | None = None) -> int:
    """Replace integer products by float products; return how many there were.

    In: DynamicQuantizeLinear, MatMulInteger, Cast, Mul. Out: MatMul. A bias stays what it is.

    Args:
        graph: to change.
        among: nodes of the graph, of which the Mul that ends a product must be one; default: all.
    """
    count = 0
    for node in list(graph if among is None else among):
        product = product_of(node.outputs[0]) if node.op_type == "Mul" else None
        if product is not None:
            name = f"{product.result.name}_weight"
            # Layers of one weight find each other here.
            weight = initializer(graph, product.weight * product.scale, name)
            replace_value(
                graph, product.result, ir.node("MatMul", [product.quantize.inputs[0], weight])
            )
            count += 1
    return count


def dequantize_embeddings(graph: ir.Graph) -> int:
    """Replace tables of integers by tables of floats; return how many there were.

    In: rows of a table of integers, DequantizeLinear. Out: rows of a table of floats.
    """
    count = 0
    for node in nodes_of(graph, "DequantizeLinear"):
        rows = maker(node.inputs[0], "Gather")
        scale = scalar(node.inputs[1])
        zero_point = scalar(node.inputs[2]) if len(node.inputs) > 2 else 0.0
        table = constant(rows.inputs[0]) if rows is not None else None
        if rows is None or table is None or scale is None or zero_point is None:
            continue
        floats = (table.astype(np.float32) - np.float32(zero_point)) * np.float32(scale)
        name = f"{rows.inputs[0].name}_float"  # type: ignore[union-attr]  # it is a constant
        gathered = ir.node(
            "Gather", [initializer(graph, floats, name), rows.inputs[1]], rows.attributes
        )
        replace_value(graph, node.outputs[0], gathered)
        count += 1
    return count


def dequantize_lstms(graph: ir.Graph) -> int:
    """Replace LSTMs with integer weights by float LSTMs; return how many there were.

    In: DynamicQuantizeLSTM, whose weights are [directions, in, 4 * hidden]. Out: LSTM, whose
    weights are [directions, 4 * hidden, in], without initial states that are zero.
    """
    count = 0
    for node in nodes_of(graph, "DynamicQuantizeLSTM"):
        matrices = [_matrix(graph, node, weight, scale) for weight, scale in _MATRICES]
        if None in matrices:
            continue
        states = [None if is_zeros(value) else value for value in node.inputs[_STATES]]
        inputs = [node.inputs[0], *matrices, *node.inputs[3:5], *states, node.inputs[_PEEPHOLES]]
        lstm = ir.node("LSTM", inputs, node.attributes, num_outputs=len(node.outputs))
        graph.insert_before(node, lstm)
        for old, new in zip(node.outputs, lstm.outputs, strict=True):
            new.name, new.type = old.name, old.type
            convenience.replace_all_uses_with(old, new, replace_graph_outputs=True)
        graph.remove(node, safe=True)
        count += 1
    return count


def _matrix(graph: ir.Graph, node: ir.Node, place: int, scale_place: int) -> ir.Value | None:
    weight = node.inputs[place]
    arrays = [constant(value) for value in (weight, *node.inputs[scale_place : scale_place + 2])]
    if weight is None or any(array is None for array in arrays):
        return None
    integers, scale, zero_point = (array for array in arrays if array is not None)

    def across(array: Array) -> Array:
        """Return a number for each direction, or for each of its columns, shaped to broadcast."""
        return array.astype(np.float32).reshape(integers.shape[0], 1, -1)

    floats = (integers.astype(np.float32) - across(zero_point)) * across(scale)
    turned = np.ascontiguousarray(floats.transpose(0, 2, 1))
    return initializer(graph, turned, f"{weight.name}_float")
