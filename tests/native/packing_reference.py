"""Packed weights from their definition, their differences, and the lengths of their runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


def in_fours(w):
    """Pack [Co, Ci, K] as [P, K, Q, 16, 4]."""
    out, inner, taps = w.shape
    panels, groups = -(-out // 16), -(-inner // 4)
    whole = np.zeros((panels * 16, groups * 4, taps), np.int8)
    whole[:out, :inner] = w
    return np.ascontiguousarray(whole.reshape(panels, 16, groups, 4, taps).transpose(0, 4, 2, 1, 3))


def in_eights(fours):
    """Put the channels of each two groups together, column by column; an odd group stays."""
    panels, taps, groups = fours.shape[:3]
    whole = groups // 2 * 2
    twos = fours[:, :, :whole].reshape(panels, taps, -1, 2, 16, 4).transpose(0, 1, 2, 4, 3, 5)
    paired = np.ascontiguousarray(twos).reshape(panels, taps, whole, 16, 4)
    return np.concatenate([paired, fours[:, :, whole:]], axis=2)


def differences(taps):
    """Of each tap with an even index and the next one, which counts as 0 if there is none."""
    if taps.shape[2] == 1:
        return taps[:, :, :0]
    whole = np.pad(taps, [(0, 0), (0, 0), (0, 1)])
    return whole[:, :, : taps.shape[2] : 2] - whole[:, :, 1 : taps.shape[2] + 1 : 2]


def fits(*weights):
    return all(w.min(initial=0) >= -128 and w.max(initial=0) <= 127 for w in weights)


def runs_of(groups):
    """Cut the groups [Q, 16, 4] of a panel and a tap; see native/runs.h."""
    lengths: list[int] = []
    sums = np.zeros((2, 16, 2), int)
    for group in groups:
        pairs = group.reshape(16, 2, 2)
        own = np.stack([pairs.clip(min=0).sum(axis=2), -pairs.clip(max=0).sum(axis=2)])
        if own.max() > 128:
            goes_on = bool(lengths) and 128 < lengths[-1] < 255
            kind = 128
        else:
            goes_on = bool(lengths) and lengths[-1] < 127 and (sums + own).max() <= 128
            kind = 0
        if goes_on:
            lengths[-1] += 1
            sums += own
        else:
            lengths.append(kind + 1)
            sums = own
    return np.array(lengths + [0] * (len(groups) - len(lengths)), np.uint8)
