"""Bring whole speech to a loudness, or the voices of a dialogue to the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from service.audio.loudness import SILENCE_LUFS, level_for, levelled, measure
from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.speech.delivery import AudioSegment
from service.speech.plan import Manner
from service.speech.voices import USUAL_LUFS

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


_MOST_DB = 0.9
"""Less than what limited samples have to full scale."""


class Evener:
    """Corrects how loud the voices of a dialogue are by what each has said so far.

    The gains of voices are those of ten sentences. What a voice says in a dialogue differs from
    that by up to 0.7 LU.
    """

    def __init__(self) -> None:
        self._heard: dict[str, tuple[float, float]] = {}  # seconds, and energy times seconds

    def gain(self, manner: Manner) -> float:
        """Return the factor for the next chunk of a voice."""
        seconds, energy = self._heard.get(manner.blend.name, (0.0, 0.0))
        if not energy:
            return 1.0
        over_db = 10 * math.log10(energy / seconds)
        factor: float = 10 ** (max(-_MOST_DB, min(_MOST_DB, -over_db)) / 20)
        return factor

    def add(self, manner: Manner, samples: Sequence[Samples]) -> None:
        """Add a chunk as it is heard."""
        wanted = manner.gain / manner.blend.evening_gain  # by the document or the speaker
        if not wanted or manner.is_bleeped:
            return
        lufs = measure(samples).lufs
        if lufs <= SILENCE_LUFS:
            return
        own_s = sum(part.size for part in samples) / SAMPLE_RATE_HZ
        over_db = lufs - 20 * math.log10(wanted) - USUAL_LUFS
        seconds, energy = self._heard.get(manner.blend.name, (0.0, 0.0))
        heard = seconds + own_s, energy + own_s * 10 ** (over_db / 10)
        self._heard[manner.blend.name] = heard
