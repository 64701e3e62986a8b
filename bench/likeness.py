"""How alike two renderings of the same length are: spectra, loudness, and jumps at seams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.processes import ChildError
from service.model.parity import log_spectral_distance
from service.speech.windows import FADE_SAMPLES

SILENCE_DB = 120.0
"""Levels further below the loudest bin count as silence."""

LOUDNESS_SAMPLES, EVERY, LOUD = 2_400, 60, 0.02
LARGE = 0.999
"""Jumps above this quantile are large."""


@dataclass(frozen=True)
class Likeness:
    """How alike a rendering and the whole rendering are.

    Attributes:
        distance_db: log-spectral distance.
        loudness_db: changes of loudness, see `loudness_changes`.
    """

    distance_db: float
    loudness_db: np.ndarray

    @classmethod
    def of(cls, right: np.ndarray, other: np.ndarray, start: int) -> Likeness:
        """Compare two arrays of samples, float [n] each; loudness from sample `start` on."""
        distance = log_spectral_distance(right, other, floor_db=SILENCE_DB)
        return cls(distance, loudness_changes(right, other, start))


def loudness_changes(right: np.ndarray, other: np.ndarray, start: int) -> np.ndarray:
    """Return by how many dB a rendering is louder than the right one, where that is loud.

    Args:
        right: float [n].
        other: float [n].
        start: the first sample to compare; after it, every 60th is compared.
    """
    one, two = (running_level(samples) for samples in (right, other))
    places = np.arange(start, right.size, EVERY)
    places = places[one[places] > LOUD]
    changes: np.ndarray = 20 * np.log10(np.maximum(two[places], 1e-6) / one[places])
    return changes


def running_level(samples: np.ndarray) -> np.ndarray:
    """Return the root mean square of the 0.1 s around each sample; outside is silence."""
    padded = np.pad(samples.astype(np.float64) ** 2, LOUDNESS_SAMPLES // 2)
    sums = np.concatenate([[0.0], np.cumsum(padded)])
    powers = (sums[LOUDNESS_SAMPLES:] - sums[:-LOUDNESS_SAMPLES])[: samples.size]
    levels: np.ndarray = np.sqrt(np.maximum(powers, 0) / LOUDNESS_SAMPLES)
    return levels


def jump_ratios(samples: np.ndarray, seams: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the jumps at seams, divided by what is a large jump in the rest of the samples.

    Args:
        samples: float [n].
        seams: samples at which the second of two windows begins.

    Returns:
        For each seam, the three jumps where windows are switched, [n, 3], and the largest jump of
        the fade, [n].
    """
    jumps = np.abs(np.diff(samples.astype(np.float64), prepend=samples[:1]))
    elsewhere = np.ones(jumps.size, bool)
    for seam in seams:
        elsewhere[seam - FADE_SAMPLES : seam + FADE_SAMPLES + 1] = False
    large = np.quantile(jumps[elsewhere], LARGE)
    switched = [jumps[[seam - FADE_SAMPLES, seam, seam + FADE_SAMPLES]] for seam in seams]
    faded = [jumps[seam - FADE_SAMPLES : seam + FADE_SAMPLES + 1].max() for seam in seams]
    return np.array(switched).reshape(-1, 3) / large, np.array(faded) / large


def percentiles(likenesses: Iterable[Likeness]) -> list[float]:
    """Return the 5th, 50th and 95th percentile of all changes of loudness.

    Raises:
        ChildError: no rendering is loud anywhere.
    """
    changes = np.concatenate([one.loudness_db for one in likenesses])
    if not changes.size:
        raise ChildError("the recordings are silent")
    return [float(value) for value in np.quantile(changes, (0.05, 0.5, 0.95))]
