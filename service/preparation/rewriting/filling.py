"""Put the weights of another Kokoro into the published graph, quantized as the published ones are.

What the published file shows of its weights, and `tests/.../test_filling.py` holds it to, is ONNX
Runtime's dynamic quantization with `reduce_range` and `per_channel`: seven bits everywhere.
Convolutions have one scale and one zero point each, between 0 and 127 over the range of their
weights and zero. Matrices have a scale for each column, LSTMs one for each direction and tables one
each, all symmetric, between -64 and 64. Transposed convolutions, the last convolution and the
harmonics' sum stay floats, as do biases, norms and Snake's factors. What is added may keep more
of them: see `refine_durations`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import onnx_ir as ir
from onnx_ir.passes import common as passes

from service.errors import ModelError
from service.model.durations import TENSOR_NAME
from service.preparation.checkpoints import Weights
from service.preparation.rewriting.floats import (
    dequantize_embeddings,
    dequantize_lstms,
    dequantize_products,
)
from service.preparation.rewriting.graph import (
    Array,
    constant,
    maker,
    nodes_of,
    only_user,
    replace_value,
)
from service.preparation.rewriting.refusing import refused

_OF_MODULES = {"encoder.": "", "decoder.decoder.": "decoder."}
"""What the exporter's names begin with, and what the checkpoint's do."""

_WITHOUT_PREDICTOR = frozenset({"bert", "bert_encoder", "text_encoder", "predictor"})
"""Modules of the encoder that the exporter names in full; others are the predictor's."""

_RECIPROCAL = re.compile(r"(.*)/Reciprocal(?:_(\d))?_output_0")
"""The reciprocal of a factor of Snake, computed by the exporter: of `alpha1.0`, `alpha2.0`,
`alpha1.1` and so on."""

NAMED = re.compile(r"\.(?:bias|gamma|beta|weight|alpha[12]\.\d)$")
"""Names of floats that the exporter kept."""

_TABLES = ("bert.embeddings.word_embeddings", "text_encoder.embedding")
"""Have a row for each token id, of which models may have other numbers."""

_IOFC = (0, 3, 1, 2)
"""The gates of an LSTM in ONNX's order, by their places in PyTorch's."""


def by_tensor(weight: Array) -> tuple[Array, Array, Array]:
    """Quantize a convolution; return uint8, float32 [] scale and uint8 [] zero point."""
    least, most = min(float(weight.min()), 0.0), max(float(weight.max()), 0.0)
    scale = np.float32((most - least) / 127 or 1.0)
    zero_point = np.uint8(np.round(-least / scale))
    integers = np.clip(np.round(weight / scale) + zero_point, 0, 127).astype(np.uint8)
    return integers, np.array(scale), np.array(zero_point)


def symmetric(weight: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """Quantize a matrix or a table; return int8, and float32 scales, one for all along the axes."""
    most = np.abs(weight).max(axis=axes, keepdims=True)
    scale = np.where(most > 0, most / 64, 1).astype(np.float32)
    integers = np.clip(np.round(weight / scale), -64, 64).astype(np.int8)
    return integers, scale.squeeze(axes)


def dequantize(model: ir.Model) -> None:
    """Make a float model of the published graph, with the same names of layers."""
    graph = model.graph
    for node in nodes_of(graph, "ConvInteger"):
        _convolve_floats(graph, node)
    dequantize_products(graph)
    dequantize_embeddings(graph)
    dequantize_lstms(graph)
    passes.RemoveUnusedNodesPass()(model)
    passes.TopologicalSortPass()(model)


def refine_durations(model: ir.Model) -> int:
    """Make floats of the matrices that durations depend on; return how many products there are.

    A duration is a sum that is rounded, so small errors of what goes into it change it. The twelve
    layers of the text encoder have the same matrices, and each adds to their errors.
    """
    graph = model.graph
    durations = next(
        (value for node in graph for value in node.outputs if value.name == TENSOR_NAME), None
    )
    found: dict[ir.Node, None] = {}
    waiting = [durations]
    while waiting:
        value = waiting.pop()
        node = value.producer() if value is not None else None
        if node is not None and node not in found:
            found[node] = None
            waiting.extend(node.inputs)
    count = dequantize_products(graph, found)
    passes.RemoveUnusedNodesPass()(model)
    passes.TopologicalSortPass()(model)
    return count


def fill(model: ir.Model, weights: Weights) -> None:
    """Replace every weight of the published graph, or of what the functions above made of it.

    Args:
        model: to change.
        weights: all of a Kokoro, see `read_weights`.

    Raises:
        ModelError: they are of a Kokoro with other layers. The message, one line, names one.
        RefusedError: the graph is not the published one.
    """
    filling = _Filling(model.graph, weights)
    for value in list(model.graph.initializers.values()):
        filling.fill_named(value)
    for node in list(model.graph):
        fill_kind = filling.kinds.get(node.op_type)
        if fill_kind is not None:
            fill_kind(node)
    unknown = sorted(set(weights) - filling.used)
    if unknown:
        raise ModelError(
            f"it has {unknown[0]!r:.80}, which Kokoro-82M has not; {len(unknown)} such"
        )
    passes.RemoveUnusedNodesPass()(model)


class _Filling:
    """Fills a graph; `used` are the names of the weights that have a place."""

    def __init__(self, graph: ir.Graph, weights: Weights) -> None:
        self.used: set[str] = set()
        self.kinds: dict[str, Callable[[ir.Node], None]] = {
            "ConvInteger": self._integer_convolution,
            "Conv": self._convolution,
            "ConvTranspose": self._convolution,
            "MatMulInteger": self._integer_product,
            "MatMul": self._product,
            "DynamicQuantizeLSTM": self._integer_lstm,
            "LSTM": self._lstm,
            "Gather": self._table,
        }
        self._graph = graph
        self._weights = weights
        self._layers: dict[str, str] = {}
        self._made: dict[str, ir.Value] = {}

    def fill_named(self, value: ir.Value) -> None:
        """Fill a float that has its name in the checkpoint, or the reciprocal of one."""
        held, name = value.const_value, str(value.name)
        if held is None or held.dtype != ir.DataType.FLOAT:
            return
        reciprocal = _RECIPROCAL.fullmatch(name)
        if reciprocal is not None:
            place = int(reciprocal[2] or 0)
            alpha = self._weight(
                f"{layer_of(reciprocal[1] + '/')}.alpha{1 + place % 2}.{place // 2}"
            )
            if not alpha.all():
                raise ModelError(f"{name} would be infinite: a factor of Snake is 0")
            self._set(value, 1 / alpha)
            return
        own = own_name(name)
        if own is not None and NAMED.search(own) is not None:
            self._set(value, self._weight(own))

    def _set(self, value: ir.Value, array: Array) -> None:
        shape = tuple(value.const_value.shape)  # type: ignore[union-attr]  # a constant
        _check_shape(str(value.name), array, shape)
        value.const_value = ir.tensor(np.ascontiguousarray(array, np.float32), name=value.name)

    def _weight(self, name: str) -> Array:
        self.used.add(name)
        try:
            return self._weights[name]
        except KeyError as error:
            raise ModelError(f"it lacks {name!r:.80}, which Kokoro-82M has") from error

    def _layer_of(self, node: ir.Node, place: int) -> str:
        """Return the layer of a node; nodes with the weight of another are of the same layer."""
        weight = node.inputs[place]
        key = str(weight.name)  # type: ignore[union-attr]  # it is a constant
        return self._layers.setdefault(key, layer_of(str(node.outputs[0].name)))

    def _give(self, node: ir.Node, place: int, array: Array, name: str) -> None:
        """Replace an input of a node; nodes of one layer share what has one name."""
        if name not in self._made:
            value = ir.Value(name=name, const_value=ir.tensor(array, name=name))
            self._graph.register_initializer(value)
            self._made[name] = value
        node.replace_input_with(place, self._made[name])

    def _integer_convolution(self, node: ir.Node) -> None:
        old = constant(node.inputs[1])
        assert old is not None  # the published graph has constants here
        layer = self._layer_of(node, 1)
        weight = self._weight(f"{layer}.weight")
        _check_shape(layer, weight, old.shape)
        integers, scale, zero_point = by_tensor(weight)
        self._give(node, 1, integers, f"{layer}.weight_quantized")
        self._give(node, 3, zero_point, f"{layer}.weight_zero_point")
        self._give_scale(_scales_of(node), scale, layer)

    def _give_scale(self, scales: ir.Node, scale: Array, layer: str) -> None:
        place = next(i for i, value in enumerate(scales.inputs) if constant(value) is not None)
        self._give(scales, place, scale, f"{layer}.weight_scale")

    def _convolution(self, node: ir.Node) -> None:
        own = own_name(str(node.inputs[1].name))  # type: ignore[union-attr]  # it has weights
        if own is not None and ".stft." in own:
            return
        self._give_floats(node, 1, lambda weight: weight)

    def _give_floats(self, node: ir.Node, place: int, turn: Callable[[Array], Array]) -> None:
        old = constant(node.inputs[place])
        if old is None:
            return
        layer = self._layer_of(node, place)
        weight = np.ascontiguousarray(turn(self._weight(f"{layer}.weight")))
        _check_shape(layer, weight, old.shape)
        self._give(node, place, weight, f"{layer}.weight")

    def _integer_product(self, node: ir.Node) -> None:
        old = constant(node.inputs[1])
        if old is None:
            return
        layer = self._layer_of(node, 1)
        weight = self._weight(f"{layer}.weight")
        _check_shape(layer, weight, old.shape[::-1])
        integers, scale = symmetric(weight, (1,))
        self._give(node, 1, np.ascontiguousarray(integers.T), f"{layer}.weight_quantized")
        self._give_scale(_scales_of(node), scale, layer)

    def _product(self, node: ir.Node) -> None:
        self._give_floats(node, 1, np.transpose)

    def _table(self, node: ir.Node) -> None:
        old = constant(node.inputs[0])
        if old is None or old.ndim != 2:
            return
        layer = self._layer_of(node, 0)
        weight = self._weight(f"{layer}.weight")
        shape = weight.shape[:1] if layer in _TABLES and weight.ndim else old.shape[:1]
        _check_shape(layer, weight, shape + old.shape[1:])
        if old.dtype == np.float32:
            self._give(node, 0, weight, f"{layer}.weight")
            return
        integers, scale = symmetric(weight, (0, 1))
        self._give(node, 0, integers, f"{layer}.weight_quantized")
        rows = only_user(node.outputs[0], "DequantizeLinear")
        if rows is None:
            raise refused("a table of integers is not dequantized", node)
        self._give(rows, 1, scale, f"{layer}.weight_scale")

    def _integer_lstm(self, node: ir.Node) -> None:
        layer = layer_of(str(node.outputs[0].name))
        for place, scale_place, kind in ((1, 8, "ih"), (2, 10, "hh")):
            matrices = self._matrices(node, place, layer, kind).transpose(0, 2, 1)
            _check_shape(layer, matrices, constant(node.inputs[place]).shape)  # type: ignore[union-attr]
            integers, scale = symmetric(matrices, (1, 2))
            self._give(node, place, np.ascontiguousarray(integers), f"{layer}.{kind}_quantized")
            self._give(node, scale_place, scale, f"{layer}.{kind}_scale")
        self._lstm_bias(node, layer)

    def _lstm(self, node: ir.Node) -> None:
        layer = layer_of(str(node.outputs[0].name))
        for place, kind in ((1, "ih"), (2, "hh")):
            matrices = self._matrices(node, place, layer, kind)
            _check_shape(layer, matrices, constant(node.inputs[place]).shape)  # type: ignore[union-attr]
            self._give(node, place, matrices, f"{layer}.{kind}")
        self._lstm_bias(node, layer)

    def _matrices(self, node: ir.Node, place: int, layer: str, kind: str) -> Array:
        """Return the matrices of both directions, float32 [2, 4 * hidden, in]."""
        if constant(node.inputs[place]) is None:
            raise refused("an LSTM has no constant weights", node)
        return self._of_directions(f"{layer}.weight_{kind}_l0")

    def _lstm_bias(self, node: ir.Node, layer: str) -> None:
        parts = [self._of_directions(f"{layer}.bias_{kind}_l0") for kind in ("ih", "hh")]
        self._give(node, 3, np.concatenate(parts, axis=1), f"{layer}.bias")

    def _of_directions(self, name: str) -> Array:
        both = [self._weight(name + end) for end in ("", "_reverse")]
        if both[0].shape != both[1].shape or len(both[0]) % 4:
            raise ModelError(f"{name} has {list(both[0].shape)} and {list(both[1].shape)}")
        return np.stack([
            np.concatenate([np.split(one, 4)[gate] for gate in _IOFC]) for one in both
        ])  # fmt: skip


def _convolve_floats(graph: ir.Graph, node: ir.Node) -> None:
    """Replace a convolution of integers, with its bias, by one of floats."""
    quantize, integers = maker(node.inputs[0], "DynamicQuantizeLinear"), constant(node.inputs[1])
    zero_point = constant(node.inputs[3])
    scales = _scales_of(node)
    scale = next((constant(value) for value in scales.inputs if constant(value) is not None), None)
    if quantize is None or integers is None or zero_point is None or scale is None:
        raise refused("a convolution is not quantized as published", node)
    floats = (integers.astype(np.float32) - zero_point.astype(np.float32)) * scale
    weight = ir.Value(
        name=f"{node.name}_float", const_value=ir.tensor(floats, name=f"{node.name}_float")
    )
    graph.register_initializer(weight)
    scaled, bias = _result_of(node)
    convolved = ir.node("Conv", [quantize.inputs[0], weight, bias], node.attributes)
    replace_value(graph, scaled.outputs[0], convolved)


def _result_of(node: ir.Node) -> tuple[ir.Node, ir.Value | None]:
    """Return the Mul that ends a product or convolution of integers, and the bias within it.

    The bias is divided by the scales, rounded and added as integers.
    """
    bias = None
    biased = only_user(node.outputs[0], "Add")
    if biased is not None:
        rounded = next(value for value in biased.inputs if value is not node.outputs[0])
        for op_type in ("Reshape", "Cast", "Floor", "Div"):
            one = maker(rounded, op_type)
            if one is None:
                raise refused("a bias is not quantized as published", biased)
            rounded = one.inputs[0]
        bias = rounded
    cast = only_user((biased or node).outputs[0], "Cast")
    scaled = only_user(cast.outputs[0], "Mul") if cast is not None else None
    if scaled is None:
        raise refused("integers are not scaled as published", node)
    return scaled, bias


def _scales_of(node: ir.Node) -> ir.Node:
    """Return the Mul of the scales of both factors."""
    scaled, _ = _result_of(node)
    for value in scaled.inputs:
        scales = maker(value, "Mul")
        if scales is not None:
            return scales
    raise refused("integers are not scaled as published", node)


def own_name(name: str) -> str | None:
    """Return the checkpoint's name for a name of the exporter; None for its constants."""
    for of_exporter, own in _OF_MODULES.items():
        if name.startswith(of_exporter):
            return own + name.removeprefix(of_exporter)
    return None


def layer_of(path: str) -> str:
    """Return the layer that computes a value, by its path such as `/encoder/F0.0/conv1/Conv_0`.

    A module in a list has the list's name before its own: `cnn.0/cnn.0.0`.
    """
    module, *parts = path.removeprefix("/").split("/")[:-1] or [""]
    if module == "decoder":
        parts = parts[1:]
    kept = [
        part for part, following in zip(parts, [*parts[1:], ""], strict=False)
        if not following.startswith(f"{part}.")
    ]  # fmt: skip
    if module == "encoder" and kept and kept[0].partition(".")[0] not in _WITHOUT_PREDICTOR:
        kept = ["predictor", *kept]
    return ".".join(kept if module == "encoder" else ["decoder", *kept])


def _check_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    if array.shape != tuple(shape):
        raise ModelError(
            f"{name!r:.100} has {list(array.shape)}, and Kokoro-82M has {list(shape)} there"
        )
