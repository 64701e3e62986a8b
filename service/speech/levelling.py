"""Bring whole speech to a loudness, or the voices of a dialogue to the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from service.audio.loudness import SILENCE_LUFS, level_for, levelled
from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.speech.delivery import AudioSegment
from service.speech.loudening import Limiter
from service.speech.plan import Manner
from service.speech.timing import MarkTime, WordTime
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


_HELD = 3 * SAMPLE_RATE_HZ
"""Samples of a chunk by which a stream knows how loud all of it is: turns of 40 in twelve voices
were 0.8 LU apart, and 2.7 LU by two seconds."""

_MOST_DB = 6.0
"""By which a chunk is made louder."""

_GATE_LU = 10.0
_BLOCK, _STEP = int(0.4 * SAMPLE_RATE_HZ), int(0.1 * SAMPLE_RATE_HZ)
_TAIL = SAMPLE_RATE_HZ // 2
"""Samples after which the filters have died away."""


def evened(
    segments: Iterable[AudioSegment], manner: Manner, *, streamed: bool
) -> Iterator[AudioSegment]:
    """Yield the segments of a chunk as loud as its speaker should be, in a dialogue.

    The table of voices has the loudness of ten sentences each; that of a short turn differs from it
    by up to 4 LU.

    Args:
        segments: before the gain of their manner, as far as it is below 1.
        manner: of the chunk.
        streamed: whether its beginning is wanted soon. Then three seconds of it decide.
    """
    wanted = manner.gain / manner.blend.evening_gain  # by the document or the speaker
    if not wanted or manner.is_bleeped:
        yield from (segment.amplified(min(1.0, manner.gain)) for segment in segments)
        return
    coming = iter(segments)
    held: list[AudioSegment] = []
    for segment in coming:
        held.append(segment)
        if streamed and sum(one.samples.size for one in held) >= _HELD:
            break
    lufs = loudness_of(np.concatenate([np.empty(0, np.float32), *(one.samples for one in held)]))
    gain = min(1.0, manner.gain)
    if lufs > SILENCE_LUFS:
        over_db = lufs - USUAL_LUFS - 20 * math.log10(wanted)
        gain = 10 ** (min(-over_db, _MOST_DB) / 20)
    whole = chain(held, coming)
    yield from _limited(whole, gain) if gain > 1 else (one.amplified(gain) for one in whole)


def _limited(segments: Iterable[AudioSegment], gain: float) -> Iterator[AudioSegment]:
    """Yield the segments of a chunk multiplied by more than 1; peaks are limited 26 ms ahead."""
    limiter = Limiter(gain)
    start_s: float | None = None
    words: tuple[WordTime, ...] = ()
    marks: tuple[MarkTime, ...] = ()
    for segment in segments:
        start_s = segment.start_s if start_s is None else start_s
        samples = limiter.add(segment.samples)
        words, marks = words + segment.words, marks + segment.marks
        if segment.is_last:
            samples = np.concatenate([samples, limiter.finish()])
        elif not samples.size:
            continue
        yield replace(segment, samples=samples, start_s=start_s, words=words, marks=marks)
        start_s += samples.size / SAMPLE_RATE_HZ
        words, marks = (), ()


def loudness_of(samples: Samples) -> float:
    """Return the integrated loudness of samples, float32 [n], by ITU-R BS.1770, in LUFS.

    Unlike `service.audio.loudness` it needs no FFmpeg, and all samples at once. Sound that is
    shorter than a block of 0.4 s is one.
    """
    n = (samples.size + _TAIL) // 2 * 2
    weighted = np.fft.irfft(np.fft.rfft(samples, n) * _weighting(n // 2 + 1), n)[: samples.size]
    energy = np.concatenate([[0.0], np.cumsum(np.square(weighted))])
    starts = np.arange(0, max(1, samples.size - _BLOCK + 1), _STEP)
    ends = np.minimum(starts + _BLOCK, samples.size)
    blocks = (energy[ends] - energy[starts]) / np.maximum(ends - starts, 1)
    blocks = blocks[blocks > _energy(SILENCE_LUFS)]
    blocks = blocks[blocks > blocks.mean() * 10 ** (-_GATE_LU / 10)] if blocks.size else blocks
    return _OFFSET_LU + 10 * math.log10(blocks.mean()) if blocks.size else SILENCE_LUFS


_OFFSET_LU = -0.691


def _energy(lufs: float) -> float:
    energy: float = 10 ** ((lufs - _OFFSET_LU) / 10)
    return energy


@lru_cache(8)
def _weighting(n_bins: int) -> npt.NDArray[np.complex128]:
    """Return the K-weighting of the standard, [n_bins] from 0 Hz to half the sample rate.

    The constants are those of its filters at 48 kHz, as functions of the sample rate.
    """
    z = np.exp(-1j * np.linspace(0, np.pi, n_bins))
    shelf, slope = math.tan(math.pi * 1681.974450955533 / SAMPLE_RATE_HZ), 0.7071752369554196
    high = 10 ** (3.999843853973347 / 20)
    middle = high**0.4996667741545416
    low = math.tan(math.pi * 38.13547087602444 / SAMPLE_RATE_HZ)
    return _biquad(
        z, shelf, slope, (high + middle * shelf / slope + shelf**2, 2 * (shelf**2 - high),
                          high - middle * shelf / slope + shelf**2)
    ) * _biquad(z, low, 0.5003270373238773, (1.0, -2.0, 1.0), is_normal=False)  # fmt: skip


def _biquad(
    z: npt.NDArray[np.complex128],
    k: float,
    q: float,
    above: tuple[float, float, float],
    *,
    is_normal: bool = True,
) -> npt.NDArray[np.complex128]:
    whole = 1 + k / q + k**2
    below = 1 + 2 * (k**2 - 1) / whole * z + (1 - k / q + k**2) / whole * z**2
    response = (above[0] + above[1] * z + above[2] * z**2) / below
    return response / whole if is_normal else response
