"""Queries about values and nodes, for all steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir

Array = npt.NDArray[Any]

CHANNELS_LAST = (0, 2, 1)
"""The permutation between [1, C, T] and [1, T, C], either way."""

_DEFAULTS: dict[str, tuple[int, ...]] = {
    "dilations": (1,), "strides": (1,), "pads": (0, 0), "output_padding": (0,), "perm": ()
}  # fmt: skip
"""Of the operators that convolve over one axis, and of Transpose."""


def constant(value: ir.Value | None) -> Array | None:
    """Return what an initializer holds, or None where the value is computed."""
    if value is None or value.const_value is None:
        return None
    return value.const_value.numpy()


def scalar(value: ir.Value | None) -> float | None:
    """Return the one number that an initializer holds, or None where it is no such."""
    array = constant(value)
    return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None


def maker(value: ir.Value | None, op_type: str) -> ir.Node | None:
    """Return the node of a kind that makes a value, or None where another one does."""
    node = value.producer() if value is not None else None
    return node if node is not None and node.op_type == op_type else None


def users(value: ir.Value) -> list[ir.Node]:
    """Return the nodes that take a value; a graph output counts as none."""
    return [use.node for use in value.uses()]


def ints(node: ir.Node, name: str) -> tuple[int, ...]:
    """Return an attribute of integers, where it is missing the default."""
    attribute = node.attributes.get(name)
    return tuple(attribute.as_ints()) if attribute is not None else _DEFAULTS[name]


def n_groups(node: ir.Node) -> int:
    """Return in how many groups of channels a convolution works."""
    attribute = node.attributes.get("group")
    return attribute.as_int() if attribute is not None else 1


def is_sized_by_pads(node: ir.Node) -> bool:
    """Return whether a convolution says in numbers how it is padded, and nothing else."""
    rule = node.attributes.get("auto_pad")
    return "output_shape" not in node.attributes and (rule is None or rule.as_string() == "NOTSET")


def permutation(node: ir.Node) -> tuple[int, ...]:
    """Return how a transpose orders the axes, nothing where it reverses them all."""
    return ints(node, "perm")


def nodes_of(graph: ir.Graph, op_type: str) -> Iterable[ir.Node]:
    """Return the nodes of a kind, also while the graph is changed."""
    return [node for node in graph if node.op_type == op_type]


def initializer(graph: ir.Graph, array: Array, name: str) -> ir.Value:
    """Return an initializer that holds an array: one that is there, or a new one.

    Layers may have the same weights. A number is added to a name that is taken.
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
