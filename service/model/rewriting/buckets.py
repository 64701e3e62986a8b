"""Let the frames of speech be one of a few numbers, whatever is said.

A GPU's libraries choose and set up their kernels for each new shape, which takes far longer than
running them. How many frames a text has is known in the middle of the graph only, so the graph
itself adds frames up to the next number of a list. They count for nothing: normalisation leaves
them out, and whatever looks at neighbours finds zeros there, as behind the last frame. The samples
of the added frames are cut off at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.model.durations import SAMPLES_PER_FRAME, TENSOR_NAME
from service.model.rewriting.dialect import DOMAIN
from service.model.rewriting.graph import (
    CHANNELS_LAST,
    Array,
    constant,
    initializer,
    ints,
    is_sized_by_pads,
    maker,
    nodes_of,
    scalar,
    users,
)

INPUT = "buckets"
"""The input that is added: int64 [n], numbers of frames to choose from, ascending."""


class _Length(NamedTuple):
    """How long an axis is: `factor` times the frames, plus `extra`."""

    factor: int
    extra: int


class UnknownGraphError(Exception):
    """The graph is not made as expected; the message says where."""


def pad_frames(graph: ir.Graph) -> int:
    """Add frames up to the next of a list; return how many nodes were told to disregard them.

    In: the frames are numbered by a Range that ends at the last sum of durations; `InstanceNorm`;
    STFT of samples that are reflected at both ends. Out: the same of more frames, the samples of
    the first ones equal to before.

    Raises:
        UnknownGraphError: something looks at frames in a way that is not known here.
    """
    return _Padding(graph).apply()


class _Padding:
    def __init__(self, graph: ir.Graph) -> None:
        self._graph = graph
        self._lengths: dict[ir.Value, _Length] = {}
        self._masks: dict[_Length, ir.Value] = {}
        self._shares: dict[_Length, ir.Value] = {}
        self._numbers, self._frames = _frames(graph)
        self._total = self._frames
        self._anchor: ir.Node = self._numbers

    def apply(self) -> int:
        self._choose_bucket()
        self._lengths[self._numbers.outputs[0]] = _Length(1, 0)
        count = 0
        for node in list(self._graph):
            if node is not self._numbers and node.graph is not None:
                count += self._pass(node)
        self._cut_samples()
        return count

    # The number of frames.

    def _choose_bucket(self) -> None:
        """Have frames numbered up to the bucket.

        The first bucket that is no smaller; past the last one, whole multiples of that.
        """
        table = ir.Value(
            name=INPUT, shape=ir.Shape(["n_buckets"]), type=ir.TensorType(ir.DataType.INT64)
        )
        self._graph.inputs.append(table)
        largest = self._before("ReduceMax", [table], keepdims=0)
        over = self._before("Sub", [self._before("Add", [self._frames, largest]), self._int(1)])
        multiple = self._before("Mul", [self._before("Div", [over, largest]), largest])
        fits = self._before("GreaterOrEqual", [table, self._frames])
        candidates = self._before("Where", [fits, table, multiple])
        self._total = self._before("ReduceMin", [candidates], keepdims=0)
        self._numbers.replace_input_with(1, self._total)

    def _cut_samples(self) -> None:
        """Leave out the samples of the frames that were added."""
        (audio,) = (value for value in self._graph.outputs if value in self._lengths)
        if self._lengths[audio] != _Length(SAMPLES_PER_FRAME, 0):
            raise UnknownGraphError(f"{audio.name} has not {SAMPLES_PER_FRAME} samples a frame")
        last = audio.producer()
        assert last is not None
        place = self._graph.outputs.index(audio)
        n_samples = self._of(_Length(SAMPLES_PER_FRAME, 0), self._frames)
        end = self._before("Unsqueeze", [n_samples, self._ints(0)])
        cut = ir.node("Slice", [audio, self._ints(0), end, self._ints(0)])
        self._graph.insert_after(last, cut)
        cut.outputs[0].name, audio.name = audio.name, f"{audio.name}_of_all_frames"
        cut.outputs[0].type, cut.outputs[0].shape = audio.type, audio.shape
        self._graph.outputs[place] = cut.outputs[0]

    # What becomes of each node that works on frames.

    def _pass(self, node: ir.Node) -> int:
        """Note how long the outputs of a node are; return 1 where it had to be told."""
        lengths = [
            length for value in node.inputs
            if value is not None and (length := self._lengths.get(value)) is not None
        ]  # fmt: skip
        if node.op_type == "Shape" or not lengths:
            return 0
        if len(set(lengths)) > 1:
            raise UnknownGraphError(f"{node.name}: {node.op_type} of unequal lengths {lengths}")
        length, told = lengths[0], 0
        if node.domain == DOMAIN and node.op_type == "InstanceNorm":
            self._normalize(node, length)
            return 1
        if node.domain == "" and node.op_type in ("Conv", "ConvTranspose"):
            told = self._silence(node, 0, length, _PLACES) if _sees_beyond(node) else 0
            length = _convolved(node, length)
        elif node.op_type == "CumSum":
            told = self._silence(node, 0, length, _axis(node))
        elif node.op_type == "LSTM":
            told = self._end_sequence(node)
        elif node.op_type == "Resize":
            length = _resized(node, length)
        elif node.op_type == "Pad":
            length, told = self._pad(node, length)
        elif node.op_type == "Slice" and (change := _trimmed(node)) is not None:
            length = _Length(length.factor, length.extra + change)
        elif node.op_type not in _KEEPING:
            raise UnknownGraphError(f"{node.name}: {node.op_type} of frames")
        if node.graph is not None:  # else another stands in its place, and is noted
            for value in node.outputs:
                self._lengths[value] = length
        return told

    def _silence(self, node: ir.Node, place: int, length: _Length, axis: tuple[int, ...]) -> int:
        """Give a node zeros for the frames that were added."""
        x = node.inputs[place]
        assert x is not None
        mask = self._mask(length)
        if axis != _PLACES:
            mask = self._reshaped(mask, axis)
        product = ir.node("Mul", [x, mask])
        self._graph.insert_before(node, product)
        node.replace_input_with(place, product.outputs[0])
        return 1

    def _normalize(self, node: ir.Node, length: _Length) -> None:
        """Write out a normalisation over the frames of the speech only, and what modulates it.

        Means are products with a column of 1 / n for each frame of the speech and 0 for others.
        """
        x, y = node.inputs[0], node.outputs[0]
        assert x is not None
        before, shares = self._inserter(node), self._share(length)
        frames = before("Transpose", [x], perm=CHANNELS_LAST)
        centered = before("Sub", [frames, before("MatMul", [frames, shares])])
        variance = before("MatMul", [before("Mul", [centered, centered]), shares])
        epsilon = np.array(node.attributes["epsilon"].as_float(), np.float32)
        deviation = before("Sqrt", [before("Add", [variance, self._constant(epsilon)])])
        for user in users(y):
            self._modulate(user, centered, deviation, length)
        self._graph.remove(node, safe=True)

    def _modulate(
        self, node: ir.Node, centered: ir.Value, deviation: ir.Value, length: _Length
    ) -> None:
        """Write out (1 + gamma) * centered / deviation + beta."""
        if node.op_type != "Modulate" or node.domain != DOMAIN:
            raise UnknownGraphError(f"{node.name}: {node.op_type} of a normalisation")
        before = self._inserter(node)
        column = before("Unsqueeze", [node.inputs[1], self._ints(2)])
        split = ir.node("Split", [column], {"axis": 1, "num_outputs": 2}, num_outputs=2)
        self._graph.insert_before(node, split)
        gamma, beta = split.outputs
        one = self._constant(np.array(1, np.float32))
        factor = before("Div", [before("Add", [gamma, one]), deviation])
        result = before("Add", [before("Mul", [centered, factor]), beta])
        turned = before("Transpose", [result], perm=CHANNELS_LAST)
        convenience.replace_all_uses_with(node.outputs[0], turned)
        self._graph.remove(node, safe=True)
        self._lengths[turned] = length

    def _end_sequence(self, node: ir.Node) -> int:
        """Tell an LSTM over frames where they end: it also begins there."""
        if len(node.inputs) > 4 and node.inputs[4] is not None:
            raise UnknownGraphError(f"{node.name}: an LSTM that knows where its sequences end")
        before = self._inserter(node)
        length = before("Cast", [self._frames], to=ir.DataType.INT32)
        node.resize_inputs(max(5, len(node.inputs)))
        node.replace_input_with(4, before("Unsqueeze", [length, self._ints(0)]))
        return 1

    def _pad(self, node: ir.Node, length: _Length) -> tuple[_Length, int]:
        """Reflect the last samples of the speech, where a Pad reflects the last of all.

        Sample i of the padded ones is sample (n - 1) - |(n - 1) - |i - begin|| of n.
        """
        amounts = constant(node.inputs[1])
        mode = node.attributes.get("mode")
        if amounts is None or mode is None or mode.as_string() != "reflect" or amounts.size != 6:
            raise UnknownGraphError(f"{node.name}: a Pad that does not reflect")
        begin, end = int(amounts[2]), int(amounts[5])
        padded = _Length(length.factor, length.extra + begin + end)
        if not end:
            return padded, 0
        before = self._inserter(node)
        numbers = before("Range", [self._int(0), self._of(padded, self._total), self._int(1)])
        first = before("Abs", [before("Sub", [numbers, self._int(begin)])])
        last = before("Sub", [self._of(length, self._frames), self._int(1)])
        inside = before("Sub", [last, before("Abs", [before("Sub", [last, first])])])
        index = before("Max", [inside, self._int(0)])
        result = before("Gather", [node.inputs[0], index], axis=2)
        convenience.replace_all_uses_with(node.outputs[0], result)
        self._graph.remove(node, safe=True)
        self._lengths[result] = padded
        return padded, 1

    # Values that several nodes share.

    def _mask(self, length: _Length) -> ir.Value:
        """Return float32 [1, 1, T]: 1 for the frames of the speech, 0 for those added."""
        if length not in self._masks:
            numbers = self._before(
                "Range", [self._int(0), self._of(length, self._total), self._int(1)]
            )
            inside = self._before("Less", [numbers, self._of(length, self._frames)])
            mask = self._before("Cast", [inside], to=ir.DataType.FLOAT)
            self._masks[length] = self._before("Unsqueeze", [mask, self._ints(0, 1)])
        return self._masks[length]

    def _share(self, length: _Length) -> ir.Value:
        """Return float32 [1, T, 1]: what each frame counts in a mean."""
        if length not in self._shares:
            n_frames = self._of(length, self._frames)
            count = self._before("Cast", [n_frames], to=ir.DataType.FLOAT)
            share = self._before("Div", [self._mask(length), count])
            self._shares[length] = self._reshaped(share, (1, -1, 1))
        return self._shares[length]

    def _reshaped(self, mask: ir.Value, shape: tuple[int, ...]) -> ir.Value:
        return self._before("Reshape", [mask, self._ints(*shape)])

    def _of(self, length: _Length, frames: ir.Value) -> ir.Value:
        """Return the length for so many frames."""
        product = self._before("Mul", [frames, self._int(length.factor)])
        return self._before("Add", [product, self._int(length.extra)])

    def _before(self, op_type: str, inputs: list[ir.Value | None], **attributes: int) -> ir.Value:
        """Make a value where all nodes that work on frames can have it."""
        return self._inserter(self._anchor)(op_type, inputs, **attributes)

    def _inserter(self, place: ir.Node) -> _Inserter:
        return _Inserter(self._graph, place)

    def _int(self, value: int) -> ir.Value:
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


_PLACES = (1, 1, -1)
"""How a mask is shaped for [1, C, T]."""

_KEEPING = frozenset(
    (
        *("Add", "Div", "Mul", "Pow", "Sub", "Abs", "Neg", "Sqrt", "Reciprocal", "Floor"),
        *("Atan", "Cos", "Exp", "Sin", "Tanh", "Sigmoid", "LeakyRelu", "Cast"),
        *("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Not", "Where", "Min", "Max"),
        *("Concat", "Split", "Slice", "Gather", "Transpose"),
        *("Reshape", "Squeeze", "Unsqueeze", "MatMul", "FusedMatMul"),
    )
)
"""Operators that keep frames apart and their number, on whatever axis they are."""


def _frames(graph: ir.Graph) -> tuple[ir.Node, ir.Value]:
    """Return the Range that numbers the frames, and how many there are: int64, no axis."""
    for node in nodes_of(graph, "Range"):
        last = maker(node.inputs[1], "Gather")
        summed = maker(last.inputs[0], "CumSum") if last is not None else None
        value = summed.inputs[0] if summed is not None else None
        while value is not None and value.name != TENSOR_NAME:
            made = value.producer()
            value = made.inputs[0] if made is not None and made.inputs else None
        if last is not None and value is not None:
            return node, last.outputs[0]
    raise UnknownGraphError("nothing numbers the frames that the durations add up to")


def _sees_beyond(node: ir.Node) -> bool:
    """Tell whether a convolution mixes the last frames with what is behind them."""
    kernel = constant(node.inputs[1])
    if kernel is None or kernel.ndim != 3 or not is_sized_by_pads(node):
        raise UnknownGraphError(f"{node.name}: a convolution of another kind")
    if node.op_type == "ConvTranspose":
        (stride,), (dilation,) = ints(node, "strides"), ints(node, "dilations")
        reach = dilation * (kernel.shape[2] - 1) + 1
        return bool(reach + ints(node, "output_padding")[0] - ints(node, "pads")[1] > stride)
    return ints(node, "pads") != (0, 0)


def _convolved(node: ir.Node, length: _Length) -> _Length:
    kernel = constant(node.inputs[1])
    assert kernel is not None  # looked at before
    (stride,), (dilation,) = ints(node, "strides"), ints(node, "dilations")
    reach = dilation * (kernel.shape[2] - 1)
    padded = sum(ints(node, "pads"))
    if node.op_type == "ConvTranspose":
        extra = (length.extra - 1) * stride + reach + 1 - padded + ints(node, "output_padding")[0]
        return _Length(length.factor * stride, extra)
    if length.factor % stride:
        raise UnknownGraphError(f"{node.name}: a stride of {stride} over {length}")
    return _Length(length.factor // stride, (length.extra + padded - reach - 1) // stride + 1)


def _resized(node: ir.Node, length: _Length) -> _Length:
    factors = constant(node.inputs[2])
    if factors is None or factors.size != 3 or factors[2] != int(factors[2]):
        raise UnknownGraphError(f"{node.name}: a Resize of another kind")
    mode = node.attributes.get("mode")
    if mode is not None and mode.as_string() != "nearest" and not _is_sum(node.inputs[0]):
        raise UnknownGraphError(f"{node.name}: a Resize that mixes frames")
    factor = int(factors[2])
    return _Length(length.factor * factor, length.extra * factor)


def _is_sum(value: ir.Value | None) -> bool:
    """Tell whether a value is that of the last frame in all that were added: a sum, times numbers.

    Interpolated between the last frame and the next, it is what it is behind the last of all.
    """
    while (node := maker(value, "Mul") or maker(value, "Transpose")) is not None:
        if any(constant(other) is None for other in node.inputs[1:]):
            return False
        value = node.inputs[0]
    return maker(value, "CumSum") is not None


def _trimmed(node: ir.Node) -> int | None:
    """Return how much longer a Slice makes frames, less than zero; None where it cuts channels."""
    bounds = [constant(value) for value in node.inputs[1:]]
    if len(bounds) < 3 or any(bound is None or bound.size != 1 for bound in bounds):
        raise UnknownGraphError(f"{node.name}: a Slice of another kind")
    start, end, axis = (int(scalar(value) or 0) for value in node.inputs[1:4])
    if axis != 2:
        return None
    if len(bounds) > 3 and scalar(node.inputs[4]) != 1:
        raise UnknownGraphError(f"{node.name}: a Slice of some frames only")
    if start < 0 or 0 <= end < np.iinfo(np.int64).max:
        raise UnknownGraphError(f"{node.name}: a Slice between {start} and {end}")
    return min(end, 0) - start if end < 0 else -start


def _axis(node: ir.Node) -> tuple[int, ...]:
    """Return how a mask is shaped for a sum over the second of three axes."""
    if scalar(node.inputs[1]) != 1:
        raise UnknownGraphError(f"{node.name}: a CumSum over another axis")
    return (1, -1, 1)
