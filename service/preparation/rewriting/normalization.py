"""Recognize AdaIN: normalization over time, and modulation by the voice's style."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir
from onnxscript.rewriter import MatchResult, RewriteRuleSet

from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import CHANNELS_LAST, constant, maker, scalar, users
from service.preparation.rewriting.rule import Rule, failed, rule_set


def rules() -> RewriteRuleSet:
    """Return the rules that replace AdaIN by `InstanceNorm` and `Modulate`.

    In: ReduceMean, Sub, Mul, ReduceMean, Add, Sqrt, Div; then Mul and Add with the two halves of a
    projected style, to the first of which 1 was added. Several styles may share one normalization,
    so the two are recognized separately; but there is no operator for either alone.
    """
    return rule_set(_Norm, _TimeFirstNorm, _ModulationOfNorm, commute=True)


class _Norm(Rule):
    """Over the last axis of [1, C, T]."""

    axis = 2

    def pattern(self, op: Any, x: Any, axes: Any, epsilon: Any) -> Any:
        centered = op.Sub(x, op.ReduceMean(x, axes, keepdims=1, _allow_other_attributes=True))
        variance = op.ReduceMean(
            op.Mul(centered, centered), axes, keepdims=1, _allow_other_attributes=True
        )
        return op.Div(centered, op.Sqrt(op.Add(variance, epsilon)))

    def check(self, context: Any, axes: ir.Value, epsilon: ir.Value, **_: Any) -> MatchResult:
        array = constant(axes)
        if array is None or array.tolist() != [self.axis]:
            return failed(f"it is not over axis {self.axis} alone", axes)
        if scalar(epsilon) is None:
            return failed("what is added to its variance is not one number", epsilon)
        if not _is_only_modulated(context):
            return failed("more is done with it than modulation by a style", context.root)
        return MatchResult()

    def rewrite(self, op: Any, x: ir.Value, axes: ir.Value, epsilon: ir.Value) -> Any:
        frames = op.Transpose(x, perm=CHANNELS_LAST)
        y = op.InstanceNorm(frames, _domain=DOMAIN, epsilon=scalar(epsilon))
        return op.Transpose(y, perm=CHANNELS_LAST)


class _TimeFirstNorm(_Norm):
    """Over the first axis of [T, 1, C], after an optimizer has moved the transposes."""

    axis = 0

    def pattern(self, op: Any, x: Any, axes: Any, epsilon: Any) -> Any:
        centered = op.Sub(x, op.ReduceMean(x, axes, keepdims=1, _allow_other_attributes=True))
        variance = op.ReduceMean(
            op.Mul(centered, centered), axes, keepdims=1, _allow_other_attributes=True
        )
        deviation = op.Sqrt(op.Add(op.Transpose(variance, perm=[1, 2, 0]), epsilon))
        return op.Div(op.Transpose(centered, perm=[1, 2, 0]), deviation)

    def rewrite(self, op: Any, x: ir.Value, axes: ir.Value, epsilon: ir.Value) -> Any:
        frames = op.Transpose(x, perm=(1, 0, 2))
        y = op.InstanceNorm(frames, _domain=DOMAIN, epsilon=scalar(epsilon))
        return op.Transpose(y, perm=CHANNELS_LAST)


class _Modulation(Rule):
    """The modulation of any normalization."""

    def pattern(self, op: Any, x: Any, style: Any, axes: Any, sizes: Any, one: Any) -> Any:
        column = op.Unsqueeze(style, axes)
        gamma, beta = op.Split(column, sizes, axis=1, _outputs=2)
        return op.Add(op.Mul(op.Add(gamma, one), x), beta)

    def check(
        self, context: Any, x: ir.Value, axes: ir.Value, sizes: ir.Value, one: ir.Value, **_: Any
    ) -> MatchResult:
        halves, where = constant(sizes), constant(axes)
        if not self._applies_to(x):
            return failed("what is modulated is no normalization that was recognized", x)
        if scalar(one) != 1.0:
            return failed("another number than 1 is added to the scale", one)
        if halves is None or halves.shape != (2,) or halves[0] != halves[1]:
            return failed("the style is not split in two halves", sizes)
        if where is None or where.tolist() != [2]:
            return failed("the style is not made a column", axes)
        return MatchResult()

    def _applies_to(self, x: ir.Value) -> bool:
        return True

    def rewrite(self, op: Any, x: ir.Value, style: ir.Value, **_: Any) -> Any:
        frames = op.Transpose(x, perm=CHANNELS_LAST)
        y = op.Modulate(frames, style, _domain=DOMAIN)
        return op.Transpose(y, perm=CHANNELS_LAST)


class _ModulationOfNorm(_Modulation):
    """The modulation of a recognized normalization; nodes are in topological order."""

    def _applies_to(self, x: ir.Value) -> bool:
        turn = maker(x, "Transpose")
        return turn is not None and maker(turn.inputs[0], "InstanceNorm") is not None


_MODULATIONS = rule_set(_Modulation, commute=True)


def _is_only_modulated(context: Any) -> bool:
    """Tell whether a match is only modulated, once or more."""
    (y,) = context.output_values
    return not y.is_graph_output() and all(_modulates(context, user) for user in users(y))


def _modulates(context: Any, product: ir.Node) -> bool:
    """Tell whether a node is the product of a modulation."""
    return any(
        rule.match(context.model, context.graph_or_function, end)
        for end in users(product.outputs[0])
        for rule in _MODULATIONS
    )
