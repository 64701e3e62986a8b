"""Join chunks of speech: pauses as a speaker makes them, and no clicks."""

from __future__ import annotations

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ, Samples

PAUSES_S = {
    **dict.fromkeys(".!?…", 0.55),
    **dict.fromkeys(";:—", 0.35),
    **dict.fromkeys(',)”"', 0.25),
}
"""Silence after a chunk by its last mark, at speed 1; readers pause about half a second between
sentences and half of that at a comma."""

WORD_PAUSE_S = 0.06
"""Silence where a chunk ends without a mark, in the middle of a long phrase."""

_QUIET = 1e-3
"""Below this a window is silence: -60 dB. The model's own rest is at -70 to -90 dB."""

_WINDOW = int(0.005 * SAMPLE_RATE_HZ)

_MARGIN_S = 0.03
"""Kept of the quiet before and after the sound, so that no soft onset or breath is cut."""

_MARGIN = int(_MARGIN_S * SAMPLE_RATE_HZ)

_FADE = int(0.005 * SAMPLE_RATE_HZ)


def pause_after(phonemes: str, speed: float) -> int:
    """Return the samples of silence that belong between a chunk and the next, by its last mark."""
    pause_s = PAUSES_S.get(phonemes[-1:], WORD_PAUSE_S) / speed
    return max(0, round((pause_s - 2 * _MARGIN_S) * SAMPLE_RATE_HZ))


def silence(n_samples: int) -> Samples:
    """Return silence."""
    return np.zeros(n_samples, np.float32)


class Shaper:
    """Make a chunk ready to stand beside its neighbours, while it still comes from the model.

    The model begins and ends every chunk with up to half a second of rest. Before the first chunk
    and after the last that stays as it is; between two it gives way to the pause, with a short fade
    on both sides. The sound itself is never cut, and a chunk without any is kept whole.

    How the samples are cut makes no difference to the whole of what leaves, and each leaves as soon
    as nothing that may follow can change it. Before the sound of a chunk that is not the first, all
    is held; from then on a fade, and the quiet since the last loud window less its margin; of the
    last chunk nothing, once a fade has come.

    Args:
        first: whether nothing stands before the chunk.
        last: whether nothing stands after it.
        n_pause: samples of silence after it, unless it is the last.

    Attributes:
        skipped: how many samples of rest went before what leaves; None while that is not known.
            It is known when the first sample leaves.
    """

    def __init__(self, *, first: bool, last: bool, n_pause: int) -> None:
        self.skipped: int | None = 0 if first else None
        self._last = last
        self._n_pause = n_pause
        self._held = silence(0)
        self._n_passed = 0  # samples of the chunk before those held
        self._start: int | None = None  # where the sound begins and ends, margins included
        self._end: int | None = None

    def add(self, samples: Samples) -> Samples:
        """Take the next samples of the chunk, float32 [n], and return those that can leave."""
        self._listen(samples)
        self._held = np.concatenate([self._held, samples])
        if self.skipped is None:
            if self._start is None or self._stop - self._start < _FADE:
                return silence(0)
            self._begin(self._start)
        return self._take(self._stop if self._last else self._stop - _FADE)

    def finish(self) -> Samples:
        """Return the samples that are left, and the pause. To be called once, after the last."""
        if self.skipped is None:
            self._begin(self._start or 0)
        samples = self._take(self._stop)
        if self._last:
            return samples
        fade = _fade(samples.size)
        samples[samples.size - fade.size :] *= fade[::-1]
        return np.concatenate([samples, silence(self._n_pause)])

    @property
    def _stop(self) -> int:
        """Return where the chunk would end if nothing loud came any more."""
        n_seen = self._n_passed + self._held.size
        return n_seen if self._last or self._end is None else min(n_seen, self._end)

    def _listen(self, samples: Samples) -> None:
        """Note where the sound is, in windows that count from the beginning of the chunk."""
        loud = np.flatnonzero(np.abs(samples) >= _QUIET)
        if loud.size == 0:
            return
        n_seen = self._n_passed + self._held.size
        if self._start is None:
            self._start = max(0, (n_seen + int(loud[0])) // _WINDOW * _WINDOW - _MARGIN)
        self._end = ((n_seen + int(loud[-1])) // _WINDOW + 1) * _WINDOW + _MARGIN

    def _begin(self, start: int) -> None:
        """Leave out the rest before the start, and fade in."""
        self._take(start)
        self.skipped = start
        fade = _fade(self._stop - start)
        self._held[: fade.size] *= fade

    def _take(self, stop: int) -> Samples:
        """Return the held samples before a place in the chunk, and hold them no more."""
        n_samples = max(0, stop - self._n_passed)
        taken = self._held[:n_samples]
        self._held = self._held[n_samples:].copy()  # a view would keep all of them
        self._n_passed += n_samples
        return taken


def _fade(n_samples: int) -> Samples:
    """Return the factors of a fade-in, no longer than what it is for."""
    return np.linspace(0, 1, min(_FADE, n_samples), dtype=np.float32)
