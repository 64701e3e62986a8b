"""Every variant that this processor runs against portable C and against numpy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.native import kokoro_reference as reference
from tests.native import native_library
from tests.native.native_library import assert_exact
from tests.profiles import costly, given

MODEST = costly()
PARTS = ["bias", "style", "range", "alpha", "leaky", "residual", "addend", "output_scale"]

sizes = st.builds(
    reference.Sizes, rows=st.integers(1, 80), inner=st.integers(1, 40), out=st.integers(1, 50),
    kernel=st.integers(1, 12), dilation=st.integers(1, 5), stride=st.sampled_from([1, 1, 2, 6]),
    pads=st.tuples(st.integers(0, 30), st.integers(0, 30)), parts=st.frozensets(st.sampled_from(PARTS)),
).filter(lambda s: s.rows + sum(s.pads) > s.dilation * (s.kernel - 1))  # fmt: skip

KOKORO = [
    reference.Sizes(64, 1090, 96, 3), reference.Sizes(60, 514, 22, 3),
    reference.Sizes(300, 128, 128, 11, dilation=5, pads=(25, 25)),
    reference.Sizes(250, 22, 256, 12, stride=6, pads=(3, 3)), reference.Sizes(500, 22, 128, 1, pads=(0, 0)),
]  # fmt: skip


@pytest.mark.usefixtures("variant")
class TestIntegers:
    @MODEST
    @given(sizes=sizes, seed=st.integers(0, 99), zero_point=st.integers(0, 255))
    def test_are_those_of_the_definition(self, sizes, seed, zero_point):
        c = reference.random_convolution(sizes, seed)
        assert_exact(c, np.random.default_rng(seed).integers(0, 256, c.x.shape, np.uint8), zero_point)

    @pytest.mark.parametrize("seed", [0, 3], ids=["wide weights", "small weights"])
    @pytest.mark.parametrize("sizes", KOKORO, ids=str)
    def test_are_those_of_the_definition_at_kokoros_sizes(self, sizes, seed):
        c = reference.random_convolution(sizes, seed)
        q, _, zero_point = c.quantized()
        assert_exact(c, q, zero_point)

    @pytest.mark.parametrize("activation", [0, 255])
    @pytest.mark.parametrize("weight", [-128, -127, -65, -64, -63, -1, 1, 63, 64, 65, 127])
    def test_do_not_saturate(self, activation, weight):
        """Two weights of 64 are what a run of one group holds; of 65 none does."""
        c = reference.random_convolution(reference.Sizes(20, 100, 20, 12))
        c = replace(c, w=np.full_like(c.w, weight))
        assert_exact(c, np.full(c.x.shape, activation, np.uint8), 255 - activation)

    @pytest.mark.parametrize("activation", [0, 255])
    @pytest.mark.parametrize("run", [1, 2, 4, 8, 16, 64, 127])
    def test_stay_in_16_bits_to_the_end_of_a_run(self, activation, run):
        """Weights of one sign, or of both, that fill a lane in just so many groups."""
        c = reference.random_convolution(reference.Sizes(15, 4 * (2 * run + 1), 18, 2))
        w = np.full_like(c.w, 64 // run)
        w[1::2] *= -1
        w[::3, 1::2] *= -1
        c = replace(c, w=w)
        assert c.runs()[0, 0].tolist() == [run, run, 1, *[0] * (2 * run - 2)]
        q = np.full(c.x.shape, activation, np.uint8)
        q[1::3, 1::2] = 255 - activation
        assert_exact(c, q, 7)

    @pytest.mark.parametrize("zero_point", [0, 7, 255])
    def test_are_exact_where_weights_do_not_fit_8_bits(self, zero_point):
        """Published weights of 0 to 255 less a zero point far from their middle."""
        c = reference.random_convolution(reference.Sizes(20, 37, 35, 3, dilation=2, pads=(2, 1)))
        c = replace(c, w=np.random.default_rng(1).integers(0, 256, c.w.shape, np.int16) - np.int16(zero_point))
        assert c.packed().shape[1] == 3 * (3 if zero_point == 0 else 2)
        assert_exact(c, np.random.default_rng(0).integers(0, 256, c.x.shape, np.uint8), 99)

    @pytest.mark.parametrize("wide", [(0,), (3,), (8,), (0, 1, 2, 5, 8), tuple(range(9))], ids=str)
    def test_are_exact_where_some_groups_must_be_widened(self, wide):
        c = reference.random_convolution(reference.Sizes(20, 36, 35, 3), seed=1)
        w = c.w.copy()
        for group in wide:
            w[5, 4 * group + 2 : 4 * group + 4, 1] = 127
        c = replace(c, w=w)
        assert np.count_nonzero(c.runs() & 128) > 0
        assert_exact(c, np.full(c.x.shape, 255, np.uint8), 0)


@pytest.mark.usefixtures("variant")
class TestQuantisation:
    @MODEST
    @given(sizes=sizes, seed=st.integers(0, 99))
    def test_is_that_of_the_definition(self, sizes, seed):
        """Exactly so where nothing is computed first. AdaIN and Snake in float32 differ from
        float64 by less than a step of the 255, which moves a number to its neighbour at most."""
        c = reference.random_convolution(sizes, seed)
        q, scale, zero_point = native_library.quantize(c)
        expected, expected_scale, expected_zero_point = c.quantized()
        most = 1 if sizes.parts & {"style", "alpha", "leaky"} else 0
        assert np.abs(q.astype(int) - expected).max() <= most
        assert abs(zero_point - expected_zero_point) <= most
        # AdaIN's last bits are of its two large parts, which cancel where rows are much alike.
        tolerance = {"rel": 1e-4, "abs": 2e-7} if most else {"rel": 0}
        assert scale == pytest.approx(expected_scale, **tolerance)

    @pytest.mark.parametrize(("x", "scale", "zero_point"), [
        pytest.param(0.0, 1.0, 0, id="all zero"), pytest.param(2.55, 0.01, 0, id="constant"),
        pytest.param(-2.55, 0.01, 255, id="negative constant"), pytest.param(3e38, 3e38 / 255, 0, id="huge"),
        pytest.param(1e-43, 0.0, 0, id="denormal"),
    ])  # fmt: skip
    def test_of_a_constant(self, x, scale, zero_point):
        c = reference.random_convolution(reference.Sizes(5, 19, 3))
        c.x = np.full_like(c.x, x)
        q, found, found_zero_point = native_library.quantize(c)
        assert found == pytest.approx(scale if scale else 1.0, rel=1e-6)
        assert found_zero_point == zero_point
        assert np.array_equal(q, c.quantized()[0])

    @pytest.mark.parametrize("alpha", [1e-3, 0.05, 1.0, -2.0, 30.0])
    def test_snake_keeps_its_accuracy(self, alpha):
        """sin^2 within 1.3e-6 of itself, and 1 in 2^24 of alpha x / pi in the argument: far from
        half a step, except where the number lies on the border of two."""
        c = reference.random_convolution(reference.Sizes(400, 24, 3, parts=frozenset({"alpha"})))
        c.alpha = np.full(24, alpha, np.float32)
        q, _, _ = native_library.quantize(c)
        assert np.count_nonzero(q != c.quantized()[0]) <= q.size // 1000

    def test_snake_adds_nothing_where_alpha_is_zero(self):
        c = reference.random_convolution(reference.Sizes(30, 20, 3))
        plain = native_library.quantize(c)
        c.alpha = np.zeros(20, np.float32)
        c.alpha[::2] = 1e-40
        snake = native_library.quantize(c)
        assert np.array_equal(plain[0], snake[0])
        assert plain[1:] == snake[1:]


@pytest.mark.usefixtures("variant")
class TestRangeOfStatistics:
    """The range of the ends of each channel against that of a pass over all activations."""

    @MODEST
    @given(
        shape=st.tuples(st.integers(1, 200), st.integers(1, 40)),
        seed=st.integers(0, 99),
        scale=st.sampled_from([1e-3, 1.0, 1e3]),
    )
    def test_is_exact_where_the_activation_is_affine(self, variant, shape, seed, scale):
        """Gains of either sign; gain x + offset is rounded once, by portable C two times."""
        rows, inner = shape
        sizes = reference.Sizes(rows, inner, 3, 1, pads=(0, 0), parts=frozenset({"style"}))
        c = reference.random_convolution(sizes, seed)
        c.x *= np.float32(scale)
        c.style[:inner] -= 1  # a gain of either sign
        c.statistics = reference.statistics(c.x)
        mean, variance = c.statistics[:2]
        gain = (1 + c.style[:inner]) / np.sqrt(variance + np.float32(c.epsilon))
        offset = c.style[inner:] - mean * gain
        wide = np.float32 if variant == "portable" else np.longdouble
        x, gain, offset = (a.astype(wide) for a in (c.x, gain, offset))
        passed = replace(c, style=None, statistics=None)
        passed.x = (x * gain + offset).astype(np.float32)
        q, found, zero_point = native_library.quantize(c)
        expected_q, expected, expected_zero_point = native_library.quantize(passed)
        assert (found, zero_point) == (expected, expected_zero_point)
        # Multiplied by the scale's inverse, a number between two integers may become the other one.
        assert np.abs(q.astype(int) - expected_q).max() <= 1

    @MODEST
    @given(
        shape=st.tuples(st.integers(1, 200), st.integers(1, 40)),
        seed=st.integers(0, 99),
        slope=st.sampled_from([None, 0.0, 0.2, 1.0, 3.0, -0.5]),
        alpha=st.sampled_from([1e-3, 0.3, 1.0, 4.0, 30.0, -2.0]),
    )
    def test_is_that_of_all_activations_up_to_rounding(self, shape, seed, slope, alpha):
        """Snake where there is no slope. A channel of one value has no spread: its gain is large
        enough for the rounding of the mean to show."""
        sizes = reference.Sizes(*shape, 3, 1, pads=(0, 0), parts=frozenset({"style"}))
        c = reference.random_convolution(sizes, seed)
        c.style[: shape[1]] -= 1
        if slope is None:
            c.alpha = np.linspace(alpha / 2, alpha, shape[1], dtype=np.float32)
        else:
            c.negative_slope = slope
        _, found, zero_point = native_library.quantize(c)
        expected, expected_zero_point = reference.quantization(c.activations().astype(np.float32))
        assert found == pytest.approx(expected, rel=1e-5 if shape[0] > 1 else 1e-2)
        assert abs(zero_point - expected_zero_point) <= 1

    @pytest.mark.parametrize("parts", [set(), {"leaky"}, {"alpha"}])
    @pytest.mark.parametrize("width", [0.25, 1.0, 4.0])
    def test_comes_of_statistics_without_style_too(self, parts, width):
        c = reference.random_convolution(reference.Sizes(90, 20, 3, parts=frozenset(parts)))
        c.statistics = reference.statistics(c.x) * np.float32([[np.nan], [np.nan], [width], [width]])
        q, found, zero_point = native_library.quantize(c)
        expected_q, expected, expected_zero_point = c.quantized()
        assert (found, zero_point) == (pytest.approx(expected, rel=1e-5), expected_zero_point)
        assert np.abs(q.astype(int) - expected_q).max() <= (1 if parts else 0)
        _, of_x, _ = native_library.quantize(replace(c, statistics=None))
        assert np.sign(found - of_x) == np.sign(width - 1)

    @pytest.mark.parametrize("parts", [set(), {"style", "alpha"}])
    def test_is_clamped_where_the_statistics_say_too_little(self, parts):
        c = reference.random_convolution(reference.Sizes(90, 20, 3, parts=frozenset(parts)))
        if c.statistics is None:
            c.statistics = reference.statistics(c.x)
        c.statistics[2:] *= np.float32(0.25)
        q, _, _ = native_library.quantize(c)
        assert (q.min(), q.max()) == (0, 255)


@pytest.mark.usefixtures("variant")
class TestHostileValues:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3.4e38, -3.4e38])
    @pytest.mark.parametrize("parts", [set(), {"style", "alpha", "bias"}, {"leaky", "residual"}])
    def test_give_a_result(self, value, parts):
        c = reference.random_convolution(reference.Sizes(37, 21, 19, parts=frozenset(parts)))
        c.x[[0, 17, 36], [0, 16, 20]] = value
        y, statistics = native_library.convolve(c)
        assert (y.shape, statistics.shape) == ((37, 19), (4, 19))
        if np.isinf(value) and "alpha" not in parts:  # the sine of which is not a number
            assert not np.isfinite(y).any()

    def test_a_number_that_is_none_counts_as_the_lowest(self):
        c = reference.random_convolution(reference.Sizes(10, 20, 4))
        c.x[3, 4] = np.nan
        q, scale, _ = native_library.quantize(c)
        assert np.isfinite(scale)
        assert q[3, 4] == 0


def expected_of(c):
    """From the variant's own activations, which are held elsewhere."""
    q, scale, zero_point = native_library.quantize(c)
    return c.finish(c.accumulators(q, zero_point), np.float32(scale))


def _rounding(sizes, terms):
    """What rounding allows sums of floats that are made in pairs of rows.

    `sizes` are the sums of absolute terms. A row also has rounded terms of the other row of its
    pair, so that what counts is the largest of a channel.
    """
    return 6 * (terms + 4) * 2.0**-24 * sizes.max(axis=0)


@pytest.mark.usefixtures("variant")
class TestOperators:
    @MODEST
    @given(sizes=sizes, seed=st.integers(0, 99))
    def test_dynamic_quantize_conv(self, sizes, seed):
        """Seven roundings of 2^-24 lie between the integers and y, each of a number no larger
        than the sum of the absolute terms."""
        c = reference.random_convolution(sizes, seed)
        y, statistics = native_library.convolve(c)
        expected = expected_of(c)
        others = [abs(o) for o in (c.residual, c.addend) if o is not None]
        product = replace(c, residual=None, addend=None, output_scale=1.0)
        size = abs(expected_of(product)) + sum(others, np.float32(0))
        assert (abs(y - expected) <= 8 * 2.0**-23 * size).all()
        exact = reference.statistics(y)
        spread = exact[0] ** 2 + exact[1]
        assert (abs(statistics[0] - exact[0]) <= 1e-5 * np.sqrt(spread) + 1e-12).all()
        assert (abs(statistics[1] - exact[1]) <= 1e-5 * spread + 1e-12).all()
        assert np.array_equal(statistics[2:], exact[2:])

    @MODEST
    @given(sizes=sizes, seed=st.integers(0, 99))
    def test_conv(self, sizes, seed):
        """Within what rounding allows a sum of floats, see `_rounding`."""
        if sizes.rows + sum(sizes.pads) < sizes.kernel:
            return
        random = np.random.default_rng(seed)
        shapes = (sizes.rows, sizes.inner), (sizes.out, sizes.inner, sizes.kernel), (sizes.out,)
        given = (random.standard_normal(shape, np.float32) for shape in shapes)
        c = reference.FloatConvolution(*given, *sizes.pads, negative_slope=0.1)
        size = replace(c, x=abs(c.x), w=abs(c.w), bias=abs(c.bias)).result()
        bound = _rounding(size, sizes.inner * sizes.kernel)
        assert (abs(native_library.convolve_floats(c) - c.result()) <= bound).all()

    @MODEST
    @given(
        shape=st.tuples(st.integers(1, 30), st.integers(1, 40), st.integers(1, 40)), stride=st.integers(1, 10),
        pad=st.integers(0, 8), reflect=st.sampled_from([0, 1]), residual=st.booleans(), seed=st.integers(0, 99),
    )  # fmt: skip
    def test_conv_transpose(self, shape, stride, pad, reflect, residual, seed):
        rows, inner, out = shape
        if (rows + 1) * stride - 2 * pad < 1 + reflect:
            return
        random = np.random.default_rng(seed)
        c = reference.TransposedConvolution(
            random.standard_normal((rows, inner), np.float32),
            random.standard_normal((inner, out, 2 * stride), np.float32), random.standard_normal(out, np.float32),
            stride, pad, reflect, negative_slope=0.1,
        )  # fmt: skip
        if residual:
            c.residual = random.standard_normal((c.output_rows, out), np.float32)
        absolute = replace(c, x=abs(c.x), w=abs(c.w), bias=abs(c.bias))
        if c.residual is not None:
            absolute.residual = abs(c.residual)
        y, statistics = native_library.convolve_transposed(c)
        assert (abs(y - c.result()) <= _rounding(absolute.result(), 2 * inner)).all()
        exact = reference.statistics(y)
        assert statistics[:2] == pytest.approx(exact[:2], rel=1e-4, abs=1e-4)
        assert np.array_equal(statistics[2:], exact[2:])

    @pytest.mark.parametrize("shape", [(1, 1), (1, 40), (1000, 7), (33, 128), (5000, 20)])
    @pytest.mark.parametrize("offset", [0.0, 30.0])
    def test_channel_statistics(self, shape, offset):
        """A mean of 30 deviations costs the variance 900 times the rounding of a square."""
        x = np.random.default_rng(0).standard_normal(shape, np.float32) + np.float32(offset)
        found, exact = native_library.channel_statistics(x), reference.statistics(x)
        spread = exact[0] ** 2 + exact[1]
        assert (abs(found[0] - exact[0]) <= 1e-6 * np.sqrt(spread)).all()
        assert (abs(found[1] - exact[1]) <= 1e-6 * spread).all()
        assert (found[1] >= 0).all()
        assert np.array_equal(found[2:], exact[2:])


@pytest.mark.usefixtures("library_path")
def test_the_fastest_that_runs_is_in_use_and_what_does_not_run_is_not_chosen():
    library, runnable = native_library.library(), native_library.runnable()
    before = library.kokoro_variant_in_use()
    assert before.decode() == runnable[0]
    assert native_library.variants()[-1] == runnable[-1] == "portable"
    for name in {"", "none", *native_library.variants()} - {*runnable}:
        assert library.kokoro_use_variant(name.encode()) == -1
    assert library.kokoro_variant_in_use() == before
