"""When each word is said, from the durations that the model predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from service.model.durations import SAMPLES_PER_FRAME
from service.model.kokoro import SAMPLE_RATE_HZ
from service.text import Word

LEAD_FRAMES = 3
"""The sound of a symbol comes that much before its place in the durations: 75 ms. Measured with
four voices at three speeds: the frames of vowels are loudest, those of stops quietest, when they
are taken 3 earlier. The model's own pipeline subtracts the same."""


@dataclass(frozen=True)
class PhonemeTime:
    """One symbol of a word, and when it is said, in seconds from the start of the speech."""

    symbol: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class WordTime:
    """A word of the caller's text, and when it is said.

    Attributes:
        text_start: where the word starts in the text as it was sent, in Unicode code points.
        text_end: behind its last character.
        start_s: seconds from the start of the speech.
        end_s: likewise.
        phonemes: the symbols that say it.
    """

    text_start: int
    text_end: int
    start_s: float
    end_s: float
    phonemes: tuple[PhonemeTime, ...]


def word_times(
    words: Sequence[Word],
    phonemes: str,
    durations: npt.NDArray[np.int64],
    origin: int,
    bounds: tuple[int, int],
) -> tuple[WordTime, ...]:
    """Return when the words of a chunk are said.

    Args:
        words: of the chunk.
        phonemes: of the chunk.
        durations: frames of each token id of the chunk, padding included: [len(phonemes) + 2].
        origin: the sample of the whole speech at which the model's audio would begin, had nothing
            been cut off before its sound.
        bounds: the samples of the whole speech where the chunk begins and ends in fact; no time
            is outside.
    """
    # edges[i] is where symbol i of the chunk starts; before them comes the padding.
    edges = np.cumsum(durations[:-1]) * SAMPLES_PER_FRAME + origin
    # No symbol sounds before the sound begins, which is where the chunk was cut.
    edges -= min(LEAD_FRAMES * SAMPLES_PER_FRAME, max(0, int(edges[0]) - bounds[0]))
    seconds = (np.clip(edges, *bounds) / SAMPLE_RATE_HZ).round(6).tolist()
    times = []
    for word in words:
        start, end = word.phonemes_start, word.phonemes_end
        symbols = tuple(
            PhonemeTime(phonemes[i], seconds[i], seconds[i + 1]) for i in range(start, end)
        )
        times.append(
            WordTime(word.text_start, word.text_end, seconds[start], seconds[end], symbols)
        )
    return tuple(times)
