"""Refusals of a step that does not recognize a graph."""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir
from onnxscript.rewriter import MatchingTracer, MatchStatus, RewriteRuleSet

from service.preparation.refusal import Refusal, RefusedError


def refused(reason: str, where: ir.Node | ir.Value | ir.Graph, nearest: str = "") -> RefusedError:
    """Return the error for a step that cannot go on.

    Args:
        reason: what is wrong.
        where: the node or value; the graph if something is missing altogether, which is named by
            the node of its first output.
        nearest: see `Refusal`.
    """
    if isinstance(where, ir.Graph):
        where = where.outputs[0]
    return RefusedError(Refusal(reason, _name(where), nearest))


def named(values: Iterable[ir.Value], name: str, graph: ir.Graph) -> ir.Value:
    """Return the value with a name among values of a graph. Raises RefusedError."""
    for value in values:
        if value.name == name:
            return value
    raise refused(f"there is no {name}", graph)


def not_recognized(
    what: str, count: int, least: int, rules: RewriteRuleSet, model: ir.Model
) -> RefusedError:
    """Return the error for too few recognized groups of nodes.

    Args:
        what: name of the groups.
        count: how many were found.
        least: how many are needed.
        rules: the rules that search for them.
        model: the model, in which the found groups are rewritten already.
    """
    reason = f"{count} {what} are recognized, and at least {least} are needed"
    tracer = MatchingTracer()
    rules.apply_to_model(model, tracer=tracer)  # changes nothing
    misses = [
        match for matches in tracer.best_matches_map.values() for match in matches
        if match.status != MatchStatus.SUCCESS
    ]  # fmt: skip
    if not misses:
        return refused(reason, model.graph, "no node looks like one")
    best = max(misses, key=lambda match: match.score())
    causes = best.match_result.failure_nodes_and_values
    at = f" at {_name(causes[0])}" if causes else ""
    nearest = f"{best.match_result.reason or 'not all is as expected'}{at}"
    return refused(reason, best.root_node, nearest)


def _name(where: ir.Node | ir.Value) -> str:
    """Return the name of a node, or of the one that makes a value; of an input, its own."""
    node = where.producer() if isinstance(where, ir.Value) else where
    if node is None:
        return str(where.name)
    return node.name or f"{node.op_type} ({node.outputs[0].name})"
