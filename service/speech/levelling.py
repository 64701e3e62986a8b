"""Bring whole speech to a loudness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from service.audio.loudness import level_for, levelled
from service.speech.delivery import AudioSegment

BYTES_PER_S = 2 * 4 * 24_000
"""Memory for each second: samples as the model made them, and as they become."""


def at_loudness(segments: Iterable[AudioSegment], lufs: float) -> Iterator[AudioSegment]:
    """Yield segments whose sound together has a loudness; nothing before all of them are made.

    True peaks stay below -1 dBTP. Silence, and sound shorter than the 0.4 s that loudness is
    measured over, stays as it is.

    Args:
        segments: those of a whole utterance.
        lufs: integrated loudness by ITU-R BS.1770.
    """
    made = list(segments)
    samples = [segment.samples for segment in made]
    parts = list(levelled(samples, level_for(lambda: samples, lufs)))
    sound = np.concatenate(parts) if parts else np.empty(0, np.float32)
    start = 0
    for segment in made:
        end = start + segment.samples.size
        yield replace(segment, samples=sound[start:end])
        start = end
