"""Pack weights in the layout of the native operators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

COLUMNS = 16
"""Output channels of a panel: the widest vector of 32-bit sums of any CPU."""

GROUP = 4
"""Input channels that one dot product of bytes takes at once."""


def pack_integers(weight: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
    """Return uint8 [Co, Ci, K] as int8 [P, K, Q, 16, 4], 128 less, 0 where there is no channel.

    P = ceil(Co / 16), Q = ceil(Ci / 4).
    """
    n_out, n_in, size = weight.shape
    panels, groups = -(-n_out // COLUMNS), -(-n_in // GROUP)
    padded = np.zeros((panels * COLUMNS, groups * GROUP, size), np.int8)
    padded[:n_out, :n_in] = (weight.astype(np.int16) - 128).astype(np.int8)
    parts = padded.reshape(panels, COLUMNS, groups, GROUP, size)
    return np.ascontiguousarray(parts.transpose(0, 4, 2, 1, 3))


def column_sums(weight: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """Return int32 [Co]: the sum of each output channel's packed weights."""
    sums: npt.NDArray[np.int32] = (weight.astype(np.int32) - 128).sum(axis=(1, 2), dtype=np.int32)
    return sums


def pack_floats(weight: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return float32 [Co, Ci, K] as [P, K, Ci, 16], 0 where there is no output channel."""
    n_out, n_in, size = weight.shape
    panels = -(-n_out // COLUMNS)
    padded = np.zeros((panels * COLUMNS, n_in, size), np.float32)
    padded[:n_out] = weight
    return np.ascontiguousarray(padded.reshape(panels, COLUMNS, n_in, size).transpose(0, 3, 2, 1))


def pack_strided(weight: npt.NDArray[np.float32], stride: int) -> npt.NDArray[np.float32]:
    """Return a transposed kernel [Ci, Co, 2 * stride] as [P, 2, Ci, 16] over stride * Co columns.

    Column s * Co + c is channel c of the s-th frame that a row gives.
    """
    n_in, n_out, _ = weight.shape
    taps = weight.reshape(n_in, n_out, 2, stride)
    return pack_floats(taps.transpose(3, 1, 0, 2).reshape(stride * n_out, n_in, 2))


def pack_matrix(weight: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return int8 [Ci, Co] as [P, 1, Q, 16, 4], as it is, 0 where there is no channel."""
    n_in, n_out = weight.shape
    panels, groups = -(-n_out // COLUMNS), -(-n_in // GROUP)
    padded = np.zeros((groups * GROUP, panels * COLUMNS), np.int8)
    padded[:n_in, :n_out] = weight
    parts = padded.reshape(groups, GROUP, panels, COLUMNS)
    return np.ascontiguousarray(parts.transpose(2, 0, 3, 1)[:, None])
