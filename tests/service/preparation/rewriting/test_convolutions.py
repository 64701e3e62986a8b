from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from service.preparation.rewriting import convolutions
from tests.service.preparation.checks import (
    attributes_of,
    check_near_misses,
    check_step,
    dialect,
    operators,
    same_integers,
    step_of,
    the_node,
    within,
)
from tests.service.preparation.rewriting.published_graphs import Published


def check(backend, graph, n, *outputs):
    """Check that n convolutions are recognized, and give the same sums; return the model."""
    least = min(step_of(x) for x in graph.feeds.values())
    return check_step(backend, graph, convolutions.rules(), n, *outputs, near=same_integers(least))


@pytest.mark.parametrize(("n_in", "n_out", "n_frames", "size", "given"), [
    (1, 1, 1, 1, {}), (5, 3, 1, 3, {}), (16, 16, 2, 3, {}), (13, 33, 25, 11, {}), (4, 2, 9, 1, {"strides": [2]}),
    (22, 17, 40, 12, {"strides": [6], "pads": [3, 3]}), (22, 17, 43, 12, {"strides": [6], "pads": [3, 3]}),
    (1, 1, 10, 3, {"strides": [2]}), (1, 1, 11, 3, {"strides": [2]}), (3, 5, 9, 5, {"pads": [0, 3]}),
    (7, 16, 26, 7, {"dilations": [3], "pads": [9, 9]}), (12, 6, 31, 11, {"dilations": [5], "pads": [25, 25]}),
    (6, 4, 9, 3, {"strides": [2], "dilations": [2], "pads": [1, 0]}),
])  # fmt: skip
def test_a_quantized_convolution_gives_the_same_sums(graph, backend, n_in, n_out, n_frames, size, given):
    model = check(backend, graph, 1, graph.convolution(graph.given(1, n_in, n_frames), n_in, n_out, size, **given))
    assert operators(model) == {"Transpose": 2, "kokoro.rewriting.QuantizedConv": 1}
    begin, end = given.get("pads", [size // 2, size // 2])
    assert attributes_of(the_node(model, "QuantizedConv")) == {
        "dilation": given.get("dilations", [1])[0], "stride": given.get("strides", [1])[0], "pad_begin": begin,
        "pad_end": end, "weight_scale": pytest.approx(0.0021), "weight_zero_point": 69,
    }  # fmt: skip


@pytest.mark.parametrize("given", [
    {"bias": False}, {"bias": False, "scale_first": True}, {"shared_scale": False}, {"scale_first": True},
    {"weight_zero": 0}, {"weight_zero": 128}, {"weight_zero": 255},
], ids=str)  # fmt: skip
def test_every_published_form_is_recognized(graph, backend, given):
    node = the_node(check(backend, graph, 1, graph.convolution(graph.given(1, 9, 14), 9, 10, **given)), "QuantizedConv")
    assert len(node.inputs) == (3 if given.get("bias", True) else 2)
    assert node.attributes["weight_zero_point"].as_int() == given.get("weight_zero", 69)


@pytest.mark.parametrize("level", [0.0, -3.0, 1e-30, 5.0])
def test_constant_input_is_quantized_as_published(graph, backend, level):
    convolved = graph.convolution(graph.given_array(np.full((1, 6, 8), level, np.float32)), 6, 5, bias=False)
    check_step(backend, graph, convolutions.rules(), 1, convolved, near=within(0, rtol=1e-6))


def test_convolutions_of_one_quantized_value_quantize_it_once(graph, backend):
    quantized = graph.quantized(graph.given(1, 6, 12))
    outputs = [graph.convolution(quantized, 6, n_out, 12, strides=[6], pads=[3, 3]) for n_out in (4, 5)]
    assert dialect(check(backend, graph, 2, *outputs)) == {"QuantizedConv": 2}


def test_convolutions_may_share_their_weights_and_attributes_have_their_defaults(graph, backend):
    weight = graph.weights(5, 6, 3)

    def convolved(x):
        quantized, scale, zero = graph.quantized(x)
        sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(7, np.uint8))
        return result(graph, sums, graph.add("Mul", scale, graph.constant(0.0021)))

    check(backend, graph, 3, *(convolved(graph.given(1, 6, 9)) for _ in range(3)))


def result(graph, sums, step):
    return graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), step)


@dataclass(frozen=True)
class Variation:
    """A convolution of [1, 6, 8] that differs where it is told to; functions make what they are named by."""

    weight: Any = (6, 6, 3)  # its shape
    x: Any = lambda graph: graph.given(1, 6, 8)
    zero_points: Any = True  # whether there are any
    zero_point: Any = None  # of the input, where it is not its own
    weight_zero_point: Any = lambda graph: graph.constant(9, np.uint8)
    step: Any = lambda graph, scale: graph.add("Mul", scale, graph.constant(0.01))  # of the accumulator
    bias: Any = None  # from the input's scale and the step
    attributes: Any = field(default_factory=lambda: {"pads": [1, 1]})  # of ConvInteger
    more: Any = lambda graph, sums, floats: ()  # outputs, of the accumulators and their floats

    def __call__(self, graph):
        quantized, scale, zero = graph.quantized(self.x(graph))
        operands = [quantized, graph.weights(*self.weight)]
        if self.zero_points:
            zero = self.zero_point(graph) if self.zero_point else zero
            operands += [zero, self.weight_zero_point(graph)]
        sums = graph.add("ConvInteger", *operands, **self.attributes)
        step = self.step(graph, scale)
        added = graph.add("Add", sums, self.bias(graph, scale, step)) if self.bias else sums
        floats = graph.cast(added, TensorProto.FLOAT)
        return (graph.add("Mul", floats, step), *self.more(graph, sums, floats))


def other_zero_point(graph):
    return graph.quantized(graph.given(3))[2]


def biased(n=6, rounding="Floor", **given):
    return lambda g, scale, step: g.quantized_bias(g.floats(n), step, rounding, **given)


IN_OTHER_STEPS = Variation(
    bias=lambda g, scale, step: g.quantized_bias(g.floats(6), g.add("Mul", scale, g.constant(0.02)))
)
NEAR_MISSES = {
    # An operator has a weight for every pair of channels, one axis of time, and pads in numbers.
    "in groups": Variation(weight=(6, 3, 3), attributes={"group": 2, "pads": [1, 1]}),
    "padded by a rule": Variation(attributes={"auto_pad": "SAME_UPPER"}),
    "over two axes": Variation(
        weight=(2, 1, 3, 3), x=lambda g: g.add("Unsqueeze", g.given(1, 6, 8), g.constant([0], np.int64)), attributes={}
    ),
    # It takes a bias of each channel as a weight, quantizes it in the steps of the accumulators and rounds it down.
    "one bias for all channels": Variation(bias=biased(1)),
    "bias along time": Variation(weight=(8, 6, 3), bias=biased(8, shape=(1, 1, -1))),
    "bias in other steps": IN_OTHER_STEPS,
    "bias rounded to the nearest": Variation(bias=biased(rounding="Round")),
    "computed bias": Variation(bias=lambda g, scale, step: g.quantized_bias(g.given(6), step)),
    # It has one scale and one zero point of all weights as attributes, and takes those of its own input.
    "scale of each channel": Variation(step=lambda g, x: g.add("Mul", x, g.constant(np.full((1, 6, 1), 0.01)))),
    "scale of something else": Variation(
        step=lambda g, scale: g.add("Mul", g.quantized(g.given(3))[1], g.constant(0.01))
    ),
    "scale of the input alone": Variation(step=lambda g, scale: scale),
    "zero point of something else": Variation(zero_point=other_zero_point, attributes={}),
    "computed zero point of the weights": Variation(weight_zero_point=other_zero_point, attributes={}),
    "no zero points": Variation(zero_points=False, attributes={}),
    # It gives neither sums nor floats without their scale.
    "sums asked for elsewhere": Variation(more=lambda g, sums, floats: [g.cast(sums, TensorProto.FLOAT)]),
    "floats as an output": Variation(more=lambda g, sums, floats: [floats]),
}


def test_what_only_looks_like_one_is_left_alone(graph):
    check_near_misses(convolutions.rules(), NEAR_MISSES)
    for build in (Variation(), Variation(attributes={}), Variation(bias=biased())):
        alike = Published()
        assert convolutions.rules().apply_to_model(alike.model(*build(alike))) == 1
    # ONNX Runtime has no such convolution on every machine, so this one is not run.
    quantized, scale, zero = graph.quantized(graph.given(1, 6, 8))
    weight = graph.weights(6, 6, 3, kind=np.int8)
    sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(0, np.int8))
    model = graph.model(result(graph, sums, graph.add("Mul", scale, graph.constant(0.01))))
    assert convolutions.rules().apply_to_model(model) == 0


def test_a_convolution_of_no_known_form_does_not_stop_the_others(graph, backend):
    x = graph.given(1, 6, 8)
    (odd,) = replace(IN_OTHER_STEPS, x=lambda graph: x)(graph)
    convolved = graph.convolution(odd, 6, 4)
    check_step(backend, graph, convolutions.rules(), 1, convolved, near=within(0, relative=1e-4))
