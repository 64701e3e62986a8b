"""Replace recognized operators, and the nodes around them, by native operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import convenience

from service.preparation.layout import Layout
from service.preparation.rewriting.dialect import DOMAIN
from service.preparation.rewriting.graph import constant, initializer, maker, only_user, scalar
from service.preparation.rewriting.packing import (
    centered,
    column_sums,
    cut_runs,
    pack_floats,
    pack_integers,
    pack_strided,
)

OPERATORS = "kokoro"
"""The domain of the native operators; native/ describes them."""

_NO_SLOPE = 1.0
"""A LeakyReLU that does nothing."""


def fuse(graph: ir.Graph) -> int:
    """Replace and fuse what is possible by native operators; return how many.

    In: `QuantizedConv` with the activation and AdaIN before it, the sums and the scaling after
    it; `Upsample` and `Conv` likewise. Out: `DynamicQuantizeConv`, `ConvTranspose`, `Conv`, each of
    which outputs the statistics for the next AdaIN; otherwise `ChannelStatistics`.
    """
    fuser = _Fuser(graph)
    for node in list(graph):
        if node.domain == DOMAIN and node.graph is not None:
            if node.op_type == "QuantizedConv":
                fuser.quantized_conv(node)
            elif node.op_type == "Upsample":
                fuser.upsample(node)
            elif node.op_type == "Conv":
                fuser.conv(node)
            elif node.op_type == "ChannelStatistics":
                node.domain = OPERATORS
    return fuser.count


class _Fuser:
    def __init__(self, graph: ir.Graph) -> None:
        self._graph = graph
        self.count = 0
        self._statistics: dict[ir.Value, ir.Value] = {}

    def quantized_conv(self, node: ir.Node) -> None:
        weight = constant(node.inputs[1])
        assert weight is not None  # recognized as such
        packed = pack_integers(centered(weight, node.attributes["weight_zero_point"].as_int()))
        source, before = self._activation(node.inputs[0], node)
        name = _named(node.inputs[1])
        after, residuals, scale = self._sums(node, 2)
        bias = node.inputs[2] if len(node.inputs) > 2 else None
        attributes = {
            name: node.attributes[name].value
            for name in ("dilation", "stride", "pad_begin", "pad_end", "weight_scale")
        }
        attributes |= {
            "channels": weight.shape[0],
            "kernel_size": weight.shape[2],
            "layout": Layout.CENTERED,
            "epsilon": before["epsilon"],
            "negative_slope": before["negative_slope"],
            "output_scale": scale,
        }
        inputs = [
            source,
            *packed_operands(self._graph, [packed], weight.shape[0], name),
            bias,
            before["statistics"],
            before["style"],
            before["alpha"],
            *residuals,
        ]
        self._put("DynamicQuantizeConv", inputs, attributes, node, after)

    def upsample(self, node: ir.Node) -> None:
        source, slope = self._slope(node.inputs[0])
        weight = constant(node.inputs[1])
        assert weight is not None  # recognized as such
        after = node
        reflected = only_user(node.outputs[0], "Reflect")
        if reflected is not None:
            after = reflected
        after, residuals, _ = self._sums(after, 1, scaled=False)
        stride = node.attributes["stride"].as_int()
        packed = pack_strided(weight, stride)
        inputs = [
            source,
            initializer(self._graph, packed, f"{_named(node.inputs[1])}_packed"),
            node.inputs[2],
            *residuals,
        ]
        attributes = {
            "channels": weight.shape[1],
            "stride": stride,
            "pad": node.attributes["pad"].as_int(),
            "reflect": int(reflected is not None),
            "negative_slope": slope,
        }
        self._put("ConvTranspose", inputs, attributes, node, after)

    def conv(self, node: ir.Node) -> None:
        source, slope = self._slope(node.inputs[0])
        weight = constant(node.inputs[1])
        assert weight is not None  # recognized as such
        pad = node.attributes["pad"].as_int()
        packed = pack_floats(weight)
        inputs = [
            source,
            initializer(self._graph, packed, f"{_named(node.inputs[1])}_packed"),
            node.inputs[2],
        ]
        attributes = {
            "channels": weight.shape[0],
            "kernel_size": weight.shape[2],
            "pad_begin": pad,
            "pad_end": pad,
            "negative_slope": slope,
        }
        self._put("Conv", inputs, attributes, node, node)

    def _activation(self, x: ir.Value | None, node: ir.Node) -> tuple[ir.Value, dict[str, Any]]:
        """Return the input of activation and AdaIN, and both as operands."""
        operands: dict[str, Any] = {
            "alpha": None, "statistics": None, "style": None, "epsilon": 0.0,
            "negative_slope": _NO_SLOPE,
        }  # fmt: skip
        snake = maker(x, "Snake")
        if snake is not None:
            x, operands["alpha"] = snake.inputs
        else:
            x, operands["negative_slope"] = self._slope(x)
        modulate = maker(x, "Modulate")
        norm = maker(modulate.inputs[0], "InstanceNorm") if modulate is not None else None
        if modulate is not None and norm is not None:
            x, operands["style"] = norm.inputs[0], modulate.inputs[1]
            operands["epsilon"] = norm.attributes["epsilon"].as_float()
            operands["statistics"] = self._statistics_of(x, norm)
        assert x is not None  # every operator here has an input
        return x, operands

    def _slope(self, x: ir.Value | None) -> tuple[ir.Value, float]:
        """Return the input of a LeakyReLU and its slope; or x itself and 1."""
        leaky = maker(x, "LeakyRelu")
        slope = _NO_SLOPE
        if leaky is not None:
            x, slope = leaky.inputs[0], leaky.attributes["alpha"].as_float()
        assert x is not None  # every operator here has an input
        return x, slope

    def _statistics_of(self, x: ir.Value | None, before: ir.Node) -> ir.Value:
        """Return the statistics of each channel, from the operator that makes x if it can."""
        assert x is not None  # every operator here has an input
        if x not in self._statistics:
            node = x.producer()
            if node is not None and node.domain == OPERATORS and len(node.outputs) > 1:
                node.outputs[1].name = f"{x.name}_statistics"
                self._statistics[x] = node.outputs[1]
            else:
                statistics = ir.node("ChannelStatistics", [x], domain=OPERATORS)
                if node is None:
                    self._graph.insert_before(before, statistics)
                else:
                    self._graph.insert_after(node, statistics)
                self._statistics[x] = statistics.outputs[0]
        return self._statistics[x]

    def _sums(
        self, node: ir.Node, at_most: int, *, scaled: bool = True
    ) -> tuple[ir.Node, list[ir.Value], float]:
        """Return the last node that can be fused after one, the summands, and the scale."""
        residuals: list[ir.Value] = []
        while len(residuals) < at_most:
            add = only_user(node.outputs[0], "Add")
            others = [value for value in add.inputs if value is not node.outputs[0]] if add else []
            if (
                add is None
                or len(others) != 1
                or others[0] is None
                or constant(others[0]) is not None
            ):
                break
            residuals.append(others[0])
            node = add
        divide = only_user(node.outputs[0], "Div") if scaled else None
        divisor = scalar(divide.inputs[1]) if divide is not None else None
        if divide is None or not divisor or divide.inputs[0] is not node.outputs[0]:
            return node, residuals, 1.0
        return divide, residuals, 1.0 / divisor

    def _put(
        self,
        op_type: str,
        inputs: list[ir.Value | None],
        attributes: dict[str, Any],
        first: ir.Node,
        last: ir.Node,
    ) -> None:
        """Replace the last of the fused nodes by an operator."""
        n_outputs = 1 if op_type == "Conv" else 2
        fused = ir.node(
            op_type, inputs, attributes=attributes, domain=OPERATORS, num_outputs=n_outputs,
            name=first.name,
        )  # fmt: skip
        old = last.outputs[0]
        fused.outputs[0].name, fused.outputs[0].type = old.name, old.type
        for extra in fused.outputs[1:]:
            extra.name = ""  # not wanted until an AdaIN asks
        self._graph.insert_before(last, fused)
        convenience.replace_all_uses_with(old, fused.outputs[0], replace_graph_outputs=True)
        self._graph.remove(last, safe=True)
        self.count += 1


def packed_operands(
    graph: ir.Graph, parts: Sequence[npt.NDArray[np.int8]], n_out: int, name: str
) -> list[ir.Value]:
    """Return the inputs that packed weights are: themselves, the sums of columns, the runs.

    Sums and runs are also of the parts behind the first one, which are its differences.
    """
    sums = np.concatenate([column_sums(part, n_out) for part in parts])
    return [
        initializer(graph, parts[0], f"{name}_packed"),
        initializer(graph, sums, f"{name}_sums"),
        initializer(graph, cut_runs(np.concatenate(parts, axis=1)), f"{name}_runs"),
    ]


def _named(value: ir.Value | None) -> str:
    assert value is not None  # a weight
    assert value.name is not None  # an initializer has one
    return value.name
