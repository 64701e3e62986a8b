"""Recognize operators in floats: upsampling, pooling, padding and the last convolution."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir
from onnxscript.rewriter import RewriteRuleSet

from service.preparation.rewriting.constants import END, int64s, sliced, stored
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import (
    CHANNELS_LAST,
    Array,
    constant,
    ints,
    is_sized_by_pads,
    n_groups,
)
from service.preparation.rewriting.rule import Rule, rule_set


def rules() -> RewriteRuleSet:
    """Return the rules that replace published operators by channels-last ones.

    ConvTranspose becomes `Upsample` (kernel of two strides) or, for each channel alone with three
    taps and stride 2, a few stock operators; Conv becomes `Conv`, Resize by 2 `Repeat`, Pad by one
    reflected frame `Reflect`.
    """
    return rule_set(_Upsample, _Pool, _Conv, _Repeat, _Reflect)


class _Upsample(Rule):
    def pattern(self, op: Any, x: Any, weight: Any, bias: Any) -> Any:
        return op.ConvTranspose(
            x, weight, bias, _allow_other_attributes=True, _outputs=["upsampled"]
        )

    def check(
        self, context: Any, weight: ir.Value, bias: ir.Value, upsampled: ir.Value, **_: Any
    ) -> bool:
        kernel, offset = constant(weight), constant(bias)
        node = upsampled.producer()
        if node is None or kernel is None or offset is None or kernel.ndim != 3:
            return False
        (stride,), (begin, end) = ints(node, "strides"), ints(node, "pads")
        return (
            n_groups(node) == 1
            and is_sized_by_pads(node)
            and kernel.shape[2] == 2 * stride
            and begin == end < stride
            and ints(node, "dilations") == (1,)
            and ints(node, "output_padding") == (0,)
        )

    def rewrite(
        self, op: Any, x: ir.Value, weight: ir.Value, bias: ir.Value, upsampled: ir.Value
    ) -> Any:
        node = upsampled.producer()
        assert node is not None  # check said so
        y = op.Upsample(
            op.Transpose(x, perm=CHANNELS_LAST), weight, bias, _domain=DOMAIN,
            stride=ints(node, "strides")[0], pad=ints(node, "pads")[0],
        )  # fmt: skip
        return op.Transpose(y, perm=CHANNELS_LAST)


class _Pool(Rule):
    """Even frames of the result use one tap, odd ones the other two."""

    def pattern(self, op: Any, x: Any, weight: Any, bias: Any) -> Any:
        return op.ConvTranspose(x, weight, bias, _allow_other_attributes=True, _outputs=["pooled"])

    def check(
        self, context: Any, weight: ir.Value, bias: ir.Value, pooled: ir.Value, **_: Any
    ) -> bool:
        kernel, node = constant(weight), pooled.producer()
        if node is None or kernel is None or constant(bias) is None:
            return False
        return (
            kernel.shape == (kernel.shape[0], 1, 3)
            and n_groups(node) == kernel.shape[0]
            and is_sized_by_pads(node)
            and ints(node, "strides") == (2,)
            and ints(node, "dilations") == (1,)
            and ints(node, "pads") == (1, 1)
            and ints(node, "output_padding") == (1,)
        )

    def rewrite(
        self, op: Any, x: ir.Value, weight: ir.Value, bias: ir.Value, pooled: ir.Value
    ) -> Any:
        kernel, offset = constant(weight), constant(bias)
        assert kernel is not None  # check said so
        assert offset is not None
        n_channels = kernel.shape[0]

        def row(values: Array, name: str) -> Any:
            return stored(op, values.reshape(1, 1, n_channels), f"{weight.name}_{name}")

        frames = op.Transpose(x, perm=CHANNELS_LAST)
        taps = [row(kernel[:, 0, k], f"tap{k}") for k in range(3)]
        base = row(offset, "bias")
        later = sliced(op, op.Pad(frames, int64s(op, 0, 0, 0, 0, 1, 0)), 1, END, 1)
        even = op.Add(op.Mul(frames, taps[1]), base)
        odd = op.Add(op.Add(op.Mul(frames, taps[2]), op.Mul(later, taps[0])), base)
        y = op.Reshape(op.Concat(even, odd, axis=2), int64s(op, 1, -1, n_channels))
        return op.Transpose(y, perm=CHANNELS_LAST)


class _Conv(Rule):
    def pattern(self, op: Any, x: Any, weight: Any, bias: Any) -> Any:
        return op.Conv(x, weight, bias, _allow_other_attributes=True, _outputs=["convolved"])

    def check(
        self, context: Any, weight: ir.Value, bias: ir.Value, convolved: ir.Value, **_: Any
    ) -> bool:
        kernel, node = constant(weight), convolved.producer()
        if node is None or kernel is None or kernel.ndim != 3 or constant(bias) is None:
            return False
        size = kernel.shape[2]
        return (
            size % 2 == 1
            and n_groups(node) == 1
            and is_sized_by_pads(node)
            and ints(node, "strides") == (1,)
            and ints(node, "dilations") == (1,)
            and ints(node, "pads") == (size // 2, size // 2)
        )

    def rewrite(
        self, op: Any, x: ir.Value, weight: ir.Value, bias: ir.Value, convolved: ir.Value
    ) -> Any:
        node = convolved.producer()
        assert node is not None  # check said so
        frames = op.Transpose(x, perm=CHANNELS_LAST)
        y = op.Conv(frames, weight, bias, _domain=DOMAIN, pad=ints(node, "pads")[0])
        return op.Transpose(y, perm=CHANNELS_LAST)


class _Repeat(Rule):
    def pattern(self, op: Any, x: Any, scales: Any) -> Any:
        return op.Resize(
            x, None, scales, mode="nearest", _allow_other_attributes=True, _outputs=["resized"]
        )

    def check(self, context: Any, scales: ir.Value, resized: ir.Value, **_: Any) -> bool:
        factors, node = constant(scales), resized.producer()
        return (
            node is not None
            and factors is not None and factors.tolist() == [1.0, 1.0, 2.0]
            and _says(node, "nearest_mode", "floor")
            and _says(node, "coordinate_transformation_mode", "asymmetric")
        )  # fmt: skip

    def rewrite(self, op: Any, x: ir.Value, **_: Any) -> Any:
        y = op.Repeat(op.Transpose(x, perm=CHANNELS_LAST), _domain=DOMAIN)
        return op.Transpose(y, perm=CHANNELS_LAST)


class _Reflect(Rule):
    def pattern(self, op: Any, x: Any, pads: Any) -> Any:
        return op.Pad(x, pads, mode="reflect")

    def check(self, context: Any, pads: ir.Value, **_: Any) -> bool:
        amounts = constant(pads)
        return amounts is not None and amounts.tolist() == [0, 0, 1, 0, 0, 0]

    def rewrite(self, op: Any, x: ir.Value, **_: Any) -> Any:
        y = op.Reflect(op.Transpose(x, perm=CHANNELS_LAST), _domain=DOMAIN)
        return op.Transpose(y, perm=CHANNELS_LAST)


def _says(node: ir.Node, name: str, expected: str) -> bool:
    attribute = node.attributes.get(name)
    return attribute is not None and attribute.as_string() == expected
