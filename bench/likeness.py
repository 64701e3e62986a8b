"""How near two renderings of the same length are: spectra, loudness, and jumps at seams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.processes import ChildError
from service.model.parity import log_spectral_distance
from service.speech.windows import FADE_SAMPLES

SILENCE_DB = 120.0
"""So far below the loudest bin is silence; what is above it counts, however quiet."""

LOUDNESS_SAMPLES, EVERY, LOUD = 2_400, 60, 0.02
LARGE = 0.999
"""Jumps above this quantile are large."""


@dataclass(frozen=True)
class Likeness:
    """How near a rendering is to the whole one.

    Attributes:
        distance_db: log-spectral distance.
        loudness_db: changes of loudness, see `loudness_changes`.
    """

    distance_db: float
    loudness_db: np.ndarray

    @classmethod
    def of(cls, right: np.ndarray, other: np.ndarray, start: int) -> Likeness:
        """Compare samples, as many of both; loudness from a sample on."""
        distance = log_spectral_distance(right, other, floor_db=SILENCE_DB)
        return cls(distance, loudness_changes(right, other, start))


def loudness_changes(right: np.ndarray, other: np.ndarray, start: int) -> np.ndarray:
    """Return by how many dB a recording is louder than the right one, where that is loud.

    Args:
        right: float [n].
        other: float [n].
        start: the first sample that is looked at; after it every 60th is.
    """
    one, two = (running_level(samples) for samples in (right, other))
    places = np.arange(start, right.size, EVERY)
    places = places[one[places] > LOUD]
    changes: np.ndarray = 20 * np.log10(np.maximum(two[places], 1e-6) / one[places])
    return changes


def running_level(samples: np.ndarray) -> np.ndarray:
    """Return the root mean square around each sample, over 0.1 s; beyond the ends is silence."""
    padded = np.pad(samples.astype(np.float64) ** 2, LOUDNESS_SAMPLES // 2)
    sums = np.concatenate([[0.0], np.cumsum(padded)])
    powers = (sums[LOUDNESS_SAMPLES:] - sums[:-LOUDNESS_SAMPLES])[: samples.size]
    levels: np.ndarray = np.sqrt(np.maximum(powers, 0) / LOUDNESS_SAMPLES)
    return levels


def jump_ratios(samples: np.ndarray, seams: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the jumps at seams, as shares of what is a large jump in the rest of the samples.

    Args:
        samples: float [n].
        seams: samples at which the second of two windows begins.

    Returns:
        Of each seam: the three where windows are switched, [n, 3]; the largest in the fade, [n].
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
        ChildError: nothing is loud.
    """
    changes = np.concatenate([one.loudness_db for one in likenesses])
    if not changes.size:
        raise ChildError("the recordings are silent")
    return [float(value) for value in np.quantile(changes, (0.05, 0.5, 0.95))]
