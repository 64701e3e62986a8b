"""Recognize convolutions that quantize their input and compute with integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnxscript.rewriter import MatchResult, RewriteRuleSet

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
)
from service.preparation.rewriting.rule import Rule, failed, rule_set


def rules() -> RewriteRuleSet:
    """Return the rules that replace published groups of nodes by `QuantizedConv`.

    In: DynamicQuantizeLinear, ConvInteger, a bias quantized in the graph and added to the
    accumulators, Cast, Mul by the product of both scales. Out: `QuantizedConv` between transposes.
    """
    return rule_set(_Biased, _Plain, commute=True)


class _Convolution(Rule):
    def _parts(self, conv: ir.Value, scale: ir.Value) -> dict[str, Any] | MatchResult:
        """Return the convolution's operands, or why the group does not match."""
        node = conv.producer()
        if node is None or len(node.inputs) != 4:
            return failed("ConvInteger has not four inputs", node)
        quantized, weight, zero_point, weight_zero_point = node.inputs
        quantize = maker(quantized, "DynamicQuantizeLinear")
        if quantize is None or zero_point is not quantize.outputs[2]:
            return failed("what it convolves is not quantized by DynamicQuantizeLinear", node)
        weight_scale = _weight_scale(scale, quantize)
        array, zero = constant(weight), scalar(weight_zero_point)
        if array is None or array.ndim != 3 or array.dtype != np.uint8:
            return failed("its weights are not constant uint8 [Co, Ci, k]", node)
        if zero is None or weight_scale is None:
            return failed("its weights have not one scale and one zero point", node)
        if n_groups(node) != 1 or not is_sized_by_pads(node):
            return failed("it is grouped, or not padded by numbers", node)
        pad_begin, pad_end = ints(node, "pads")
        return {
            "x": quantize.inputs[0],
            "weight": weight,
            "quantize": quantize,
            "attributes": {
                "dilation": ints(node, "dilations")[0],
                "stride": ints(node, "strides")[0],
                "pad_begin": pad_begin,
                "pad_end": pad_end,
                "weight_scale": weight_scale,
                "weight_zero_point": int(zero),
            },
        }

    def _emit(self, op: Any, parts: dict[str, Any], bias: ir.Value | None) -> Any:
        x = op.Transpose(parts["x"], perm=CHANNELS_LAST)
        operands = [x, parts["weight"], *([] if bias is None else [bias])]
        y = op.QuantizedConv(*operands, _domain=DOMAIN, **parts["attributes"])
        return op.Transpose(y, perm=CHANNELS_LAST)


class _Biased(_Convolution):
    def pattern(
        self, op: Any, quantized: Any, weight: Any, zero: Any, weight_zero: Any,
        bias: Any, scale: Any,
    ) -> Any:  # fmt: skip
        conv = op.ConvInteger(
            quantized, weight, zero, weight_zero, _allow_other_attributes=True, _outputs=["conv"]
        )
        return op.Mul(op.Cast(op.Add(conv, bias), to=1, _allow_other_attributes=True), scale)

    def check(
        self, context: Any, conv: ir.Value, bias: ir.Value, scale: ir.Value, **_: Any
    ) -> MatchResult:
        parts = self._parts(conv, scale)
        if isinstance(parts, MatchResult):
            return parts
        if _bias_of(bias, parts) is None:
            return failed("its bias is not a constant that is quantized in the graph", bias)
        return MatchResult()

    def rewrite(self, op: Any, conv: ir.Value, bias: ir.Value, scale: ir.Value, **_: Any) -> Any:
        parts = self._parts(conv, scale)
        assert not isinstance(parts, MatchResult)  # check said so
        return self._emit(op, parts, _bias_of(bias, parts))


class _Plain(_Convolution):
    def pattern(
        self, op: Any, quantized: Any, weight: Any, zero: Any, weight_zero: Any, scale: Any
    ) -> Any:
        conv = op.ConvInteger(
            quantized, weight, zero, weight_zero, _allow_other_attributes=True, _outputs=["conv"]
        )
        return op.Mul(op.Cast(conv, to=1, _allow_other_attributes=True), scale)

    def check(self, context: Any, conv: ir.Value, scale: ir.Value, **_: Any) -> MatchResult:
        parts = self._parts(conv, scale)
        return parts if isinstance(parts, MatchResult) else MatchResult()

    def rewrite(self, op: Any, conv: ir.Value, scale: ir.Value, **_: Any) -> Any:
        parts = self._parts(conv, scale)
        assert not isinstance(parts, MatchResult)  # check said so
        return self._emit(op, parts, None)


def _weight_scale(product: ir.Value | None, quantize: ir.Node) -> float | None:
    """Return the number that the scale of the quantized input is multiplied by, or None."""
    node = maker(product, "Mul")
    if node is None:
        return None
    scales = [value for value in node.inputs if value is not quantize.outputs[1]]
    return scalar(scales[0]) if len(scales) == 1 else None


def _bias_of(quantized: ir.Value, parts: dict[str, Any]) -> ir.Value | None:
    """Return the bias that was divided by the scales, rounded down and made [1, Co, 1]."""
    reshape = maker(quantized, "Reshape")
    shape = constant(reshape.inputs[1]) if reshape is not None else None
    if shape is None or shape.tolist() != [1, -1, 1]:
        return None
    value: ir.Value | None = quantized
    for op_type in ("Reshape", "Cast", "Floor"):
        node = maker(value, op_type)
        if node is None:
            return None
        value = node.inputs[0]
    divide = maker(value, "Div")
    if divide is None:
        return None
    bias, step = divide.inputs
    array: Array | None = constant(bias)
    n_out = parts["weight"].const_value.numpy().shape[0]
    fits = array is not None and array.shape == (n_out,)
    same = _weight_scale(step, parts["quantize"]) == parts["attributes"]["weight_scale"]
    return bias if fits and same else None
