import numpy as np
import pytest
from tests.service.preparation.rewriting.graph_checks import copied, operators, plain, tidied
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import angles

GREATEST = float(np.finfo(np.float32).max)
LEAST = float(np.finfo(np.float32).smallest_subnormal)


def arctangents(x):
    """What the rewritten graph gives, float32."""
    graph = Published()
    model = graph.model(graph.add("Atan", graph.given_array(x.astype(np.float32))))
    assert angles.rules().apply_to_model(model) == 1
    assert "Atan" not in operators(tidied(model))
    (result,) = plain(model, graph.feeds)
    return result


def of_all_sizes(n):
    """Numbers over the whole range of float32, most of them where the angle is bent, both signs."""
    sizes = np.concatenate([np.geomspace(1e-37, GREATEST, n), np.geomspace(0.01, 100, n), np.linspace(0.9, 1.1, n)])
    return np.concatenate([-sizes, sizes]).astype(np.float32)


def test_angles_are_those_of_numpy_over_the_whole_range():
    x = of_all_sizes(40_000)
    exact = np.arctan(x.astype(np.float64))
    found = arctangents(x)
    assert found.dtype == np.float32
    # Some roundings of float32: of the last step of the polynomial, and of the products around it.
    np.testing.assert_allclose(found, exact, rtol=2e-7, atol=0)


def test_an_angle_that_is_off_would_be_noticed(monkeypatch):
    shorter = angles.ARCTANGENT[:-1]
    monkeypatch.setattr(angles, "ARCTANGENT", shorter)
    x = of_all_sizes(1000)
    off = np.abs(arctangents(x) / np.arctan(x.astype(np.float64)) - 1)
    assert off.max() > 1e-4


@pytest.mark.parametrize(
    ("x", "angle"),
    [
        (np.inf, np.pi / 2), (-np.inf, -np.pi / 2), (GREATEST, np.pi / 2), (-GREATEST, -np.pi / 2),
        (1.0, np.pi / 4), (-1.0, -np.pi / 4), (0.0, 0.0), (-0.0, 0.0), (LEAST, 0.0), (-LEAST, 0.0),
    ],
)  # fmt: skip
def test_angles_of_the_ends_and_the_middle(x, angle):
    (found,) = arctangents(np.array([x]))
    assert found == pytest.approx(angle, rel=2e-7, abs=1.5 * LEAST)


def test_what_is_no_number_has_no_angle():
    assert np.isnan(arctangents(np.array([np.nan]))).all()


def test_the_polynomial_is_as_near_as_it_says():
    x = np.linspace(1e-6, 1, 200_001)
    error = x * np.polynomial.polynomial.polyval(x * x, angles.ARCTANGENT) / np.arctan(x) - 1
    assert np.abs(error).max() <= 1.6e-8


@pytest.mark.parametrize("shape", [(3,), (1, 11, 7), ()])
def test_every_angle_of_a_graph_is_computed_so(shape):
    graph = Published()
    x = graph.given_array(np.asarray(graph.random.normal(size=shape), np.float32))
    published = graph.model(graph.add("Atan", graph.add("Atan", x)))
    (before,) = plain(published, graph.feeds)
    model = copied(published)
    assert angles.rules().apply_to_model(model) == 2
    (after,) = plain(tidied(model), graph.feeds)
    assert after.shape == shape
    np.testing.assert_allclose(after, before, rtol=6e-7)


def test_other_functions_are_left_alone():
    graph = Published()
    x = graph.given(1, 5)
    model = graph.model(*(graph.add(name, x) for name in ("Tan", "Tanh", "Sin")))
    assert angles.rules().apply_to_model(model) == 0
    assert operators(model) == {"Tan": 1, "Tanh": 1, "Sin": 1}
