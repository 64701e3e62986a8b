"""Do the short Fourier transforms of the source and of the output as matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnxscript.rewriter import RewriteRuleSet

from service.model.rewriting.constants import END, integers, number, sliced, stored
from service.model.rewriting.dialect import DOMAIN
from service.model.rewriting.graph import (
    CHANNELS_LAST,
    constant,
    ints,
    is_sized_by_pads,
    maker,
    n_groups,
    scalar,
    users,
)
from service.model.rewriting.harmonics import level_of_silence
from service.model.rewriting.measuring import result_of
from service.model.rewriting.rule import Rule, rule_set


def rules() -> RewriteRuleSet:
    """Return what replaces STFT and the transposed convolution of the inverse one.

    STFT of a signal becomes frames, put together from its hops, times a matrix. The source is
    constant where a voice has no tone; all but two of the bins there are the published operator's
    rounding errors, yet their phase goes on into the decoder. So the constant is taken off first,
    and its spectrum, as the operator gives it, put back: the phases are the published ones. The
    matrix is what the operator makes of unit impulses: the sign of the imaginary part of its first
    and last bin, where it should be 0, decides which branch of the arc tangent is taken.
    """
    return rule_set(_Forward, _Part, _Inverse)


class _Forward(Rule):
    def pattern(self, op: Any, x: Any, step: Any, window: Any, length: Any) -> Any:
        return op.Transpose(
            op.STFT(x, step, window, length, onesided=1), perm=[0, 2, 1, 3], _outputs=["spectrum"]
        )

    def check(
        self, context: Any, step: ir.Value, window: ir.Value, length: ir.Value,
        spectrum: ir.Value, **_: Any,
    ) -> bool:  # fmt: skip
        shape, hop, size = constant(window), scalar(step), scalar(length)
        return (
            not spectrum.is_graph_output()
            and all(_part_of(node) is not None for node in users(spectrum))
            and shape is not None and hop is not None and size is not None
            and shape.shape == (int(size),) and int(size) % int(hop) == 0
        )  # fmt: skip

    def rewrite(
        self, op: Any, x: ir.Value, step: ir.Value, window: ir.Value, length: ir.Value, **_: Any
    ) -> Any:
        shape, hop, size = constant(window), scalar(step), scalar(length)
        assert shape is not None  # check said so
        assert hop is not None
        assert size is not None
        hop, size = int(hop), int(size)

        def spectra(signals: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
            """Return [n, bins * 2], real parts first, of n frames."""
            result = result_of(
                "STFT", signals, np.array(size, np.int64), shape, np.array(size, np.int64),
                onesided=1,
            )  # fmt: skip
            return np.concatenate([result[:, 0, :, 0], result[:, 0, :, 1]], axis=1)

        matrix = spectra(np.eye(size, dtype=np.float32))
        level = _constant_level(x)
        offset = spectra(np.full((1, size), level, np.float32))
        n_hops, n_bins = size // hop, matrix.shape[1] // 2

        rows = op.Div(op.Shape(x, start=1, end=2), integers(op, hop))
        whole = op.Slice(x, integers(op, 0), op.Mul(rows, integers(op, hop)), integers(op, 1))
        changing = op.Sub(whole, number(op, float(level)))
        hops = op.Reshape(changing, integers(op, 1, -1, hop))
        shifted = [
            sliced(op, hops, k, k - n_hops + 1 if k < n_hops - 1 else END, 1) for k in range(n_hops)
        ]
        frames = op.Concat(*shifted, axis=2)
        spectrum = op.Add(
            op.MatMul(frames, stored(op, matrix, "stft_matrix")),
            stored(op, offset.reshape(1, 1, -1), "stft_offset"),
        )
        real, imaginary = (
            op.Transpose(sliced(op, spectrum, first, end, 2), perm=CHANNELS_LAST)
            for first, end in ((0, n_bins), (n_bins, END))
        )
        return op.Parts(real, imaginary, _domain=DOMAIN)


def _part_of(node: ir.Node) -> int | None:
    """Return which part of a complex number a node takes: 0 the real one, or 1; else None."""
    axis = node.attributes.get("axis")
    if node.op_type != "Gather" or axis is None or axis.as_int() != 3:
        return None
    index = scalar(node.inputs[1])
    return int(index) if index in (0, 1) else None


def _constant_level(signal: ir.Value) -> np.float32:
    """Return what the signal is where the source is silent, or 0 where that cannot be told.

    The source is tanh of a sum of sines, each times 0 or 1, plus a bias.
    """
    value: ir.Value | None = signal
    while value is not None and maker(value, "Tanh") is None:
        node = value.producer()
        if node is None or node.op_type not in ("Reshape", "Pad", "Squeeze", "Transpose"):
            return np.float32(0)
        value = node.inputs[0]
    tanh = maker(value, "Tanh")
    biased = maker(tanh.inputs[0], "Add") if tanh is not None else None
    biases = [scalar(each) for each in biased.inputs] if biased is not None else []
    known = [bias for bias in biases if bias is not None]
    return level_of_silence(known[0]) if len(known) == 1 else np.float32(0)


class _Part(Rule):
    """Both parts are asked for; they go when the second one has its answer."""

    def __init__(self) -> None:
        super().__init__(remove_nodes=False)

    def pattern(self, op: Any, real: Any, imaginary: Any, index: Any) -> Any:
        return op.Gather(op.Parts(real, imaginary, _domain=DOMAIN), index, axis=3)

    def check(self, context: Any, index: ir.Value, **_: Any) -> bool:
        return scalar(index) in (0, 1)

    def rewrite(self, op: Any, real: ir.Value, imaginary: ir.Value, index: ir.Value) -> Any:
        return op.Identity(imaginary if scalar(index) else real)


class _Inverse(Rule):
    """Overlap and add: a transposed convolution to one channel, its kernel some strides long."""

    def pattern(self, op: Any, x: Any, weight: Any) -> Any:
        return op.ConvTranspose(x, weight, _allow_other_attributes=True, _outputs=["overlapped"])

    def check(self, context: Any, weight: ir.Value, overlapped: ir.Value, **_: Any) -> bool:
        kernel, node = constant(weight), overlapped.producer()
        if node is None or kernel is None or kernel.ndim != 3 or kernel.shape[1] != 1:
            return False
        return (
            len(node.inputs) == 2
            and n_groups(node) == 1
            and is_sized_by_pads(node)
            and ints(node, "pads") == (0, 0)
            and ints(node, "dilations") == (1,)
            and ints(node, "output_padding") == (0,)
            and kernel.shape[2] % ints(node, "strides")[0] == 0
        )

    def rewrite(self, op: Any, x: ir.Value, weight: ir.Value, overlapped: ir.Value) -> Any:
        kernel, node = constant(weight), overlapped.producer()
        assert kernel is not None  # check said so
        assert node is not None
        hop = ints(node, "strides")[0]
        n_hops = kernel.shape[2] // hop
        frames = op.Transpose(x, perm=CHANNELS_LAST)
        matrix = np.ascontiguousarray(kernel[:, 0, :])
        spread = op.MatMul(frames, stored(op, matrix, "inverse_stft_matrix"))
        total = None
        for k in range(n_hops):
            part = sliced(op, spread, k * hop, (k + 1) * hop, 2)
            part = op.Pad(part, integers(op, 0, k, 0, 0, n_hops - 1 - k, 0))
            total = part if total is None else op.Add(total, part)
        return op.Reshape(total, integers(op, 1, 1, -1))
