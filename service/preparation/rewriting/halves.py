"""Compute most of the decoder in float16, called halves here.

Text, durations, pitch, the harmonic source with its phases, and the transforms at both ends stay in
float32: in float16 a phase of some thousand cycles is noise, and durations are wrong. Frame counts
stay in float32 too: the largest float16 is 65,504, and 14 s of speech have more columns than that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import onnx_ir as ir

from service.model.durations import TENSOR_NAME
from service.preparation.rewriting.carrying import SHARE
from service.preparation.rewriting.graph import constant, maker, nodes_of
from service.preparation.rewriting.masked_decoder import MASK
from service.preparation.rewriting.parts import FEATURES
from service.preparation.rewriting.refusing import refused

_HALF = ir.DataType.FLOAT16
_WHOLE_INPUTS = {"Clip": (1, 2), "Expand": (1,), "Gather": (1,), "ReduceMean": (1,),
                 "ReduceSum": (1,), "Reshape": (1,), "Resize": (1, 2), "Slice": (1, 2, 3, 4),
                 "Split": (1,), "Squeeze": (1,), "Tile": (1,), "Unsqueeze": (1,)}  # fmt: skip
"""Inputs that are not activations, or stay float32 (the factors of a Resize)."""


def halve(graph: ir.Graph) -> int:
    """Convert an encoder or a decoder to float16; return the number of converted nodes.

    In: of an encoder, the nodes between the frames' features and pitch and the features that it
    returns; of a decoder, all nodes up to the last convolution before the inverse transform. Out:
    the same nodes in float16, with casts at the borders.
    """
    region = _region(graph)
    region.halve()
    return len(region.nodes)


def round_to_halves(graph: ir.Graph) -> int:
    """Round the results of the same nodes to float16; return the number of nodes.

    This shows the effect of float16 on a CPU, which has few float16 kernels and would compute most
    nodes in float32.
    """
    region = _region(graph)
    region.round()
    return len(region.nodes)


class _Region:
    """The nodes that are converted.

    Attributes:
        nodes: in the order of the graph.
    """

    def __init__(self, graph: ir.Graph, nodes: list[ir.Node], floats: set[ir.Value]) -> None:
        self.nodes = nodes
        self._graph = graph
        self._members = set(nodes)
        self._inside = [value for node in nodes for value in node.outputs]
        self._from_outside = floats.difference(self._inside)
        self._halves: dict[ir.Value, ir.Value] = {}

    def halve(self) -> None:
        for node in self.nodes:
            if node.op_type == "Cast":
                node.attributes["to"] = ir.AttrInt64("to", _HALF)
                continue
            for place, value in self._activations(node):
                node.replace_input_with(place, self._half(value, node))
        for value in self._inside:
            value.type = ir.TensorType(_HALF)
            self._cast(value, [ir.DataType.FLOAT], lambda node: node not in self._members)

    def round(self) -> None:
        for node in self.nodes:
            for _, value in self._activations(node):
                array = constant(value)
                if array is not None:
                    rounded = array.astype(np.float16).astype(np.float32)
                    value.const_value = ir.tensor(rounded, name=value.name)
        for value in self._inside:
            self._cast(value, [_HALF, ir.DataType.FLOAT], lambda node: True)

    def _activations(self, node: ir.Node) -> Iterable[tuple[int, ir.Value]]:
        """Yield the index and the value of each float32 input from outside the region."""
        whole = _WHOLE_INPUTS.get(node.op_type, ())
        for place, value in enumerate(node.inputs):
            if value in self._from_outside and place not in whole:
                yield place, value

    def _cast(
        self, value: ir.Value, types: list[ir.DataType], is_meant: Callable[[ir.Node], bool]
    ) -> None:
        """Put a chain of casts between a value and some of its users."""
        uses = [use for use in value.uses() if is_meant(use.node)]
        node = value.producer()
        assert node is not None  # it is one of the region
        for kind in types if uses else ():
            cast = ir.node("Cast", [value], {"to": kind})
            self._graph.insert_after(node, cast)
            node, value = cast, cast.outputs[0]
        for use in uses:
            use.node.replace_input_with(use.idx, value)

    def _half(self, value: ir.Value, first_user: ir.Node) -> ir.Value:
        """Return a value as float16: a converted constant, or the output of a Cast."""
        if value not in self._halves:
            array = constant(value)
            if array is not None:
                half = ir.Value(
                    name=f"{value.name}_half",
                    const_value=ir.tensor(array.astype(np.float16), name=f"{value.name}_half"),
                )
                self._graph.register_initializer(half)
            else:
                cast = ir.node("Cast", [value], {"to": _HALF})
                self._graph.insert_before(first_user, cast)
                half = cast.outputs[0]
            self._halves[value] = half
        return self._halves[value]


def _region(graph: ir.Graph) -> _Region:
    boundary = list(_boundary(graph))
    before_ends, before_boundary = _ancestors(_ends(graph)), _ancestors(boundary)
    floats = _float_values(graph)
    given = [value for value in graph.inputs if value.name not in (MASK, SHARE)]
    sound = _made_of([*boundary, *given], floats)
    nodes = [
        node for node in graph
        if node in before_ends and node not in before_boundary and sound.issuperset(node.outputs)
    ]  # fmt: skip
    return _Region(graph, nodes, floats)


def _ends(graph: ir.Graph) -> list[ir.Value]:
    """Return the values at which the region ends."""
    for value in graph.outputs:
        turned = maker(value, "Transpose")
        if value.name == FEATURES and turned is not None and turned.inputs[0] is not None:
            return [turned.inputs[0]]
    return [_last_convolution(graph).outputs[0]]


def _made_of(values: Iterable[ir.Value], floats: set[ir.Value]) -> set[ir.Value]:
    """Return the floats among some values, and everything computed from them through floats only.

    This leaves out masks and frame counts, which are computed from integers.
    """
    made, waiting = set(), [value for value in values if value in floats]
    while waiting:
        value = waiting.pop()
        if value not in made:
            made.add(value)
            outputs = (output for use in value.uses() for output in use.node.outputs)
            waiting += [output for output in outputs if output in floats]
    return made


def _last_convolution(graph: ir.Graph) -> ir.Node:
    """Return the convolution whose channels become the spectrum of the sound."""
    for node in nodes_of(graph, "ConvTranspose"):
        kernel = constant(node.inputs[1])
        if kernel is None or kernel.shape[1] != 1 or kernel.shape[0] == 1 or _is_depthwise(node):
            continue
        value = node.inputs[0]
        while value is not None:
            made = value.producer()
            if made is None:
                break
            if made.op_type == "Conv":
                return made
            value = made.inputs[0]
    raise refused("no convolution comes before an inverse transform", graph)


def _is_depthwise(node: ir.Node) -> bool:
    group = node.attributes.get("group")
    return group is not None and group.as_int() > 1


def _boundary(graph: ir.Graph) -> Iterable[ir.Value]:
    """Yield the values at which the region begins."""
    for node in graph:
        for value in node.outputs:
            if value.name == TENSOR_NAME:
                yield value
        if node.op_type == "CumSum" and node.inputs[0] is not None:  # the pitch
            yield node.inputs[0]
        if node.op_type == "MatMul" and _is_alignment(node.inputs[1]):  # the features
            yield node.outputs[0]
        if node.op_type == "Tanh":  # the source; its transform has no weights
            yield from _spectrum_of(node.outputs[0])


def _is_alignment(value: ir.Value | None) -> bool:
    """Tell whether a value is the alignment: for each token a row with a 1 at its frames."""
    cast = maker(value, "Cast")
    return cast is not None and maker(cast.inputs[0], "And") is not None


def _spectrum_of(source: ir.Value) -> Iterable[ir.Value]:
    """Yield the concatenated magnitudes and phases of the source, which convolutions take."""
    seen, waiting = set(), [source]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        users = [use.node for use in value.uses()]
        if all(_weighs(node) and maker(value, "Concat") is not None for node in users):
            yield value
            continue
        waiting.extend(output for node in users for output in node.outputs)


def _weighs(node: ir.Node) -> bool:
    return node.op_type in ("Conv", "Mul")


def _ancestors(values: Iterable[ir.Value]) -> set[ir.Node]:
    seen: set[ir.Node] = set()
    waiting = [node for value in values if (node := value.producer()) is not None]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [made for value in node.inputs if value and (made := value.producer())]
    return seen


def _float_values(graph: ir.Graph) -> set[ir.Value]:
    """Return all float32 values, inferred from the operators."""
    floats = {value for value in graph.inputs if value.dtype == ir.DataType.FLOAT}
    for value in graph.initializers.values():
        if value.const_value is not None and value.const_value.dtype == ir.DataType.FLOAT:
            floats.add(value)
    for node in graph:
        if node.op_type in ("Shape", "Greater", "GreaterOrEqual", "Less", "Equal", "NonZero"):
            continue
        if node.op_type == "Cast":
            is_float = node.attributes["to"].as_int() == ir.DataType.FLOAT
        elif node.op_type == "ConstantOfShape":
            value_attribute = node.attributes.get("value")
            is_float = value_attribute is None or (
                value_attribute.as_tensor().dtype == ir.DataType.FLOAT
            )
        elif node.op_type == "Where":
            is_float = node.inputs[1] in floats
        elif node.op_type == "Constant":
            is_float = node.attributes["value"].as_tensor().dtype == ir.DataType.FLOAT
        else:
            is_float = node.inputs[0] in floats
        if is_float:
            floats.update(node.outputs)
    return floats
