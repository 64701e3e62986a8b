"""A decoder with a mask of its real frames."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from service.model.durations import SAMPLES_PER_FRAME
from service.preparation.rewriting.padding import (
    OF_FEATURES,
    OF_SPECTRUM,
    Length,
    Padding,
    add_input,
)
from service.preparation.rewriting.parts import FEATURES, SPECTRUM
from service.preparation.rewriting.refusing import named, refused

MASK = "mask"
"""The decoder's additional input: float32 [1, 1, 2 T], 1 for real features, 0 for added ones. It is
not a frame count: masks would then be computed from shapes, which ONNX Runtime does on the CPU, and
a CUDA graph cannot contain copies from there."""

_OF_AUDIO = Length(SAMPLES_PER_FRAME, 0)


def mask_frames(decoder: ir.Graph) -> int:
    """Mask added frames; return how many nodes were made to ignore them.

    Raises:
        RefusedError: a node uses frames in an unknown way.
    """
    features, spectrum = (named(decoder.inputs, name, decoder) for name in (FEATURES, SPECTRUM))
    mask = add_input(decoder, MASK, ir.Shape([1, 1, None]), ir.DataType.FLOAT)
    if len(decoder.outputs) != 1:
        raise refused(f"the decoder has {len(decoder.outputs)} outputs and not one", decoder)
    (audio,) = decoder.outputs
    first = ir.node("Identity", [mask])  # an anchor that stays; any other node may be replaced
    decoder.insert_before(decoder[0], first)
    return _Masked(decoder, first, mask).apply(
        {features: OF_FEATURES, spectrum: OF_SPECTRUM}, {str(audio.name): _OF_AUDIO}
    )


class _Masked(Padding):
    """The masked frames of a decoder.

    Args:
        graph: the decoder.
        anchor: its first node, which stays.
        mask: see `MASK`.
    """

    def __init__(self, graph: ir.Graph, anchor: ir.Node, mask: ir.Value) -> None:
        super().__init__(graph, anchor)
        self._given = mask

    def _new_mask(self, length: Length) -> ir.Value:
        """Repeat the mask of features. Extra positions are at the beginning, and count."""
        times, rest = divmod(length.factor, OF_FEATURES.factor)
        if rest:
            raise refused(f"a mask of {length}", self._given)
        mask = self._given
        if times > 1:
            column = self.make("Unsqueeze", [mask, self._ints(3)])
            mask = self._reshaped(
                self.make("Expand", [column, self._ints(1, 1, 1, times)]), (1, 1, -1)
            )
        if length.extra > 0:
            ones = self._constant(np.ones((1, 1, length.extra), np.float32))
            return self.make("Concat", [ones, mask], axis=2)
        if length.extra < 0:
            bounds = self._ints(-length.extra), self._ints(np.iinfo(np.int64).max)
            return self.make("Slice", [mask, *bounds, self._ints(2)])
        return mask

    def _count(self, length: Length) -> ir.Value:
        times = np.array(length.factor / OF_FEATURES.factor, np.float32)
        n_columns = self.make("ReduceSum", [self._given], keepdims=1)
        product = self.make("Mul", [n_columns, self._constant(times)])
        return self.make("Add", [product, self._constant(np.array(length.extra, np.float32))])
