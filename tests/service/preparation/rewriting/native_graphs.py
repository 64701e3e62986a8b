"""Graphs of native operators."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from onnx_ir.passes import common as passes

from service.preparation.rewriting import native
from tests.service.preparation.rewriting.graph_checks import (
    copied,
    recognize,
)
from tests.service.preparation.rewriting.published_graphs import Published

CONV = "kokoro.DynamicQuantizeConv"
STATISTICS = "kokoro.ChannelStatistics"
INPUTS = (
    "x", "weight", "weight_sums", "runs", "bias", "statistics", "style", "alpha", "residual",
    "addend",
)  # fmt: skip


def fused(graph: Published, *outputs: str) -> ir.Model:
    """Return a graph with native operators, but nothing of the dialect put into stock ones yet."""
    model = recognize(copied(graph.model(*outputs)))
    count = native.fuse(model.graph)
    passes.RemoveUnusedNodesPass()(model)
    made = sum(node.domain == native.OPERATORS and node.op_type != "ChannelStatistics"
               for node in model.graph)  # fmt: skip
    assert count == made
    return model


def operands(node: ir.Node, names: tuple[str, ...] = INPUTS) -> dict[str, ir.Value]:
    return {name: value for name, value in zip(names, node.inputs, strict=False) if value}


def array(value: ir.Value | None) -> np.ndarray:  # type: ignore[type-arg]
    assert value is not None
    assert value.const_value is not None
    return value.const_value.numpy()


def frames(graph: Published, n_channels: int, n_frames: int = 9) -> str:
    """Something given channels last, as all is in a decoder but at its ends."""
    return graph.add("Transpose", graph.given(1, n_frames, n_channels), perm=[0, 2, 1])


def ended(graph: Published, x: str) -> str:
    """Something behind that is not fused, and takes channels last."""
    turned = graph.add("Transpose", x, perm=[0, 2, 1])
    return graph.add("Softmax", turned, axis=-1)


def convolved(graph: Published) -> str:
    return graph.convolution(frames(graph, 5), 5, 6)


def adain(graph: Published, x: str, n: int = 6) -> str:
    return graph.modulation(graph.norm(x), graph.given(1, 2 * n), n)
