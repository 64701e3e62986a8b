from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from service.preparation.rewriting import normalization
from tests.service.preparation.checks import (
    attributes_of,
    check_near_misses,
    check_step,
    dialect,
    operators,
    the_node,
    within,
)

NEAR = within(2e-4, relative=2e-4)
"""Variances are differences of means of squares, in float32."""


def check(backend, graph, n, *outputs):
    return check_step(backend, graph, normalization.rules(), n, *outputs, near=NEAR)


@pytest.mark.parametrize(("n_channels", "n_frames"), [(1, 1), (5, 1), (3, 2), (16, 9), (17, 100), (33, 31)])
def test_adain_gives_the_same_numbers(graph, backend, n_channels, n_frames):
    x, style = graph.given(1, n_channels, n_frames), graph.given(1, 2 * n_channels)
    model = check(backend, graph, 2, graph.modulation(graph.norm(x), style, n_channels))
    assert operators(model) == {"Transpose": 4, "kokoro.rewriting.InstanceNorm": 1, "kokoro.rewriting.Modulate": 1}
    assert attributes_of(the_node(model, "InstanceNorm")) == {"epsilon": pytest.approx(1e-5)}
    assert the_node(model, "Modulate").inputs[1] is model.graph.inputs[1]


@pytest.mark.parametrize("level", [0.0, 0.1, 300.7, -999.9])
def test_a_constant_channel_is_nearly_beta(graph, backend, level):
    x, style = graph.given_array(np.full((1, 3, 50), level, np.float32)), graph.given(1, 6)
    model = graph.model(graph.modulation(graph.norm(x), style, 3))
    normalization.rules().apply_to_model(model)
    (after,) = backend.run(backend.lower(model), graph.feeds)
    beta = graph.feeds[style][:, 3:, None]
    # Rounding of the mean is divided by the root of epsilon, 0.003.
    np.testing.assert_allclose(after, np.broadcast_to(beta, after.shape), atol=3e-4 * (1 + abs(level)))


@pytest.mark.parametrize("n_frames", [1, 2, 11])
def test_a_normalization_of_frames_first_gives_the_same_numbers(graph, backend, n_frames):
    x, style = graph.given(n_frames, 1, 10), graph.given(1, 20)
    model = check(backend, graph, 2, graph.modulation(graph.time_first_norm(x), style, 10))
    assert dialect(model) == {"InstanceNorm": 1, "Modulate": 1}


@pytest.mark.parametrize("frames_first", [False, True])
def test_several_styles_share_a_normalization(graph, backend, frames_first):
    normalized = graph.time_first_norm(graph.given(9, 1, 6)) if frames_first else graph.norm(graph.given(1, 6, 9))
    model = check(backend, graph, 3, *(graph.modulation(normalized, graph.given(1, 12), 6) for _ in "ab"))
    assert dialect(model) == {"InstanceNorm": 1, "Modulate": 2}


@pytest.mark.parametrize("epsilon", [1e-12, 1e-3, 0.5])
def test_the_epsilon_is_the_published_one(graph, backend, epsilon):
    x, style = graph.given(1, 4, 30), graph.given(1, 8)
    model = check(backend, graph, 2, graph.modulation(graph.norm(x, epsilon=epsilon), style, 4))
    assert the_node(model, "InstanceNorm").attributes["epsilon"].as_float() == pytest.approx(epsilon)


def unsqueezed(graph, axis, *shape):
    return graph.add("Unsqueeze", graph.given(*shape), graph.constant([axis], np.int64))


@dataclass(frozen=True)
class Variation:
    """An AdaIN of [1, 6, 8] that differs where it is told to."""

    axes: Any = (2, 2)  # over which the mean and the variance are taken
    square_of: Any = "centered"  # what the variance is the mean square of
    epsilon: Any = 1e-5  # is added to it
    root: Any = True  # whether its root is taken
    modulated: Any = "normalized"  # what the style is applied to; nothing where None
    style: Any = lambda graph, n: unsqueezed(graph, 2, 1, n)  # makes [1, n, 1]
    sizes: Any = (6, 6)  # of both parts of the style
    gamma_first: Any = True  # whether they are gamma, then beta
    one: Any = 1.0  # is added to gamma
    more: Any = ()  # values that are outputs too
    used: Any = ()  # values that something else takes too

    def __call__(self, graph):
        values = {"x": graph.given(1, 6, 8)}
        constants = {axis: graph.constant([axis], np.int64) for axis in self.axes}
        mean_axes, variance_axes = (constants[axis] for axis in self.axes)
        values["mean"] = graph.mean(values["x"], mean_axes)
        values["centered"] = graph.add("Sub", values["x"], values["mean"])
        factor = values[self.square_of]
        variance = graph.mean(graph.add("Mul", factor, factor), variance_axes)
        deviation = graph.add("Add", variance, graph.constant(self.epsilon))
        if self.root:
            deviation = graph.add("Sqrt", deviation)
        values["normalized"] = graph.add("Div", values["centered"], deviation)
        outputs = []
        if self.modulated:
            sizes = graph.constant(self.sizes, np.int64)
            parts = graph.add_many("Split", 2, self.style(graph, sum(self.sizes)), sizes, axis=1)
            values["gamma"], beta = parts if self.gamma_first else reversed(parts)
            factor = graph.add("Add", values["gamma"], graph.constant(self.one))
            values["product"] = graph.add("Mul", factor, values[self.modulated])
            outputs.append(graph.add("Add", values["product"], beta))
        outputs += [graph.add("Exp", values[name]) for name in self.used]
        return outputs + [values[name] for name in self.more]


def one_style_of_two(graph):
    normalized = graph.norm(graph.given(1, 6, 8))
    return [graph.modulation(normalized, graph.given(1, 12), 6, one=one) for one in (1.0, 2.0)]


NEAR_MISSES = {
    # An operator normalizes over time, with mean and variance of the same, and divides by the root.
    "over channels": Variation(axes=(1, 1)),
    "over the batch": Variation(axes=(0, 0)),
    "variance over another axis": Variation(axes=(2, 1)),
    "variance of something else": Variation(square_of="x"),
    "no root": Variation(root=False),
    "epsilon of each channel": Variation(epsilon=np.full((1, 6, 1), 1e-5)),
    # None normalizes alone, modulates alone or gives what is in between.
    "mean asked for elsewhere": Variation(more=("mean",)),
    "not modulated": Variation(modulated=None, used=("normalized",)),
    "not modulated, an output": Variation(modulated=None, more=("normalized",)),
    "asked for without a style too": Variation(used=("normalized",)),
    "an output without a style too": Variation(more=("normalized",)),
    "scaled alone too": Variation(used=("product",)),
    "one style of two is another thing": one_style_of_two,
    "style of what is not normalized": Variation(modulated="centered"),
    # It takes a row of as many gammas as betas, gamma first, and adds 1.
    "parts of unequal size": Variation(sizes=(1, 6)),
    "two added to gamma": Variation(one=2.0),
    "beta first": Variation(gamma_first=False),
    "style that is turned": Variation(style=lambda g, n: g.add("Transpose", unsqueezed(g, 1, 1, n), perm=[0, 2, 1])),
    "style that is a column": Variation(style=lambda g, n: unsqueezed(g, 0, n, 1)),
    "gamma asked for elsewhere": Variation(more=("gamma",)),
}


def test_what_only_looks_like_adain_is_left_alone(graph):
    check_near_misses(normalization.rules(), NEAR_MISSES)
    assert normalization.rules().apply_to_model(graph.model(*Variation()(graph))) == 2


def test_a_normalization_without_a_style_does_not_stop_the_others(graph, backend):
    x, style = graph.given(1, 6, 8), graph.given(1, 12)
    check(backend, graph, 2, graph.modulation(graph.norm(graph.norm(x)), style, 6))
