"""Replace recognized operators by ONNX Runtime's own, the fastest for each.

The pattern of each rule is one dialect operator. docs/speed.md has the measurements behind the
choices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnxscript.rewriter import RewriteRuleSet

from service.preparation.rewriting.constants import END, float32, int32, int64s, sliced, stored
from service.preparation.rewriting.dialect import DOMAIN, ENDS
from service.preparation.rewriting.graph import Array, constant
from service.preparation.rewriting.lengths import taps
from service.preparation.rewriting.packing import MOST_IN_RUN
from service.preparation.rewriting.rule import Rule, rule_set


def rules() -> RewriteRuleSet:
    """Return the rules that replace every dialect operator."""
    return rule_set(
        _AdaIN, _ScaledSnake, _Snake, _QuantizedConv, _Upsample, _Conv, _Repeat, _Reflect,
        _ChannelStatistics,
    )  # fmt: skip


def given_rules() -> RewriteRuleSet:
    """Return the rules that replace layers with statistics as inputs; apply them before `rules`."""
    return rule_set(_GivenLayer)


SINE = np.array([3.0969623, 3.6068321])
"""P, lowest power first, such that (h * P(h))^2 with h = f * (1 - f) is sin(pi * f)^2 for f within
0..1, at most 6.7e-4 off: minimax of the square, by Lawson's reweighting over 20,001 Chebyshev
points. What follows is rounded to 8 bits; one such step is some hundred times as much."""


def _length(op: Any, made: ir.Value, place: int) -> Any:
    """Return the number of input frames of a value's node: its input at `place` if it has one (see
    `share_lengths`), otherwise from the shape."""
    node = made.producer()
    assert node is not None  # matched
    if len(node.inputs) > place and node.inputs[place] is not None:
        return node.inputs[place]
    return op.Shape(node.inputs[0], start=1, end=2)


class _AdaIN(Rule):
    """One multiplication and one addition."""

    def pattern(self, op: Any, x: Any, style: Any) -> Any:
        norm = op.InstanceNorm(
            x, _domain=DOMAIN, _allow_other_inputs=True, _allow_other_attributes=True,
            _outputs=["norm"],
        )  # fmt: skip
        return op.Modulate(norm, style, _domain=DOMAIN)

    def __init__(self) -> None:
        # A normalization may be followed by several styles; it goes when the last one has.
        super().__init__(remove_nodes=False)

    def rewrite(self, op: Any, x: ir.Value, style: ir.Value, norm: ir.Value) -> Any:
        scale, shift = _scale_and_shift(op, norm, style, *_moments(op, x, _length(op, norm, 1)))
        return op.Add(op.Mul(x, scale), shift)


class _GivenLayer(Rule):
    """AdaIN, Snake and a convolution where statistics may be given.

    The range that is quantized to 8 bits covers the frames and, weighted by their share, the given
    ends. Snake is monotonic, so it maps the ends of its input to the ends of its output, in either
    order. Every range includes 0, and ends with a share of 0 become 0.
    """

    def __init__(self) -> None:
        super().__init__(remove_nodes=False)

    def pattern(
        self, op: Any, x: Any, style: Any, mean: Any, variance: Any, least: Any, greatest: Any,
        share: Any, alpha: Any, weight: Any,
    ) -> Any:  # fmt: skip
        norm = op.InstanceNorm(
            x, _domain=DOMAIN, _allow_other_inputs=True, _allow_other_attributes=True,
            _outputs=["norm"],
        )  # fmt: skip
        modulated = op.Modulate(norm, style, mean, variance, least, greatest, share, _domain=DOMAIN)
        return op.QuantizedConv(
            op.Snake(modulated, alpha, _domain=DOMAIN), weight, _domain=DOMAIN,
            _allow_other_inputs=True, _allow_other_attributes=True, _outputs=["convolved"],
        )  # fmt: skip

    def rewrite(
        self, op: Any, x: ir.Value, style: ir.Value, mean: ir.Value, variance: ir.Value,
        least: ir.Value, greatest: ir.Value, share: ir.Value, alpha: ir.Value, norm: ir.Value,
        convolved: ir.Value, **_: ir.Value,
    ) -> Any:  # fmt: skip
        given = op.Greater(share, float32(op, 0.0))
        moments = [
            op.Where(given, *pair)
            for pair in zip((mean, variance), _moments(op, x, _length(op, norm, 1)), strict=True)
        ]
        scale, shift = _scale_and_shift(op, norm, style, *moments)
        y = _scaled_snake(op, x, scale, shift, alpha)
        ends = op.Reshape(op.Concat(least, greatest, axis=0), int64s(op, 1, 2, -1))
        ends = op.Mul(_scaled_snake(op, ends, scale, shift, alpha), share)
        own = [
            op.Reshape(reduce(y, keepdims=0), int64s(op, 1))
            for reduce in (op.ReduceMin, op.ReduceMax)
        ]
        ends = op.Concat(op.Reshape(ends, int64s(op, -1)), *own, axis=0)
        node = convolved.producer()
        assert node is not None  # matched
        inputs = [y, *node.inputs[1:], *[None] * (ENDS - len(node.inputs)), ends]
        return op.QuantizedConv(*inputs, _domain=DOMAIN, **node.attributes)


def _moments(op: Any, x: ir.Value, length: Any) -> tuple[Any, Any]:
    """Return mean and variance, [1, 1, C].

    They are products with a row of 1 / T, which is ten times as fast as ReduceMean.
    """
    share = op.Reciprocal(op.Cast(length, to=ir.DataType.FLOAT))
    weights = op.Expand(share, op.Concat(int64s(op, 1, 1), length, axis=0))
    # Otherwise the number of axes of the results is unknown; see `share_lengths`.
    weights.shape, weights.type = ir.Shape([1, 1, None]), ir.TensorType(ir.DataType.FLOAT)
    mean = op.MatMul(weights, x)
    square = op.MatMul(weights, op.Mul(x, x))
    return mean, op.Relu(op.Sub(square, op.Mul(mean, mean)))


def _scale_and_shift(
    op: Any, norm: ir.Value, style: ir.Value, mean: Any, variance: Any
) -> tuple[Any, Any]:
    """Return the factor and the offset of AdaIN."""
    node = norm.producer()
    assert node is not None  # matched
    epsilon = float32(op, node.attributes["epsilon"].as_float())
    gamma, beta = op.Split(style, axis=1, num_outputs=2, _outputs=2)
    scale = op.Div(op.Add(gamma, float32(op, 1.0)), op.Sqrt(op.Add(variance, epsilon)))
    return scale, op.Sub(beta, op.Mul(mean, scale))


class _Snake(Rule):
    """Snake with a product instead of Pow."""

    def pattern(self, op: Any, x: Any, alpha: Any) -> Any:
        return op.Snake(x, alpha, _domain=DOMAIN)

    def rewrite(self, op: Any, x: ir.Value, alpha: ir.Value) -> Any:
        factor = constant(alpha)
        assert factor is not None  # recognized as such
        sine = op.Sin(op.Mul(x, alpha))
        inverse = stored(op, (1 / factor).astype(np.float32), f"{alpha.name}_inverse")
        return op.Add(x, op.Mul(op.Mul(sine, sine), inverse))


class _ScaledSnake(Rule):
    """Snake after AdaIN; see `_scaled_snake`."""

    def pattern(self, op: Any, x: Any, scale: Any, shift: Any, alpha: Any) -> Any:
        return op.Snake(op.Add(op.Mul(x, scale), shift), alpha, _domain=DOMAIN)

    def rewrite(
        self, op: Any, x: ir.Value, scale: ir.Value, shift: ir.Value, alpha: ir.Value
    ) -> Any:
        return _scaled_snake(op, x, scale, shift, alpha)


def _scaled_snake(op: Any, x: Any, scale: Any, shift: Any, alpha: ir.Value) -> Any:
    """Return Snake of AdaIN, with a polynomial instead of Sin, which is slow and single-threaded.

    With z = alpha x / pi and u = z - floor(z) - 1/2, Snake is (z + sin(pi z)^2 / pi) * pi / alpha,
    and sin(pi z)^2 = cos(pi u)^2, which is even in u. With h = 1/4 - u^2 its root is h * P(h), zero
    wherever the sine is zero, so small alphas do no harm. AdaIN yields z as cheaply as x.
    `HardSigmoid` is the fastest operator for alpha * x + beta, which must be within 0..1.
    """
    factor = constant(alpha)
    assert factor is not None  # recognized as such
    exact = factor.astype(np.float64)
    frequency = stored(op, (exact / np.pi).astype(np.float32), f"{alpha.name}_frequency")
    period = stored(op, (np.pi / exact).astype(np.float32), f"{alpha.name}_period")
    z = op.Add(op.Mul(x, op.Mul(scale, frequency)), op.Mul(shift, frequency))
    u = op.Sub(op.Sub(z, op.Floor(z)), float32(op, 0.5))
    square = op.Mul(u, u)
    # 4 h and P(h) / (4 sqrt(pi)).
    base, slope = SINE / (4 * np.sqrt(np.pi))
    root = op.Mul(
        op.HardSigmoid(square, alpha=-4.0, beta=1.0),
        op.HardSigmoid(square, alpha=-slope, beta=base + slope / 4),
    )
    return op.Mul(op.Add(z, op.Mul(root, root)), period)


class _QuantizedConv(Rule):
    """A gather of neighbouring frames, times a matrix: other kernels, the same integers."""

    def pattern(self, op: Any, x: Any, weight: Any) -> Any:
        return op.QuantizedConv(
            x, weight, _domain=DOMAIN, _allow_other_inputs=True, _allow_other_attributes=True,
            _outputs=["convolved"],
        )  # fmt: skip

    def rewrite(self, op: Any, x: ir.Value, weight: ir.Value, convolved: ir.Value) -> Any:
        node, kernel = convolved.producer(), constant(weight)
        assert node is not None  # matched
        assert kernel is not None  # recognized as such
        n_out, n_in, size = kernel.shape
        _, _, stride, begin, end = taps(node)
        zero = node.attributes["weight_zero_point"].as_int()
        weight_scale = node.attributes["weight_scale"].as_float()
        matrix: Array = kernel.transpose(2, 1, 0).reshape(size * n_in, n_out)
        weight_zero: Array = np.array(zero, np.uint8)
        centered = matrix.astype(np.int16) - np.int16(zero)
        if _is_exact_on_every_cpu(centered):
            matrix, weight_zero = centered.astype(np.int8), np.array(0, np.int8)

        ends = node.inputs[ENDS] if len(node.inputs) > ENDS else None
        rows, scale, zero_point = op.DynamicQuantizeLinear(x if ends is None else ends, _outputs=3)
        if ends is not None:
            rows = op.QuantizeLinear(x, scale, zero_point)
        if begin or end:
            rows = op.Pad(rows, int64s(op, 0, begin, 0, 0, end, 0), zero_point)
        if size > 1 or stride > 1:
            indices = self._neighbours(op, _length(op, convolved, 3), node)
            gathered = op.Gather(rows, indices, axis=1)
            rows = op.Reshape(gathered, int64s(op, 1, -1, size * n_in))
        inputs = [
            rows, stored(op, matrix, f"{weight.name}_matrix"), scale,
            float32(op, weight_scale), zero_point,
            op.Constant(value=ir.tensor(weight_zero)),
        ]  # fmt: skip
        if len(node.inputs) > 2 and node.inputs[2] is not None:
            # As published: rounded down to the steps of the accumulators.
            step = op.Mul(scale, float32(op, weight_scale))
            inputs.append(op.Mul(op.Floor(op.Div(node.inputs[2], step)), step))
        return op.MatMulIntegerToFloat(*inputs, _domain="com.microsoft")

    def _neighbours(self, op: Any, length: Any, node: ir.Node) -> Any:
        """Return [To, size]: for each output frame, the padded frames under its kernel.

        They depend on the length only, so convolutions of the same form share them.
        """
        size, dilation, stride, begin, end = taps(node)
        change = begin + end - dilation * (size - 1) + stride - 1
        n_out = op.Add(length, int64s(op, change)) if change else length
        if stride > 1:
            n_out = op.Div(n_out, int64s(op, stride))
        count = op.Squeeze(op.Cast(n_out, to=ir.DataType.INT32))
        first = op.Range(int32(op, 0), count, int32(op, 1))
        if stride > 1:
            first = op.Mul(first, int32(op, stride))
        offsets = op.Range(int32(op, 0), int32(op, dilation * size), int32(op, dilation))
        return op.Add(op.Unsqueeze(first, int64s(op, 1)), offsets)


def _is_exact_on_every_cpu(matrix: npt.NDArray[np.int16]) -> bool:
    """Tell whether ONNX Runtime multiplies weights [K, N] exactly if they are int8.

    int8 is faster than uint8 on every CPU. But without VNNI, x86 adds the products of two
    neighbours in K in 16 bits, which hold at most 255 times 128. All published models fit.
    """
    pairs = np.stack([matrix[:-1], matrix[1:]]) if len(matrix) > 1 else matrix[None]
    most = max(pairs.clip(min=0).sum(axis=0).max(), -pairs.clip(max=0).sum(axis=0).min())
    return bool(most <= MOST_IN_RUN and matrix.max() <= 127)


class _Upsample(Rule):
    """One product for all frames between two: each row is a frame and the one before it."""

    def pattern(self, op: Any, x: Any, weight: Any, bias: Any) -> Any:
        return op.Upsample(
            x, weight, bias, _domain=DOMAIN, _allow_other_attributes=True, _outputs=["upsampled"]
        )

    def rewrite(
        self, op: Any, x: ir.Value, weight: ir.Value, bias: ir.Value, upsampled: ir.Value
    ) -> Any:
        node, kernel = upsampled.producer(), constant(weight)
        assert node is not None  # matched
        assert kernel is not None  # recognized as such
        n_in, n_out, size = kernel.shape
        stride, pad = size // 2, node.attributes["pad"].as_int()
        taps = [
            kernel[:, :, k * stride : (k + 1) * stride].transpose(0, 2, 1).reshape(n_in, -1)
            for k in range(2)
        ]
        here = op.Pad(x, int64s(op, 0, 0, 0, 0, 1, 0))
        before = op.Pad(x, int64s(op, 0, 1, 0, 0, 0, 0))
        matrix = stored(op, np.concatenate(taps), f"{weight.name}_matrix")
        product = op.MatMul(op.Concat(here, before, axis=2), matrix)
        frames = op.Reshape(product, int64s(op, 1, -1, n_out))
        if pad:
            frames = sliced(op, frames, pad, -pad, 1)
        return op.Add(frames, bias)


class _Conv(Rule):
    """One product for all taps; shifted slices of it are added."""

    def pattern(self, op: Any, x: Any, weight: Any, bias: Any) -> Any:
        return op.Conv(
            x, weight, bias, _domain=DOMAIN, _allow_other_attributes=True, _outputs=["convolved"]
        )

    def rewrite(
        self, op: Any, x: ir.Value, weight: ir.Value, bias: ir.Value, convolved: ir.Value
    ) -> Any:
        kernel = constant(weight)
        assert kernel is not None  # recognized as such
        n_out, n_in, size = kernel.shape
        pad = size // 2
        padded = op.Pad(x, int64s(op, 0, pad, 0, 0, pad, 0)) if pad else x
        matrix = kernel.transpose(1, 2, 0).reshape(n_in, size * n_out)
        product = op.MatMul(padded, stored(op, matrix, f"{weight.name}_matrix"))
        total = None
        for k in range(size):
            last = k - size + 1 or END
            part = op.Slice(
                product,
                int64s(op, k, k * n_out),
                int64s(op, last, (k + 1) * n_out),
                int64s(op, 1, 2),
            )
            total = part if total is None else op.Add(total, part)
        return op.Add(total, bias)


class _Repeat(Rule):
    """A concatenation with itself along the channels, then a reshape."""

    def pattern(self, op: Any, x: Any) -> Any:
        return op.Repeat(x, _domain=DOMAIN)

    def rewrite(self, op: Any, x: ir.Value) -> Any:
        shape = op.Concat(int64s(op, 1, -1), op.Shape(x, start=2, end=3), axis=0)
        return op.Reshape(op.Concat(x, x, axis=2), shape)


class _Reflect(Rule):
    def pattern(self, op: Any, x: Any) -> Any:
        return op.Reflect(x, _domain=DOMAIN)

    def rewrite(self, op: Any, x: ir.Value) -> Any:
        return op.Concat(sliced(op, x, 1, 2, 1), x, axis=1)


class _ChannelStatistics(Rule):
    def pattern(self, op: Any, x: Any) -> Any:
        return op.ChannelStatistics(x, _domain=DOMAIN)

    def rewrite(self, op: Any, x: ir.Value) -> Any:
        mean, variance = _moments(op, x, op.Shape(x, start=1, end=2))
        ends = [reduce(x, int64s(op, 1)) for reduce in (op.ReduceMin, op.ReduceMax)]
        return op.Squeeze(op.Concat(mean, variance, *ends, axis=1), int64s(op, 0))
