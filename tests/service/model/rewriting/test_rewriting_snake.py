from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from published_graphs import Backend, Published, copied, operators, plain, the_node, tidied

from service.model.rewriting import snake


@pytest.mark.parametrize("alpha_first", [True, False])
@pytest.mark.parametrize(("n_channels", "n_frames"), [(1, 1), (5, 4), (16, 1), (18, 33)])
def test_snake_gives_the_same_numbers(
    backend: Backend, n_channels: int, n_frames: int, alpha_first: bool
) -> None:
    graph = Published()
    x = graph.given(1, n_channels, n_frames)
    published = graph.model(graph.snake(x, n_channels, alpha_first=alpha_first))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert snake.rules().apply_to_model(model) == 1
    assert operators(tidied(model)) == {"Transpose": 2, "kokoro.rewriting.Snake": 1}
    alpha = the_node(model, "Snake").inputs[1]
    assert alpha is not None
    assert alpha.const_value is not None
    assert alpha.const_value.shape == (n_channels,)
    (after,) = backend.run(backend.lower(model), graph.feeds)
    # Some roundings of numbers of about 5: sin^2 / alpha.
    np.testing.assert_allclose(after, before, rtol=0, atol=5e-6)


def test_activations_may_share_alpha(backend: Backend) -> None:
    graph = Published()
    alpha = graph.constant(np.full((1, 6, 1), 2.0))
    reciprocal = graph.constant(np.full((1, 6, 1), 0.5))
    outputs = [put_together(graph, graph.given(1, 6, 9), alpha, reciprocal)[0] for _ in range(3)]
    published = graph.model(*outputs)
    before = plain(published, graph.feeds)
    model = copied(published)
    assert snake.rules().apply_to_model(model) == 3
    after = backend.run(backend.lower(tidied(model)), graph.feeds)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other, one, rtol=0, atol=5e-6)


def cubed(graph: Published, x: str) -> tuple[str, ...]:
    return (graph.snake(x, 6, power=3.0),)


def put_together(
    graph: Published, x: str, alpha: str, reciprocal: str, other: str | None = None
) -> tuple[str, ...]:
    sine = graph.add("Sin", graph.add("Mul", alpha, x))
    square = graph.add("Pow", sine, graph.constant(2.0))
    return (graph.add("Add", other or x, graph.add("Mul", reciprocal, square)),)


def no_reciprocal(graph: Published, x: str) -> tuple[str, ...]:
    alpha = np.full((1, 6, 1), 2.0)
    return put_together(graph, x, graph.constant(alpha), graph.constant(1 / alpha + 0.01))


def alpha_for_all_channels(graph: Published, x: str) -> tuple[str, ...]:
    return put_together(graph, x, graph.constant(2.0), graph.constant(0.5))


def alpha_of_each_frame(graph: Published, x: str) -> tuple[str, ...]:
    alpha = np.full((1, 1, 8), 2.0)
    return put_together(graph, x, graph.constant(alpha), graph.constant(1 / alpha))


def computed_alpha(graph: Published, x: str) -> tuple[str, ...]:
    return put_together(graph, x, graph.given(1, 6, 1), graph.constant(np.ones((1, 6, 1))))


def added_to_something_else(graph: Published, x: str) -> tuple[str, ...]:
    ones = graph.constant(np.ones((1, 6, 1)))
    return put_together(graph, x, ones, ones, graph.given(1, 6, 8))


def sine_asked_for_elsewhere(graph: Published, x: str) -> tuple[str, ...]:
    ones = graph.constant(np.ones((1, 6, 1)))
    sine = graph.add("Sin", graph.add("Mul", ones, x))
    square = graph.add("Pow", sine, graph.constant(2.0))
    return graph.add("Add", x, graph.add("Mul", ones, square)), sine


def cosine(graph: Published, x: str) -> tuple[str, ...]:
    ones = graph.constant(np.ones((1, 6, 1)))
    square = graph.add("Pow", graph.add("Cos", graph.add("Mul", ones, x)), graph.constant(2.0))
    return (graph.add("Add", x, graph.add("Mul", ones, square)),)


NEAR_MISSES = [
    cubed, no_reciprocal, alpha_for_all_channels, alpha_of_each_frame, computed_alpha,
    added_to_something_else, sine_asked_for_elsewhere, cosine,
]  # fmt: skip


@pytest.mark.parametrize("build", NEAR_MISSES)
def test_what_only_looks_like_snake_is_left_alone(
    build: Callable[[Published, str], tuple[str, ...]],
) -> None:
    graph = Published()
    published = graph.model(*build(graph, graph.given(1, 6, 8)))
    before = plain(published, graph.feeds)
    model = copied(published)
    assert snake.rules().apply_to_model(model) == 0
    assert operators(model) == operators(published)
    for one, other in zip(before, plain(model, graph.feeds), strict=True):
        np.testing.assert_array_equal(one, other)
