"""Replace integer matrix products of the text encoder by a native operator."""

from __future__ import annotations

from functools import partial

import numpy as np
import onnx_ir as ir

from service.preparation.layout import Layout
from service.preparation.rewriting.graph import Array, initializer, nodes_of
from service.preparation.rewriting.native import OPERATORS, packed_operands
from service.preparation.rewriting.packing import COLUMNS, pack_matrix
from service.preparation.rewriting.products import Product, by_input, merge, product_of

MOST_OUTPUTS = 3
"""Outputs of the operator, for queries, keys and values of attention."""


def fuse_products(graph: ir.Graph) -> int:
    """Replace products of [1, T, Ci] by `DynamicQuantizeMatMul`; return how many there were.

    In: DynamicQuantizeLinear, MatMulInteger, Cast, Mul, Add. Out: one operator for all products of
    one input, with an output for each where they are no more than it has and equally wide, or a
    Split. The results are the same to the last bit, because durations depend on them.
    """
    products: list[Product] = []
    taken: set[ir.Value] = set()
    # A product with a bias before the same one without: the sum stands behind it.
    for op_type in ("Add", "Mul"):
        for node in nodes_of(graph, op_type):
            product = product_of(node.outputs[0])
            if product is None or not _is_sequence(product):
                continue
            inner = node.inputs if op_type == "Add" else ()
            if product.result not in taken and not product.result.is_graph_output():
                products.append(product)
                taken.update([product.result, *(value for value in inner if value is not None)])

    for group in by_input(products):
        merge(graph, group, partial(_fused, graph, _n_outputs(group)))
    return len(products)


def _n_outputs(group: list[Product]) -> int:
    """Return how many outputs of the operator the products of one input take."""
    widths = {product.scale.size for product in group}
    fit = len(group) <= MOST_OUTPUTS and len(widths) == 1 and widths.pop() % COLUMNS == 0
    return len(group) if fit else 1


def _fused(
    graph: ir.Graph, n_outputs: int, quantize: ir.Node, weight: Array, scale: Array,
    bias: Array | None,
) -> ir.Node:  # fmt: skip
    x = quantize.inputs[0]
    assert x is not None  # checked to be a sequence
    inputs = [
        x,
        *packed_operands(graph, [pack_matrix(weight)], weight.shape[1], f"{x.name}_matrix"),
        initializer(graph, scale, f"{x.name}_matrix_scales"),
        None if bias is None else initializer(graph, bias, f"{x.name}_matrix_bias"),
        initializer(graph, np.ones(n_outputs, np.float32), f"{x.name}_output_scales"),
    ]
    return ir.node(
        "DynamicQuantizeMatMul",
        inputs,
        domain=OPERATORS,
        attributes={"channels": scale.size, "layout": Layout.CENTERED},
        num_outputs=n_outputs,
    )


def _is_sequence(product: Product) -> bool:
    """Tell whether the quantized value is [1, T, Ci]; the model's inputs have a batch of one."""
    x = product.quantize.inputs[0]
    return x is not None and x.shape is not None and len(x.shape) == 3
