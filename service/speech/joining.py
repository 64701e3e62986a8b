"""Join pieces of speech: pauses as a speaker makes them, and no clicks."""

from __future__ import annotations

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ, Samples

PAUSES_S = {
    **dict.fromkeys(".!?…", 0.55),
    **dict.fromkeys(";:—", 0.35),
    **dict.fromkeys(',)”"', 0.25),
}
"""Silence after a piece by its last mark, at speed 1; readers pause about half a second between
sentences and half of that at a comma."""

WORD_PAUSE_S = 0.06
"""Silence where a piece ends without a mark, in the middle of a long phrase."""

_QUIET = 1e-3
"""Below this a window is silence: -60 dB. The model's own rest is at -70 to -90 dB."""

_WINDOW_S = 0.005
_MARGIN_S = 0.03
"""Kept of the quiet before and after the sound, so that no soft onset or breath is cut."""

_FADE_S = 0.005


def pause_after(phonemes: str, speed: float) -> int:
    """Return the samples of silence that belong between a piece and the next, by its last mark."""
    pause_s = PAUSES_S.get(phonemes[-1:], WORD_PAUSE_S) / speed
    return max(0, round((pause_s - 2 * _MARGIN_S) * SAMPLE_RATE_HZ))


def silence(n_samples: int) -> Samples:
    """Return silence."""
    return np.zeros(n_samples, np.float32)


def shape(samples: Samples, *, first: bool, last: bool, n_pause: int) -> tuple[Samples, int]:
    """Make a piece ready to stand beside its neighbours.

    The model begins and ends every piece with up to half a second of rest. Before the first piece
    and after the last that stays as it is; between two it gives way to the pause.

    Args:
        samples: float32 [n] at 24 kHz.
        first: whether nothing stands before it.
        last: whether nothing stands after it.
        n_pause: samples of silence after it, unless it is the last.

    Returns:
        float32 [m]; the sound itself is never cut. And how many samples of rest went before it.
    """
    start, end = _sound(samples)
    begin = 0 if first else start
    stop = samples.size if last else end
    shaped = samples[begin:stop].copy()
    fade = np.linspace(0, 1, min(int(_FADE_S * SAMPLE_RATE_HZ), shaped.size), dtype=np.float32)
    if not first:
        shaped[: fade.size] *= fade
    if last:
        return shaped, begin
    shaped[shaped.size - fade.size :] *= fade[::-1]
    return np.concatenate([shaped, silence(n_pause)]), begin


def _sound(samples: Samples) -> tuple[int, int]:
    """Return where the sound begins and ends, margins included; all of it where none is loud."""
    window = int(_WINDOW_S * SAMPLE_RATE_HZ)
    n_windows = -(-samples.size // window)
    padded = np.zeros(n_windows * window, np.float32)
    padded[: samples.size] = samples
    loud = np.flatnonzero(np.abs(padded).reshape(n_windows, window).max(axis=1) >= _QUIET)
    if loud.size == 0:
        return 0, samples.size
    margin = int(_MARGIN_S * SAMPLE_RATE_HZ)
    start = max(0, int(loud[0]) * window - margin)
    return start, min(samples.size, (int(loud[-1]) + 1) * window + margin)
