from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from published_graphs import (
    Backend,
    Published,
    attributes_of,
    copied,
    dialect,
    operators,
    plain,
    the_node,
    tidied,
)

from service.model.rewriting import normalization

TOLERANCE = 2e-4
"""Of values of about 1: variances are differences of means of squares, in float32."""


@pytest.mark.parametrize(
    ("n_channels", "n_frames"), [(1, 1), (5, 1), (3, 2), (16, 9), (17, 100), (33, 31)]
)
def test_adain_gives_the_same_numbers(backend: Backend, n_channels: int, n_frames: int) -> None:
    graph = Published()
    x, style = graph.given(1, n_channels, n_frames), graph.given(1, 2 * n_channels)
    published = graph.model(graph.modulation(graph.norm(x), style, n_channels))
    (before,) = plain(published, graph.feeds)

    model = copied(published)
    assert normalization.rules().apply_to_model(model) == 2
    assert operators(tidied(model)) == {
        "Transpose": 4, "kokoro.rewriting.InstanceNorm": 1, "kokoro.rewriting.Modulate": 1
    }  # fmt: skip
    assert attributes_of(the_node(model, "InstanceNorm")) == {"epsilon": pytest.approx(1e-5)}
    assert the_node(model, "Modulate").inputs[1] is model.graph.inputs[1]

    (after,) = backend.run(backend.lower(model), graph.feeds)
    np.testing.assert_allclose(after, before, rtol=0, atol=TOLERANCE * (1 + np.abs(before).max()))


@pytest.mark.parametrize("level", [0.0, 0.1, 300.7, -999.9])
def test_a_constant_channel_is_nearly_beta(backend: Backend, level: float) -> None:
    graph = Published()
    x = graph.given_array(np.full((1, 3, 50), level, np.float32))
    style = graph.given(1, 6)
    model = graph.model(graph.modulation(graph.norm(x), style, 3))
    normalization.rules().apply_to_model(model)
    (after,) = backend.run(backend.lower(tidied(model)), graph.feeds)
    beta = graph.feeds[style][:, 3:, None]
    # Rounding of the mean is divided by the root of epsilon, 0.003.
    np.testing.assert_allclose(
        after, np.broadcast_to(beta, after.shape), atol=3e-4 * (1 + abs(level))
    )


@pytest.mark.parametrize("n_frames", [1, 2, 11])
def test_a_normalisation_of_frames_first_gives_the_same_numbers(
    backend: Backend, n_frames: int
) -> None:
    graph = Published()
    x, style = graph.given(n_frames, 1, 10), graph.given(1, 20)
    published = graph.model(graph.modulation(graph.time_first_norm(x), style, 10))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert normalization.rules().apply_to_model(model) == 2
    assert dialect(tidied(model)) == {"InstanceNorm": 1, "Modulate": 1}
    (after,) = backend.run(backend.lower(model), graph.feeds)
    assert after.shape == (1, 10, n_frames)
    np.testing.assert_allclose(after, before, rtol=0, atol=TOLERANCE * (1 + np.abs(before).max()))


@pytest.mark.parametrize("frames_first", [False, True])
def test_several_styles_share_a_normalisation(backend: Backend, frames_first: bool) -> None:
    graph = Published()
    if frames_first:
        normalised = graph.time_first_norm(graph.given(9, 1, 6))
    else:
        normalised = graph.norm(graph.given(1, 6, 9))
    published = graph.model(*(graph.modulation(normalised, graph.given(1, 12), 6) for _ in "ab"))
    before = plain(published, graph.feeds)
    model = copied(published)
    assert normalization.rules().apply_to_model(model) == 3
    assert dialect(tidied(model)) == {"InstanceNorm": 1, "Modulate": 2}
    for one, other in zip(before, backend.run(backend.lower(model), graph.feeds), strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=TOLERANCE * (1 + np.abs(one).max()))


@pytest.mark.parametrize("epsilon", [1e-12, 1e-3, 0.5])
def test_the_epsilon_is_the_published_one(backend: Backend, epsilon: float) -> None:
    graph = Published()
    x, style = graph.given(1, 4, 30), graph.given(1, 8)
    published = graph.model(graph.modulation(graph.norm(x, epsilon=epsilon), style, 4))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    normalization.rules().apply_to_model(model)
    assert the_node(model, "InstanceNorm").attributes["epsilon"].as_float() == pytest.approx(
        epsilon
    )
    (after,) = backend.run(backend.lower(tidied(model)), graph.feeds)
    np.testing.assert_allclose(after, before, rtol=0, atol=TOLERANCE * (1 + np.abs(before).max()))


def over_channels(graph: Published, x: str, style: str) -> tuple[str, ...]:
    return (graph.norm(x, axis=1),)


def over_the_batch(graph: Published, x: str, style: str) -> tuple[str, ...]:
    return (graph.norm(x, axis=0),)


def epsilon_of_each_channel(graph: Published, x: str, style: str) -> tuple[str, ...]:
    return (graph.norm(x, epsilon=np.full((1, 6, 1), 1e-5)),)


def variance_over_another_axis(graph: Published, x: str, style: str) -> tuple[str, ...]:
    centered = graph.add("Sub", x, graph.mean(x, graph.constant([2], np.int64)))
    square = graph.add("Mul", centered, centered)
    variance = graph.mean(square, graph.constant([1], np.int64))
    deviation = graph.add("Sqrt", graph.add("Add", variance, graph.constant(1e-5)))
    return (graph.add("Div", centered, deviation),)


def variance_of_something_else(graph: Published, x: str, style: str) -> tuple[str, ...]:
    axes = graph.constant([2], np.int64)
    centered = graph.add("Sub", x, graph.mean(x, axes))
    variance = graph.mean(graph.add("Mul", x, x), axes)
    deviation = graph.add("Sqrt", graph.add("Add", variance, graph.constant(1e-5)))
    return (graph.add("Div", centered, deviation),)


def no_root(graph: Published, x: str, style: str) -> tuple[str, ...]:
    axes = graph.constant([2], np.int64)
    centered = graph.add("Sub", x, graph.mean(x, axes))
    variance = graph.mean(graph.add("Mul", centered, centered), axes)
    return (graph.add("Div", centered, graph.add("Add", variance, graph.constant(1e-5))),)


def mean_asked_for_elsewhere(graph: Published, x: str, style: str) -> tuple[str, ...]:
    axes = graph.constant([2], np.int64)
    mean = graph.mean(x, axes)
    centered = graph.add("Sub", x, mean)
    variance = graph.mean(graph.add("Mul", centered, centered), axes)
    deviation = graph.add("Sqrt", graph.add("Add", variance, graph.constant(1e-5)))
    return graph.add("Div", centered, deviation), mean


def unequal_halves(graph: Published, x: str, style: str) -> tuple[str, ...]:
    one = graph.add("Slice", x, *(graph.constant([k], np.int64) for k in (0, 1, 1)))
    return (graph.modulation(one, style, 6, halves=[1, 11]),)


def two_added(graph: Published, x: str, style: str) -> tuple[str, ...]:
    return (graph.modulation(x, style, 6, one=2.0),)


def beta_first(graph: Published, x: str, style: str) -> tuple[str, ...]:
    column = graph.add("Unsqueeze", style, graph.constant([2], np.int64))
    sizes = graph.constant([6, 6], np.int64)
    beta, gamma = graph.add_many("Split", 2, column, sizes, axis=1)
    scaled = graph.add("Mul", graph.add("Add", gamma, graph.constant(1.0)), x)
    return (graph.add("Add", scaled, beta),)


def style_of_each_frame(graph: Published, x: str, style: str) -> tuple[str, ...]:
    row = graph.add("Unsqueeze", graph.given(1, 12), graph.constant([1], np.int64))
    turned = graph.add("Transpose", row, perm=[0, 2, 1])
    gamma, beta = graph.add_many("Split", 2, turned, graph.constant([6, 6], np.int64), axis=1)
    scaled = graph.add("Mul", graph.add("Add", gamma, graph.constant(1.0)), x)
    return (graph.add("Add", scaled, beta),)


def gamma_asked_for_elsewhere(graph: Published, x: str, style: str) -> tuple[str, ...]:
    column = graph.add("Unsqueeze", style, graph.constant([2], np.int64))
    sizes = graph.constant([6, 6], np.int64)
    gamma, beta = graph.add_many("Split", 2, column, sizes, axis=1)
    scaled = graph.add("Mul", graph.add("Add", gamma, graph.constant(1.0)), x)
    return graph.add("Add", scaled, beta), gamma


NEAR_MISSES = [
    over_channels, over_the_batch, epsilon_of_each_channel, variance_over_another_axis,
    variance_of_something_else, no_root, mean_asked_for_elsewhere, unequal_halves, two_added,
    beta_first, style_of_each_frame, gamma_asked_for_elsewhere,
]  # fmt: skip


@pytest.mark.parametrize("build", NEAR_MISSES)
def test_what_only_looks_like_adain_is_left_alone(
    build: Callable[[Published, str, str], tuple[str, ...]],
) -> None:
    graph = Published()
    published = graph.model(*build(graph, graph.given(1, 6, 8), graph.given(1, 12)))
    before = plain(published, graph.feeds)
    model = copied(published)
    assert normalization.rules().apply_to_model(model) == 0
    assert operators(model) == operators(published)
    for one, other in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, other)
