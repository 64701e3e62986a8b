from itertools import product

import numpy as np
import pytest
from hypothesis import strategies as st

from service.preparation.rewriting.packing import (
    centered,
    column_sums,
    cut_runs,
    pack_integers,
    pair_groups,
    with_differences,
)
from tests.profiles import given

SIZES = [(1, 1, 1), (16, 4, 3), (17, 5, 3), (15, 3, 1), (33, 22, 12), (22, 7, 7), (48, 8, 2)]


@pytest.mark.parametrize(("n_out", "n_in", "size"), SIZES)
def test_each_packed_integer_is_the_one_of_its_definition_and_sums_are_of_them(n_out, n_in, size):
    weight = np.random.default_rng(1).integers(-128, 128, (n_out, n_in, size), np.int8)
    packed = pack_integers(weight)
    n_panels, n_groups = -(-n_out // 16), -(-n_in // 4)
    assert packed.dtype == np.int8
    assert packed.shape == (n_panels, size, n_groups, 16, 4)
    assert packed.flags.c_contiguous
    for p, k, q, j, i in product(*map(range, packed.shape)):
        out, channel = 16 * p + j, 4 * q + i
        assert packed[p, k, q, j, i] == (weight[out, channel, k] if out < n_out and channel < n_in else 0)
    sums = column_sums(packed, n_out)
    assert sums.dtype == np.int32
    np.testing.assert_array_equal(sums, weight.sum(axis=(1, 2), dtype=int))


@pytest.mark.parametrize(("n_out", "n_in", "size"), [*SIZES, (20, 12, 3), (16, 40, 1)])
def test_pairs_have_eight_channels_of_a_column_together(n_out, n_in, size):
    weight = np.random.default_rng(6).integers(-128, 128, (n_out, n_in, size), np.int8)
    packed = pack_integers(weight)
    before, paired = packed.copy(), pair_groups(packed)
    np.testing.assert_array_equal(packed, before)
    assert (paired.dtype, paired.shape) == (np.int8, packed.shape)
    assert paired.flags.c_contiguous
    n_pairs = packed.shape[2] // 2
    eights = paired[:, :, : 2 * n_pairs].reshape(*packed.shape[:2], n_pairs, 16, 8)
    for p, k, pair, j, i in product(*map(range, eights.shape)):
        out, channel = 16 * p + j, 8 * pair + i
        assert eights[p, k, pair, j, i] == (weight[out, channel, k] if out < n_out and channel < n_in else 0)
    np.testing.assert_array_equal(paired[:, :, 2 * n_pairs :], packed[:, :, 2 * n_pairs :])


def less(one, other):
    return one.astype(int) - other


@pytest.mark.parametrize("size", [3, 5, 7, 9, 11])
def test_differences_are_of_neighbouring_taps_and_then_of_their_own_kinds(size):
    w = np.random.default_rng(7).integers(-31, 32, (2, size, 3, 16, 4), np.int8)
    taps, of_taps, of_even, of_odd, of_both = with_differences(w, size)
    np.testing.assert_array_equal(taps, w)
    half = size // 2
    assert of_taps.shape[1] == half + 1
    for k in range(half):
        np.testing.assert_array_equal(of_taps[:, k], less(w[:, 2 * k], w[:, 2 * k + 1]))
    np.testing.assert_array_equal(of_taps[:, half], w[:, size - 1])
    for whole, found in ((w[:, ::2], of_even), (w[:, 1::2], of_odd), (of_taps, of_both)):
        count = whole.shape[1]
        assert found.shape[1] == ((count + 1) // 2 if count > 1 else 0)
        for k in range(found.shape[1]):
            one = whole[:, 2 * k]
            other = whole[:, 2 * k + 1] if 2 * k + 1 < count else np.zeros_like(one)
            np.testing.assert_array_equal(found[:, k], less(one, other))
    assert all(part.dtype == np.int8 for part in (taps, of_taps, of_even, of_odd, of_both))


@pytest.mark.parametrize(("taps", "n_parts"), [
    ((100, -27, 0), 5), ((100, -28, 0), 1), ((-100, 28, 0), 5), ((-100, 29, 0), 1), ((64, 0, -63), 5),
    ((64, 0, -64), 2), ((-64, 0, 64), 5), ((-64, 0, 65), 2), ((0, 64, 0, -63, 0), 5), ((0, 64, 0, -64, 0), 2),
    ((32, -31, -32, 32, 0), 5), ((32, -32, -32, 32, 0), 2),
])  # fmt: skip
def test_differences_that_do_not_fit_are_left_out(taps, n_parts):
    weight = np.zeros((16, 4, len(taps)), np.int8)
    weight[3, 2] = taps
    assert len(with_differences(pack_integers(weight), len(taps))) == n_parts


@pytest.mark.parametrize(("n_taps", "size"), [(1, 1), (2, 2), (4, 4), (6, 3), (9, 3)])
def test_no_differences_of_even_kernels_of_one_tap_and_of_terms(n_taps, size):
    packed = np.ones((1, n_taps, 1, 16, 4), np.int8)
    (whole,) = with_differences(packed, size)
    assert whole is packed


@pytest.mark.parametrize("level", [-128, 0, 127])
def test_sums_of_the_largest_kernel_do_not_overflow(level):
    packed = pack_integers(np.full((2, 1090, 11), level, np.int8))
    assert column_sums(packed, 2).tolist() == [level * 1090 * 11] * 2
    assert set(np.unique(packed)) <= {level, 0}


@pytest.mark.parametrize(("zero_point", "n_terms"), [(0, 3), (1, 2), (127, 2), (128, 1), (255, 2)])
def test_terms_of_any_weights_add_up_to_them(zero_point, n_terms):
    weight = np.arange(256, dtype=np.uint8).reshape(8, 8, 4)
    terms = centered(weight, zero_point)
    assert (terms.dtype, terms.shape) == (np.int8, (8, 8, 4 * n_terms))
    total = terms.astype(int).reshape(8, 8, n_terms, 4).sum(axis=2)
    np.testing.assert_array_equal(total, weight.astype(int) - zero_point)


def most_in_a_lane(groups):
    """Return what weights of one sign add up to at most, in groups [n, 16, 4]."""
    lanes = groups.astype(int).reshape(-1, 16, 2, 2)
    return int(np.max([lanes.clip(min=0).sum(axis=(0, 3)), -lanes.clip(max=0).sum(axis=(0, 3))]))


@given(widest=st.sampled_from([0, 1, 3, 20, 64, 65, 127, 128]), n_in=st.integers(1, 90), seed=st.integers(0, 99))
def test_runs_are_as_long_as_sums_fit_16_bits(widest, n_in, seed):
    random = np.random.default_rng(seed)
    packed = pack_integers(random.integers(-widest, min(widest, 127), (18, n_in, 2), np.int8, endpoint=True))
    runs = cut_runs(packed)
    assert (runs.dtype, runs.shape) == (np.uint8, packed.shape[:3])
    for place in np.ndindex(*runs.shape[:2]):
        groups, first = packed[place], 0
        for run in filter(None, map(int, runs[place])):
            length, widened = run % 128, run >= 128
            last = first + length
            alone = [most_in_a_lane(group) for group in groups[first : last + 1]]
            assert all((most > 128) == widened for most in alone[:length])
            if not widened:
                assert 255 * most_in_a_lane(groups[first:last]) <= 32767
                ends = last == len(groups) or length == 127 or alone[length] > 128
                assert ends or most_in_a_lane(groups[first : last + 1]) > 128
            first = last
        assert first == len(groups)


def test_no_run_is_longer_than_its_byte_tells():
    nothing = np.zeros((1, 1, 300, 16, 4), np.int8)
    assert cut_runs(nothing)[0, 0, :4].tolist() == [127, 127, 46, 0]
    assert cut_runs(np.full_like(nothing, 127))[0, 0, :4].tolist() == [255, 255, 128 + 46, 0]
