"""Let a decoder take statistics from elsewhere, so that a stretch is said as part of the whole."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.model.rewriting.graph import constant, initializer, nodes_of
from service.model.rewriting.native import OPERATORS
from service.model.rewriting.parts import SPECTRUM

SPECTRUM_STATISTICS = "spectrum_statistics"
"""Of each channel of the spectrum, over the whole piece: float32 [4, 22]."""

GIVEN, SHARE, MEASURED = "given", "share", "measured"
"""Statistics of what each AdaIN works on, of all blocks one after the other, float32 [n]; and how
much those that are given count, float32 [1]: with 0, what is measured is taken, with 1 they are."""

_STATISTICS, _GIVEN, _SHARE = 4, 3, 4
"""Inputs of a `DynamicQuantizeConv`, and of a `ResidualBlock`."""

_PER_CHANNEL, _CONVOLUTIONS = 4, 6


def tell_spectrum(encoder: ir.Graph) -> None:
    """Have an encoder tell the statistics of the spectrum."""
    spectrum = next(value for value in encoder.outputs if value.name == SPECTRUM)
    node = ir.node("ChannelStatistics", [spectrum], domain=OPERATORS)
    made = spectrum.producer()
    assert made is not None  # it is computed
    encoder.insert_after(made, node)
    encoder.outputs.append(_named(node.outputs[0], SPECTRUM_STATISTICS))


def carry_statistics(decoder: ir.Graph) -> int:
    """Have the residual blocks of a decoder take and tell statistics; return how many there are.

    The convolutions of the spectrum take its range from its statistics, which are known of the
    whole piece.
    """
    blocks = list(nodes_of(decoder, "ResidualBlock"))
    given, share, of_spectrum = (
        _named(ir.Value(), name) for name in (GIVEN, SHARE, SPECTRUM_STATISTICS)
    )
    sizes = [_PER_CHANNEL * _CONVOLUTIONS * _channels(block) for block in blocks]
    split = ir.node(
        "Split",
        [given, initializer(decoder, np.array(sizes, np.int64), "statistics_of_blocks")],
        {"axis": 0},
        num_outputs=len(blocks),
    )
    decoder.insert_before(decoder[0], split)
    measured = [
        _replaced(decoder, block, statistics, share)
        for block, statistics in zip(blocks, split.outputs, strict=True)
    ]
    joined = ir.node("Concat", measured, {"axis": 0})
    decoder.append(joined)
    decoder.outputs.append(_named(joined.outputs[0], MEASURED))
    for node in nodes_of(decoder, "DynamicQuantizeConv"):
        if node.inputs[0] is not None and node.inputs[0].name == SPECTRUM:
            node.resize_inputs(max(len(node.inputs), _STATISTICS + 1))
            node.replace_input_with(_STATISTICS, of_spectrum)
    given.shape = ir.Shape([sum(sizes)])
    decoder.inputs.extend([of_spectrum, given, share])
    return len(blocks)


def _replaced(graph: ir.Graph, block: ir.Node, given: ir.Value, share: ir.Value) -> ir.Value:
    """Put a block that takes statistics in the place of one; return those that it measures."""
    inputs = list(block.inputs)
    inputs[_GIVEN], inputs[_SHARE] = given, share
    attributes = {name: attribute.value for name, attribute in block.attributes.items()}
    carrying = ir.node("ResidualBlock", inputs, attributes, domain=OPERATORS, num_outputs=3)
    graph.insert_before(block, carrying)
    for old, new in zip(block.outputs, carrying.outputs[:2], strict=True):
        new.name = old.name
        convenience.replace_all_uses_with(old, new)
    graph.remove(block, safe=True)
    return carrying.outputs[2]


def _channels(block: ir.Node) -> int:
    sums = constant(block.inputs[_SHARE + 2])
    assert sums is not None  # a block has weights
    return sums.size


def _named(value: ir.Value, name: str) -> ir.Value:
    value.name, value.type = name, ir.TensorType(ir.DataType.FLOAT)
    return value
