"""Small steps for GPUs: constants for the window of the synthesis, polynomials for Atan, an older opset."""

import numpy as np
import pytest
from onnx import defs

from service.preparation.refusal import RefusedError
from service.preparation.rewriting import angles
from service.preparation.rewriting.constants import END
from service.preparation.rewriting.opsets import IR_VERSION, OPSET, lower_opset
from service.preparation.rewriting.synthesis_window import settle_windows
from tests.service.preparation.checks import (
    STOCK,
    check_near_misses,
    check_plain_step,
    check_run,
    check_step,
    copied,
    operators,
    plain,
    within,
)
from tests.service.preparation.rewriting.published_graphs import Published

# The window of the synthesis.


SIZE = 20
WINDOW = (np.hanning(SIZE + 1)[:-1] ** 2).astype(np.float32)
"""As the published sum begins: nothing, then more and more of the window's squares."""

TINY = float(np.finfo(np.float32).tiny)


def divided(graph, samples, *, window=WINDOW, threshold=TINY, start=0, computed=False, multiplied=False, other=None):
    """The published way to divide samples [1, n] by a window's sum where that is large."""

    def ints(*values):
        return graph.constant(values, np.int64)

    sums = graph.given_array(window, "window") if computed else graph.constant(window)
    n = graph.add("Unsqueeze", graph.add("Gather", graph.add("Shape", samples), graph.constant(1, np.int64)), ints(0))
    part = graph.add("Slice", sums, ints(start), n, ints(0), ints(1))
    found = graph.add("NonZero", graph.add("Greater", part, graph.constant(threshold)))
    indices = graph.add("Transpose", found, perm=[1, 0])
    taken = graph.add("Gather", other or samples, indices, axis=1)
    quotient = graph.add("Mul" if multiplied else "Div", taken, graph.add("Gather", part, indices, axis=0))
    shape = graph.add("Shape", indices)
    row = graph.add("Expand", graph.constant(np.zeros((1, 1, 1)), np.int64), shape)
    columns = graph.add("Expand", indices, graph.add("Concat", ints(1), shape, axis=0))
    places = graph.add("Concat", *(graph.add("Unsqueeze", each, ints(-1)) for each in (row, columns)), axis=-1)
    flat = graph.add("Concat", ints(1), shape, axis=0)
    return graph.add("ScatterND", samples, places, graph.add("Reshape", quotient, flat))


def settled(n_samples, **given):
    graph = Published()
    samples = graph.given(1, n_samples)
    output = graph.add("Neg", divided(graph, samples, **given))
    # A product with the reciprocal is rounded twice.
    model = check_plain_step(graph, settle_windows, 1, output, near=within(0, rtol=2e-7))
    assert operators(model) == {"Slice": 2, "Mul": 1, "Concat": 1, "Neg": 1}
    return graph.feeds[samples], -plain(model, graph.feeds)[0]


@pytest.mark.parametrize("n_samples", [20, 21, 620, 24_020])
def test_the_first_samples_are_multiplied_by_what_they_were_divided_by(n_samples):
    samples, after = settled(n_samples)
    np.testing.assert_array_equal(after[:, SIZE:], samples[:, SIZE:])
    np.testing.assert_array_equal(after[:, :1], samples[:, :1])
    assert np.abs(after / samples - 1)[:, 1:SIZE].max() > 100


@pytest.mark.parametrize("threshold", [0.3, 0.9999])
def test_what_is_below_the_threshold_stays(threshold):
    samples, after = settled(60, threshold=threshold)
    stays = threshold >= WINDOW
    assert stays.any()
    assert not stays.all()
    np.testing.assert_array_equal(after[0, :SIZE][stays], samples[0, :SIZE][stays])


NEAR_MISSES = {
    "a computed window": lambda g, x: divided(g, x, computed=True),
    "a window that begins later": lambda g, x: divided(g, x, start=2),
    "multiplied": lambda g, x: divided(g, x, multiplied=True),
    "of other samples": lambda g, x: divided(g, x, other=g.given(1, 60)),
    "put elsewhere": lambda g, x: g.add("ScatterND", x, g.constant([[[0, 1]]], np.int64), g.constant([[0.5]])),
    "no samples put back": lambda g, x: g.add("Slice", x, *(g.constant([k], np.int64) for k in (0, END, 1))),
}


def test_other_windows_are_left_alone():
    check_near_misses(lambda model: settle_windows(model.graph), NEAR_MISSES, 1, 60)


# Angles.
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


def test_angles_of_the_ends_and_the_middle_and_the_polynomial_is_as_near_as_it_says():
    x = np.array([np.inf, GREATEST, 1.0, 0.0, LEAST])
    expected = np.array([np.pi / 2, np.pi / 2, np.pi / 4, 0.0, 0.0])
    for sign in (1, -1):
        np.testing.assert_allclose(arctangents(sign * x), sign * expected, rtol=2e-7, atol=1.5 * LEAST)
    assert np.isnan(arctangents(np.array([np.nan]))).all()
    x = np.linspace(1e-6, 1, 200_001)
    error = x * np.polynomial.polynomial.polyval(x * x, angles.ARCTANGENT) / np.arctan(x) - 1
    assert np.abs(error).max() <= 1.6e-8


@pytest.mark.parametrize("shape", [(3,), (1, 11, 7), ()])
def test_every_angle_of_a_graph_is_computed_so(graph, shape):
    x = graph.given_array(np.asarray(graph.random.normal(size=shape), np.float32))
    outer = graph.add("Atan", graph.add("Atan", x))
    check_step(STOCK, graph, angles.rules(), 2, outer, near=within(0, rtol=6e-7))


def test_other_functions_are_left_alone():
    check_near_misses(angles.rules(), {name: lambda g, x, n=name: g.add(n, x) for name in ("Tan", "Tanh", "Sin")}, 1, 5)


# Opsets that old builds for CUDA know.
def resized(graph, **changes):
    given = {
        "mode": "linear", "coordinate_transformation_mode": "half_pixel", "antialias": 0,
        "keep_aspect_ratio_policy": "stretch",
    } | changes  # fmt: skip
    return graph.add("Resize", graph.given(1, 2, 8), "", graph.constant([1, 1, 3]), **given)


def test_what_was_so_before_needs_no_attribute_and_gives_the_same_numbers(graph):
    halves = graph.add_many("Split", 2, graph.given(1, 6, 4), axis=1, num_outputs=2)
    published = graph.model(resized(graph), *halves, graph.add("Cast", graph.given(3), to=1, saturate=1))
    published.graph.opset_imports["ai.onnx.ml"] = 5
    model = copied(published)
    assert (lower_opset(model), dict(model.graph.opset_imports)) == (4, {"": OPSET})
    assert model.ir_version == IR_VERSION
    for node in model.graph:
        assert set(node.attributes) <= set(defs.get_schema(node.op_type, OPSET).attributes)
    check_run(STOCK, published, model, graph.feeds)


@pytest.mark.parametrize("changes", [{"antialias": 1}, {"keep_aspect_ratio_policy": "not_larger"}])
def test_what_could_not_be_said_then_is_refused(graph, changes):
    with pytest.raises(RefusedError, match=f"{next(iter(changes))} = .* is not of opset {OPSET}"):
        lower_opset(graph.model(resized(graph, **changes)))


def test_other_domains_that_are_used_stay(graph):
    model = graph.model(graph.add("FusedMatMul", graph.given(2, 2), graph.given(2, 2), domain="com.microsoft"))
    lower_opset(model)
    assert dict(model.graph.opset_imports) == {"": OPSET, "com.microsoft": 1}
