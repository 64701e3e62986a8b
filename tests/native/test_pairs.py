"""Products in pairs of rows, for weights whose differences fit int8."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.native import kokoro_reference as reference
from tests.native import native_library, native_models
from tests.native.native_library import assert_exact
from tests.profiles import costly, given

SMALL = 3
"""A seed whose weights are small, so that their differences fit."""

sizes = st.builds(
    reference.Sizes, rows=st.integers(1, 300), inner=st.integers(1, 20), out=st.integers(1, 50),
    kernel=st.sampled_from([3, 5, 7, 11]), dilation=st.integers(1, 5),
    pads=st.tuples(st.integers(0, 30), st.integers(0, 30)),
).filter(lambda s: s.rows + sum(s.pads) > s.dilation * (s.kernel - 1))  # fmt: skip


def in_pairs(sizes):
    c = replace(reference.random_convolution(sizes, SMALL), pairs=True)
    assert len(c.differences()) == 4
    return c


def walk(shape, step, seed=0):
    """Bytes whose neighbours in time differ by `step` at most."""
    steps = np.random.default_rng(seed).integers(-step, step + 1, shape)
    steps[0] += 128
    return np.abs((np.cumsum(steps, axis=0) + 255) % 510 - 255).astype(np.uint8)


@pytest.mark.usefixtures("variant")
class TestIntegers:
    @costly()
    @given(sizes=sizes, step=st.sampled_from([1, 20, 127, 255]), zero_point=st.integers(0, 255))
    def test_are_those_of_the_definition(self, sizes, step, zero_point):
        c = in_pairs(sizes)
        assert_exact(c, walk(c.x.shape, step), zero_point)

    @pytest.mark.parametrize("sizes", [(300, 128, 128, 11, 5), (260, 64, 96, 7, 3)], ids=str)
    def test_are_those_of_the_definition_at_kokoros_sizes(self, sizes):
        rows, inner, out, kernel, dilation = sizes
        c = in_pairs(reference.Sizes(rows, inner, out, kernel, dilation, pads=(dilation * (kernel // 2),) * 2))
        assert_exact(c, walk(c.x.shape, 9), 77)

    @pytest.mark.parametrize("dilation", [1, 2, 3])
    @pytest.mark.parametrize("apart", [127, 128, 129, 255])
    def test_are_exact_where_neighbours_are_far_apart(self, dilation, apart):
        """Differences of -128 to 127 fit; one in a tile that does not is enough."""
        c = in_pairs(reference.Sizes(150, 8, 20, 5, dilation, pads=(9, 9)))
        for row in range(0, 150, 7):
            for low, high in ((0, apart), (255, 255 - apart)):
                q = np.full(c.x.shape, low, np.uint8)
                q[row, row % 8] = high
                assert_exact(c, q, low)

    @pytest.mark.parametrize("apart", [127, 255])
    def test_are_exact_where_all_neighbours_are_far_apart(self, apart):
        c = in_pairs(reference.Sizes(150, 37, 20, 7))
        q = np.zeros(c.x.shape, np.uint8)
        q[::2] = apart
        assert_exact(c, q, 77)

    @pytest.mark.parametrize(("weights", "levels"), [
        ((63, -64), 4), ((-64, 64), 4), ((-32, 33, 64, -63), 1), ((31, -32, -32, 32), 4),
        ((-32, 32, 32, -32), 4), ((63, 0, -64, 0), 4), ((0, 63, 0, -64), 4),
    ])  # fmt: skip
    @pytest.mark.parametrize("activations", [(0, 127), (255, 127), (0, 63, 127, 63), (63, 0, 0, 64), (0, 0, 127, 127)])
    def test_do_not_saturate(self, weights, levels, activations):
        """Differences of weights and of activations as large as they may be."""
        c = in_pairs(reference.Sizes(120, 70, 20, 7))
        w = np.empty_like(c.w)
        w[:] = np.resize(np.int8(weights), c.kernel_size)
        w[::3] //= 9
        c = replace(c, w=w)
        assert len(c.differences()) == levels
        q = np.empty(c.x.shape, np.uint8)
        q[:] = np.resize(np.uint8(activations), (len(q), 1))
        assert_exact(c, q, 77)


@pytest.mark.usefixtures("variant")
@pytest.mark.parametrize("shape", [(400, 32, 48, 7, 1), (400, 20, 33, 3, 3), (700, 16, 16, 11, 5)])
def test_floats_are_those_without_differences(shape):
    rows, inner, out, kernel, dilation = shape
    parts = frozenset({"bias", "style", "alpha", "residual", "addend"})
    pads = (dilation * (kernel // 2),) * 2
    c = in_pairs(reference.Sizes(rows, inner, out, kernel, dilation, pads=pads, parts=parts))
    c = replace(c, x=np.cumsum(c.x, axis=0) / 10)
    c = replace(c, statistics=reference.statistics(c.x))
    y, statistics = native_library.convolve(c)
    expected, of_all = native_library.convolve(replace(c, pairs=False))
    assert np.array_equal(y, expected)
    np.testing.assert_array_equal(statistics[2:], of_all[2:])
    np.testing.assert_allclose(statistics[:2], of_all[:2], rtol=1e-4, atol=1e-4)


def test_need_a_stride_of_one_and_sums_of_both(assert_refused):
    c = in_pairs(reference.Sizes(30, 4, 16))
    rows = [({"stride": 2}, "differences of weights need a stride of 1")]
    for count in (16, 33):
        message = rf"weight_sums should have shape \[80\] and has \[{count}\]"
        rows.append(({"weight_sums": np.zeros(count, np.int32)}, message))
    assert_refused("DynamicQuantizeConv", lambda: native_models.made_of(c), rows)
