"""Recognize matrix products of integers, and merge those of one input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import onnx_ir as ir

from service.preparation.rewriting.graph import Array, constant, maker


class Product(NamedTuple):
    """A quantized value times a matrix.

    Attributes:
        quantize: the node that quantizes the value.
        weight: int8 [Ci, Co], zero point 0.
        scale: float32 [Co], of the weight.
        bias: float32 [Co], or None.
        result: float32 [..., Co].
    """

    quantize: ir.Node
    weight: Array
    scale: Array
    bias: Array | None
    result: ir.Value


def product_of(result: ir.Value) -> Product | None:
    """Return the product that computes a value; None if something else does.

    A product is DynamicQuantizeLinear, MatMulInteger with a weight, Cast, Mul by both scales and,
    with a bias, Add.
    """
    biased = maker(result, "Add")
    if biased is None:
        return _scaled(result, result, None)
    for value, other in (biased.inputs, reversed(biased.inputs)):
        bias = constant(other)
        product = _scaled(value, result, bias) if bias is not None else None
        if product is not None:
            return product
    return None


def _scaled(value: ir.Value | None, result: ir.Value, bias: Array | None) -> Product | None:
    scaled = maker(value, "Mul")
    if scaled is None:
        return None
    for integers, scales in (scaled.inputs, reversed(scaled.inputs)):
        cast, factor = maker(integers, "Cast"), maker(scales, "Mul")
        matmul = maker(cast.inputs[0], "MatMulInteger") if cast is not None else None
        if matmul is None or factor is None or len(matmul.inputs) < 3:
            continue
        quantize = maker(matmul.inputs[0], "DynamicQuantizeLinear")
        weight = constant(matmul.inputs[1])
        zero = constant(matmul.inputs[3]) if len(matmul.inputs) > 3 else np.zeros(1)
        if quantize is None or weight is None or zero is None or zero.any():
            return None
        if matmul.inputs[2] is not quantize.outputs[2] or weight.dtype != np.int8:
            return None
        others = [value for value in factor.inputs if value is not quantize.outputs[1]]
        scale = constant(others[0]) if len(others) == 1 else None
        columns = weight.shape[1:]
        if scale is None or (bias is not None and bias.shape != columns):
            return None
        return Product(quantize, weight, np.broadcast_to(scale, columns), bias, result)
    return None


def by_input(products: Iterable[Product]) -> list[list[Product]]:
    """Return products in groups with the same quantized value, and with or without a bias."""
    groups: dict[tuple[ir.Node, bool], list[Product]] = {}
    for product in products:
        groups.setdefault((product.quantize, product.bias is None), []).append(product)
    return list(groups.values())


def merge(
    graph: ir.Graph,
    products: list[Product],
    make: Callable[[ir.Node, Array, Array, Array | None], ir.Node],
) -> None:
    """Replace the products of one input by one node.

    Args:
        graph: that they are in.
        products: of one group.
        make: makes the node from the quantizing node and concatenated weights, scales and biases.
            It has an output for each product, or one to split.
    """
    quantize, biases = products[0].quantize, [each.bias for each in products]
    node = make(
        quantize,
        np.concatenate([each.weight for each in products], axis=1),
        np.concatenate([each.scale for each in products]),
        np.concatenate([bias for bias in biases if bias is not None])
        if biases[0] is not None
        else None,
    )
    graph.insert_after(quantize, node)
    outputs = list(node.outputs)
    if len(outputs) < len(products):
        outputs = _split(graph, node, [each.scale.size for each in products])
    for product, output in zip(products, outputs, strict=True):
        for use in tuple(product.result.uses()):
            use.node.replace_input_with(use.idx, output)


def _split(graph: ir.Graph, node: ir.Node, widths: list[int]) -> list[ir.Value]:
    sizes = ir.tensor(np.array(widths, np.int64))
    where = ir.node("Constant", [], attributes={"value": sizes})
    split = ir.node(
        "Split",
        [node.outputs[0], where.outputs[0]],
        attributes={"axis": -1},
        num_outputs=len(widths),
    )
    graph.insert_after(node, where)
    graph.insert_after(where, split)
    return list(split.outputs)
