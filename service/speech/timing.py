"""Word times, from the durations that the model predicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.text import Word

LEAD_FRAMES = 3
"""A phoneme sounds 3 frames, 75 ms, before its place in the durations. Measured with four voices at
three speeds: with this shift the frames of vowels are loudest and those of stops quietest. The
model's own pipeline subtracts the same."""


@dataclass(frozen=True)
class PhonemeTime:
    """A phoneme, and its time in seconds from the start of the audio."""

    symbol: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class WordTime:
    """A word of the caller's text, and its time.

    Attributes:
        text_start: offset of its start in the caller's text, in Unicode code points.
        text_end: offset of its end.
        start_s: its start, in seconds from the start of the audio.
        end_s: its end.
        phonemes: its phonemes, with their times.
        voice: that says it; None if it is that of the utterance.
    """

    text_start: int
    text_end: int
    start_s: float
    end_s: float
    phonemes: tuple[PhonemeTime, ...]
    voice: str | None = None


@dataclass(frozen=True)
class MarkTime:
    """A mark of the caller's text, and its time.

    Attributes:
        name: as the caller wrote it.
        text_start: offset of its markup in the caller's text, in Unicode code points.
        time_s: in seconds from the start of the audio.
    """

    name: str
    text_start: int
    time_s: float


def word_times(
    words: Sequence[Word],
    phonemes: str,
    durations: npt.NDArray[np.int64],
    origin: int,
    bounds: tuple[int, int],
    frame_samples: float = SAMPLES_PER_FRAME,
    voice: str | None = None,
) -> tuple[WordTime, ...]:
    """Return the word times of a chunk.

    Args:
        words: of the chunk.
        phonemes: of the chunk.
        durations: frames of each token id of the chunk, padding included: [len(phonemes) + 2].
        origin: the sample of the whole audio at which the chunk would begin with its silence.
        bounds: the samples of the whole audio at which it really begins and ends; all times are
            within.
        frame_samples: samples of a frame of the durations.
        voice: see `WordTime`.
    """
    # edges[i] is where symbol i of the chunk starts; before them comes the padding.
    edges = np.cumsum(durations[:-1]) * frame_samples + origin
    # No phoneme sounds before the sound begins.
    edges -= min(LEAD_FRAMES * frame_samples, max(0, edges[0] - bounds[0]))
    seconds = (np.clip(edges, *bounds) / SAMPLE_RATE_HZ).round(6).tolist()
    times = []
    for word in words:
        start, end = word.phonemes_start, word.phonemes_end
        symbols = tuple(
            PhonemeTime(phonemes[i], seconds[i], seconds[i + 1]) for i in range(start, end)
        )
        times.append(
            WordTime(word.text_start, word.text_end, seconds[start], seconds[end], symbols, voice)
        )
    return tuple(times)


def merge_parts(words: Iterable[WordTime]) -> list[WordTime]:
    """Merge the parts of a word: a long number may be said in two chunks."""
    merged: list[WordTime] = []
    for word in words:
        if merged and merged[-1].text_start == word.text_start:
            begun = merged.pop()
            word = replace(begun, end_s=word.end_s, phonemes=begun.phonemes + word.phonemes)
        merged.append(word)
    return merged
