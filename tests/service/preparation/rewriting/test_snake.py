import numpy as np
import pytest

from service.preparation.rewriting import snake
from tests.service.preparation.checks import check_near_misses, check_step, operators, the_node, within
from tests.service.preparation.rewriting.published_graphs import Published

NEAR = within(5e-6)
"""Some roundings of numbers of about 5: sin^2 / alpha."""


@pytest.mark.parametrize("alpha_first", [True, False])
@pytest.mark.parametrize(("n_channels", "n_frames"), [(1, 1), (5, 4), (16, 1), (18, 33)])
def test_snake_gives_the_same_numbers(graph, backend, n_channels, n_frames, alpha_first):
    activated = graph.snake(graph.given(1, n_channels, n_frames), n_channels, alpha_first=alpha_first)
    model = check_step(backend, graph, snake.rules(), 1, activated, near=NEAR)
    assert operators(model) == {"Transpose": 2, "kokoro.rewriting.Snake": 1}
    assert the_node(model, "Snake").inputs[1].const_value.shape == (n_channels,)


def test_activations_may_share_alpha(graph, backend):
    alpha, reciprocal = (graph.constant(np.full((1, 6, 1), number)) for number in (2.0, 0.5))
    outputs = [put_together(graph, graph.given(1, 6, 9), alpha, reciprocal)[0] for _ in range(3)]
    check_step(backend, graph, snake.rules(), 3, *outputs, near=NEAR)


def put_together(graph, x, alpha, reciprocal, *, wave="Sin", power=2.0, other=None):
    """Return the result and the sine."""
    sine = graph.add(wave, graph.add("Mul", alpha, x))
    square = graph.add("Pow", sine, graph.constant(power))
    return graph.add("Add", other or x, graph.add("Mul", reciprocal, square)), sine


def varied(*, alpha=(2.0,) * 6, error=0.0, outputs=1, shape=(1, -1, 1), **given):
    """Return what makes an activation of [1, 6, 8] that differs where it is told to."""

    def build(graph):
        values = np.reshape(alpha, shape)
        factor, reciprocal = graph.constant(values), graph.constant(1 / values + error)
        return put_together(graph, graph.given(1, 6, 8), factor, reciprocal, **given)[:outputs]

    return build


def of_ones(graph, alpha=None, **given):
    ones, x = graph.constant(np.ones((1, 6, 1))), graph.given(1, 6, 8)
    return put_together(graph, x, alpha or ones, ones, **given)[:1]


NEAR_MISSES = {
    # An operator adds the square of the sine, divided by alpha, to its own input, and does not give the sine.
    "cubed": varied(power=3.0),
    "cosine": varied(wave="Cos"),
    "no reciprocal": varied(error=0.01),
    "added to something else": lambda g: of_ones(g, other=g.given(1, 6, 8)),
    "sine asked for elsewhere": varied(outputs=2),
    # It has an alpha of each channel as a weight.
    "alpha for all channels": varied(alpha=2.0, shape=()),
    "alpha of each frame": varied(alpha=(2.0,) * 8, shape=(1, 1, 8)),
    "computed alpha": lambda g: of_ones(g, g.given(1, 6, 1)),
}


def test_what_only_looks_like_snake_is_left_alone():
    check_near_misses(snake.rules(), NEAR_MISSES)
    for error in (0.0, 1e-6):
        graph = Published()
        assert snake.rules().apply_to_model(graph.model(*varied(error=error)(graph))) == 1
