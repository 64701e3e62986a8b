"""Change the sample rate of speech while it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import soxr

SOURCE_RATE_HZ = 24_000
"""Of the samples that are encoded."""

_SILENCE = 6
"""Samples that make two at the lowest rate."""


class Resampler:
    """Converts samples at 24 kHz to another sample rate.

    The filter keeps its state between calls, so nothing clicks, and the result does not depend on
    how the samples are divided. n samples become `n * rate_hz / 24000`, rounded half up. Up to
    1,900 samples (80 ms) are held until more come. At 24 kHz nothing is changed or held.

    Args:
        rate_hz: of the result.
    """

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._n_in = self._n_out = 0
        self._stream = None
        if rate_hz != SOURCE_RATE_HZ:
            self._stream = soxr.ResampleStream(SOURCE_RATE_HZ, rate_hz, 1, dtype="float32")

    def add(self, samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Add the next samples, float32 [n]; return those that are final."""
        if self._stream is None:
            return samples
        self._n_in += samples.size
        result: npt.NDArray[np.float32] = self._stream.resample_chunk(samples)
        self._n_out += result.size
        return result

    def finish(self) -> npt.NDArray[np.float32]:
        """Return the remaining samples. Call once, at the end."""
        if self._stream is None:
            return np.zeros(0, np.float32)
        # The stream rounds halves in either direction; with some silence it always has enough.
        rest: npt.NDArray[np.float32] = self._stream.resample_chunk(
            np.zeros(_SILENCE, np.float32), last=True
        )
        n_samples = (2 * self._n_in * self._rate_hz + SOURCE_RATE_HZ) // (2 * SOURCE_RATE_HZ)
        return rest[: n_samples - self._n_out]


def resampled(
    samples: Iterable[npt.NDArray[np.float32]], rate_hz: int
) -> Iterator[npt.NDArray[np.float32]]:
    """Yield samples at another rate; see `Resampler`."""
    resampler = Resampler(rate_hz)
    for part in samples:
        yield resampler.add(part)
    yield resampler.finish()
