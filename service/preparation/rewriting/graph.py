"""Queries about values and nodes, and replacing them, for all steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import convenience

Array = npt.NDArray[Any]

CHANNELS_LAST = (0, 2, 1)
"""The permutation between [1, C, T] and [1, T, C], either way."""

_DEFAULTS: dict[str, tuple[int, ...]] = {
    "dilations": (1,), "strides": (1,), "pads": (0, 0), "output_padding": (0,), "perm": ()
}  # fmt: skip
"""Defaults of the convolutions over one axis, and of Transpose."""


def constant(value: ir.Value | None) -> Array | None:
    """Return the array of an initializer; None if the value is computed."""
    if value is None or value.const_value is None:
        return None
    return value.const_value.numpy()


def scalar(value: ir.Value | None) -> float | None:
    """Return the number of an initializer with one element; None for any other value."""
    array = constant(value)
    return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None


def is_zeros(value: ir.Value | None) -> bool:
    """Tell whether a value is missing, or a constant of zeros, or a computed number of zeros."""
    if value is None:
        return True
    array = constant(value)
    if array is not None:
        return not array.any()
    filled = maker(value, "ConstantOfShape")
    if filled is None:
        return False
    attribute = filled.attributes.get("value")
    return attribute is None or not attribute.as_tensor().numpy().any()


def maker(value: ir.Value | None, op_type: str) -> ir.Node | None:
    """Return the node that makes a value if its operator is `op_type`, else None."""
    node = value.producer() if value is not None else None
    return node if node is not None and node.op_type == op_type else None


def users(value: ir.Value) -> list[ir.Node]:
    """Return the nodes that use a value. A graph output is not a node."""
    return [use.node for use in value.uses()]


def only_user(value: ir.Value, op_type: str) -> ir.Node | None:
    """Return the node that uses a value if nothing else does and its operator is `op_type`."""
    nodes = users(value)
    if len(nodes) != 1 or value.is_graph_output() or nodes[0].op_type != op_type:
        return None
    return nodes[0]


def ints(node: ir.Node, name: str) -> tuple[int, ...]:
    """Return an attribute of integers, or its default."""
    attribute = node.attributes.get(name)
    return tuple(attribute.as_ints()) if attribute is not None else _DEFAULTS[name]


def n_groups(node: ir.Node) -> int:
    """Return the number of channel groups of a convolution."""
    attribute = node.attributes.get("group")
    return attribute.as_int() if attribute is not None else 1


def is_sized_by_pads(node: ir.Node) -> bool:
    """Tell whether only `pads` determines how much a convolution pads."""
    rule = node.attributes.get("auto_pad")
    return "output_shape" not in node.attributes and (rule is None or rule.as_string() == "NOTSET")


def permutation(node: ir.Node) -> tuple[int, ...]:
    """Return the order of axes of a transpose; empty if it reverses all axes."""
    return ints(node, "perm")


def nodes_of(graph: ir.Graph, op_type: str) -> Iterable[ir.Node]:
    """Return the nodes with an operator, in a list, so that the caller may change the graph."""
    return [node for node in graph if node.op_type == op_type]


def initializer(graph: ir.Graph, array: Array, name: str) -> ir.Value:
    """Return an initializer with an array: an existing one, or a new one.

    Layers may share weights. If the name is taken, a number is appended to it.
    """
    for value in graph.initializers.values():
        held = value.const_value
        if (
            held is not None
            and held.shape == array.shape
            and held.dtype == ir.DataType.from_numpy(array.dtype)
            and np.array_equal(held.numpy(), array)
        ):
            return value
    unique, number = name, 1
    while unique in graph.initializers:
        unique, number = f"{name}_{number}", number + 1
    tensor = ir.tensor(np.asarray(array, order="C"), name=unique)
    value = ir.Value(name=unique, const_value=tensor)
    graph.register_initializer(value)
    return value


def replace_value(graph: ir.Graph, value: ir.Value, node: ir.Node) -> None:
    """Replace a value by a node's output, and keep its name."""
    old = value.producer()
    assert old is not None
    graph.insert_before(old, node)
    node.outputs[0].name, value.name = value.name, None
    node.outputs[0].type = ir.TensorType(ir.DataType.FLOAT)
    convenience.replace_all_uses_with(value, node.outputs[0], replace_graph_outputs=True)
