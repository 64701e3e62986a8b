"""What all rules are made of."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir
from onnxscript.rewriter import MatchResult, RewriteRule, RewriteRuleClassBase, RewriteRuleSet

_Base: Any = RewriteRuleClassBase
# Its signatures cannot be kept by who names the variables of a pattern in `check` and `rewrite`.


class Rule(_Base):  # type: ignore[misc]
    """A `pattern`, a `check` of what a pattern cannot say, and what to `rewrite` a match to.

    A check returns what is true where a match may be rewritten; else False, or what `failed` gives.

    The operators of a pattern and of what is written are methods of `op`; the variables of the
    pattern come back to `check` and `rewrite` as values under their names.
    """


def rule_set(*rules: Any, commute: bool = False) -> RewriteRuleSet:
    """Return rules that are applied together.

    Args:
        rules: classes, or what their `rule` made of arguments.
        commute: whether the operands of sums and products may stand the other way round.
    """
    made = [rule if isinstance(rule, RewriteRule) else rule.rule() for rule in rules]
    return RewriteRuleSet(made, commute=commute)


def failed(reason: str, *at: ir.Node | ir.Value | None) -> MatchResult:
    """Return what a check returns that tells why a match may not be rewritten, and where."""
    return MatchResult().fail(reason, [where for where in at if where is not None])
