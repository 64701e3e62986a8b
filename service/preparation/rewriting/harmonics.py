"""Recognize the harmonic source: sines at multiples of the pitch, which excite the generator."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from onnxscript.rewriter import RewriteRuleSet

from service.preparation.rewriting.constants import int64s
from service.preparation.rewriting.graph import CHANNELS_LAST, constant, scalar
from service.preparation.rewriting.measuring import result_of
from service.preparation.rewriting.native import OPERATORS
from service.preparation.rewriting.rule import Rule, rule_set

_REPEATS = 64
"""Length of a constant tensor for measuring: more than one vector of any CPU."""


def rules() -> RewriteRuleSet:
    """Return the rules that count the cycles of each harmonic by frames, not by samples.

    In: the pitch is repeated for every sample, multiplied by the harmonics and divided by the
    sampling rate; of the fractional part, the middle of each frame is taken. Out: the same from the
    pitch itself, which is constant within a frame.
    """
    return rule_set(_Cycles)


def native_rules() -> RewriteRuleSet:
    """Return the rules that compute the samples of the source in one operator.

    In: interpolation of the phases, Sin, the amplitude, silence where there is no pitch, a weighted
    sum, Tanh. Out: `HarmonicSource`.
    """
    return rule_set(_Samples)


def level_of_silence(bias: float) -> np.float32:
    """Return ONNX Runtime's Tanh of the bias: the source without a pitch."""
    return np.float32(result_of("Tanh", np.full(_REPEATS, bias, np.float32))[0])


class _Cycles(Rule):
    def __init__(self) -> None:
        # The repeated pitch also tells where there is none.
        super().__init__(remove_nodes=False)

    def pattern(self, op: Any, f0: Any, up: Any, down: Any, harmonics: Any, rate: Any) -> Any:
        repeated = op.Resize(
            f0, None, up, mode="nearest", _allow_other_attributes=True, _outputs=["repeated"]
        )
        cycles = op.Div(op.Mul(repeated, harmonics), rate)
        return op.Resize(
            op.Sub(cycles, op.Floor(cycles)), None, down,
            mode="linear", _allow_other_attributes=True, _outputs=["sampled"],
        )  # fmt: skip

    def check(
        self, context: Any, up: ir.Value, down: ir.Value, harmonics: ir.Value, rate: ir.Value,
        repeated: ir.Value, sampled: ir.Value, **_: Any,
    ) -> bool:  # fmt: skip
        factor, shape = _factor(up), constant(harmonics)
        share = _factor(down)
        return (
            factor is not None and factor >= 2 and factor == int(factor)
            and share is not None and abs(share * factor - 1) < 1e-6
            and _is(repeated, "nearest_mode", "floor")
            and _is(repeated, "coordinate_transformation_mode", "asymmetric")
            and _is(sampled, "coordinate_transformation_mode", "half_pixel")
            and shape is not None and shape.shape == (1, shape.size, 1)
            and scalar(rate) is not None
        )  # fmt: skip

    def rewrite(self, op: Any, f0: ir.Value, harmonics: ir.Value, rate: ir.Value, **_: Any) -> Any:
        cycles = op.Div(op.Mul(f0, harmonics), rate)
        return op.Sub(cycles, op.Floor(cycles))


class _Samples(Rule):
    def __init__(self) -> None:
        super().__init__(remove_nodes=False)

    def pattern(
        self, op: Any, f0: Any, up: Any, phases: Any, grow: Any, amplitude: Any, threshold: Any,
        weight: Any, bias: Any,
    ) -> Any:  # fmt: skip
        repeated = op.Resize(
            f0, None, up, mode="nearest", _allow_other_attributes=True, _outputs=["repeated"]
        )
        voiced = op.Cast(
            op.Greater(op.Transpose(repeated, perm=[0, 2, 1]), threshold),
            to=1, _allow_other_attributes=True,
        )  # fmt: skip
        grown = op.Resize(
            phases, None, grow, mode="linear", _allow_other_attributes=True, _outputs=["grown"]
        )
        waves = op.Mul(op.Sin(op.Transpose(grown, perm=[0, 2, 1])), amplitude)
        return op.Tanh(op.Add(bias, op.MatMul(op.Mul(waves, voiced), weight)))

    def check(
        self, context: Any, up: ir.Value, grow: ir.Value, amplitude: ir.Value,
        threshold: ir.Value, weight: ir.Value, bias: ir.Value, repeated: ir.Value,
        grown: ir.Value, **_: Any,
    ) -> bool:  # fmt: skip
        factor, matrix = _factor(up), constant(weight)
        return (
            factor is not None and factor == int(factor) and factor == _factor(grow)
            and _is(repeated, "nearest_mode", "floor")
            and _is(repeated, "coordinate_transformation_mode", "asymmetric")
            and _is(grown, "coordinate_transformation_mode", "half_pixel")
            and matrix is not None and matrix.shape == (matrix.size, 1)
            and None not in (scalar(amplitude), scalar(threshold), scalar(bias))
        )  # fmt: skip

    def rewrite(
        self, op: Any, f0: ir.Value, up: ir.Value, phases: ir.Value, amplitude: ir.Value,
        threshold: ir.Value, weight: ir.Value, bias: ir.Value, **_: Any,
    ) -> Any:  # fmt: skip
        matrix, level, factor = constant(weight), scalar(bias), _factor(up)
        assert matrix is not None  # check said so
        assert level is not None
        assert factor is not None
        signal = op.HarmonicSource(
            op.Transpose(phases, perm=CHANNELS_LAST),
            op.Squeeze(f0, int64s(op, 1)),
            op.Constant(value=ir.tensor(matrix.reshape(-1))),
            op.Constant(value=ir.tensor(np.array([level], np.float32))),
            _domain=OPERATORS,
            factor=int(factor),
            amplitude=scalar(amplitude),
            threshold=scalar(threshold),
            silence=float(level_of_silence(level)),
        )
        return op.Unsqueeze(signal, int64s(op, 2))


def _factor(scales: ir.Value) -> float | None:
    """Return the factor of the last of three axes; None if another axis grows too."""
    factors = constant(scales)
    if factors is None or factors.shape != (3,) or factors[:2].tolist() != [1.0, 1.0]:
        return None
    return float(factors[2])


def _is(value: ir.Value, attribute: str, expected: str) -> bool:
    node = value.producer()
    found = node.attributes.get(attribute) if node is not None else None
    return found is not None and found.as_string() == expected
