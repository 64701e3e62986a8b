"""Replace the LSTMs of the encoder by a native operator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.layout import Layout
from service.preparation.rewriting.graph import (
    Array,
    constant,
    initializer,
    is_zeros,
    nodes_of,
    only_user,
    permutation,
    users,
)
from service.preparation.rewriting.native import OPERATORS, packed_operands
from service.preparation.rewriting.packing import GROUP, fits, pack_matrix
from service.preparation.rewriting.transposes import cancel_transposes

_MATRICES = ((1, 8), (2, 10))
"""Inputs that are weights, of what goes in and of the state, and where their scales are."""

_BIAS, _ENDS, _STATES, _PEEPHOLES = 3, 4, slice(5, 7), 7
_TIME_FIRST = (1, 0, 2)
"""The permutation between [1, T, C] and [T, 1, C], either way."""

_PLAIN = {"direction": "bidirectional", "input_forget": 0, "hidden_size": None}
"""The attributes that an LSTM may have, and what they must be; None: anything."""


class _Matrix(NamedTuple):
    """Weights of both directions side by side: int8 [Ci, 8 H], and float32 [8 H] of scales."""

    weight: Array
    scales: Array


def fuse_lstms(graph: ir.Graph) -> int:
    """Replace bidirectional LSTMs by `DynamicQuantizeLSTM`; return how many there were.

    In: ONNX Runtime's operator of that name, over [T, 1, Ci] and from states of 0, of which only
    the states of all steps are used: a Transpose to [T, 1, 2, H] and a Reshape to [T, 1, 2 H]. Out:
    ours from [1, T, Ci] to [1, T, 2 H], between transposes, which cancel with those around. The
    results are the same to the last bit, because durations depend on them.
    """
    count = 0
    for node in nodes_of(graph, "DynamicQuantizeLSTM"):
        if node.domain == OPERATORS or not _is_plain(node):
            continue
        of_input, of_state = (_matrix(node, *places) for places in _MATRICES)
        joined, bias = _joined(node), _bias(node)
        if of_input is None or of_state is None or joined is None or bias is None:
            continue
        _put(graph, node, joined, of_input, of_state, bias)
        count += 1
    cancel_transposes(graph)
    return count


def _put(
    graph: ir.Graph, node: ir.Node, joined: ir.Node, of_input: _Matrix, of_state: _Matrix,
    bias: Array,
) -> None:  # fmt: skip
    """Replace an LSTM, and what joins its directions, by the operator."""
    name = node.name or "lstm"
    before = ir.node("Transpose", node.inputs[:1], {"perm": _TIME_FIRST})
    inputs = [
        before.outputs[0],
        *_operands(graph, of_input, f"{name}_input"),
        *_operands(graph, of_state, f"{name}_state"),
        initializer(graph, bias, f"{name}_bias"),
    ]
    attributes = {"hidden": len(of_state.weight), "layout": Layout.CENTERED}
    lstm = ir.node("DynamicQuantizeLSTM", inputs, attributes, domain=OPERATORS, name=name)
    after = ir.node("Transpose", lstm.outputs, {"perm": _TIME_FIRST})
    for new in (before, lstm, after):
        graph.insert_before(joined, new)
    convenience.replace_all_uses_with(joined.outputs[0], after.outputs[0])


def _operands(graph: ir.Graph, matrix: _Matrix, name: str) -> list[ir.Value]:
    packed = packed_operands(graph, [pack_matrix(matrix.weight)], matrix.scales.size, name)
    return [*packed, initializer(graph, matrix.scales, f"{name}_scales")]


def _joined(node: ir.Node) -> ir.Node | None:
    """Return the node that makes [T, 1, 2 H] of the states of an LSTM, if nothing else uses it."""
    states, *last = node.outputs
    if any(users(value) or value.is_graph_output() for value in last):
        return None
    turned = only_user(states, "Transpose")
    if turned is None or permutation(turned) != (0, 2, 1, 3):
        return None
    joined = only_user(turned.outputs[0], "Reshape")
    sizes = constant(joined.inputs[1]) if joined is not None else None
    if joined is None or sizes is None or joined.outputs[0].is_graph_output():
        return None
    together = 2 * node.attributes["hidden_size"].as_int()
    return joined if sizes.tolist() in ([0, 0, -1], [0, 0, together]) else None


def _is_plain(node: ir.Node) -> bool:
    """Tell whether an LSTM goes both ways, begins with zeros, and is like any other."""
    if any(
        name not in _PLAIN or _PLAIN[name] not in (None, attribute.value)
        for name, attribute in node.attributes.items()
    ):
        return False
    ends, peepholes = (node.inputs[place] for place in (_ENDS, _PEEPHOLES))
    return (
        "direction" in node.attributes
        and node.attributes["hidden_size"].as_int() % GROUP == 0
        and ends is peepholes is None
        and all(is_zeros(value) for value in node.inputs[_STATES])
    )


def _matrix(node: ir.Node, place: int, scale_place: int) -> _Matrix | None:
    """Return a matrix less its zero points; None if it is computed, or does not fit int8 then."""
    arrays = [constant(node.inputs[k]) for k in (place, scale_place, scale_place + 1)]
    if any(array is None for array in arrays):
        return None
    integers, scales, zeros = (array for array in arrays if array is not None)
    weight = integers.astype(np.int16) - zeros.reshape(len(integers), 1, -1).astype(np.int16)
    if not fits(weight):
        return None
    of_columns = np.broadcast_to(scales.reshape(len(scales), -1), weight[:, 0].shape)
    return _Matrix(np.concatenate(weight.astype(np.int8), axis=1), of_columns.reshape(-1))


def _bias(node: ir.Node) -> Array | None:
    """Return the sum of both biases of each column; None if they are computed."""
    n_columns = 4 * node.attributes["hidden_size"].as_int()
    if node.inputs[_BIAS] is None:
        return np.zeros(2 * n_columns, np.float32)
    biases = constant(node.inputs[_BIAS])
    return None if biases is None else (biases[:, :n_columns] + biases[:, n_columns:]).reshape(-1)
