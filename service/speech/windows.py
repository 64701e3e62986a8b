"""Windows of a chunk: which frames are decoded together, and how their sound becomes one again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import ortffi
from service.model import Inference, Model, SplitModel, StatisticsPredictor
from service.model.decoder import LONGEST_WINDOW_FRAMES
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import Samples

FIRST_FRAMES = 30
"""Of the first window: 0.75 s, which sounds while the second is made."""

GROWTH = 1.5
"""By how much a window may be longer than the one before it. It is made while that one plays: where
half a second is needed for a second of speech, that is always in time."""

WHOLE_FRAMES = 80
"""A chunk of so many frames or fewer, 2 s, is always decoded whole."""

CONTEXT_FRAMES = 3
"""Decoded on both sides of a window and thrown away. The convolutions of the decoder see 4 frames
to either side, the outer ones hardly at all. In the two frames around a seam 2, 3, 4 and 8 of them
gave sound 11.2, 14.6, 15.0 and 15.0 dB above its difference from the whole, decoded with the same
statistics (medians of 98 seams in 17 sentences)."""

MOST_FRAMES = LONGEST_WINDOW_FRAMES - 2 * CONTEXT_FRAMES
"""Of a window: 98, 2.45 s. Longer ones save little (a seam costs 6 frames), need more memory than a
chunk of a few seconds, and others wait meanwhile."""

FADE_SAMPLES = SAMPLES_PER_FRAME // 2
"""To either side of a seam."""

SEARCH_SAMPLES = SAMPLES_PER_FRAME // 2
"""So far to either side of where a window ends it is looked for where both are quietest: there the
seam is. With the fade that is one frame of the context; two are left outside."""


class Window(NamedTuple):
    """Frames of a chunk, from `first` up to `last`."""

    first: int
    last: int

    def in_context(self, n_frames: int) -> Window:
        """Return what has to be decoded of a chunk of so many frames."""
        first = max(0, self.first - CONTEXT_FRAMES)
        return Window(first, min(n_frames, self.last + CONTEXT_FRAMES))


def windows_of(n_frames: int, *, soon: bool) -> Iterator[Window]:
    """Yield the windows of a chunk in order.

    None is shorter than half of what it might be: the end of a chunk is no sliver.

    Args:
        n_frames: of the chunk.
        soon: whether sound shall start soon: a short window first, then ever longer ones. Where
            there is sound to be heard meanwhile, all are long.
    """
    first, length = 0, FIRST_FRAMES if soon else MOST_FRAMES
    if n_frames <= max(WHOLE_FRAMES, length):
        length = n_frames
    while first < n_frames:
        left = n_frames - first
        last = first + ((left + 1) // 2 if length < left < 2 * length else min(length, left))
        yield Window(first, last)
        first, length = last, min(int(length * GROWTH), MOST_FRAMES)


class Seams:
    """Joins the sound of windows: around each seam one fades into the other.

    Both were decoded with the same statistics, so that they differ there by rounding only.

    Attributes:
        last: the sample of the chunk in the middle of the fade into the last window that was taken;
            0 of the first.
    """

    def __init__(self, n_frames: int) -> None:
        self._n_frames = n_frames
        self._tail = np.zeros(0, np.float32)
        self.last = 0

    def join(self, window: Window, samples: Samples) -> Samples:
        """Take the next window; return the samples up to where the fade at its end may begin.

        Args:
            window: the frames.
            samples: of `window.in_context`, float32 [600 n].
        """
        decoded = window.in_context(self._n_frames)
        start = (window.first - decoded.first) * SAMPLES_PER_FRAME
        end = (window.last - decoded.first) * SAMPLES_PER_FRAME
        if self._tail.size:
            start -= _REACH
            common = samples[start : start + self._tail.size]
            begin = _quietest(self._tail, common)
            rise = np.zeros(common.size, np.float32)
            rise[begin : begin + 2 * FADE_SAMPLES] = np.linspace(0, 1, 2 * FADE_SAMPLES)
            rise[begin + 2 * FADE_SAMPLES :] = 1
            faded = self._tail + (common - self._tail) * rise
            samples = np.concatenate([samples[:start], faded, samples[start + faded.size :]])
            self.last = window.first * SAMPLES_PER_FRAME - SEARCH_SAMPLES + begin
        if window.last == self._n_frames:
            return samples[start:end]
        self._tail = samples[end - _REACH : end + _REACH]
        return samples[start : end - _REACH]


_REACH = FADE_SAMPLES + SEARCH_SAMPLES


def _quietest(one: Samples, other: Samples) -> int:
    """Return where a fade begins in which two sounds have the least power together."""
    power = np.square(one, dtype=np.float64) + np.square(other, dtype=np.float64)
    sums = np.concatenate([[0.0], np.cumsum(power)])
    return int(np.argmin(sums[2 * FADE_SAMPLES :] - sums[: -2 * FADE_SAMPLES]))


@dataclass(frozen=True)
class Sound:
    """What a model gave of a chunk: all of it, or the next window.

    Attributes:
        samples: float32 [n], what follows the sound before.
        durations: of the chunk, see `Inference`.
        n_samples: of the whole chunk.
        is_last: whether nothing of the chunk follows.
        seam: the sample of the chunk in the middle of the fade into this; 0 of the first.
    """

    samples: Samples
    durations: npt.NDArray[np.int64] | None
    n_samples: int
    is_last: bool
    seam: int = 0

    @classmethod
    def whole(cls, inference: Inference) -> Sound:
        """Return all of a chunk."""
        return cls(inference.samples, inference.durations, inference.samples.size, True)


def say_whole(
    model: Model,
    token_ids: Sequence[int],
    style: Samples,
    speed: float,
    run_options: ortffi.RunOptions | None,
    *,
    keep_memory: bool,
) -> Iterator[Sound]:
    """Say a chunk at once, when it is asked for; see `Model.infer`."""
    inference = model.infer(
        token_ids, style, speed, keep_memory=keep_memory, run_options=run_options
    )
    yield Sound.whole(inference)


def say_in_windows(
    model: SplitModel,
    token_ids: Sequence[int],
    style: Samples,
    speed: float,
    run_options: ortffi.RunOptions | None,
    *,
    statistics: StatisticsPredictor,
    soon: bool,
) -> Iterator[Sound]:
    """Say a chunk window by window, each when it is asked for; the first needs the encoder too.

    Arguments and errors are those of `Model.infer` and `windows_of`; the statistics must cover the
    style.
    """
    encoding = model.encode(token_ids, style, speed, run_options=run_options)
    n_frames = encoding.n_frames
    windows = list(windows_of(n_frames, soon=soon))
    given = statistics.predict(encoding) if len(windows) > 1 else None
    seams = Seams(n_frames)
    for window in windows:
        first, last = window.in_context(n_frames)
        decoded = model.decode(encoding, first, last, given, run_options=run_options)
        yield Sound(
            seams.join(window, decoded.samples),
            encoding.durations,
            n_frames * SAMPLES_PER_FRAME,
            is_last=window is windows[-1],
            seam=seams.last,
        )
