from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto
from published_graphs import (
    Backend,
    Published,
    attributes_of,
    copied,
    dialect,
    operators,
    plain,
    same_integers,
    step_of,
    the_node,
    tidied,
)

from service.model.rewriting import convolutions


@pytest.mark.parametrize(
    ("n_in", "n_out", "n_frames", "size", "given"),
    [
        (1, 1, 1, 1, {}),
        (5, 3, 1, 3, {}),
        (22, 17, 40, 12, {"strides": [6], "pads": [3, 3]}),
        (22, 17, 43, 12, {"strides": [6], "pads": [3, 3]}),
        (1, 1, 10, 3, {"strides": [2]}),
        (1, 1, 11, 3, {"strides": [2]}),
        (16, 16, 2, 3, {}),
        (13, 33, 25, 11, {}),
        (7, 16, 26, 7, {"dilations": [3], "pads": [9, 9]}),
        (12, 6, 31, 11, {"dilations": [5], "pads": [25, 25]}),
        (3, 5, 9, 5, {"pads": [0, 3]}),
        (4, 2, 9, 1, {"strides": [2]}),
        (6, 4, 9, 3, {"strides": [2], "dilations": [2], "pads": [1, 0]}),
    ],
)
def test_a_quantised_convolution_gives_the_same_sums(
    backend: Backend, n_in: int, n_out: int, n_frames: int, size: int, given: dict[str, Any]
) -> None:
    graph = Published()
    x = graph.given(1, n_in, n_frames)
    published = graph.model(graph.convolution(x, n_in, n_out, size, **given))
    (before,) = plain(published, graph.feeds)

    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 1
    assert operators(tidied(model)) == {"Transpose": 2, "kokoro.rewriting.QuantizedConv": 1}
    node = the_node(model, "QuantizedConv")
    begin, end = given.get("pads", [size // 2, size // 2])
    assert attributes_of(node) == {
        "dilation": given.get("dilations", [1])[0],
        "stride": given.get("strides", [1])[0],
        "pad_begin": begin,
        "pad_end": end,
        "weight_scale": pytest.approx(0.0021),
        "weight_zero_point": 69,
    }

    (after,) = backend.run(backend.lower(model), graph.feeds)
    same_integers(before, after, step_of(graph.feeds[x]))


@pytest.mark.parametrize(
    "given",
    [
        {"bias": False},
        {"bias": False, "scale_first": True},
        {"shared_scale": False},
        {"scale_first": True},
        {"weight_zero": 0},
        {"weight_zero": 128},
        {"weight_zero": 255},
    ],
    ids=str,
)
def test_every_published_form_is_recognised(backend: Backend, given: dict[str, Any]) -> None:
    graph = Published()
    x = graph.given(1, 9, 14)
    published = graph.model(graph.convolution(x, 9, 10, **given))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 1
    node = the_node(tidied(model), "QuantizedConv")
    assert len(node.inputs) == (3 if given.get("bias", True) else 2)
    assert node.attributes["weight_zero_point"].as_int() == given.get("weight_zero", 69)
    (after,) = backend.run(backend.lower(model), graph.feeds)
    same_integers(before, after, step_of(graph.feeds[x]))


def test_attributes_that_are_left_out_have_their_defaults(backend: Backend) -> None:
    graph = Published()
    x = graph.given(1, 4, 6)
    quantized, scale, zero = graph.quantized(x)
    weight = graph.constant(graph.random.integers(0, 256, (5, 4, 3)), np.uint8)
    sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(7, np.uint8))
    step = graph.add("Mul", scale, graph.constant(0.0021))
    published = graph.model(graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), step))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 1
    (after,) = backend.run(backend.lower(tidied(model)), graph.feeds)
    assert after.shape == (1, 5, 4)
    same_integers(before, after, step_of(graph.feeds[x]))


@pytest.mark.parametrize("level", [0.0, -3.0, 1e-30, 5.0])
def test_constant_input_is_quantised_as_published(backend: Backend, level: float) -> None:
    graph = Published()
    x = graph.given_array(np.full((1, 6, 8), level, np.float32))
    published = graph.model(graph.convolution(x, 6, 5, bias=False))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 1
    (after,) = backend.run(backend.lower(tidied(model)), graph.feeds)
    np.testing.assert_allclose(after, before, rtol=1e-6)


def test_convolutions_of_one_quantised_value_quantise_it_once(backend: Backend) -> None:
    graph = Published()
    x = graph.given(1, 6, 12)
    quantized = graph.quantized(x)
    outputs = [
        graph.convolution(quantized, 6, n_out, 12, strides=[6], pads=[3, 3]) for n_out in (4, 5)
    ]
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 2
    assert dialect(tidied(model)) == {"QuantizedConv": 2}
    for one, other in zip(before, backend.run(backend.lower(model), graph.feeds), strict=True):
        same_integers(one, other, step_of(graph.feeds[x]))


def test_convolutions_may_share_their_weights(backend: Backend) -> None:
    graph = Published()
    weight = graph.constant(graph.random.integers(0, 256, (5, 6, 3)), np.uint8)
    outputs, names = [], [graph.given(1, 6, 9) for _ in range(3)]
    for x in names:
        quantized, scale, zero = graph.quantized(x)
        sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(7, np.uint8))
        outputs.append(result(graph, sums, graph.add("Mul", scale, graph.constant(0.0021))))
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 3
    after = backend.run(backend.lower(tidied(model)), graph.feeds)
    for x, one, other in zip(names, before, after, strict=True):
        same_integers(one, other, step_of(graph.feeds[x]))


def grouped(graph: Published, x: str) -> tuple[str, ...]:
    quantized, scale, zero = graph.quantized(x)
    weight = graph.constant(graph.random.integers(0, 256, (6, 3, 3)), np.uint8)
    sums = graph.add(
        "ConvInteger", quantized, weight, zero, graph.constant(9, np.uint8), group=2, pads=[1, 1]
    )
    step = graph.add("Mul", scale, graph.constant(0.01))
    return (graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), step),)


def parts(graph: Published, x: str, n_out: int = 6, **given: Any) -> tuple[str, str, str]:
    """Return the accumulators, the scale of the input and the product of both scales."""
    quantized, scale, zero = graph.quantized(x)
    weight = graph.constant(graph.random.integers(0, 256, (n_out, 6, 3)), np.uint8)
    sums = graph.add(
        "ConvInteger", quantized, weight, zero, graph.constant(9, np.uint8),
        **given or {"pads": [1, 1]},
    )  # fmt: skip
    return sums, scale, graph.add("Mul", scale, graph.constant(0.01))


def result(graph: Published, sums: str, step: str, bias: str | None = None) -> str:
    if bias is not None:
        sums = graph.add("Add", sums, bias)
    return graph.add("Mul", graph.cast(sums, TensorProto.FLOAT), step)


def padded_by_rule(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, step = parts(graph, x, auto_pad="SAME_UPPER")
    return (result(graph, sums, step),)


def bias_for_all_channels(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, step = parts(graph, x)
    return (result(graph, sums, step, graph.quantized_bias(graph.floats(1), step)),)


def bias_along_time(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, step = parts(graph, x, n_out=8)
    rounded = graph.cast(graph.add("Floor", graph.add("Div", graph.floats(8), step)), 6)
    bias = graph.add("Reshape", rounded, graph.constant([1, 1, -1], np.int64))
    return (result(graph, sums, step, bias),)


def bias_in_other_steps(graph: Published, x: str) -> tuple[str, ...]:
    sums, scale, step = parts(graph, x)
    other = graph.add("Mul", scale, graph.constant(0.02))
    return (result(graph, sums, step, graph.quantized_bias(graph.floats(6), other)),)


def bias_rounded_to_nearest(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, step = parts(graph, x)
    return (result(graph, sums, step, graph.quantized_bias(graph.floats(6), step, "Round")),)


def computed_bias(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, step = parts(graph, x)
    bias = graph.given(6)
    return (result(graph, sums, step, graph.quantized_bias(bias, step)),)


def scale_of_each_channel(graph: Published, x: str) -> tuple[str, ...]:
    sums, scale, _ = parts(graph, x)
    step = graph.add("Mul", scale, graph.constant(np.full((1, 6, 1), 0.01)))
    return (result(graph, sums, step),)


def scale_of_something_else(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, _ = parts(graph, x)
    other = graph.quantized(graph.given(3))[1]
    return (result(graph, sums, graph.add("Mul", other, graph.constant(0.01))),)


def scale_of_the_input_alone(graph: Published, x: str) -> tuple[str, ...]:
    sums, scale, _ = parts(graph, x)
    return (result(graph, sums, scale),)


def zero_point_of_something_else(graph: Published, x: str) -> tuple[str, ...]:
    quantized, scale, _ = graph.quantized(x)
    zero = graph.quantized(graph.given(3))[2]
    weight = graph.constant(graph.random.integers(0, 256, (6, 6, 3)), np.uint8)
    sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(9, np.uint8))
    return (result(graph, sums, graph.add("Mul", scale, graph.constant(0.01))),)


def computed_zero_point_of_weights(graph: Published, x: str) -> tuple[str, ...]:
    quantized, scale, zero = graph.quantized(x)
    weight = graph.constant(graph.random.integers(0, 256, (6, 6, 3)), np.uint8)
    sums = graph.add("ConvInteger", quantized, weight, zero, graph.quantized(graph.given(3))[2])
    return (result(graph, sums, graph.add("Mul", scale, graph.constant(0.01))),)


def no_zero_points(graph: Published, x: str) -> tuple[str, ...]:
    quantized, scale, _ = graph.quantized(x)
    weight = graph.constant(graph.random.integers(0, 256, (6, 6, 3)), np.uint8)
    sums = graph.add("ConvInteger", quantized, weight)
    return (result(graph, sums, graph.add("Mul", scale, graph.constant(0.01))),)


def sums_asked_for_elsewhere(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, step = parts(graph, x)
    return result(graph, sums, step), graph.cast(sums, TensorProto.FLOAT)


def floats_as_an_output(graph: Published, x: str) -> tuple[str, ...]:
    sums, _, step = parts(graph, x)
    floats = graph.cast(sums, TensorProto.FLOAT)
    return graph.add("Mul", floats, step), floats


def two_dimensions(graph: Published, x: str) -> tuple[str, ...]:
    square = graph.add("Unsqueeze", x, graph.constant([0], np.int64))
    quantized, scale, zero = graph.quantized(square)
    weight = graph.constant(graph.random.integers(0, 256, (2, 1, 3, 3)), np.uint8)
    sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(9, np.uint8))
    return (result(graph, sums, graph.add("Mul", scale, graph.constant(0.01))),)


NEAR_MISSES = [
    grouped, padded_by_rule, bias_for_all_channels, bias_along_time, bias_in_other_steps,
    bias_rounded_to_nearest, computed_bias, scale_of_each_channel, scale_of_something_else,
    scale_of_the_input_alone, computed_zero_point_of_weights, zero_point_of_something_else,
    no_zero_points,
    sums_asked_for_elsewhere, floats_as_an_output, two_dimensions,
]  # fmt: skip


@pytest.mark.parametrize("build", NEAR_MISSES)
def test_what_only_looks_like_one_is_left_alone(
    build: Callable[[Published, str], tuple[str, ...]],
) -> None:
    graph = Published()
    published = graph.model(*build(graph, graph.given(1, 6, 8)))
    before = plain(published, graph.feeds)
    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 0
    assert operators(model) == operators(published)
    for one, other in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, other)


def test_weights_of_signed_bytes_are_left_alone() -> None:
    # ONNX Runtime has no such convolution on every machine, so this one is not run.
    graph = Published()
    quantized, scale, zero = graph.quantized(graph.given(1, 6, 8))
    weight = graph.constant(graph.random.integers(-128, 128, (6, 6, 3)), np.int8)
    sums = graph.add("ConvInteger", quantized, weight, zero, graph.constant(0, np.int8))
    step = graph.add("Mul", scale, graph.constant(0.01))
    model = graph.model(result(graph, sums, step))
    assert convolutions.rules().apply_to_model(model) == 0


def test_a_convolution_of_no_known_form_does_not_stop_the_others(backend: Backend) -> None:
    graph = Published()
    x = graph.given(1, 6, 8)
    (odd,) = bias_in_other_steps(graph, x)
    published = graph.model(graph.convolution(odd, 6, 4))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert convolutions.rules().apply_to_model(model) == 1
    (after,) = backend.run(backend.lower(tidied(model)), graph.feeds)
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-4 * np.abs(before).max())
