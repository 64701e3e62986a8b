"""Move transposes towards the outputs until they meet others and cancel."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.rewriting.graph import (
    CHANNELS_LAST,
    constant,
    maker,
    nodes_of,
    permutation,
)

_ELEMENTWISE = frozenset(
    (
        *("Add", "Div", "Mul", "Pow", "Sub", "Sqrt"),
        *("Atan", "Cos", "Exp", "Sin", "Tanh"),
        *("Greater", "LeakyRelu", "Less", "Where"),
    )
)
_AXES = {axis: CHANNELS_LAST.index(axis) for axis in range(3)}
_CHANNELS, _LAST = 1, 2
"""The axis of channels before and after; a Concat over the latter is not moved."""


def move_transposes(graph: ir.Graph) -> int:
    """Move and cancel the transposes between [1, C, T] and [1, T, C]; return how many moves.

    In: an elementwise operator whose inputs have the same transpose, a Concat or Slice of
    transposed inputs, a transpose of a transpose. Out: the transpose after the operator, or none.
    """
    _split_rotations(graph)
    n_moves = 0
    while True:
        moved = sum(_step(graph, node) for node in list(graph) if node.graph is not None)
        if not moved:
            return n_moves
        n_moves += moved


def cancel_transposes(graph: ir.Graph) -> int:
    """Remove pairs of inverse transposes; return how many there were."""
    return sum(_cancel(graph, node) for node in nodes_of(graph, "Transpose") if not _is_end(node))


def _is_end(node: ir.Node) -> bool:
    return node.outputs[0].is_graph_output()


def _step(graph: ir.Graph, node: ir.Node) -> bool:
    if node.domain not in ("", "ai.onnx") or _is_end(node):
        return False
    if node.op_type == "Transpose":
        return _cancel(graph, node)
    if node.op_type in _ELEMENTWISE:
        return _pass_elementwise(graph, node)
    if node.op_type == "Concat":
        return _pass_concat(graph, node)
    if node.op_type == "Slice":
        return _pass_slice(graph, node)
    return False


def _cancel(graph: ir.Graph, node: ir.Node) -> bool:
    """Remove two inverse transposes."""
    first = maker(node.inputs[0], "Transpose")
    if first is None or len(permutation(first)) != len(permutation(node)):
        return False
    order = tuple(permutation(first)[axis] for axis in permutation(node))
    source = first.inputs[0]
    if source is None or order != tuple(range(len(order))):
        return False
    _replace(graph, node, source)
    return True


def _split_rotations(graph: ir.Graph) -> None:
    """Write transposes from [T, 1, C] to [1, C, T] in two steps, of which the second may cancel."""
    for node in nodes_of(graph, "Transpose"):
        if permutation(node) == (1, 2, 0):
            source = node.inputs[0]
            assert source is not None  # a transpose has one
            inner = ir.node("Transpose", [source], attributes={"perm": (1, 0, 2)})
            graph.insert_before(node, inner)
            node.replace_input_with(0, inner.outputs[0])
            node.attributes["perm"] = ir.AttrInt64s("perm", CHANNELS_LAST)


def _untransposed(value: ir.Value | None) -> ir.Value | None:
    """Return the value that a value is the transpose of; None if it is not a transpose."""
    node = maker(value, "Transpose")
    return node.inputs[0] if node is not None and permutation(node) == CHANNELS_LAST else None


def _pass_elementwise(graph: ir.Graph, node: ir.Node) -> bool:
    inputs: list[ir.Value | None] = []
    for value in node.inputs:
        array = constant(value)
        inner = _untransposed(value)
        if inner is not None:
            inputs.append(inner)
        elif array is not None and array.size == 1 and array.ndim <= 1:
            inputs.append(value)
        else:
            return False
    return inputs != list(node.inputs) and _put_behind(graph, node, inputs, {})


def _pass_concat(graph: ir.Graph, node: ir.Node) -> bool:
    axis = node.attributes["axis"].as_int()
    if axis % 3 != _CHANNELS or not any(_untransposed(value) for value in node.inputs):
        return False
    inputs: list[ir.Value | None] = []
    for value in node.inputs:
        inner = _untransposed(value)
        if inner is None:
            turn = ir.node("Transpose", [value], attributes={"perm": CHANNELS_LAST})
            graph.insert_before(node, turn)
            inner = turn.outputs[0]
        inputs.append(inner)
    return _put_behind(graph, node, inputs, {"axis": _LAST})


def _pass_slice(graph: ir.Graph, node: ir.Node) -> bool:
    inner = _untransposed(node.inputs[0])
    axes = constant(node.inputs[3]) if len(node.inputs) > 3 else None
    if inner is None or axes is None or axes.shape != (1,):
        return False
    turned = np.array([_AXES[int(axes[0]) % 3]], np.int64)
    where = ir.node("Constant", [], attributes={"value": ir.tensor(turned)})
    graph.insert_before(node, where)
    inputs = [inner, node.inputs[1], node.inputs[2], where.outputs[0], *node.inputs[4:]]
    return _put_behind(graph, node, inputs, {})


def _put_behind(
    graph: ir.Graph, node: ir.Node, inputs: list[ir.Value | None], changes: dict[str, int]
) -> bool:
    """Apply an operator to untransposed inputs, and transpose the result."""
    attributes = {**node.attributes, **{k: ir.AttrInt64(k, v) for k, v in changes.items()}}
    inner = ir.Node(node.domain, node.op_type, inputs, attributes.values(), name=node.name)
    turn = ir.node("Transpose", [inner.outputs[0]], attributes={"perm": CHANNELS_LAST})
    graph.insert_before(node, inner)
    graph.insert_before(node, turn)
    _replace(graph, node, turn.outputs[0])
    return True


def _replace(graph: ir.Graph, node: ir.Node, value: ir.Value) -> None:
    convenience.replace_all_uses_with(node.outputs[0], value)
    graph.remove(node, safe=True)
