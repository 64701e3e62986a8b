import numpy as np
import pytest
from tests.service.preparation.rewriting.graph_checks import (
    STOCK,
    check_near_misses,
    check_step,
    operators,
    plain,
    within,
)
from tests.service.preparation.rewriting.published_graphs import Published

from service.preparation.rewriting import angles

GREATEST = float(np.finfo(np.float32).max)
LEAST = float(np.finfo(np.float32).smallest_subnormal)


def arctangents(x):
    """What the rewritten graph gives, float32."""
    graph = Published()
    model = graph.model(graph.add("Atan", graph.given_array(x.astype(np.float32))))
    assert angles.rules().apply_to_model(model) == 1
    assert "Atan" not in operators(model)
    return plain(model, graph.feeds)[0]


def test_angles_are_those_of_numpy_over_the_whole_range():
    # All sizes of float32, most of them where the angle is bent.
    n = 40_000
    sizes = np.concatenate([np.geomspace(1e-37, GREATEST, n), np.geomspace(0.01, 100, n), np.linspace(0.9, 1.1, n)])
    x = np.concatenate([-sizes, sizes]).astype(np.float32)
    found = arctangents(x)
    assert found.dtype == np.float32
    # Some roundings of float32: of the last step of the polynomial, and of the products around it.
    np.testing.assert_allclose(found, np.arctan(x.astype(np.float64)), rtol=2e-7, atol=0)


def test_angles_of_the_ends_and_the_middle():
    x = np.array([np.inf, GREATEST, 1.0, 0.0, LEAST])
    expected = np.array([np.pi / 2, np.pi / 2, np.pi / 4, 0.0, 0.0])
    for sign in (1, -1):
        np.testing.assert_allclose(arctangents(sign * x), sign * expected, rtol=2e-7, atol=1.5 * LEAST)
    assert np.isnan(arctangents(np.array([np.nan]))).all()


def test_the_polynomial_is_as_near_as_it_says():
    x = np.linspace(1e-6, 1, 200_001)
    error = x * np.polynomial.polynomial.polyval(x * x, angles.ARCTANGENT) / np.arctan(x) - 1
    assert np.abs(error).max() <= 1.6e-8


@pytest.mark.parametrize("shape", [(3,), (1, 11, 7), ()])
def test_every_angle_of_a_graph_is_computed_so(shape):
    graph = Published()
    x = graph.given_array(np.asarray(graph.random.normal(size=shape), np.float32))
    outer = graph.add("Atan", graph.add("Atan", x))
    check_step(STOCK, graph, angles.rules(), 2, outer, near=within(0, rtol=6e-7))


def test_other_functions_are_left_alone():
    check_near_misses(angles.rules(), {name: lambda g, x, n=name: g.add(n, x) for name in ("Tan", "Tanh", "Sin")}, 1, 5)
