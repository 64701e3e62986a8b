"""Compute each number of frames once, for all tensors with as many."""

from __future__ import annotations

import onnx_ir as ir

from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import constant

_INPUT = {"InstanceNorm": 1, "QuantizedConv": 3}
"""Where operators of the dialect that want to know how many frames they get are told so."""

_OVER_FRAMES = {
    "Conv", "InstanceNorm", "Modulate", "QuantizedConv", "Reflect", "Repeat", "Snake", "Upsample"
}  # fmt: skip
"""Operators of the dialect whose first input and output are frames, [1, T, C]."""

_CHANNELS = {"Conv": (1, 0), "QuantizedConv": (1, 0), "Snake": (1, 0), "Upsample": (1, 1)}
"""Which axis of which input is as long as the output has channels."""

_ONE_BY_ONE = {"Abs", "Cos", "Exp", "Floor", "LeakyRelu", "Neg", "Relu", "Sigmoid", "Sin",
               "Sqrt", "Tanh"}  # fmt: skip
_PAIRWISE = {"Add", "Div", "Mul", "Sub"}


def share_lengths(graph: ir.Graph) -> int:
    """Tell normalizations and convolutions how many frames they get; return how many were told.

    An input of each becomes an int64 [1]. It is one value for all tensors that are as long
    as each other by what made them: a sum of two, an activation, a convolution that pads as many
    frames as its kernel takes away.
    """
    origins: dict[ir.Value, ir.Value] = {}
    lengths: dict[ir.Value, ir.Value] = {}
    n_told = 0
    for node in list(graph):
        x = node.inputs[0] if node.inputs else None
        is_dialect = node.domain == DOMAIN and node.op_type in _OVER_FRAMES
        if is_dialect and x is not None:
            origin = origins.setdefault(x, x)
            place = _INPUT.get(node.op_type)
            if place is not None:
                if origin not in lengths:
                    lengths[origin] = _measure(graph, origin, node)
                node.resize_inputs(max(place + 1, len(node.inputs)))
                node.replace_input_with(place, lengths[origin])
                n_told += 1
        kept = _as_long_as(node, origins)
        if kept is None and is_dialect:
            kept = node.outputs[0]
        if kept is not None:
            origins[node.outputs[0]] = kept
    _name(origins)
    return n_told


def _name(origins: dict[ir.Value, ir.Value]) -> None:
    """Write down which frames are equally many, and their channels.

    ONNX Runtime then sees which tensors may lie where another one was. Where it does not, it
    compares each with all that there were, which takes most of the time of loading.
    """
    names: dict[ir.Value, str] = {}
    for value, origin in origins.items():
        name = names.setdefault(origin, f"frames_{len(names)}")
        if not value.is_graph_output() and not value.is_graph_input():
            value.shape = ir.Shape([1, name, _n_channels(value.producer())])
            value.type = ir.TensorType(ir.DataType.FLOAT)


def _n_channels(node: ir.Node | None) -> int | None:
    """Return how many channels a node's output has, None where neither it nor its inputs say so."""
    if node is None:
        return None
    if node.domain == DOMAIN and node.op_type in _CHANNELS:
        place, axis = _CHANNELS[node.op_type]
        array = constant(node.inputs[place])
        return array.shape[axis] if array is not None else None
    if node.op_type in _ONE_BY_ONE | _PAIRWISE | {"InstanceNorm", "Modulate", "Reflect", "Repeat"}:
        for value in node.inputs:
            if value is not None and value.shape is not None and len(value.shape) == 3:
                size = value.shape[2]
                if isinstance(size, int) and size > 1:
                    return size
    return None


def _measure(graph: ir.Graph, x: ir.Value, user: ir.Node) -> ir.Value:
    """Return how many frames x has, before the first who wants to know."""
    shape = ir.node("Shape", [x], {"start": 1, "end": 2})
    graph.insert_before(user, shape)
    return shape.outputs[0]


def _as_long_as(node: ir.Node, origins: dict[ir.Value, ir.Value]) -> ir.Value | None:
    """Return the origin of the length of a node's output, None where that is a new one."""
    found = [origins.get(value) for value in node.inputs if value is not None]
    if node.domain == DOMAIN:
        keeps = node.op_type in {"Conv", "InstanceNorm", "Modulate", "Snake"} or (
            node.op_type == "QuantizedConv" and _is_padded_to_size(node)
        )
        return found[0] if keeps else None
    if node.domain:
        return None
    if node.op_type in _ONE_BY_ONE:
        return found[0]
    if node.op_type in _PAIRWISE:
        first, second = (
            origin or (_EVERYWHERE if _is_equal_over_time(value) else None)
            for origin, value in zip(found, node.inputs, strict=True)
        )
        if first is None or second is None:
            return None
        if first is _EVERYWHERE:
            return second if second is not _EVERYWHERE else None
        return first if second is first or second is _EVERYWHERE else None
    if node.op_type == "Concat" and node.attributes["axis"].as_int() in (2, -1):
        return next((origin for origin in found if origin is not None), None)
    return None


_EVERYWHERE = ir.Value(name="everywhere")
"""Stands for the length of what is added to, or multiplied with, any number of frames."""


def _is_equal_over_time(value: ir.Value | None) -> bool:
    array = constant(value)
    return array is not None and array.ndim <= 3 and set(array.shape[:-1]) <= {1}


def _is_padded_to_size(node: ir.Node) -> bool:
    size, dilation, stride, begin, end = taps(node)
    return stride == 1 and begin + end == dilation * (size - 1)


def taps(node: ir.Node) -> tuple[int, int, int, int, int]:
    """Return size, dilation, stride, pad_begin and pad_end of a `QuantizedConv`."""
    kernel = constant(node.inputs[1])
    assert kernel is not None  # recognized as such
    dilation, stride, begin, end = (
        node.attributes[name].as_int() for name in ("dilation", "stride", "pad_begin", "pad_end")
    )
    return kernel.shape[2], dilation, stride, begin, end
