"""Split a model in two: an encoder for a whole chunk, a decoder for any window of it."""

from __future__ import annotations

import onnx_ir as ir
from onnx_ir import convenience

from service.model.durations import TENSOR_NAME
from service.preparation.rewriting.graph import CHANNELS_LAST, maker, n_groups, nodes_of, users
from service.preparation.rewriting.refusing import named, refused

FEATURES = "features"
"""Input of the generator: float32 [1, 2 T, 512] for T frames."""

SPECTRUM = "spectrum"
"""Magnitudes and phases of the harmonic source: float32 [1, 120 T + 1, 22]."""

STYLE = "style"


def split(model: ir.Model) -> tuple[ir.Model, ir.Model]:
    """Split a recognized model where its generator begins.

    The encoder is a fifth of the work. It runs once for the whole chunk, so its statistics are the
    whole chunk's, and the phases of the harmonic source are continuous.

    Returns:
        The encoder, from tokens, style and speed to features, spectrum and durations; and the
        decoder, from features, spectrum and style to the audio.

    Raises:
        RefusedError: the beginning of the generator is not found.
    """
    graph = model.graph
    begins_with, source = _features(graph), _spectrum(graph)
    made = (value for node in graph for value in node.outputs)
    durations, style = named(made, TENSOR_NAME, graph), named(graph.inputs, STYLE, graph)
    features, spectrum = _cut(graph, begins_with, FEATURES), _cut(graph, source, SPECTRUM)
    durations.type = ir.TensorType(ir.DataType.FLOAT)

    def extracted(inputs: list[ir.Value], outputs: list[ir.Value]) -> ir.Model:
        extract = convenience.extract(graph, inputs, outputs)
        # Their order is random; the same source must become the same file.
        held = dict(extract.initializers)
        extract.initializers.clear()
        for name in graph.initializers:
            if name in held:
                extract.register_initializer(held[name])
        return ir.Model(extract, ir_version=model.ir_version)

    encoder = extracted(list(graph.inputs), [features, spectrum, durations])
    return encoder, extracted([features, spectrum, style], list(graph.outputs))


def _features(graph: ir.Graph) -> ir.Value:
    """Return the input of the first upsampling that mixes channels."""
    nearest = ""
    for node in nodes_of(graph, "ConvTranspose"):
        nearest = nearest or f"ConvTranspose {node.name} mixes none or comes behind no LeakyRelu"
        leaky = maker(node.inputs[0], "LeakyRelu")
        if n_groups(node) == 1 and leaky is not None and leaky.inputs[0] is not None:
            return leaky.inputs[0]
    raise refused("the generator has no beginning: no upsampling mixes channels", graph, nearest)


def _spectrum(graph: ir.Graph) -> ir.Value:
    """Return the concatenated tensor whose only users are several convolutions."""
    for node in nodes_of(graph, "Concat"):
        transposes = users(node.outputs[0])
        takers = [taker for user in transposes for taker in users(user.outputs[0])]
        if (
            len(takers) > 1
            and all(user.op_type == "Transpose" for user in transposes)
            and all(taker.op_type == "QuantizedConv" for taker in takers)
        ):
            return node.outputs[0]
    raise refused("no Concat is the spectrum that several quantized convolutions take", graph)


def _cut(graph: ir.Graph, value: ir.Value, name: str) -> ir.Value:
    """Return a value channels last, from which its users get it as it was."""
    uses = list(value.uses())
    node = value.producer()
    assert node is not None  # it was found among what nodes make
    out = ir.node("Transpose", [value], {"perm": CHANNELS_LAST})
    back = ir.node("Transpose", out.outputs, {"perm": CHANNELS_LAST})
    graph.insert_after(node, [out, back])
    for use in uses:
        use.node.replace_input_with(use.idx, back.outputs[0])
    cut = out.outputs[0]
    cut.name, cut.type = name, ir.TensorType(ir.DataType.FLOAT)
    return cut
