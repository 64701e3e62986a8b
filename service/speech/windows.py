"""Windows of a chunk: which frames are decoded at once, and how windows are joined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import ortffi
from service.model import Inference, Model, SplitModel, StatisticsPredictor
from service.model.decoder import LONGEST_WINDOW_FRAMES, Encoding
from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import Samples

FIRST_FRAMES = 30
"""Length of the first window: 0.75 s, which plays while the second is made."""

GROWTH = 1.5
"""Largest ratio of the lengths of two consecutive windows. A window is made while the one before
plays, which is always in time at a real-time factor of 0.5."""

WHOLE_FRAMES = 80
"""A chunk of at most so many frames, 2 s, is always decoded whole."""

CONTEXT_FRAMES = 3
"""Frames that are decoded on both sides of a window and dropped. The convolutions of the decoder
reach 4 frames to either side, but the outer ones hardly matter. Around a seam, 2, 3, 4 and 8 frames
gave a signal of 11.2, 14.6, 15.0 and 15.0 dB over its difference from the whole chunk, decoded with
the same statistics (medians of 98 seams in 17 sentences)."""

MOST_FRAMES = LONGEST_WINDOW_FRAMES - 2 * CONTEXT_FRAMES
"""Longest window: 98 frames, 2.45 s. Longer ones save little (a seam costs 6 frames), need more
memory than a chunk of a few seconds, and other requests wait meanwhile."""

FADE_SAMPLES = SAMPLES_PER_FRAME // 2
"""Samples of the cross-fade on either side of a seam."""

SEARCH_SAMPLES = SAMPLES_PER_FRAME // 2
"""The seam is where both windows are quietest, at most so many samples from the end of a window.
With the fade it takes one frame of the context; two are left outside."""


class Window(NamedTuple):
    """Frames of a chunk, from `first` up to `last`."""

    first: int
    last: int

    def in_context(self, n_frames: int) -> Window:
        """Return the window with its context, in a chunk of so many frames."""
        first = max(0, self.first - CONTEXT_FRAMES)
        return Window(first, min(n_frames, self.last + CONTEXT_FRAMES))


def windows_of(n_frames: int, *, soon: bool) -> Iterator[Window]:
    """Yield the windows of a chunk in order; the last is at least half as long as it may be.

    Args:
        n_frames: of the chunk.
        soon: whether audio is to start soon: a short window first, then longer ones. If other audio
            plays meanwhile, all can be long.
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
    """Joins windows by a cross-fade around each seam.

    The windows were decoded with the same statistics, so they differ there only by rounding.

    Attributes:
        last: the sample of the chunk at the middle of the last fade; 0 before the first.
    """

    def __init__(self, n_frames: int) -> None:
        self._n_frames = n_frames
        self._tail = np.zeros(0, np.float32)
        self.last = 0

    def join(self, window: Window, samples: Samples) -> Samples:
        """Add the next window; return the samples up to where the fade at its end may begin.

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
    """Return where to begin the fade so that the two sounds have the least power in it."""
    power = np.square(one, dtype=np.float64) + np.square(other, dtype=np.float64)
    sums = np.concatenate([[0.0], np.cumsum(power)])
    return int(np.argmin(sums[2 * FADE_SAMPLES :] - sums[: -2 * FADE_SAMPLES]))


@dataclass(frozen=True)
class Sound:
    """Output of the model: a whole chunk, or its next window.

    Attributes:
        samples: float32 [n], which follow those of the sound before.
        durations: of the chunk, see `Inference`.
        n_samples: of the whole chunk.
        is_last: whether it ends the chunk.
        seam: the sample of the chunk at the middle of the fade into this sound; 0 for the first.
        frame_samples: samples of a frame of the durations.
    """

    samples: Samples
    durations: npt.NDArray[np.int64] | None
    n_samples: int
    is_last: bool
    seam: int = 0
    frame_samples: float = SAMPLES_PER_FRAME

    @classmethod
    def whole(cls, inference: Inference) -> Sound:
        """Return a whole chunk as one sound."""
        return cls(inference.samples, inference.durations, inference.samples.size, True)


class Sounds(ABC):
    """A chunk that is said sound by sound, in runs that may each be at another worker."""

    @abstractmethod
    def next(self, model: Model) -> Sound:
        """Make the next sound, in one turn.

        After an error it may be called again, and tries the same sound again.

        Raises:
            SynthesisError: the model failed; see `Model.infer`.
            TerminatedError: the run options were terminated.
        """

    def said_by(self, model: Model) -> Iterator[Sound]:
        """Yield all sounds of a chunk, made by one model."""
        is_last = False
        while not is_last:
            sound = self.next(model)
            is_last = sound.is_last
            yield sound


class WholeSound(Sounds):
    """A chunk as one sound.

    Arguments are those of `Model.infer`.
    """

    def __init__(
        self,
        token_ids: Sequence[int],
        style: Samples,
        speed: float,
        run_options: ortffi.RunOptions | None,
        *,
        keep_memory: bool,
    ) -> None:
        self._arguments = (token_ids, style, speed)
        self._run_options = run_options
        self._keep_memory = keep_memory

    def next(self, model: Model) -> Sound:
        """Say the chunk; see `Sounds.next`."""
        return Sound.whole(
            model.infer(
                *self._arguments, keep_memory=self._keep_memory, run_options=self._run_options
            )
        )


class WindowedSounds(Sounds):
    """A chunk window by window; the encoder runs before the first.

    Arguments are those of `Model.infer` and `windows_of`. The statistics must cover the style.
    """

    def __init__(
        self,
        token_ids: Sequence[int],
        style: Samples,
        speed: float,
        run_options: ortffi.RunOptions | None,
        *,
        statistics: StatisticsPredictor,
        soon: bool,
    ) -> None:
        self._arguments = (token_ids, style, speed)
        self._run_options = run_options
        self._statistics = statistics
        self._soon = soon
        self._encoded: _Encoded | None = None

    def next(self, model: Model) -> Sound:
        """Decode the next window; see `Sounds.next`. The model must be split."""
        if not isinstance(model, SplitModel):
            raise TypeError("only a split model can be decoded in windows")
        if self._encoded is None:
            encoding = model.encode(*self._arguments, run_options=self._run_options)
            windows = deque(windows_of(encoding.n_frames, soon=self._soon))
            given = self._statistics.predict(encoding) if len(windows) > 1 else None
            self._encoded = _Encoded(encoding, windows, given, Seams(encoding.n_frames))
        encoding, windows, given, seams = self._encoded
        first, last = windows[0].in_context(encoding.n_frames)
        decoded = model.decode(encoding, first, last, given, run_options=self._run_options)
        window = windows.popleft()
        return Sound(
            seams.join(window, decoded.samples),
            encoding.durations,
            encoding.n_frames * SAMPLES_PER_FRAME,
            is_last=not windows,
            seam=seams.last,
        )


class _Encoded(NamedTuple):
    """What the encoder made of a chunk, and the windows that are left to decode."""

    encoding: Encoding
    windows: deque[Window]
    given: Samples | None
    seams: Seams
