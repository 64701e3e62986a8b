"""Join chunks: with natural pauses, and without clicks."""

from __future__ import annotations

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ, Samples

PAUSES_S = {
    **dict.fromkeys(".!?…", 0.55),
    **dict.fromkeys(";:—", 0.35),
    **dict.fromkeys(',)”"', 0.25),
}
"""Seconds of silence after a chunk, by its last mark, at speed 1. Speakers pause half a second
between sentences, and half of that at a comma."""

WORD_PAUSE_S = 0.06
"""Seconds of silence after a chunk without a mark at its end, within a long phrase."""

_QUIET = 1e-3
"""Samples below this are silence: -60 dB. The model's own silence is at -70 to -90 dB."""

_WINDOW = int(0.005 * SAMPLE_RATE_HZ)

_MARGIN_S = 0.03
"""Silence that is kept before and after the sound, so that no soft onset or breath is cut."""

_MARGIN = int(_MARGIN_S * SAMPLE_RATE_HZ)

_FADE = int(0.005 * SAMPLE_RATE_HZ)


def pause_after(phonemes: str, speed: float) -> int:
    """Return the samples of silence after a chunk, by its last mark."""
    pause_s = PAUSES_S.get(phonemes[-1:], WORD_PAUSE_S) / speed
    return max(0, round((pause_s - 2 * _MARGIN_S) * SAMPLE_RATE_HZ))


def silence(n_samples: int) -> Samples:
    """Return silence."""
    return np.zeros(n_samples, np.float32)


class Shaper:
    """Prepare a chunk for its place between others, while the model still makes it.

    The model begins and ends every chunk with up to half a second of silence. It is kept before the
    first chunk and after the last. Between two chunks the pause replaces it, with a short fade on
    both sides. The sound itself is never cut, and a chunk without sound is kept whole.

    The result does not depend on how the samples are divided. Each sample is returned as soon as
    later ones cannot change it: before the sound begins, all are held, except in the first chunk;
    from then on a fade is held, and the silence since the last sound without its margin; in the
    last chunk nothing is held after the fade-in.

    Args:
        first: whether it is the first chunk.
        last: whether it is the last chunk.
        n_pause: samples of silence after it, unless it is the last.
        gain: factor by which it has become louder, and its silence less silent.

    Attributes:
        skipped: samples of silence dropped at its beginning; None until the first sample is
            returned.
        n_pause: see above; 0 if it is the last.
    """

    def __init__(self, *, first: bool, last: bool, n_pause: int, gain: float = 1.0) -> None:
        self.skipped: int | None = 0 if first else None
        self._last = last
        self._quiet = _QUIET * gain
        self.n_pause = 0 if last else n_pause
        self._held = silence(0)
        self._n_passed = 0  # samples of the chunk before those held
        self._start: int | None = None  # where the sound begins and ends, margins included
        self._end: int | None = None

    def add(self, samples: Samples) -> Samples:
        """Add the next samples of the chunk, float32 [n]; return those that are final."""
        self._listen(samples)
        self._held = np.concatenate([self._held, samples])
        if self.skipped is None:
            if self._start is None or self._stop - self._start < _FADE:
                return silence(0)
            self._begin(self._start)
        return self._take(self._stop if self._last else self._stop - _FADE)

    def finish(self) -> Samples:
        """Return the remaining samples and the pause. Call once, at the end."""
        if self.skipped is None:
            self._begin(self._start or 0)
        samples = self._take(self._stop)
        if self._last:
            return samples
        fade = _fade(samples.size)
        samples[samples.size - fade.size :] *= fade[::-1]
        return np.concatenate([samples, silence(self.n_pause)])

    @property
    def _stop(self) -> int:
        """Return where the chunk ends if only silence follows."""
        n_seen = self._n_passed + self._held.size
        return n_seen if self._last or self._end is None else min(n_seen, self._end)

    def _listen(self, samples: Samples) -> None:
        """Note where the sound is, in steps from the beginning of the chunk."""
        loud = np.flatnonzero(np.abs(samples) >= self._quiet)
        if loud.size == 0:
            return
        n_seen = self._n_passed + self._held.size
        if self._start is None:
            self._start = max(0, (n_seen + int(loud[0])) // _WINDOW * _WINDOW - _MARGIN)
        self._end = ((n_seen + int(loud[-1])) // _WINDOW + 1) * _WINDOW + _MARGIN

    def _begin(self, start: int) -> None:
        """Drop the silence before the start, and fade in."""
        self._take(start)
        self.skipped = start
        fade = _fade(self._stop - start)
        self._held[: fade.size] *= fade

    def _take(self, stop: int) -> Samples:
        """Remove and return the held samples before a place in the chunk."""
        n_samples = max(0, stop - self._n_passed)
        taken = self._held[:n_samples]
        self._held = self._held[n_samples:].copy()  # a view would keep them all in memory
        self._n_passed += n_samples
        return taken


def _fade(n_samples: int) -> Samples:
    """Return the factors of a fade-in of at most so many samples."""
    return np.linspace(0, 1, min(_FADE, n_samples), dtype=np.float32)
