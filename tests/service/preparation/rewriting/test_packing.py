from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from service.preparation.rewriting.packing import (
    column_sums,
    pack_floats,
    pack_integers,
    pack_strided,
)

SIZES = [(1, 1, 1), (16, 4, 3), (17, 5, 3), (15, 3, 1), (33, 22, 12), (22, 7, 7), (48, 8, 2)]


@pytest.mark.parametrize(("n_out", "n_in", "size"), SIZES)
def test_each_packed_integer_is_the_one_of_its_definition(n_out: int, n_in: int, size: int) -> None:
    weight = np.random.default_rng(1).integers(0, 256, (n_out, n_in, size)).astype(np.uint8)
    packed = pack_integers(weight)
    n_panels, n_groups = -(-n_out // 16), -(-n_in // 4)
    assert packed.dtype == np.int8
    assert packed.shape == (n_panels, size, n_groups, 16, 4)
    assert packed.flags.c_contiguous
    for p, k, q, j, i in product(*map(range, packed.shape)):
        out, channel = 16 * p + j, 4 * q + i
        expected = int(weight[out, channel, k]) - 128 if out < n_out and channel < n_in else 0
        assert packed[p, k, q, j, i] == expected


@pytest.mark.parametrize(("n_out", "n_in", "size"), SIZES)
def test_sums_are_those_of_the_packed_weights(n_out: int, n_in: int, size: int) -> None:
    weight = np.random.default_rng(2).integers(0, 256, (n_out, n_in, size)).astype(np.uint8)
    sums = column_sums(weight)
    assert (sums.dtype, sums.shape) == (np.int32, (n_out,))
    packed = pack_integers(weight).astype(np.int64).sum(axis=(1, 2, 4)).reshape(-1)
    np.testing.assert_array_equal(sums, packed[:n_out])
    for out in range(n_out):
        assert sums[out] == sum(int(w) - 128 for w in weight[out].reshape(-1))


@pytest.mark.parametrize("level", [0, 128, 255])
def test_sums_of_the_largest_kernel_do_not_overflow(level: int) -> None:
    weight = np.full((2, 1090, 11), level, np.uint8)
    assert column_sums(weight).tolist() == [(level - 128) * 1090 * 11] * 2
    assert set(np.unique(pack_integers(weight))) <= {level - 128, 0}


@pytest.mark.parametrize(("n_out", "n_in", "size"), SIZES)
def test_each_packed_float_is_the_one_of_its_definition(n_out: int, n_in: int, size: int) -> None:
    weight = np.random.default_rng(3).normal(size=(n_out, n_in, size)).astype(np.float32)
    packed = pack_floats(weight)
    assert packed.dtype == np.float32
    assert packed.shape == (-(-n_out // 16), size, n_in, 16)
    assert packed.flags.c_contiguous
    for p, k, i, j in product(*map(range, packed.shape)):
        expected = weight[16 * p + j, i, k] if 16 * p + j < n_out else 0
        assert packed[p, k, i, j] == expected


@pytest.mark.parametrize(
    ("n_in", "n_out", "stride"), [(1, 1, 1), (4, 16, 2), (3, 5, 6), (5, 3, 10), (2, 7, 3)]
)
def test_each_strided_float_is_the_one_of_its_definition(
    n_in: int, n_out: int, stride: int
) -> None:
    weight = np.random.default_rng(4).normal(size=(n_in, n_out, 2 * stride)).astype(np.float32)
    packed = pack_strided(weight, stride)
    assert packed.dtype == np.float32
    assert packed.shape == (-(-stride * n_out // 16), 2, n_in, 16)
    assert packed.flags.c_contiguous
    for p, tap, i, j in product(*map(range, packed.shape)):
        frame, channel = divmod(16 * p + j, n_out)
        expected = weight[i, channel, tap * stride + frame] if frame < stride else 0
        assert packed[p, tap, i, j] == expected
