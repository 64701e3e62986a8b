"""Replace computed attention reshapes by constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.rewriting.constants import END
from service.preparation.rewriting.graph import (
    constant,
    initializer,
    maker,
    nodes_of,
    permutation,
    scalar,
    users,
)
from service.preparation.rewriting.products import product_of

_AS_IT_IS = 0
"""In the shape of a Reshape: keep the size of the axis."""

_OUTPUT_SCALES = 6
"""Index of an input of DynamicQuantizeMatMul."""


class _Shape(NamedTuple):
    """The shape of a Reshape: two axes of a value, then numbers."""

    of: ir.Value
    sizes: tuple[int, ...]


def settle_heads(graph: ir.Graph) -> int:
    """Replace the shapes that attention computes by constants; return how many there were.

    In: a Reshape of x [B, T, C] to [B, T, heads, size] with B and T taken from x; a Reshape of what
    the heads gave back to [B, T, C] with B and T taken from what the values were made of. Out:
    constant shapes.
    """
    return _settle(graph, _is_itself) + _settle(graph, _is_source_of)


def _settle(graph: ir.Graph, fits: Callable[[ir.Value, ir.Value], bool]) -> int:
    """Replace the shapes of all matching Reshapes by constants."""
    count = 0
    for node in nodes_of(graph, "Reshape"):
        shape = _shape(node.inputs[1])
        x = node.inputs[0]
        if shape is None or x is None or not fits(x, shape.of):
            continue
        sizes = np.array([_AS_IT_IS, _AS_IT_IS, *shape.sizes], np.int64)
        node.replace_input_with(1, initializer(graph, sizes, f"{node.name}_shape"))
        count += 1
    return count


def _shape(value: ir.Value | None) -> _Shape | None:
    """Return the parts of a shape; None if it is something else."""
    together = maker(value, "Concat")
    if together is None or len(together.inputs) < 3:
        return None
    first, second = (_axis(part) for part in together.inputs[:2])
    sizes = [constant(part) for part in together.inputs[2:]]
    if first is None or second is None or first[0] is not second[0]:
        return None
    if (first[1], second[1]) != (0, 1) or any(each is None or each.size != 1 for each in sizes):
        return None
    return _Shape(first[0], tuple(int(each.item()) for each in sizes if each is not None))


def _axis(value: ir.Value | None) -> tuple[ir.Value, int] | None:
    """Return the value and the axis whose length a vector of one number holds."""
    vector = maker(value, "Unsqueeze")
    chosen = maker(vector.inputs[0], "Gather") if vector is not None else None
    shape = maker(chosen.inputs[0], "Shape") if chosen is not None else None
    if chosen is None or shape is None or not _is_whole(shape):
        return None
    index, of = scalar(chosen.inputs[1]), shape.inputs[0]
    return (of, int(index)) if index is not None and of is not None else None


def _is_whole(shape: ir.Node) -> bool:
    start = shape.attributes.get("start")
    return (start is None or start.as_int() == 0) and "end" not in shape.attributes


def _is_itself(x: ir.Value, of: ir.Value) -> bool:
    return x is of


def _is_source_of(x: ir.Value, of: ir.Value) -> bool:
    """Tell whether x is what heads gave, [B, T, heads, size], whose values are a product of `of`.

    The axes B and T are then as long: heads give a row for each row of their values.
    """
    together = maker(x, "Transpose")
    given = maker(together.inputs[0], "MatMul") if together is not None else None
    weights = maker(given.inputs[0], "Softmax") if given is not None else None
    values = maker(given.inputs[1], "Transpose") if given is not None else None
    parted = maker(values.inputs[0], "Reshape") if values is not None else None
    if together is None or weights is None or values is None or parted is None:
        return False
    projected = parted.inputs[0]
    product = product_of(projected) if projected is not None else None
    shape = constant(parted.inputs[1])
    return (
        product is not None
        and product.quantize.inputs[0] is of
        and shape is not None
        and shape.size == 4
        and shape[:2].tolist() == [_AS_IT_IS, _AS_IT_IS]
        and permutation(together) == permutation(values) == (0, 2, 1, 3)
    )


def scale_products(graph: ir.Graph) -> int:
    """Fold the scale of queries and keys into their products; return how many.

    In: an output of `DynamicQuantizeMatMul`, reshaped, transposed and multiplied by the root of
    the scale, 1 / sqrt(size), where size is the last number of the shape of the reshaped value.
    Out: the same number instead of the 1 in `output_scales`: the product rounds like the
    multiplication. (A constant would do, but ONNX Runtime moves a constant out of both factors of
    a product and rounds the result, and durations depend on the last bit.)
    """
    count = 0
    for node in nodes_of(graph, "Mul"):
        for value, factor in (node.inputs, reversed(node.inputs)):
            output, scale = _parted_product(value), _root_of_scale(factor)
            if value is not None and output is not None and scale is not None:
                _scale(graph, output, scale)
                convenience.replace_all_uses_with(node.outputs[0], value)
                count += 1
                break
    return count


def _parted_product(value: ir.Value | None) -> ir.Value | None:
    """Return the output of a product that is only reshaped and transposed to a value."""
    transposed = maker(value, "Transpose")
    parted = maker(transposed.inputs[0], "Reshape") if transposed is not None else None
    output = parted.inputs[0] if parted is not None else None
    if value is None or output is None or maker(output, "DynamicQuantizeMatMul") is None:
        return None
    return output if len(users(value)) == len(users(output)) == 1 else None


def _scale(graph: ir.Graph, output: ir.Value, scale: np.float32) -> None:
    product = output.producer()
    assert product is not None  # it is an output of one
    held = constant(product.inputs[_OUTPUT_SCALES])
    assert held is not None  # written by us
    scales = held.copy()
    scales[output.index()] *= scale
    product.replace_input_with(_OUTPUT_SCALES, initializer(graph, scales, f"{output.name}_scales"))


def _root_of_scale(value: ir.Value | None) -> np.float32 | None:
    """Return sqrt(1 / sqrt(size)) if a value is that, computed in the steps of the graph."""
    root = maker(value, "Sqrt")
    scale = maker(root.inputs[0], "Div") if root is not None else None
    norm = maker(scale.inputs[1], "Sqrt") if scale is not None else None
    cast = maker(norm.inputs[0], "Cast") if norm is not None else None
    if scale is None or cast is None or scalar(scale.inputs[0]) != 1.0:
        return None
    size = _last_size(maker(cast.inputs[0], "Slice"))
    return None if size is None else np.sqrt(np.float32(1) / np.sqrt(np.float32(size)))


def _last_size(node: ir.Node | None) -> int | None:
    """Return the last number of a shape, if the node takes it and it is constant."""
    if node is None or len(node.inputs) != 3:
        return None
    start, end = constant(node.inputs[1]), constant(node.inputs[2])
    if start is None or end is None or (start.tolist(), end.tolist()) != ([-1], [END]):
        return None
    ordered = maker(node.inputs[0], "Gather")
    shape = maker(ordered.inputs[0] if ordered is not None else node.inputs[0], "Shape")
    parted = maker(shape.inputs[0], "Reshape") if shape is not None else None
    sizes = constant(parted.inputs[1]) if parted is not None else None
    order = constant(ordered.inputs[1]) if ordered is not None else np.arange(-1, 0)
    if shape is None or not _is_whole(shape) or sizes is None or order is None or order.ndim != 1:
        return None
    size = int(sizes[order[-1]])
    return size if size > 0 else None
