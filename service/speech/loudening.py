"""Make speech louder without clipping it, or put a tone in its place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.speech.delivery import Made

_CEILING = np.float32(10 ** (-1 / 20))
"""-1 dBFS, from where encoding bends samples."""

_STEEPEST_DB_PER_S = 1000.0
"""How fast the gain changes: 1 dB in a millisecond is no click."""

_MOST_OVER_DB = 6.0
"""Samples of the model reach 1.5 dB over full scale now and then."""

_TONE_HZ, _TONE_AMPLITUDE = 1000.0, 0.12
"""What broadcasters put over words, about as loud as speech."""

_QUIET = 1e-2
_FADE = int(0.005 * SAMPLE_RATE_HZ)


def amplified(made: Iterable[Made], gain: float) -> Iterator[Made]:
    """Multiply the sounds of a chunk by more than 1; what would get too loud is limited."""
    limiter = Limiter(gain)
    for one in made:
        samples = limiter.add(one.sound.samples)
        if one.sound.is_last:
            samples = np.concatenate([samples, limiter.finish()])
        yield replace(one, sound=replace(one.sound, samples=samples))


class Limiter:
    """Multiplies samples, and lowers the gain before peaks, so that none is beyond the ceiling.

    The gain is the mean of the lowest that the samples ahead allow, in decibels, so it never
    changes by more than a decibel in a millisecond. The result does not depend on how the samples
    are divided, and has as many. Up to 26 ms are held until more samples come.

    Args:
        gain: factor, 1 to 10.
    """

    def __init__(self, gain: float) -> None:
        self._gain = np.float32(gain)
        most_db = 20 * math.log10(gain) + _MOST_OVER_DB
        self._width = math.ceil(most_db * SAMPLE_RATE_HZ / _STEEPEST_DB_PER_S)
        self._held = np.zeros(0, np.float32)
        self._needs = np.zeros(0, np.float32)  # decibels that each sample held allows
        # Ahead of each of the samples before; at the beginning that of the first.
        self._lowest: Samples | None = None

    def add(self, samples: Samples) -> Samples:
        """Add the next samples, float32 [n]; return those that are final."""
        loud = samples * self._gain
        over = np.maximum(np.abs(loud), _CEILING) / _CEILING
        self._held = np.concatenate([self._held, loud])
        self._needs = np.concatenate([self._needs, -20 * np.log10(over)]).astype(np.float32)
        n_final = self._held.size - self._width + 1
        if n_final <= 0:
            return np.zeros(0, np.float32)
        final, self._held = self._held[:n_final], self._held[n_final:].copy()
        windows = np.lib.stride_tricks.sliding_window_view(self._needs, self._width)
        ahead = windows.min(axis=1) if self._needs.any() else np.zeros(n_final, np.float32)
        self._needs = self._needs[n_final:].copy()
        before = self._lowest
        if before is None:
            before = np.full(self._width - 1, ahead[0], np.float32)
        lowest = np.concatenate([before, ahead])
        self._lowest = lowest[n_final:].copy()
        if not lowest.any():
            return final
        sums = np.concatenate([[0.0], np.cumsum(lowest, dtype=np.float64)])
        means = (sums[self._width :] - sums[: -self._width]) / self._width
        result: Samples = final * (10 ** (means / 20)).astype(np.float32)
        return result

    def finish(self) -> Samples:
        """Return the remaining samples. Call once, at the end."""
        return self.add(np.zeros(self._width - 1, np.float32))


def bleeped(made: Iterable[Made]) -> Iterator[Made]:
    """Put a tone in place of the speech of a chunk; its silence stays."""
    held: list[Samples] = []
    for one in made:
        held.append(one.sound.samples)
        samples = np.zeros(0, np.float32)
        if one.sound.is_last:
            samples = _tone(np.concatenate(held))
        yield replace(one, sound=replace(one.sound, samples=samples))


def _tone(samples: Samples) -> Samples:
    tone = np.zeros_like(samples)
    loud = np.flatnonzero(np.abs(samples) >= _QUIET)
    if loud.size:
        start, end = int(loud[0]), int(loud[-1]) + 1
        times = np.arange(end - start) / SAMPLE_RATE_HZ
        tone[start:end] = _TONE_AMPLITUDE * np.sin(2 * np.pi * _TONE_HZ * times)
        fade = np.linspace(0, 1, min(_FADE, end - start), dtype=np.float32)
        tone[start : start + fade.size] *= fade
        tone[end - fade.size : end] *= fade[::-1]
    return tone
