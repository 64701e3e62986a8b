"""Project the style for all layers at once."""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import Array, initializer, nodes_of
from service.preparation.rewriting.products import by_input, merge, product_of

Make = Callable[[ir.Graph, ir.Node, Array, Array, Array], ir.Node]
"""Makes the node from the graph, the quantizing node, and weights, scales and biases."""


def merge_projections(graph: ir.Graph, make: Make | None = None) -> int:
    """Merge the products of one style with many matrices; return how many there were.

    In: a product with bias for each style of a `Modulate`. Out: one node with concatenated
    weights, and a Split.

    Args:
        graph: that they are in.
        make: makes the node; default: a MatMulIntegerToFloat, whose sums of products are the same
            integers.
    """
    styles = {
        style: None  # in order
        for node in nodes_of(graph, "Modulate")
        if node.domain == DOMAIN and (style := node.inputs[1]) is not None
    }
    found = [product for style in styles if (product := product_of(style)) is not None]
    projections = [product for product in found if product.bias is not None]

    def projection(quantize: ir.Node, weight: Array, scale: Array, bias: Array | None) -> ir.Node:
        assert bias is not None  # only such are merged
        return (make or _of_integers)(graph, quantize, weight, scale, bias)

    for group in by_input(projections):
        merge(graph, group, projection)
    return len(projections)


def _of_integers(
    graph: ir.Graph, quantize: ir.Node, weight: Array, scale: Array, bias: Array
) -> ir.Node:
    style = quantize.inputs[0]
    name = f"{style.name if style is not None else quantize.name}_projection"
    quantized, style_scale, zero_point = quantize.outputs
    inputs = [
        quantized,
        initializer(graph, weight, f"{name}_weight"),
        style_scale,
        initializer(graph, scale, f"{name}_scale"),
        zero_point,
        None,
        initializer(graph, bias, f"{name}_bias"),
    ]
    return ir.node("MatMulIntegerToFloat", inputs, domain="com.microsoft")
