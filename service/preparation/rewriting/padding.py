"""Pad frames to bucket lengths, and mask the padding.

A GPU's libraries select and set up kernels for each new shape, which takes far longer than running
them. So an encoder adds frames (`padded_encoder`), and a decoder gets a mask of its real frames
(`masked_decoder`). Added frames have no effect: normalization ignores them, and operators that see
neighbouring frames find zeros there, as after the last frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import (
    CHANNELS_LAST,
    Array,
    constant,
    initializer,
    ints,
    is_sized_by_pads,
    maker,
    scalar,
    users,
)
from service.preparation.rewriting.refusing import refused


class Length(NamedTuple):
    """The length of an axis: `factor` times the number of frames, plus `extra`."""

    factor: int
    extra: int


class _Normalized(NamedTuple):
    """A tensor minus its mean, float32 [1, C, T], and its statistics, float32 [1, C, 1]."""

    centered: ir.Value
    mean: ir.Value
    variance: ir.Value
    epsilon: Array


OF_FEATURES, OF_SPECTRUM = Length(2, 0), Length(120, 1)
"""Lengths of the two tensors that the encoder passes to the decoder."""


def add_input(graph: ir.Graph, name: str, shape: ir.Shape, dtype: ir.DataType) -> ir.Value:
    """Add an input to a graph, and return it."""
    value = ir.Value(name=name, shape=shape, type=ir.TensorType(dtype))
    graph.inputs.append(value)
    return value


class Padding:
    """The frames that were added to a graph.

    Args:
        graph: the graph.
        anchor: a node before all nodes that work on frames. Shared values are inserted before it.
    """

    def __init__(self, graph: ir.Graph, anchor: ir.Node) -> None:
        self._graph = graph
        self._anchor = anchor
        self._lengths: dict[ir.Value, Length] = {}
        self._masks: dict[Length, ir.Value] = {}
        self._shares: dict[Length, ir.Value] = {}
        self._given_count: ir.Value | None = None

    def apply(self, given: dict[ir.Value, Length], promised: dict[str, Length]) -> int:
        """Make all nodes ignore the added frames; return how many nodes were changed.

        Args:
            given: lengths of the values from which everything with frames is computed.
            promised: lengths that the outputs must have.

        Raises:
            RefusedError: a node uses frames in an unknown way, or an output has another length.
        """
        self._lengths.update(given)
        count = sum(
            self._pass(node)
            for node in list(self._graph)
            if node.graph is not None and not set(node.outputs) & set(given)
        )
        for value in self._graph.outputs:
            if value.name in promised and self._lengths.get(value) != promised[value.name]:
                raise refused(f"{value.name} is not as long as it must be", value)
        return count

    # The nodes that work on frames.

    def _pass(self, node: ir.Node) -> int:
        """Note the lengths of a node's outputs; return 1 if the node was changed, else 0."""
        lengths = [
            length for value in node.inputs
            if value is not None and (length := self._lengths.get(value)) is not None
        ]  # fmt: skip
        if node.op_type == "Shape" or not lengths:
            return 0
        if len(set(lengths)) > 1:
            raise refused(f"{node.op_type} of unequal lengths {lengths}", node)
        length, changed = lengths[0], 0
        if node.domain == DOMAIN and node.op_type == "InstanceNorm":
            self._normalize(node, length)
            return 1
        if node.domain == "" and node.op_type in ("Conv", "ConvTranspose"):
            changed = self._silence(node, 0, length, _PLACES) if _sees_beyond(node) else 0
            length = _convolved(node, length)
        elif node.op_type == "CumSum":
            changed = self._silence(node, 0, length, _axis(node))
        elif node.op_type == "LSTM":
            changed = self._end_sequence(node)
        elif node.op_type == "Resize":
            length = _resized(node, length)
        elif node.op_type == "Pad":
            length, changed = self._pad(node, length)
        elif node.op_type == "Slice" and (change := _trimmed(node)) is not None:
            length = Length(length.factor, length.extra + change)
        elif node.op_type not in _KEEPING:
            raise refused(f"{node.op_type} of frames", node)
        if node.graph is not None:  # otherwise it was replaced, and its replacement is noted
            for value in node.outputs:
                self._lengths[value] = length
        return changed

    def _silence(self, node: ir.Node, place: int, length: Length, axis: tuple[int, ...]) -> int:
        """Multiply an input of a node by the mask; return 1."""
        x = node.inputs[place]
        assert x is not None
        mask = self._mask(length)
        if axis != _PLACES:
            mask = self._reshaped(mask, axis)
        product = ir.node("Mul", [x, mask])
        self._graph.insert_before(node, product)
        node.replace_input_with(place, product.outputs[0])
        return 1

    def _normalize(self, node: ir.Node, length: Length) -> None:
        """Expand a normalization and its modulation, over the frames of the speech only.

        Means are products with a column that has 1 / n for each frame of the speech, else 0.
        """
        x, y = node.inputs[0], node.outputs[0]
        assert x is not None
        before, shares = self._inserter(node), self._share(length)
        frames = before("Transpose", [x], perm=CHANNELS_LAST)
        mean = before("MatMul", [frames, shares])
        centered = before("Sub", [frames, mean])
        variance = before("MatMul", [before("Mul", [centered, centered]), shares])
        epsilon = np.array(node.attributes["epsilon"].as_float(), np.float32)
        for user in users(y):
            self._modulate(user, _Normalized(centered, mean, variance, epsilon), length)
        self._graph.remove(node, safe=True)

    def _modulate(self, node: ir.Node, x: _Normalized, length: Length) -> None:
        """Expand a modulation: (1 + gamma) * centered / deviation + beta.

        If statistics are given, `centered` has another mean subtracted, so beta is corrected.
        """
        if node.op_type != "Modulate" or node.domain != DOMAIN:
            raise refused(f"{node.op_type} of a normalization", node)
        before = self._inserter(node)
        column = before("Unsqueeze", [node.inputs[1], self._ints(2)])
        split = ir.node("Split", [column], {"axis": 1, "num_outputs": 2}, num_outputs=2)
        self._graph.insert_before(node, split)
        gamma, beta = split.outputs
        one = self._constant(np.array(1, np.float32))
        mean, variance = x.mean, x.variance
        is_given = len(node.inputs) > _SHARE
        if is_given:
            counts = self._counts(node.inputs[_SHARE])
            mean, variance = (
                before("Where", [counts, before("Reshape", [given, self._ints(1, -1, 1)]), own])
                for given, own in zip(node.inputs[_GIVEN], (mean, variance), strict=True)
            )
        deviation = before("Sqrt", [before("Add", [variance, self._constant(x.epsilon)])])
        factor = before("Div", [before("Add", [gamma, one]), deviation])
        if is_given:
            beta = before("Add", [beta, before("Mul", [before("Sub", [x.mean, mean]), factor])])
        result = before("Add", [before("Mul", [x.centered, factor]), beta])
        turned = before("Transpose", [result], perm=CHANNELS_LAST)
        convenience.replace_all_uses_with(node.outputs[0], turned)
        self._graph.remove(node, safe=True)
        self._lengths[turned] = length

    def _end_sequence(self, node: ir.Node) -> int:
        """Tell an LSTM over frames where they end, because its backward half begins there."""
        raise refused("an LSTM of frames", node)

    def _pad(self, node: ir.Node, length: Length) -> tuple[Length, int]:
        """Make a Pad reflect the last samples of the speech, not the last of all."""
        amounts = constant(node.inputs[1])
        mode = node.attributes.get("mode")
        if amounts is None or mode is None or mode.as_string() != "reflect" or amounts.size != 6:
            raise refused("a Pad that does not reflect", node)
        begin, end = int(amounts[2]), int(amounts[5])
        padded = Length(length.factor, length.extra + begin + end)
        return padded, self._reflect_end(node, length, padded, begin) if end else 0

    def _reflect_end(self, node: ir.Node, length: Length, padded: Length, begin: int) -> int:
        raise refused("a Pad behind the last frame", node)

    # Values that several nodes share.

    def _mask(self, length: Length) -> ir.Value:
        """Return float32 [1, 1, T]: 1 for frames of the speech, 0 for added frames."""
        if length not in self._masks:
            self._masks[length] = self._new_mask(length)
        return self._masks[length]

    def _share(self, length: Length) -> ir.Value:
        """Return float32 [1, T, 1]: the weight of each frame in a mean."""
        if length not in self._shares:
            share = self.make("Div", [self._mask(length), self._count(length)])
            self._shares[length] = self._reshaped(share, (1, -1, 1))
        return self._shares[length]

    def _counts(self, share: ir.Value | None) -> ir.Value:
        """Return bool [1]: whether the given statistics are to be used."""
        if self._given_count is None:
            zero = self._constant(np.array(0, np.float32))
            self._given_count = self.make("Greater", [share, zero])
        return self._given_count

    def _new_mask(self, length: Length) -> ir.Value:
        raise NotImplementedError

    def _count(self, length: Length) -> ir.Value:
        """Return float32 with one element: the number of frames of the speech."""
        raise NotImplementedError

    def _reshaped(self, mask: ir.Value, shape: tuple[int, ...]) -> ir.Value:
        return self.make("Reshape", [mask, self._ints(*shape)])

    def make(self, op_type: str, inputs: list[ir.Value | None], **attributes: int) -> ir.Value:
        """Insert a node before all nodes that work on frames, and return its output."""
        return self._inserter(self._anchor)(op_type, inputs, **attributes)

    def _inserter(self, place: ir.Node) -> _Inserter:
        return _Inserter(self._graph, place)

    def number(self, value: int) -> ir.Value:
        """Return int64 []."""
        return self._constant(np.array(value, np.int64))

    def _ints(self, *values: int) -> ir.Value:
        return self._constant(np.array(values, np.int64))

    def _constant(self, array: Array) -> ir.Value:
        return initializer(self._graph, array, "frames_constant")


class _Inserter:
    """Makes nodes before another one."""

    def __init__(self, graph: ir.Graph, place: ir.Node) -> None:
        self._graph, self._place = graph, place

    def __call__(
        self, op_type: str, inputs: list[ir.Value | None], **attributes: int | tuple[int, ...]
    ) -> ir.Value:
        node = ir.node(op_type, inputs, attributes)
        self._graph.insert_before(self._place, node)
        return node.outputs[0]


_GIVEN, _SHARE = slice(2, 4), 6
"""Inputs of a `Modulate` that may take statistics: mean and variance, and their share."""

_PLACES = (1, 1, -1)
"""Shape of a mask for [1, C, T]."""

_KEEPING = frozenset(
    (
        *("Add", "Div", "Mul", "Pow", "Sub", "Abs", "Neg", "Sqrt", "Reciprocal", "Floor"),
        *("Atan", "Cos", "Exp", "Sin", "Tanh", "Sigmoid", "LeakyRelu", "Cast"),
        *("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Not", "Where", "Min", "Max"),
        *("Concat", "Split", "Slice", "Gather", "Transpose"),
        *("Reshape", "Squeeze", "Unsqueeze", "MatMul", "FusedMatMul"),
    )
)
"""Operators that neither mix frames nor change their number, on any axis."""


def _sees_beyond(node: ir.Node) -> bool:
    """Tell whether a convolution mixes the last frames with those after them."""
    kernel = constant(node.inputs[1])
    if kernel is None or kernel.ndim != 3 or not is_sized_by_pads(node):
        raise refused("a convolution of another kind", node)
    if node.op_type == "ConvTranspose":
        (stride,), (dilation,) = ints(node, "strides"), ints(node, "dilations")
        reach = dilation * (kernel.shape[2] - 1) + 1
        return bool(reach + ints(node, "output_padding")[0] - ints(node, "pads")[1] > stride)
    return ints(node, "pads") != (0, 0)


def _convolved(node: ir.Node, length: Length) -> Length:
    kernel = constant(node.inputs[1])
    assert kernel is not None  # checked before
    (stride,), (dilation,) = ints(node, "strides"), ints(node, "dilations")
    reach = dilation * (kernel.shape[2] - 1)
    padded = sum(ints(node, "pads"))
    if node.op_type == "ConvTranspose":
        extra = (length.extra - 1) * stride + reach + 1 - padded + ints(node, "output_padding")[0]
        return Length(length.factor * stride, extra)
    if length.factor % stride:
        raise refused(f"a stride of {stride} over {length}", node)
    return Length(length.factor // stride, (length.extra + padded - reach - 1) // stride + 1)


def _resized(node: ir.Node, length: Length) -> Length:
    factors = constant(node.inputs[2])
    if factors is None or factors.size != 3 or factors[2] != int(factors[2]):
        raise refused("a Resize of another kind", node)
    mode = node.attributes.get("mode")
    if mode is not None and mode.as_string() != "nearest" and not _is_sum(node.inputs[0]):
        raise refused("a Resize that mixes frames", node)
    factor = int(factors[2])
    return Length(length.factor * factor, length.extra * factor)


def _is_sum(value: ir.Value | None) -> bool:
    """Tell whether a value is a running sum, perhaps times constants.

    Added frames add nothing to it, so interpolation after the last frame gives the same value as
    after the end.
    """
    while (node := maker(value, "Mul") or maker(value, "Transpose")) is not None:
        if any(constant(other) is None for other in node.inputs[1:]):
            return False
        value = node.inputs[0]
    return maker(value, "CumSum") is not None


def _trimmed(node: ir.Node) -> int | None:
    """Return by how much a Slice changes the length, 0 or less; None if it slices channels."""
    bounds = [constant(value) for value in node.inputs[1:]]
    if len(bounds) < 3 or any(bound is None or bound.size != 1 for bound in bounds):
        raise refused("a Slice of another kind", node)
    start, end, axis = (int(scalar(value) or 0) for value in node.inputs[1:4])
    if axis != 2:
        return None
    if len(bounds) > 3 and scalar(node.inputs[4]) != 1:
        raise refused("a Slice of some frames only", node)
    if start < 0 or 0 <= end < np.iinfo(np.int64).max:
        raise refused(f"a Slice between {start} and {end}", node)
    return min(end, 0) - start if end < 0 else -start


def _axis(node: ir.Node) -> tuple[int, ...]:
    """Return the shape of a mask for a sum over the second of three axes."""
    if scalar(node.inputs[1]) != 1:
        raise refused("a CumSum over another axis", node)
    return (1, -1, 1)
