"""Replace each residual block of the generator by one operator, which works in place."""

from __future__ import annotations

from typing import NamedTuple

import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.rewriting.graph import constant, nodes_of, users
from service.preparation.rewriting.native import OPERATORS, packed_operands
from service.preparation.rewriting.packing import with_differences

PAIRS = 3
"""Pairs of convolutions in a block."""

# Inputs of DynamicQuantizeConv.
_X, _WEIGHT, _SUMS, _RUNS, _BIAS, _STATISTICS, _STYLE, _ALPHA, _RESIDUAL, _ADDEND = range(10)
_PER_CONVOLUTION = (_WEIGHT, _SUMS, _RUNS, _BIAS, _STYLE, _ALPHA)


class _Pair(NamedTuple):
    """Two convolutions; the second adds the input of the first."""

    first: ir.Node
    second: ir.Node


def fuse_blocks(graph: ir.Graph) -> int:
    """Replace chains of convolutions by `ResidualBlock`; return how many.

    In: three pairs of `DynamicQuantizeConv` with AdaIN and Snake, each pair adding its input to its
    result. Out: one operator that needs two tensors beside its input and its result, where the
    chain needs five. Sums and runs are also of the differences of its weights where these fit
    int8: a block has rows enough to be multiplied in pairs.
    """
    count = 0
    for node in nodes_of(graph, "DynamicQuantizeConv"):
        chain = _chain(node) if node.graph is not None else None
        if chain is not None:
            _fuse(graph, chain)
            count += 1
    return count


def _chain(node: ir.Node) -> list[_Pair] | None:
    """Return the pairs of the block that starts with a convolution; None if it is no block."""
    pairs: list[_Pair] = []
    first: ir.Node | None = node
    while first is not None and len(pairs) < PAIRS:
        pair = _pair(first)
        if pair is None:
            return None
        pairs.append(pair)
        first = _next(pair) if len(pairs) < PAIRS else None
    return pairs if len(pairs) == PAIRS else None


def _pair(first: ir.Node) -> _Pair | None:
    if not _fits(first) or any(_inputs(first)[_RESIDUAL:]):
        return None
    between, statistics = first.outputs
    seconds = set(users(between)) | set(users(statistics))
    second = seconds.pop() if len(seconds) == 1 else None
    if second is None or second.op_type != "DynamicQuantizeConv" or not _fits(second):
        return None
    inputs = _inputs(second)
    if inputs[_X] is not between or inputs[_STATISTICS] is not statistics:
        return None
    if inputs[_RESIDUAL] is not first.inputs[_X] or between.is_graph_output():
        return None
    same = all(
        first.attributes[name].value == second.attributes[name].value
        for name in ("kernel_size", "channels", "epsilon")
    )
    return _Pair(first, second) if same else None


def _fits(node: ir.Node) -> bool:
    """Tell whether a convolution has AdaIN, Snake and a bias, and keeps the length."""
    inputs = _inputs(node)
    reach = node.attributes["dilation"].as_int() * (node.attributes["kernel_size"].as_int() - 1)
    return (
        all(inputs[index] is not None for index in (*_PER_CONVOLUTION, _STATISTICS))
        and node.attributes["stride"].as_int() == 1
        and reach % 2 == 0
        and node.attributes["pad_begin"].as_int() == reach // 2
        and node.attributes["pad_end"].as_int() == reach // 2
    )


def _next(pair: _Pair) -> ir.Node | None:
    """Return the convolution that is the only user of a pair's result, or None."""
    inputs = _inputs(pair.second)
    if inputs[_ADDEND] is not None or pair.second.attributes["output_scale"].as_float() != 1.0:
        return None
    result, statistics = pair.second.outputs
    if result.is_graph_output():
        return None
    firsts = {
        node
        for node in users(result)
        if node.op_type == "DynamicQuantizeConv" and _inputs(node)[_X] is result
    }
    following = firsts.pop() if len(firsts) == 1 else None
    if following is None or _inputs(following)[_STATISTICS] is not statistics:
        return None
    after = _pair(following)
    if after is None or set(users(result)) != {following, after.second}:
        return None
    return following if users(statistics) == [following] else None


def _fuse(graph: ir.Graph, pairs: list[_Pair]) -> None:
    first, last = pairs[0].first, pairs[-1].second
    convolutions = [node for pair in pairs for node in pair]
    operands = [operand for node in convolutions for operand in _operands(graph, node)]
    head = _inputs(first)
    block = ir.node(
        "ResidualBlock",
        [head[_X], head[_STATISTICS], _inputs(last)[_ADDEND], None, None, *operands],
        attributes={
            "kernel_size": first.attributes["kernel_size"].as_int(),
            "dilations": [node.attributes["dilation"].as_int() for node in convolutions],
            "weight_scales": [node.attributes["weight_scale"].as_float() for node in convolutions],
            "layout": first.attributes["layout"].as_int(),
            "epsilon": first.attributes["epsilon"].as_float(),
            "output_scale": last.attributes["output_scale"].as_float(),
        },
        domain=OPERATORS,
        num_outputs=2,
        name=first.name,
    )
    graph.insert_before(last, block)
    for old, new in zip(last.outputs, block.outputs, strict=True):
        new.name = old.name
        convenience.replace_all_uses_with(old, new)
    graph.remove(list(reversed(convolutions)), safe=True)


def _operands(graph: ir.Graph, node: ir.Node) -> list[ir.Value | None]:
    """Return the inputs of a convolution that its block takes."""
    inputs = [_inputs(node)[index] for index in _PER_CONVOLUTION]
    weight, sums = inputs[:2]
    packed, of_columns = constant(weight), constant(sums)
    assert weight is not None
    assert packed is not None  # `native` made it, and the sums
    assert of_columns is not None
    parts = with_differences(packed, node.attributes["kernel_size"].as_int())
    name = f"{weight.name}_in_pairs"
    return [*packed_operands(graph, parts, of_columns.size, name), *inputs[3:]]


def _inputs(node: ir.Node) -> list[ir.Value | None]:
    """Return all inputs, including omitted ones at the end."""
    inputs = list(node.inputs)
    return inputs + [None] * (_ADDEND + 1 - len(inputs))
