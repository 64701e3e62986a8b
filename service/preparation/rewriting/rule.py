"""The base of all rules."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir
from onnxscript.rewriter import MatchResult, RewriteRule, RewriteRuleClassBase, RewriteRuleSet

_Base: Any = RewriteRuleClassBase
# Its signatures cannot be kept by who names the variables of a pattern in `check` and `rewrite`.


class Rule(_Base):  # type: ignore[misc]
    """A `pattern`, a `check` of what the pattern cannot express, and a `rewrite` of a match.

    A check returns a true value if the match may be rewritten; otherwise False, or the result of
    `failed`. Operators are methods of `op`. The variables of the pattern are passed to `check` and
    `rewrite` as values, by name.
    """


def rule_set(*rules: Any, commute: bool = False) -> RewriteRuleSet:
    """Return a set of rules that are applied together.

    Args:
        rules: classes, or rules that their `rule` made.
        commute: whether the operands of sums and products may be swapped.
    """
    made = [rule if isinstance(rule, RewriteRule) else rule.rule() for rule in rules]
    return RewriteRuleSet(made, commute=commute)


def failed(reason: str, *at: ir.Node | ir.Value | None) -> MatchResult:
    """Return the result of a check that says why, and where, a match may not be rewritten."""
    return MatchResult().fail(reason, [where for where in at if where is not None])
