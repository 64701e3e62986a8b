"""Replace the short-time Fourier transforms of source and output by matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnxscript.rewriter import RewriteRuleSet

from service.preparation.rewriting.constants import END, float32, int64s, sliced, stored
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import (
    CHANNELS_LAST,
    Array,
    constant,
    ints,
    is_sized_by_pads,
    maker,
    n_groups,
    scalar,
    users,
)
from service.preparation.rewriting.harmonics import level_of_silence
from service.preparation.rewriting.measuring import result_of
from service.preparation.rewriting.native import OPERATORS
from service.preparation.rewriting.packing import pack_floats
from service.preparation.rewriting.rule import Rule, rule_set


def rules() -> RewriteRuleSet:
    """Return the rules that replace STFT, and the transposed convolution of the inverse.

    STFT becomes a product of frames, assembled from the signal's hops, and a matrix. The source is
    constant where the voice is unvoiced. There all bins but two are rounding errors of the
    published operator, and yet the decoder uses their phases. So the constant is subtracted first,
    and its spectrum, as the operator computes it, is added: the phases equal the published ones.
    The matrix is the operator's result for unit impulses: the sign of the imaginary parts of its
    first and last bin, which should be 0, decides which branch of the arc tangent is taken.
    """
    return rule_set(_Forward, _Part, _Inverse)


def convolving_rules() -> RewriteRuleSet:
    """Return the rules that replace STFT by convolutions, and keep the inverse.

    CUDA has no kernel for STFT, but fast convolutions.
    """
    return rule_set(_ConvolvedForward, _Part)


def native_rules() -> RewriteRuleSet:
    """Return the rules that replace both transforms by native operators.

    Both transforms are convolutions over the hops of a signal: of its samples to the bins of a
    frame, and of the bins of the frames around a hop to its samples. The spectrum of the sound is
    Exp of one half of the generator's channels, and Sin, then Cos and Sin, of the other half,
    multiplied and concatenated; `PolarToCartesian` replaces all of that.
    """
    return rule_set(_NativeForward, _Part, _Polar, _NativeInverse)


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

        parts = self.parts(op, x, level, hop, matrix, offset.reshape(-1))
        return op.Parts(*parts, _domain=DOMAIN)

    def parts(
        self, op: Any, x: Any, level: np.float32, hop: int, matrix: Array, offset: Array
    ) -> list[Any]:
        """Return real and imaginary parts, each [1, bins, T].

        Args:
            op: what writes nodes.
            x: float32 [1, n]; its difference from the level is multiplied.
            level: see `_constant_level`.
            hop: samples from frame to frame.
            matrix: float32 [samples of a frame, bins * 2].
            offset: float32 [bins * 2], the spectrum of the level.
        """
        rows = op.Div(op.Shape(x, start=1, end=2), int64s(op, hop))
        whole = op.Slice(x, int64s(op, 0), op.Mul(rows, int64s(op, hop)), int64s(op, 1))
        changing = op.Sub(whole, float32(op, float(level)))
        hops = op.Reshape(changing, int64s(op, 1, -1, hop))
        spectrum = self.product(op, hops, matrix.reshape(len(matrix) // hop, hop, -1), offset)
        parts = op.Split(spectrum, axis=2, num_outputs=2, _outputs=2)
        return [op.Transpose(part, perm=CHANNELS_LAST) for part in parts]

    def product(self, op: Any, hops: Any, matrices: Array, offset: Array) -> Any:
        """Return [1, T, bins * 2]: the sum over the hops of a frame of each times its matrix."""
        n_hops = len(matrices)
        shifted = [
            sliced(op, hops, k, k - n_hops + 1 if k < n_hops - 1 else END, 1) for k in range(n_hops)
        ]
        frames = op.Concat(*shifted, axis=2)
        matrix = matrices.reshape(-1, offset.size)
        return op.Add(
            op.MatMul(frames, stored(op, matrix, "stft_matrix")),
            stored(op, offset.reshape(1, 1, -1), "stft_offset"),
        )


class _ConvolvedForward(_Forward):
    def parts(
        self, op: Any, x: Any, level: np.float32, hop: int, matrix: Array, offset: Array
    ) -> list[Any]:
        signal = op.Unsqueeze(op.Sub(x, float32(op, float(level))), int64s(op, 1))
        spectrum = op.Conv(
            signal,
            stored(op, matrix.T[:, np.newaxis], "stft_kernel"),
            stored(op, offset, "stft_offset"),
            strides=[hop],
        )
        return list(op.Split(spectrum, axis=1, num_outputs=2, _outputs=2))


class _NativeForward(_Forward):
    def product(self, op: Any, hops: Any, matrices: Array, offset: Array) -> Any:
        return _convolution(op, hops, matrices, offset, 0, "stft")


def _part_of(node: ir.Node) -> int | None:
    """Return which part of complex numbers a node takes, 0 real or 1 imaginary; or None."""
    axis = node.attributes.get("axis")
    if node.op_type != "Gather" or axis is None or axis.as_int() != 3:
        return None
    index = scalar(node.inputs[1])
    return int(index) if index in (0, 1) else None


def _constant_level(signal: ir.Value) -> np.float32:
    """Return the level of the signal where the source is silent; 0 if unknown.

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
    """One part of the transform. Both are used; the STFT goes when the second one is replaced."""

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
        frames = op.Transpose(x, perm=CHANNELS_LAST)
        total = self.samples(op, frames, kernel[:, 0, :], ints(node, "strides")[0])
        return op.Reshape(total, int64s(op, 1, 1, -1))

    def samples(self, op: Any, frames: Any, matrix: Array, hop: int) -> Any:
        """Return [1, T, hop]: the overlapping samples of frames times a matrix, added."""
        n_hops = matrix.shape[1] // hop
        spread = op.MatMul(frames, stored(op, matrix, "inverse_stft_matrix"))
        total = None
        for k in range(n_hops):
            part = sliced(op, spread, k * hop, (k + 1) * hop, 2)
            part = op.Pad(part, int64s(op, 0, k, 0, 0, n_hops - 1 - k, 0))
            total = part if total is None else op.Add(total, part)
        return total


class _NativeInverse(_Inverse):
    def samples(self, op: Any, frames: Any, matrix: Array, hop: int) -> Any:
        # The last hop of the frame that is furthest back comes first.
        matrices = np.stack(np.split(matrix, matrix.shape[1] // hop, axis=1)[::-1])
        silence = np.zeros(hop, np.float32)
        return _convolution(op, frames, matrices, silence, len(matrices) - 1, "inverse_stft")


def _convolution(op: Any, x: Any, matrices: Array, bias: Array, pad: int, name: str) -> Any:
    """Return the sum over k of rows t + k times matrix k; the rows are padded at both ends."""
    return op.Conv(
        x,
        stored(op, pack_floats(matrices.transpose(2, 1, 0)), f"{name}_kernel"),
        stored(op, bias, f"{name}_offset"),
        _domain=OPERATORS,
        channels=bias.size,
        kernel_size=len(matrices),
        pad_begin=pad,
        pad_end=pad,
        negative_slope=1.0,
    )


class _Polar(Rule):
    def pattern(self, op: Any, x: Any) -> Any:
        levels = op.Slice(x, _allow_other_inputs=True, _outputs=["levels"])
        phases = op.Slice(x, _allow_other_inputs=True, _outputs=["phases"])
        magnitude, angle = op.Exp(levels), op.Sin(phases)
        real, imaginary = op.Mul(magnitude, op.Cos(angle)), op.Mul(magnitude, op.Sin(angle))
        return op.Concat(real, imaginary, axis=1)

    def check(
        self, context: Any, x: ir.Value, levels: ir.Value, phases: ir.Value, **_: Any
    ) -> bool:
        n_channels = _n_channels(x)
        if n_channels is None or n_channels % 2:
            return False
        n_bins = n_channels // 2
        halves = _channels(levels, n_channels), _channels(phases, n_channels)
        return halves == (range(n_bins), range(n_bins, n_channels))

    def rewrite(self, op: Any, x: ir.Value, **_: Any) -> Any:
        rows = op.Transpose(x, perm=CHANNELS_LAST)
        return op.Transpose(op.PolarToCartesian(rows, _domain=OPERATORS), perm=CHANNELS_LAST)


def _n_channels(x: ir.Value) -> int | None:
    """Return the number of output channels of a convolution; None for another node."""
    node = maker(x, "Conv")
    if node is None:
        # One of the dialect stands before the transpose that undoes its order of axes.
        turned = maker(x, "Transpose")
        node = maker(turned.inputs[0], "Conv") if turned is not None else None
        if node is None or node.domain != DOMAIN:
            return None
    weight = constant(node.inputs[1])
    return weight.shape[0] if weight is not None else None


def _channels(part: ir.Value, n_channels: int) -> range | None:
    """Return the channels of a slice; None if it slices another axis."""
    node = part.producer()
    numbers = [constant(value) for value in node.inputs[1:]] if node is not None else []
    bounds = [int(array[0]) for array in numbers if array is not None and array.shape == (1,)]
    if len(bounds) != 4 or bounds[2:] != [1, 1]:  # axis and step
        return None
    return range(*slice(*bounds[:2]).indices(n_channels))
