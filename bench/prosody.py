"""Loudness and pitch of recordings of single words."""

from __future__ import annotations

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ

FRAME, HOP = 480, 120
"""Samples of a frame of loudness, 20 ms, and from one frame to the next, 5 ms."""

ACTIVE_DB = 30.0
"""Frames that are further below the loudest one are not speech."""

AUDIBLE_DB, MARGIN = 45.0, 720
"""Where a word begins and ends: dB below the loudest frame, and samples around it, 30 ms."""

LOWEST_HZ, HIGHEST_HZ = 60, 500
"""Pitches that are looked for."""

COMPARED = 600
"""Samples that are compared with later ones, 25 ms."""

APERIODIC = 0.15
"""Frames that differ by more from themselves, a period later, are unvoiced; YIN's threshold is
between 0.1 and 0.15."""

LONGEST = SAMPLE_RATE_HZ // LOWEST_HZ
SHORTEST = SAMPLE_RATE_HZ // HIGHEST_HZ


def active_level_db(samples: np.ndarray) -> float:
    """Return the root mean square of speech in dB of full scale; silence around it has no effect.

    Args:
        samples: float [n] at 24 kHz.
    """
    powers = _powers(samples, FRAME)
    active = powers[_is_active(powers)]
    return float(10 * np.log10(active.mean() + 1e-12))


def without_silence(samples: np.ndarray) -> np.ndarray:
    """Return a recording without the silence before and after the sound, but for 30 ms of it."""
    powers = _powers(samples, FRAME)
    loud = np.flatnonzero(powers >= powers.max() * 10 ** (-AUDIBLE_DB / 10)) * HOP
    return samples[max(0, loud[0] - MARGIN) : loud[-1] + FRAME + MARGIN]


def pitches_hz(samples: np.ndarray) -> np.ndarray:
    """Return the pitch of each voiced frame, float [frames], 5 ms apart, by the YIN algorithm.

    De Cheveigné and Kawahara, "YIN, a fundamental frequency estimator for speech and music", 2002.

    Args:
        samples: float [n] at 24 kHz.
    """
    frames = _frames(samples, COMPARED + LONGEST)
    active = _is_active((frames[:, :COMPARED] ** 2).mean(axis=1))
    differences = _normalized(_differences(frames[active]))
    return np.array([hz for row in differences if (hz := _pitch_hz(row)) is not None])


def pitch_range(pitches: np.ndarray) -> float:
    """Return the semitones from the 10th to the 90th percentile; not a number without pitches."""
    if not pitches.size:
        return float("nan")
    low, high = np.quantile(pitches, (0.1, 0.9))
    return semitones(high / low)


def semitones(ratio: float) -> float:
    """Return a ratio of two pitches in semitones."""
    return float(12 * np.log2(ratio))


def _frames(samples: np.ndarray, length: int) -> np.ndarray:
    padded = np.pad(samples.astype(np.float64), (0, max(0, length - samples.size)))
    return np.lib.stride_tricks.sliding_window_view(padded, length)[::HOP]


def _powers(samples: np.ndarray, length: int) -> np.ndarray:
    powers: np.ndarray = (_frames(samples, length) ** 2).mean(axis=1)
    return powers


def _is_active(powers: np.ndarray) -> np.ndarray:
    active: np.ndarray = powers >= powers.max() * 10 ** (-ACTIVE_DB / 10)
    return active


def _differences(frames: np.ndarray) -> np.ndarray:
    """Return the squared differences to what is 0 to LONGEST samples later, [frames, lags]."""
    size = frames.shape[1] + COMPARED
    spectrum = np.fft.rfft(frames, size)
    start = np.fft.rfft(frames[:, :COMPARED], size)
    products = np.fft.irfft(spectrum * start.conj(), size)[:, : LONGEST + 1]
    sums = np.pad(np.cumsum(frames**2, axis=1), ((0, 0), (1, 0)))
    energies = sums[:, COMPARED:] - sums[:, : LONGEST + 1]
    found: np.ndarray = np.maximum(0, energies[:, :1] + energies - 2 * products)
    return found


def _normalized(differences: np.ndarray) -> np.ndarray:
    """Return differences divided by the mean of those at all shorter lags; 1 at lag 0."""
    normalized = np.ones_like(differences)
    sums = np.cumsum(differences[:, 1:], axis=1)
    lags = np.arange(1, differences.shape[1])
    is_sound = sums > 1e-9  # in silence nothing differs from anything
    normalized[:, 1:][is_sound] = (differences[:, 1:] * lags)[is_sound] / sums[is_sound]
    return normalized


def _pitch_hz(row: np.ndarray) -> float | None:
    """Return the pitch of a frame from its differences; None if it is unvoiced."""
    low = np.flatnonzero(row[SHORTEST:-1] < APERIODIC)
    if not low.size:
        return None
    lag = SHORTEST + int(low[0])
    while lag + 2 < row.size and row[lag + 1] < row[lag]:
        lag += 1
    before, at, after = row[lag - 1 : lag + 2]
    bend = before - 2 * at + after
    shift = (before - after) / (2 * bend) if bend > 0 else 0.0
    return float(SAMPLE_RATE_HZ / (lag + min(1.0, max(-1.0, shift))))
