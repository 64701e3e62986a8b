"""A picture of seams between windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.likeness import LOUD, running_level
from bench.processes import ChildError
from bench.renderings import Case, Renderings
from bench.spectrogram import Column, spectrograms
from bench.windows.ways import WHOLE, WINDOWS
from service.model.kokoro import SAMPLE_RATE_HZ
from service.model.parity import log_spectral_distance

SEEN_S = 1.0
"""Length of the picture of a seam."""


def draw_seams(cases: Sequence[Case], renderings: Renderings) -> str:
    """Return a picture of three seams: the most alike, the median and the least alike.

    Seams in pauses are left out, for they show nothing.

    Raises:
        ChildError: no seam is left.
    """
    found = []
    for case in cases:
        recordings = [renderings.samples(label, case) for label in (WINDOWS, WHOLE)]
        for seam in renderings.seams(WINDOWS, case):
            seen = [stretch(samples, seam) for samples in recordings]
            full = seen[0].size == seen[1].size == int(SEEN_S * SAMPLE_RATE_HZ)
            if full and running_level(seen[1])[seen[1].size // 2] > LOUD:
                found.append((log_spectral_distance(seen[1], seen[0]), case, seam))
    if not found:
        raise ChildError("every seam is in a pause")
    found.sort(key=lambda one: one[0])
    columns = []
    for name, number in (("most", 0), ("median", len(found) // 2), ("least", -1)):
        distance, case, seam = found[number]
        alike = f"{name}: " if name == "median" else f"{name} alike: "
        columns.append(
            Column(
                f"{alike}{case.voice}, {seam / SAMPLE_RATE_HZ:.2f} s, {distance:.1f} dB apart",
                [stretch(renderings.samples(label, case), seam) for label in (WINDOWS, WHOLE)],
                SEEN_S / 2,
            )
        )
    title = f"A second around three of {len(found)} seams outside of pauses"
    return spectrograms(title, (WINDOWS, WHOLE), columns)


def stretch(samples: np.ndarray, seam: int) -> np.ndarray:
    """Return the second around a seam, shorter at the ends of the samples."""
    half = int(SEEN_S * SAMPLE_RATE_HZ) // 2
    return samples[max(0, seam - half) : seam + half]
