"""Change the pitch of speech: it is stretched, and played so much faster."""

from __future__ import annotations

import numpy as np

from service.model.kokoro import Samples
from service.speech.stretching import stretched_size

_HALF_WIDTH = 16
"""Zero crossings of the interpolating sinc on either side. A sine is reproduced to -80 dB."""


def ratio_of(semitones: float) -> float:
    """Return the ratio of frequencies."""
    return float(2 ** (semitones / 12))


class Resampler:
    """Plays speech faster or slower, pitch and all, while it is made.

    The result does not depend on how the samples are divided, and has exactly
    `stretched_size(n, factor)` samples. Up to 1 ms is held until more samples come.

    Args:
        factor: 0.5 to 2; 2.0 is an octave higher.
    """

    def __init__(self, factor: float) -> None:
        self._factor = factor
        self._cutoff = min(1.0, 1 / factor)  # what is above would be mirrored
        self._reach = int(np.ceil(_HALF_WIDTH / self._cutoff))
        self._held = np.zeros(self._reach, np.float32)  # before the first sample there is silence
        self._n_dropped = -self._reach  # samples before those held
        self._n_made = 0

    def add(self, samples: Samples) -> Samples:
        """Add the next samples, float32 [n]; return those that are final."""
        self._held = np.concatenate([self._held, samples])
        n_seen = self._n_dropped + self._held.size
        n_ready = int(np.floor((n_seen - self._reach - 1) / self._factor)) + 1
        return self._made(max(n_ready, self._n_made))

    def finish(self) -> Samples:
        """Return the remaining samples. Call once, at the end."""
        size = stretched_size(self._n_dropped + self._held.size, self._factor)
        silence = np.zeros(2 * self._reach + int(self._factor) + 2, np.float32)
        self._held = np.concatenate([self._held, silence])
        return self._made(max(size, self._n_made))[: max(0, size - self._n_made) or None]

    def _made(self, end: int) -> Samples:
        """Return the samples of the result up to a place."""
        places = np.arange(self._n_made, end) * self._factor
        self._n_made = end
        if places.size == 0:
            return np.zeros(0, np.float32)
        first = np.floor(places).astype(np.int64)
        taps = np.arange(1 - self._reach, self._reach + 1)
        distances = (first - places)[:, None] + taps
        window = np.square(np.cos(np.clip(distances / self._reach, -1, 1) * (np.pi / 2)))
        weights = self._cutoff * np.sinc(self._cutoff * distances) * window
        pieces = self._held[first[:, None] + taps - self._n_dropped]
        made: Samples = np.einsum("ij,ij->i", pieces, weights).astype(np.float32)
        n_needless = max(0, int(first[-1]) - self._reach - self._n_dropped)
        self._held = self._held[n_needless:].copy()
        self._n_dropped += n_needless
        return made
