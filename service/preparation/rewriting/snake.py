"""Recognize Snake, the activation of the generator's residual blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnxscript.rewriter import MatchResult, RewriteRuleSet

from service.preparation.rewriting.constants import stored
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import CHANNELS_LAST, constant, scalar
from service.preparation.rewriting.rule import Rule, failed, rule_set

_RELATIVE_TOLERANCE = 1e-5
"""Tolerance of a stored reciprocal: some steps of float32."""


def rules() -> RewriteRuleSet:
    """Return the rules that replace x + sin(alpha x)^2 / alpha by `Snake`.

    In: Mul, Sin, Pow by 2, Mul by the stored reciprocal of alpha, Add; alpha is [1, C, 1].
    """
    return rule_set(_Snake, commute=True)


class _Snake(Rule):
    def pattern(self, op: Any, x: Any, alpha: Any, reciprocal: Any, two: Any) -> Any:
        return op.Add(x, op.Mul(reciprocal, op.Pow(op.Sin(op.Mul(alpha, x)), two)))

    def check(
        self, context: Any, alpha: ir.Value, reciprocal: ir.Value, two: ir.Value, **_: Any
    ) -> MatchResult:
        factor, inverse = constant(alpha), constant(reciprocal)
        if factor is None or inverse is None or scalar(two) != 2.0:
            return failed("alpha and its reciprocal are not constant, or the power is not 2", two)
        fits = factor.ndim == 3 and factor.shape == inverse.shape == (1, factor.size, 1)
        if not fits or not np.allclose(factor * inverse, 1.0, rtol=_RELATIVE_TOLERANCE):
            return failed("its factor is not the reciprocal of alpha [1, C, 1]", reciprocal)
        return MatchResult()

    def rewrite(self, op: Any, x: ir.Value, alpha: ir.Value, **_: Any) -> Any:
        factor = constant(alpha)
        assert factor is not None  # check said so
        frames = op.Transpose(x, perm=CHANNELS_LAST)
        channels = stored(op, factor.reshape(-1), f"{alpha.name}_per_channel")
        y = op.Snake(frames, channels, _domain=DOMAIN)
        return op.Transpose(y, perm=CHANNELS_LAST)
