"""Have products of integers with matrices done by our own operator: the text encoder's."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from service.model.rewriting.graph import Array, nodes_of
from service.model.rewriting.native import OPERATORS
from service.model.rewriting.packing import pack_matrix
from service.model.rewriting.products import (
    Product,
    by_input,
    initializer,
    merge,
    product_of,
)


def fuse_products(graph: ir.Graph) -> int:
    """Make `DynamicQuantizeMatMul` of products of [1, T, Ci]; return how many there were.

    In: DynamicQuantizeLinear, MatMulInteger, Cast, Mul, Add. Out: one operator for all products of
    one input, and a Split where there are several. The results are the same to the last bit: the
    durations of speech hang on them.
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

    def make(quantize: ir.Node, weight: Array, scale: Array, bias: Array | None) -> ir.Node:
        x = quantize.inputs[0]
        assert x is not None  # checked to be a sequence
        inputs = [
            x,
            _shared(graph, pack_matrix(weight), f"{x.name}_matrix"),
            _shared(graph, weight.sum(axis=0, dtype=np.int32), f"{x.name}_matrix_sums"),
            _shared(graph, scale, f"{x.name}_matrix_scales"),
            None if bias is None else _shared(graph, bias, f"{x.name}_matrix_bias"),
        ]
        return ir.node(
            "DynamicQuantizeMatMul", inputs, domain=OPERATORS, attributes={"channels": scale.size}
        )

    for group in by_input(products):
        merge(graph, group, make)
    return len(products)


def _is_sequence(product: Product) -> bool:
    """Tell whether what is quantised is [1, T, Ci]; the model's own inputs are of one batch."""
    x = product.quantize.inputs[0]
    return x is not None and x.shape is not None and len(x.shape) == 3


def _shared(graph: ir.Graph, array: Array, name: str) -> ir.Value:
    """Return an initializer; the layers of the text encoder have the same weights."""
    for value in graph.initializers.values():
        held = value.const_value
        if (
            held is not None
            and held.shape == array.shape
            and held.nbytes == array.nbytes
            and held.dtype == ir.DataType.from_numpy(array.dtype)
            and np.array_equal(held.numpy(), array)
        ):
            return value
    return initializer(graph, array, name)
