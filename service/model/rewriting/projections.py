"""Project the style once, for every layer that is modulated by it."""

from __future__ import annotations

import onnx_ir as ir

from service.model.rewriting.dialect import DOMAIN
from service.model.rewriting.graph import Array, initializer, nodes_of
from service.model.rewriting.products import by_input, merge, product_of


def merge_projections(graph: ir.Graph) -> int:
    """Merge the products of one style with many matrices; return how many there were.

    In: a product with bias for each style of a `Modulate`. Out: one MatMulIntegerToFloat with the
    weights side by side, and a Split. The sums of products are the same integers.
    """
    styles = {
        style: None  # in order
        for node in nodes_of(graph, "Modulate")
        if node.domain == DOMAIN and (style := node.inputs[1]) is not None
    }
    found = [product for style in styles if (product := product_of(style)) is not None]
    projections = [product for product in found if product.bias is not None]

    def make(quantize: ir.Node, weight: Array, scale: Array, bias: Array | None) -> ir.Node:
        style = quantize.inputs[0]
        name = f"{style.name if style is not None else quantize.name}_projection"
        assert bias is not None  # only such are merged
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

    for group in by_input(projections):
        merge(graph, group, make)
    return len(projections)
