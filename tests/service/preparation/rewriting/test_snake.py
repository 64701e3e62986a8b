import numpy as np
import pytest
from tests.service.preparation.rewriting.graph_checks import (
    check_left_alone,
    copied,
    near_misses,
    operators,
    plain,
    the_node,
    tidied,
)
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import snake


@pytest.mark.parametrize("alpha_first", [True, False])
@pytest.mark.parametrize(("n_channels", "n_frames"), [(1, 1), (5, 4), (16, 1), (18, 33)])
def test_snake_gives_the_same_numbers(backend, n_channels, n_frames, alpha_first):
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


def test_activations_may_share_alpha(backend):
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


def put_together(graph, x, alpha, reciprocal, *, wave="Sin", power=2.0, other=None):
    """Return the result and the sine."""
    sine = graph.add(wave, graph.add("Mul", alpha, x))
    square = graph.add("Pow", sine, graph.constant(power))
    return graph.add("Add", other or x, graph.add("Mul", reciprocal, square)), sine


def varied(*, alpha=(2.0,) * 6, error=0.0, wave="Sin", power=2.0, outputs=1, shape=(1, -1, 1)):
    """Return what makes an activation of [1, 6, 8] that differs where it is told to."""

    def build(graph):
        values = np.reshape(alpha, shape)
        factor, reciprocal = graph.constant(values), graph.constant(1 / values + error)
        x = graph.given(1, 6, 8)
        return put_together(graph, x, factor, reciprocal, wave=wave, power=power)[:outputs]

    return build


def computed_alpha(graph):
    x, alpha = graph.given(1, 6, 8), graph.given(1, 6, 1)
    return put_together(graph, x, alpha, graph.constant(np.ones((1, 6, 1))))[:1]


def added_to_something_else(graph):
    ones, x = graph.constant(np.ones((1, 6, 1))), graph.given(1, 6, 8)
    return put_together(graph, x, ones, ones, other=graph.given(1, 6, 8))[:1]


NEAR_MISSES = {
    "cubed": ("an operator squares", varied(power=3.0)),
    "cosine": ("an operator takes the sine", varied(wave="Cos")),
    "no reciprocal": ("an operator divides by alpha", varied(error=0.01)),
    "alpha for all channels": ("an operator takes one of each channel", varied(alpha=2.0, shape=())),
    "alpha of each frame": ("an operator takes one of each channel", varied(alpha=(2.0,) * 8, shape=(1, 1, 8))),
    "computed alpha": ("an operator has it as a weight", computed_alpha),
    "added to something else": ("an operator adds its own input", added_to_something_else),
    "sine asked for elsewhere": ("an operator does not give it", varied(outputs=2)),
}


@near_misses(NEAR_MISSES)
def test_what_only_looks_like_snake_is_left_alone(near_miss):
    check_left_alone(snake.rules(), near_miss)


@pytest.mark.parametrize("error", [0.0, 1e-6])
def test_without_the_change_it_is_snake(error):
    graph = Published()
    model = graph.model(*varied(error=error)(graph))
    assert snake.rules().apply_to_model(model) == 1
