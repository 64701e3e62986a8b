"""Feed AdaIN statistics to the decoder as inputs: a window then sounds as within its chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.rewriting.dialect import DOMAIN, ENDS
from service.preparation.rewriting.graph import constant, initializer, maker, nodes_of
from service.preparation.rewriting.native import OPERATORS
from service.preparation.rewriting.parts import SPECTRUM
from service.preparation.rewriting.refusing import named, refused

SPECTRUM_STATISTICS = "spectrum_statistics"
"""Statistics of each channel of the spectrum, over the whole chunk: float32 [4, 22]."""

GIVEN, SHARE, MEASURED = "given", "share", "measured"
"""Statistics of each AdaIN's input, for all blocks one after the other, float32 [n]; and the share
of the given ones, float32 [1]: 0 uses measured statistics, 1 the given ones."""

_STATISTICS, _GIVEN, _SHARE = 5, 3, 4
"""Inputs of a `DynamicQuantizeConv`, and of a `ResidualBlock`."""

_PER_CHANNEL, _CONVOLUTIONS = 4, 6


def tell_spectrum(encoder: ir.Graph) -> None:
    """Make the statistics of the spectrum an output of the encoder."""
    spectrum = named(encoder.outputs, SPECTRUM, encoder)
    node = ir.node("ChannelStatistics", [spectrum], domain=DOMAIN)
    made = spectrum.producer()
    assert made is not None  # it is computed
    encoder.insert_after(made, node)
    encoder.outputs.append(_named(node.outputs[0], SPECTRUM_STATISTICS))


def give_spectrum(decoder: ir.Graph) -> None:
    """Quantize the spectrum by the minimum and maximum of the whole chunk.

    In: `QuantizedConv`. Out: the same, whose ends are the minimum and maximum of each channel.
    """
    statistics = _named(ir.Value(), SPECTRUM_STATISTICS)
    _, ends = _split(decoder, statistics, [_PER_CHANNEL // 2] * 2)
    decoder.inputs.append(statistics)
    spectrum = named(decoder.inputs, SPECTRUM, decoder)
    for node in nodes_of(decoder, "QuantizedConv"):
        if _unturned(node.inputs[0]) is spectrum:
            node.resize_inputs(ENDS + 1)
            node.replace_input_with(ENDS, ends)


def carry_statistics(decoder: ir.Graph) -> int:
    """Add statistics to the inputs and outputs of residual blocks; return how many there are.

    The convolutions of the spectrum quantize by the whole chunk's statistics, which are known.

    Raises:
        RefusedError: there is none.
    """
    blocks = list(nodes_of(decoder, "ResidualBlock"))
    if not blocks:
        raise refused("the decoder has no residual block", decoder)
    given, share, of_spectrum = (
        _named(ir.Value(), name) for name in (GIVEN, SHARE, SPECTRUM_STATISTICS)
    )
    sizes = [_PER_CHANNEL * _CONVOLUTIONS * _channels(block) for block in blocks]
    of_blocks = _split(decoder, given, sizes)
    measured = [
        _replaced(decoder, block, statistics, share)
        for block, statistics in zip(blocks, of_blocks, strict=True)
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


def give_statistics(decoder: ir.Graph) -> int:
    """Feed statistics to the layers of residual blocks; return how many blocks there are.

    In: layers of `Modulate`, as the dialect has them after a model was split. Out: each with the
    mean, the variance, the least and the greatest of its channels, and the share of these, see
    `dialect`; they come from the inputs `given` and `share`, in the order in which the blocks of
    the native operators have them.

    Raises:
        RefusedError: the blocks have another structure; nothing is changed.
    """
    blocks = _blocks(decoder)
    given, share = _named(ir.Value(), GIVEN), _named(ir.Value(), SHARE)
    sizes = [_PER_CHANNEL * _CONVOLUTIONS * block[0].n_channels for block in blocks]
    given.shape, share.shape = ir.Shape([sum(sizes)]), ir.Shape([1])
    of_blocks = _split(decoder, given, sizes)
    for block, of_block in zip(blocks, of_blocks, strict=True):
        rows = _split(decoder, of_block, [block[0].n_channels] * _PER_CHANNEL * _CONVOLUTIONS)
        for number, layer in enumerate(block):
            first = _PER_CHANNEL * number
            operands = [*layer.modulate.inputs[:2], *rows[first : first + _PER_CHANNEL], share]
            layer.modulate.resize_inputs(len(operands))
            for place, operand in enumerate(operands):
                layer.modulate.replace_input_with(place, operand)
    decoder.inputs.extend([given, share])
    return len(blocks)


class _Layer(NamedTuple):
    """AdaIN, an activation and a convolution.

    Attributes:
        source: the value to normalize, before its transpose.
        modulate: the node.
        convolution: the node.
        n_channels: of the source.
    """

    source: ir.Value
    modulate: ir.Node
    convolution: ir.Node
    n_channels: int


def _blocks(decoder: ir.Graph) -> list[list[_Layer]]:
    """Return the layers of each residual block, in the order of the sums."""
    layers = [
        layer
        for node in _upstream_first(decoder)
        if node.op_type == "QuantizedConv" and (layer := _layer(node)) is not None
    ]
    blocks = [layers[n : n + _CONVOLUTIONS] for n in range(0, len(layers), _CONVOLUTIONS)]
    for block in blocks:
        if not _is_block(block):
            reason = f"{len(block)} layers of AdaIN are no residual block of {_CONVOLUTIONS}"
            raise refused(reason, block[0].convolution)
    if not blocks:
        raise refused("the decoder has no residual block", decoder)
    return blocks


def _upstream_first(graph: ir.Graph) -> Iterable[ir.Node]:
    """Return the nodes that compute a graph's outputs, depth first, first inputs first.

    The order in the graph itself may be any topological order.
    """
    found: dict[ir.Node, None] = {}
    path = [node for value in graph.outputs if (node := value.producer()) is not None]
    while path:
        makers = (value.producer() for value in path[-1].inputs if value is not None)
        missing = next((node for node in makers if node is not None and node not in found), None)
        if missing is None:
            found[path.pop()] = None
        else:
            path.append(missing)
    return found


def _layer(convolution: ir.Node) -> _Layer | None:
    """Return the layer that ends with a convolution; None if it has no AdaIN."""
    weight, x = constant(convolution.inputs[1]), _unturned(convolution.inputs[0])
    activation = x.producer() if x is not None else None
    # One node, or several, the last of which takes what the first took.
    taken = activation.inputs if activation is not None else ()
    modulates = (maker(_unturned(value), "Modulate") for value in taken)
    modulate = next((node for node in modulates if node is not None), None)
    norm = maker(_unturned(modulate.inputs[0]), "InstanceNorm") if modulate is not None else None
    source = _unturned(norm.inputs[0]) if norm is not None else None
    if weight is None or modulate is None or source is None:
        return None
    return _Layer(source, modulate, convolution, weight.shape[1])


def _is_block(layers: list[_Layer]) -> bool:
    """Tell whether layers are pairs, each of which adds its input to its result."""
    if len(layers) != _CONVOLUTIONS or len({layer.n_channels for layer in layers}) != 1:
        return False
    pairs = list(zip(layers[::2], layers[1::2], strict=True))
    follow = all(second.source is first.convolution.outputs[0] for first, second in pairs)
    sums = [maker(after.source, "Add") for after, _ in pairs[1:]]
    return follow and all(
        total is not None
        and {_unturned(value) for value in total.inputs}
        == {first.source, second.convolution.outputs[0]}
        for (first, second), total in zip(pairs, sums, strict=False)
    )


def _unturned(value: ir.Value | None) -> ir.Value | None:
    """Return a value before its transposes."""
    while (turn := maker(value, "Transpose")) is not None:
        value = turn.inputs[0]
    return value


def _split(graph: ir.Graph, value: ir.Value, sizes: Sequence[int]) -> Sequence[ir.Value]:
    """Split a vector that is an input, or a part of one."""
    lengths = initializer(graph, np.array(sizes, np.int64), "statistics_sizes")
    split = ir.node("Split", [value, lengths], {"axis": 0}, num_outputs=len(sizes))
    made = value.producer()
    if made is None:
        graph.insert_before(graph[0], split)
    else:
        graph.insert_after(made, split)
    return split.outputs


def _replaced(graph: ir.Graph, block: ir.Node, given: ir.Value, share: ir.Value) -> ir.Value:
    """Replace a block by one that takes statistics; return those that it measures."""
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
    bias = constant(block.inputs[_SHARE + 4])
    assert bias is not None  # a block has one
    return bias.size


def _named(value: ir.Value, name: str) -> ir.Value:
    value.name, value.type = name, ir.TensorType(ir.DataType.FLOAT)
    return value
