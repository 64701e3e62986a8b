"""PolarToCartesian against its definition and against the operators that it stands for."""

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.native import kokoro_reference as reference
from tests.native import native_library, native_models

NOT_FINITE = [np.nan, np.inf, -np.inf]


def random_polar(rows, bins, largest=4.0, seed=0):
    """Magnitudes of e^-20 to e^20, phases of up to so many radians."""
    random = np.random.default_rng(seed)
    levels = random.uniform(-20, 20, (rows, bins))
    return np.concatenate([levels, random.uniform(-largest, largest, (rows, bins))], axis=1).astype(np.float32)


def both(values):
    """Each value as the logarithm of a magnitude with each as a phase, [n^2, 2]."""
    levels, phases = np.meshgrid(np.array(values, np.float32), np.array(values, np.float32))
    return np.stack([levels.ravel(), phases.ravel()], axis=1)


def stock(x):
    bins = x.shape[1] // 2
    sizes = helper.make_tensor("sizes", TensorProto.INT64, [2], [bins, bins])
    nodes = [
        helper.make_node("Constant", [], ["sizes"], value=sizes),
        helper.make_node("Split", ["x", "sizes"], ["levels", "phases"], axis=2),
        helper.make_node("Exp", ["levels"], ["magnitudes"]), helper.make_node("Sin", ["phases"], ["angles"]),
        helper.make_node("Cos", ["angles"], ["cosines"]), helper.make_node("Sin", ["angles"], ["sines"]),
        helper.make_node("Mul", ["magnitudes", "cosines"], ["real"]),
        helper.make_node("Mul", ["magnitudes", "sines"], ["imaginary"]),
        helper.make_node("Concat", ["real", "imaginary"], ["y"], axis=2),
    ]  # fmt: skip
    return native_models.run_stock(nodes, {"x": x[None]})[0]


def magnitudes(x):
    levels = np.exp(x[:, : x.shape[1] // 2].astype(np.float64))
    return np.concatenate([levels, levels], axis=1)


@pytest.mark.usefixtures("variant")
class TestDefinition:
    @pytest.mark.parametrize("rows", [1, 2, 50])
    @pytest.mark.parametrize("bins", [1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 33])
    def test_is_kept(self, rows, bins):
        x = random_polar(rows, bins)
        distance = np.abs(native_library.polar_to_cartesian(x) - reference.polar_to_cartesian(x))
        assert (distance <= 3e-7 * magnitudes(x)).all()

    @pytest.mark.parametrize("largest", [1.0, 4.0, 1e2, 1e4, 1e6])
    def test_parts_are_within_a_third_of_a_millionth_of_the_magnitude(self, largest):
        x = random_polar(40_000, 11, largest)
        # Where a sine is 0 or 1, as near as a float comes to it.
        turns = np.round(np.linspace(-largest, largest, 40_000) / np.pi) * np.pi
        x[:, 11], x[:, 12] = turns, turns + np.pi / 2
        distance = np.abs(native_library.polar_to_cartesian(x) - reference.polar_to_cartesian(x))
        assert (distance / magnitudes(x)).max() < 3e-7

    def test_magnitudes_are_within_a_ten_millionth_and_the_least_are_rounded_to_a_step(self):
        def of(levels):
            x = np.stack([levels, np.zeros_like(levels)], axis=1).astype(np.float32)
            y = native_library.polar_to_cartesian(x).astype(np.float64)
            assert not y[:, 1].any()
            return y[:, 0], np.exp(x[:, 0].astype(np.float64))

        found, exact = of(np.linspace(-87, 88.7, 500_000))
        assert np.abs(found / exact - 1).max() < 1e-7
        found, exact = of(np.linspace(-120, -87, 100_000))
        assert np.abs(found - exact).max() <= np.spacing(np.float32(0))

    def test_what_a_float_cannot_hold_is_infinite_or_nothing(self):
        for level, magnitude in ((88.8, np.inf), (3e38, np.inf), (-3e38, 0)):
            assert (native_library.polar_to_cartesian(np.float32([[level, 0.5]])) == magnitude).all()

    def test_a_row_minds_its_own_business(self):
        x = random_polar(9, 11)
        expected = native_library.polar_to_cartesian(x)
        x[4] = np.nan
        y = native_library.polar_to_cartesian(x)
        assert np.isnan(y[4]).all()
        np.testing.assert_array_equal(np.delete(y, 4, axis=0), np.delete(expected, 4, axis=0))

    def test_what_is_not_finite_is_what_the_operators_make_of_it(self):
        x = both([*NOT_FINITE, 0.0, 1.0, -1.0, 100.0, -200.0])
        y, expected = native_library.polar_to_cartesian(x), stock(x)
        np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-7)
        assert np.isnan(y).any()
        assert np.isinf(y).any()


@pytest.mark.usefixtures("library_path")
@pytest.mark.parametrize("rows", [1, 3, 500, 7801])
def test_is_what_the_operators_give_that_it_stands_for(run, rows):
    """Three functions on either side, each within 2e-7."""
    x = random_polar(rows, 11, 30.0)
    (y,) = run("PolarToCartesian", {"x": x[None]}, {}, ["y"])
    assert y.shape == (1, rows, 22)
    assert (np.abs(y[0] - stock(x)) / magnitudes(x)).max() < 1e-6


def test_what_cannot_be_is_refused(assert_refused):
    rows = [
        ((1, 0, 4), "x is empty"), ((1, 4, 0), "x is empty"), ((1, 4, 3), "x must have a phase for each magnitude"),
        ((2, 4, 4), r"x should have shape \[1, any, any\]"), ((4, 4), r"x should have shape \[1, any, any\]"),
    ]  # fmt: skip
    rows = [({"x": np.zeros(shape, np.float32)}, message) for shape, message in rows]
    assert_refused("PolarToCartesian", lambda: ({}, {}), rows)
