"""Graphs of native operators."""

from onnx_ir.passes import common as passes
from tests.service.preparation.rewriting.graph_checks import copied, recognize

from service.preparation.rewriting import native

CONV = "kokoro.DynamicQuantizeConv"
STATISTICS = "kokoro.ChannelStatistics"
INPUTS = ("x", "weight", "weight_sums", "runs", "bias", "statistics", "style", "alpha", "residual", "addend")


def fused(graph, *outputs):
    """Return a graph with native operators, but nothing of the dialect put into stock ones yet."""
    model = recognize(copied(graph.model(*outputs)))
    count = native.fuse(model.graph)
    passes.RemoveUnusedNodesPass()(model)
    made = sum(node.domain == native.OPERATORS and node.op_type != "ChannelStatistics" for node in model.graph)
    assert count == made
    return model


def convolutions_of(model):
    return [node for node in model.graph if node.op_type == "DynamicQuantizeConv"]


def operands(node, names=INPUTS):
    return {name: value for name, value in zip(names, node.inputs, strict=False) if value}


def array(value):
    return value.const_value.numpy()


def number(node, attribute):
    return node.attributes[attribute].as_float()


def frames(graph, n_channels, n_frames=9):
    """Something given channels last, as all is in a decoder but at its ends."""
    return graph.add("Transpose", graph.given(1, n_frames, n_channels), perm=[0, 2, 1])


def ended(graph, x):
    """Something behind that is not fused, and takes channels last."""
    return graph.add("Softmax", graph.add("Transpose", x, perm=[0, 2, 1]), axis=-1)


def convolved(graph):
    return graph.convolution(frames(graph, 5), 5, 6)


def adain(graph, x, n=6):
    return graph.modulation(graph.norm(x), graph.given(1, 2 * n), n)


def half(graph, x, n, size, dilation=1, *, leaky=False, **given):
    """AdaIN, an activation and a convolution."""
    pad = dilation * (size - 1) // 2
    x = adain(graph, x, n)
    x = graph.add("LeakyRelu", x, alpha=0.2) if leaky else graph.snake(x, n)
    return graph.convolution(x, n, n, size, dilations=[dilation], pads=[pad, pad], **given)
