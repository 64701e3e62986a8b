"""Pack weights in the layout of the native operators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

COLUMNS = 16
"""Output channels of a panel: the widest vector of 32-bit sums of any CPU."""

GROUP = 4
"""Input channels that one dot product of bytes takes at once."""

MOST_IN_RUN = 128
"""What the weights of a sign in a run may sum to: 255 times as much fits 16 bits."""

LONGEST_RUN, WIDENED = 127, 128
"""Groups of a run at most; and what is added to the length of one that must be widened."""


def centered(weight: npt.NDArray[np.uint8], zero_point: int) -> npt.NDArray[np.int8]:
    """Return weights [Co, Ci, K] less their zero point as int8 [Co, Ci, n K].

    n is 1 as far as published models go. Where a weight does not fit int8 it is a sum of n terms,
    the first of them in the first K taps.
    """
    rest = weight.astype(np.int16) - zero_point
    terms: list[npt.NDArray[np.int8]] = []
    while not terms or rest.any():
        terms.append(rest.clip(-128, 127).astype(np.int8))
        rest = rest - terms[-1]
    return np.concatenate(terms, axis=2)


def pack_integers(weight: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return int8 [Co, Ci, K] as [P, K, Q, 16, 4], 0 where there is no channel.

    P = ceil(Co / 16), Q = ceil(Ci / 4).
    """
    n_out, n_in, size = weight.shape
    panels, groups = -(-n_out // COLUMNS), -(-n_in // GROUP)
    padded = np.zeros((panels * COLUMNS, groups * GROUP, size), np.int8)
    padded[:n_out, :n_in] = weight
    parts = padded.reshape(panels, COLUMNS, groups, GROUP, size)
    return np.ascontiguousarray(parts.transpose(0, 4, 2, 1, 3))


def pack_matrix(weight: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return int8 [Ci, Co] as the weights of a convolution of one tap, [P, 1, Q, 16, 4]."""
    return pack_integers(weight.T[:, :, None])


def with_differences(packed: npt.NDArray[np.int8], size: int) -> list[npt.NDArray[np.int8]]:
    """Return packed weights with the differences that pairs of rows are multiplied with.

    Args:
        packed: int8 [P, n K, Q, 16, 4].
        size: K.

    Returns:
        The taps, then their differences, and then those of the taps with an even index, of the
        taps with an odd one, and of the differences, each int8 [P, n, Q, 16, 4]. Only the first
        two where the others do not fit int8, and only the first where the second do not, where K
        is even or 1, or where a weight is the sum of several terms.
    """
    if packed.shape[1] != size or size % 2 == 0 or size == 1:
        return [packed]
    of_taps = _differences(packed)
    if not fits(of_taps):
        return [packed]
    halves = [_differences(half) for half in (packed[:, ::2], packed[:, 1::2], of_taps)]
    of_halves = halves if all(map(fits, halves)) else []
    return [packed, *(part.astype(np.int8) for part in (of_taps, *of_halves))]


def _differences(taps: npt.NDArray[np.int8] | npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return each tap with an even index less the next one, if there is one; nothing of one tap."""
    if taps.shape[1] == 1:
        return np.empty((taps.shape[0], 0, *taps.shape[2:]), np.int16)
    found: npt.NDArray[np.int16] = taps[:, ::2].astype(np.int16)
    found[:, : taps.shape[1] // 2] -= taps[:, 1::2]
    return found


def fits(weights: npt.NDArray[np.int16]) -> bool:
    """Tell whether they are int8."""
    limits = np.iinfo(np.int8)
    return weights.size == 0 or (weights.min() >= limits.min and weights.max() <= limits.max)


def pair_groups(packed: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return packed weights with the eight channels of each two groups together, column by column.

    Args:
        packed: int8 [P, K, Q, 16, 4].

    Returns:
        The same shape: [P, K, Q // 2, 16, 8] in its first groups, then the last group of an odd Q
        as it is.
    """
    whole = packed.shape[2] // 2 * 2
    paired = packed.copy()
    pairs = packed[:, :, :whole].reshape(*packed.shape[:2], -1, 2, COLUMNS, GROUP)
    paired[:, :, :whole] = pairs.swapaxes(3, 4).reshape(paired[:, :, :whole].shape)
    return paired


def column_sums(packed: npt.NDArray[np.int8], n_out: int) -> npt.NDArray[np.int32]:
    """Return int32 [Co]: the sum of each output channel's packed weights."""
    sums: npt.NDArray[np.int32] = packed.sum(axis=(1, 2, 4), dtype=np.int32)
    return sums.reshape(-1)[:n_out]


def cut_runs(packed: npt.NDArray[np.int8]) -> npt.NDArray[np.uint8]:
    """Return how the sums of packed weights are cut for instructions that add in 16 bits.

    A lane sums one column and two neighbouring channels of each group. In a run its positive
    weights sum to `MOST_IN_RUN` at most, and its negative ones to no less than the opposite, so
    that it fits 16 bits whatever the activations are. A group that does not fit even alone is
    marked with `WIDENED`.

    Args:
        packed: int8 [P, K, Q, 16, 4].

    Returns:
        uint8 [P, K, Q]: of each panel and tap the lengths of its runs in groups, and zeros behind
        them.
    """
    panels, size, groups = packed.shape[:3]
    pairs = packed.reshape(panels * size, groups, -1, 2).astype(np.int16)
    lanes = np.concatenate(
        [np.maximum(pairs, 0).sum(axis=-1), np.maximum(-pairs, 0).sum(axis=-1)], axis=-1
    )
    widened: npt.NDArray[np.bool_] = np.any(lanes > MOST_IN_RUN, axis=-1)
    rows = np.arange(panels * size)
    runs = np.zeros((panels * size, groups), np.uint8)
    sums, lengths, counts = lanes[:, 0], np.ones_like(rows), np.zeros_like(rows)
    runs[:, 0] = 1
    for group in range(1, groups):
        longer = sums + lanes[:, group]
        fits = (longer <= MOST_IN_RUN).all(axis=-1) | widened[:, group]
        goes_on = fits & (widened[:, group] == widened[:, group - 1]) & (lengths < LONGEST_RUN)
        sums = np.where(goes_on[:, None], longer, lanes[:, group])
        lengths = np.where(goes_on, lengths + 1, 1)
        counts += ~goes_on
        runs[rows, counts] = lengths + WIDENED * widened[:, group]
    runs[:, 0] |= np.where(widened[:, 0], WIDENED, 0).astype(np.uint8)
    return runs.reshape(panels, size, groups)


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
