"""Project the style once, for every layer that is modulated by it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir

from service.model.rewriting.dialect import DOMAIN
from service.model.rewriting.graph import Array, constant, maker, nodes_of


class _Projection(NamedTuple):
    """One layer's projection of a quantised style.

    Attributes:
        quantize: the node that quantises the style.
        weight: int8 [S, N].
        scale: float32 [N], of the weight.
        bias: float32 [N].
        result: float32 [1, N].
    """

    quantize: ir.Node
    weight: Array
    scale: Array
    bias: Array
    result: ir.Value


def merge_projections(graph: ir.Graph) -> int:
    """Merge the products of one style with many matrices; return how many there were.

    In: MatMulInteger of a quantised style with a layer's weight, Cast, Mul by both scales, Add of
    the bias; one such group for each `Modulate`. Out: one MatMulIntegerToFloat with the weights
    side by side, and a Split. The sums of products are the same integers.
    """
    groups: dict[ir.Node, list[_Projection]] = {}
    seen = set()
    for node in nodes_of(graph, "Modulate"):
        style = node.inputs[1] if node.domain == DOMAIN else None
        if style is None or style in seen:
            continue
        seen.add(style)
        projection = _projection(style)
        if projection is not None:
            groups.setdefault(projection.quantize, []).append(projection)
    for quantize, projections in groups.items():
        _merge(graph, quantize, projections)
    return sum(len(projections) for projections in groups.values())


def _projection(style: ir.Value) -> _Projection | None:
    biased = maker(style, "Add")
    if biased is None:
        return None
    for product, bias in (biased.inputs, reversed(biased.inputs)):
        scaled = maker(product, "Mul")
        offset = constant(bias)
        if scaled is None or offset is None:
            continue
        for integers, scales in (scaled.inputs, reversed(scaled.inputs)):
            cast, factor = maker(integers, "Cast"), maker(scales, "Mul")
            matmul = maker(cast.inputs[0], "MatMulInteger") if cast is not None else None
            if matmul is None or factor is None:
                continue
            quantize = maker(matmul.inputs[0], "DynamicQuantizeLinear")
            weight = constant(matmul.inputs[1])
            zero = constant(matmul.inputs[3]) if len(matmul.inputs) > 3 else np.zeros(1)
            if quantize is None or weight is None or zero is None or zero.any():
                return None
            if len(matmul.inputs) < 3 or matmul.inputs[2] is not quantize.outputs[2]:
                return None
            others = [value for value in factor.inputs if value is not quantize.outputs[1]]
            scale = constant(others[0]) if len(others) == 1 else None
            if scale is None or weight.dtype != np.int8 or offset.shape != weight.shape[1:]:
                return None
            return _Projection(
                quantize, weight, np.broadcast_to(scale, weight.shape[1:]), offset, style
            )
    return None


def _merge(graph: ir.Graph, quantize: ir.Node, projections: list[_Projection]) -> None:
    style = quantize.inputs[0]
    name = style.name if style is not None else quantize.name

    def side_by_side(arrays: list[Array], what: str) -> ir.Value:
        array = np.ascontiguousarray(np.concatenate(arrays, axis=-1))
        tensor = ir.tensor(array, name=f"{name}_projection_{what}")
        value = ir.Value(name=tensor.name, const_value=tensor)
        graph.register_initializer(value)
        return value

    quantized, scale, zero_point = quantize.outputs
    weight = side_by_side([each.weight for each in projections], "weight")
    factors = side_by_side([each.scale for each in projections], "scale")
    bias = side_by_side([each.bias for each in projections], "bias")
    product = ir.node(
        "MatMulIntegerToFloat",
        [quantized, weight, scale, factors, zero_point, None, bias],
        domain="com.microsoft",
    )
    sizes = ir.tensor(np.array([each.bias.size for each in projections], np.int64))
    where = ir.node("Constant", [], attributes={"value": sizes})
    split = ir.node(
        "Split",
        [product.outputs[0], where.outputs[0]],
        attributes={"axis": 1},
        num_outputs=len(projections),
    )
    at = quantize
    for node in (product, where, split):
        graph.insert_after(at, node)
        at = node
    for projection, output in zip(projections, split.outputs, strict=True):
        for use in tuple(projection.result.uses()):
            use.node.replace_input_with(use.idx, output)
