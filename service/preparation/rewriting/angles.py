"""Compute angles with operators that GPUs have: ONNX Runtime has no Atan for CUDA."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnxscript.rewriter import RewriteRuleSet

from service.preparation.rewriting.constants import float32
from service.preparation.rewriting.rule import Rule, rule_set

ARCTANGENT = np.array(
    [0.999999985, -0.333330733, 0.199926194, -0.142036444, 0.106409338, -0.0750429415,
     0.0426915146, -0.0160686261, 0.0028498889]
)  # fmt: skip
"""P, lowest power first, such that x * P(x^2) is atan(x) for |x| up to 1, at most 1.6e-8 of it off,
less than float32 can tell: minimax, by Lawson's reweighting over 20,001 Chebyshev points."""


def rules() -> RewriteRuleSet:
    """Return the rules that replace Atan by a polynomial."""
    return rule_set(_Atan)


class _Atan(Rule):
    """x * P(x^2) where |x| is 1 or less; elsewhere the same of 1 / x, taken from a right angle."""

    def pattern(self, op: Any, x: Any) -> Any:
        return op.Atan(x)

    def rewrite(self, op: Any, x: ir.Value) -> Any:
        size = op.Abs(x)
        is_large = op.Greater(size, float32(op, 1.0))
        small = op.Where(is_large, op.Reciprocal(size), size)
        square = op.Mul(small, small)
        value = float32(op, ARCTANGENT[-1])
        for coefficient in ARCTANGENT[-2::-1]:
            value = op.Add(op.Mul(value, square), float32(op, coefficient))
        angle = op.Mul(small, value)
        angle = op.Where(is_large, op.Sub(float32(op, np.pi / 2), angle), angle)
        return op.Where(op.Less(x, float32(op, 0.0)), op.Neg(angle), angle)
