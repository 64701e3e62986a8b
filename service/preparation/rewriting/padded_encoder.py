"""An encoder that adds frames. Their number is known only in the middle of its run."""

from __future__ import annotations

import onnx_ir as ir
from onnx_ir import convenience

from service.model.durations import TENSOR_NAME
from service.preparation.rewriting.graph import maker, nodes_of
from service.preparation.rewriting.padding import (
    OF_FEATURES,
    OF_SPECTRUM,
    Length,
    Padding,
    add_input,
)
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from service.preparation.rewriting.refusing import refused

BUCKETS = "buckets"
"""The encoder's additional input: int64 [n], the bucket lengths in frames, ascending."""


def pad_frames(encoder: ir.Graph) -> int:
    """Add frames up to the next bucket length; return how many nodes were made to ignore them.

    In: the frames are numbered by a Range that ends at the last sum of durations; `InstanceNorm`;
    STFT of samples that are reflected at both ends. Out: the same with more
    frames; the features and the spectrum of the first frames are unchanged.

    Raises:
        RefusedError: a node uses frames in an unknown way.
    """
    numbers, n_frames = _frames(encoder)
    table = add_input(encoder, BUCKETS, ir.Shape(["n_buckets"]), ir.DataType.INT64)
    padding = _Padded(encoder, numbers, n_frames, table)
    numbers.replace_input_with(1, padding.total)
    return padding.apply(
        {numbers.outputs[0]: Length(1, 0)}, {FEATURES: OF_FEATURES, SPECTRUM: OF_SPECTRUM}
    )


class _Padded(Padding):
    """The frames that an encoder adds.

    Args:
        graph: the encoder.
        numbers: the node that numbers the frames.
        frames: int64 [], the number of frames of the speech.
        table: the bucket lengths.

    Attributes:
        total: int64 [], the number of all frames: the first bucket length that is not smaller, or
            the next multiple of the last one.
    """

    def __init__(
        self, graph: ir.Graph, numbers: ir.Node, frames: ir.Value, table: ir.Value
    ) -> None:
        super().__init__(graph, numbers)
        self._frames = frames
        largest = self.make("ReduceMax", [table], keepdims=0)
        over = self.make("Sub", [self.make("Add", [frames, largest]), self.number(1)])
        multiple = self.make("Mul", [self.make("Div", [over, largest]), largest])
        fits = self.make("GreaterOrEqual", [table, frames])
        candidates = self.make("Where", [fits, table, multiple])
        self.total = self.make("ReduceMin", [candidates], keepdims=0)

    def _end_sequence(self, node: ir.Node) -> int:
        if len(node.inputs) > 4 and node.inputs[4] is not None:
            raise refused("an LSTM that knows where its sequences end", node)
        before = self._inserter(node)
        length = before("Cast", [self._frames], to=ir.DataType.INT32)
        node.resize_inputs(max(5, len(node.inputs)))
        node.replace_input_with(4, before("Unsqueeze", [length, self._ints(0)]))
        return 1

    def _reflect_end(self, node: ir.Node, length: Length, padded: Length, begin: int) -> int:
        """Gather: padded sample i is sample (n - 1) - |(n - 1) - |i - begin|| of n."""
        before = self._inserter(node)
        numbers = before("Range", [self.number(0), self._of(padded, self.total), self.number(1)])
        first = before("Abs", [before("Sub", [numbers, self.number(begin)])])
        last = before("Sub", [self._of(length, self._frames), self.number(1)])
        inside = before("Sub", [last, before("Abs", [before("Sub", [last, first])])])
        index = before("Max", [inside, self.number(0)])
        result = before("Gather", [node.inputs[0], index], axis=2)
        convenience.replace_all_uses_with(node.outputs[0], result)
        self._graph.remove(node, safe=True)
        self._lengths[result] = padded
        return 1

    def _new_mask(self, length: Length) -> ir.Value:
        numbers = self.make("Range", [self.number(0), self._of(length, self.total), self.number(1)])
        inside = self.make("Less", [numbers, self._of(length, self._frames)])
        mask = self.make("Cast", [inside], to=ir.DataType.FLOAT)
        return self.make("Unsqueeze", [mask, self._ints(0, 1)])

    def _count(self, length: Length) -> ir.Value:
        return self.make("Cast", [self._of(length, self._frames)], to=ir.DataType.FLOAT)

    def _of(self, length: Length, frames: ir.Value) -> ir.Value:
        """Return int64 [], the length for a number of frames."""
        product = self.make("Mul", [frames, self.number(length.factor)])
        return self.make("Add", [product, self.number(length.extra)])


def _frames(graph: ir.Graph) -> tuple[ir.Node, ir.Value]:
    """Return the Range that numbers the frames, and their number, int64 []."""
    for node in nodes_of(graph, "Range"):
        last = maker(node.inputs[1], "Gather")
        summed = maker(last.inputs[0], "CumSum") if last is not None else None
        value = summed.inputs[0] if summed is not None else None
        while value is not None and value.name != TENSOR_NAME:
            made = value.producer()
            value = made.inputs[0] if made is not None and made.inputs else None
        if last is not None and value is not None:
            return node, last.outputs[0]
    raise refused("nothing numbers the frames that the durations add up to", graph)
