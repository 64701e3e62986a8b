"""Stretch speech in time, with its pitch kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.speech.delivery import Made

_BLOCK = int(0.015 * SAMPLE_RATE_HZ)
"""Samples that are faded over at once. Two blocks hold two periods of a low voice."""

_REACH = int(0.010 * SAMPLE_RATE_HZ)
"""How far from its place a block is looked for: together more than a period of 60 Hz."""

_HEARD = 1e-2
"""Samples below this, -40 dB, are no speech."""

_LEAST_FITTED, _MOST_FITTED = 0.5, 2.0

_SILENCE = 1e-6
"""Added to energies, so that noise far below -60 dB is not compared."""

_RISE = np.square(np.sin((np.arange(_BLOCK) + 0.5) * (np.pi / 2 / _BLOCK))).astype(np.float32)


class Pace(Protocol):
    """Makes samples fewer or more, while they come."""

    def __init__(self, factor: float) -> None:
        """Make `stretched_size(n, factor)` of n samples."""

    def add(self, samples: Samples) -> Samples:
        """Add the next samples; return those that are final."""

    def finish(self) -> Samples:
        """Return the remaining samples."""


def stretched(
    made: Iterable[Made], factor: float, pace: type[Pace] | None = None
) -> Iterator[Made]:
    """Stretch the sounds of a chunk; a sound may be empty until the next one.

    Args:
        made: the sounds.
        factor: 2.0 is twice as fast.
        pace: how; by default as `Stretcher` does, or `Skipper` if it is more than twice as fast.
    """
    stretcher = (pace or (Skipper if factor > _MOST_FITTED else Stretcher))(factor)
    for one in made:
        sound = one.sound
        samples = stretcher.add(sound.samples)
        if sound.is_last:
            samples = np.concatenate([samples, stretcher.finish()])
        stretched_sound = replace(
            sound,
            samples=samples,
            n_samples=stretched_size(sound.n_samples, factor),
            seam=stretched_size(sound.seam, factor),
            frame_samples=sound.frame_samples / factor,
        )
        yield replace(one, sound=stretched_sound)


def brought_to(made: Iterable[Made], wanted_s: float) -> Iterator[Made]:
    """Stretch the sounds of a chunk so that its speech, without the silence around it, is so long.

    It is stretched to 0.5 to 2 times its length at most. All of it is held.
    """
    held = list(made)
    if not held:
        return
    samples = np.concatenate([one.sound.samples for one in held])
    heard = np.flatnonzero(np.abs(samples) >= _HEARD)
    heard_s = (heard[-1] + 1 - heard[0]) / SAMPLE_RATE_HZ if heard.size else 0.0
    factor = 1.0
    if heard_s and wanted_s:
        factor = min(max(heard_s / wanted_s, _LEAST_FITTED), _MOST_FITTED)
    yield from stretched(held, factor)


def stretched_size(n_samples: int, factor: float) -> int:
    """Return how many samples are left of so many."""
    return round(n_samples / factor)


class Stretcher:
    """Makes speech faster or slower, block by block, while it is made.

    Each block of the result fades from what naturally follows the block before to the piece of the
    speech that resembles it most, at most 10 ms from its own place (WSOLA). So periods of a voice
    stay whole, and the times of words are exact to 10 ms.

    The result does not depend on how the samples are divided, and has exactly
    `stretched_size(n, factor)` samples. Up to 65 ms are held until more samples come.

    Args:
        factor: 0.35 to 4.6; 2.0 is twice as fast.
    """

    def __init__(self, factor: float) -> None:
        self._factor = factor
        # Samples that a block and what follows it take, and no less than it stands for.
        self._needed = max(_REACH + 2 * _BLOCK, math.ceil(_BLOCK * factor))
        self._held = np.zeros(0, np.float32)
        self._n_dropped = 0  # samples before those held
        self._n_blocks = 0
        self._following = np.zeros(0, np.float32)  # what follows the last block in the speech

    def add(self, samples: Samples) -> Samples:
        """Add the next samples, float32 [n]; return those that are final."""
        self._held = np.concatenate([self._held, samples])
        n_seen = self._n_dropped + self._held.size
        blocks = [np.zeros(0, np.float32)]
        while (place := self._place()) + self._needed <= n_seen:
            blocks.append(self._block(place))
        n_dropped = max(self._n_dropped, min(self._place() - _REACH, n_seen))
        self._held = self._held[n_dropped - self._n_dropped :].copy()
        self._n_dropped = n_dropped
        return np.concatenate(blocks)

    def finish(self) -> Samples:
        """Return the remaining samples. Call once, at the end."""
        size = stretched_size(self._n_dropped + self._held.size, self._factor)
        n_left = size - self._n_blocks * _BLOCK
        silence = np.zeros(math.ceil(_BLOCK * self._factor) + self._needed, np.float32)
        return self.add(silence)[:n_left]

    def _place(self) -> int:
        """Return where in the speech the next block has its place."""
        return round(self._n_blocks * _BLOCK * self._factor)

    def _block(self, place: int) -> Samples:
        """Return the next block."""
        if self._n_blocks:
            start = max(place - _REACH - self._n_dropped, 0)
            end = place + _REACH + _BLOCK - self._n_dropped
            start += _likest(self._held[start:end], self._following)
            piece = self._held[start : start + _BLOCK]
            block: Samples = self._following + (piece - self._following) * _RISE
        else:
            start = 0
            block = self._held[:_BLOCK].copy()
        self._n_blocks += 1
        self._following = self._held[start + _BLOCK : start + 2 * _BLOCK].copy()
        return block


class Skipper:
    """Makes speech more than twice as fast, while it is made: skips one period after the other.

    Each step fades from a place in the speech to that a period of the voice later, over as few
    samples as bring the result to its length, and goes on behind. So no more than two periods are
    lost at a time, where `Stretcher` loses 45 ms and with it whole consonants: at a speed of 4,
    slowed back, a recognizer misses 52 of 100 words instead of 69. It is the method of Sonic (Bill
    Cox), which screen readers use for the same. A second of speech takes 22 ms of a processor.

    The result does not depend on how the samples are divided, and has exactly
    `stretched_size(n, factor)` samples. Up to 31 ms are held until more samples come.

    Args:
        factor: 2 or more.
    """

    def __init__(self, factor: float) -> None:
        self._factor = factor
        self._held = np.zeros(0, np.float32)
        self._n_dropped = 0  # samples before those held
        self._n_made = 0

    def add(self, samples: Samples) -> Samples:
        """Add the next samples, float32 [n]; return those that are final."""
        self._held = np.concatenate([self._held, samples])
        blocks = [np.zeros(0, np.float32)]
        place = 0
        while place + 2 * _PERIODS[1] <= self._held.size:
            block, n_passed = self._step(self._held[place : place + 2 * _PERIODS[1]])
            blocks.append(block)
            place += n_passed
        self._held = self._held[place:].copy()
        return np.concatenate(blocks)

    def finish(self) -> Samples:
        """Return the remaining samples. Call once, at the end."""
        size = stretched_size(self._n_dropped + self._held.size, self._factor)
        n_left = size - self._n_made
        rest = [self.add(np.zeros(0, np.float32))]
        while self._n_made < size:
            rest.append(self.add(np.zeros(2 * _PERIODS[1], np.float32)))
        return np.concatenate(rest)[:n_left]

    def _step(self, samples: Samples) -> tuple[Samples, int]:
        """Return the next block, and how many samples it stands for."""
        period = _period(samples)
        wanted = (self._n_dropped + period - self._factor * self._n_made) / (self._factor - 1)
        size = min(max(round(wanted), 0), period)
        rise = np.linspace(0, 1, size, endpoint=False, dtype=np.float32)
        block = samples[:size] + (samples[period : period + size] - samples[:size]) * rise
        self._n_dropped += period + size
        self._n_made += size
        return block, period + size


_PERIODS = (SAMPLE_RATE_HZ // 400, SAMPLE_RATE_HZ // 65)
"""Samples of the shortest and the longest period of a voice: 400 to 65 Hz."""

_COARSE = 4
"""Samples that are taken together where a period is looked for."""

_LAGS = np.arange(_PERIODS[0] // _COARSE, _PERIODS[1] // _COARSE + 1)
_BEFORE = np.arange(_LAGS[-1])
_AFTER = np.minimum(_BEFORE + _LAGS[:, None], 2 * _LAGS[-1] - 1)
_WEIGHTS = ((_LAGS[:, None] > _BEFORE) / _LAGS[:, None]).astype(np.float32)


def _period(samples: Samples) -> int:
    """Return the period: the lag after which the samples differ least from themselves.

    Args:
        samples: float32 [2 * the longest period].
    """
    coarse = samples[: 2 * _LAGS[-1] * _COARSE].reshape(-1, _COARSE).mean(axis=1)
    differences = (np.abs(coarse[_BEFORE] - coarse[_AFTER]) * _WEIGHTS).sum(axis=1)
    near = int(_LAGS[int(np.argmin(differences))]) * _COARSE
    first = max(_PERIODS[0], near - _COARSE)
    last = min(_PERIODS[1], near + _COARSE)
    found = [
        float(np.abs(samples[:lag] - samples[lag : 2 * lag]).mean())
        for lag in range(first, last + 1)
    ]
    return first + int(np.argmin(found))


def _likest(samples: Samples, pattern: Samples) -> int:
    """Return where in the samples the pattern is best resembled, loudness aside."""
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    energy = energy[pattern.size :] - energy[: -pattern.size]
    return int(np.argmax(np.correlate(samples, pattern, "valid") / np.sqrt(energy + _SILENCE)))
