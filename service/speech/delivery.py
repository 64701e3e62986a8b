"""Audio segments: audio that is joined to what is before it, with its words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.speech.joining import Shaper
from service.speech.plan import Chunk
from service.speech.timing import MarkTime, WordTime, word_times
from service.speech.windows import Sound
from service.text import Word


@dataclass(frozen=True)
class AudioSegment:
    """A chunk, or one or more of its windows, ready to be sent.

    Attributes:
        chunk: number of the chunk in the plan, from 0.
        is_last: whether it ends its chunk.
        phonemes: of the whole chunk.
        samples: float32 [n], mono at 24 kHz; the last segment of a chunk ends with its pause.
        start_s: its start in the whole audio.
        words: those that begin in it, with their times in the whole audio; empty if not wanted.
        compute_s: compute time; 0 if the audio was in the cache.
        wait_s: seconds of waiting for turns.
        n_windows: windows that were decoded for it: one if the chunk is decoded whole, 0 for a
            pause and for cached audio.
        cached: whether the chunk was in the cache; None for a pause, and without a cache.
        marks: those that sound in it; empty if times are not wanted.
    """

    chunk: int
    is_last: bool
    phonemes: str
    samples: Samples
    start_s: float
    words: tuple[WordTime, ...]
    compute_s: float
    wait_s: float
    n_windows: int
    cached: bool | None
    marks: tuple[MarkTime, ...] = ()

    @property
    def duration_s(self) -> float:
        """Return the length of the audio."""
        return self.samples.size / SAMPLE_RATE_HZ

    def amplified(self, gain: float) -> AudioSegment:
        """Return the same segment with its samples multiplied."""
        return self if gain == 1.0 else replace(self, samples=self.samples * np.float32(gain))

    @property
    def n_limited(self) -> int:
        """Return how many samples are beyond full scale, before they are limited."""
        return int(np.count_nonzero(np.abs(self.samples) > 1.0))


@dataclass(frozen=True)
class Made:
    """A sound, and its costs; see `AudioSegment`."""

    sound: Sound
    wait_s: float
    compute_s: float
    cached: bool | None


def deliver(
    index: int,
    chunk: Chunk,
    made: Iterable[Made],
    shaper: Shaper,
    origin: int,
    *,
    timed: bool,
    voice: str | None = None,
) -> Iterator[AudioSegment]:
    """Make segments of the sounds of a chunk. A sound may yield none until the next one.

    Args:
        index: number of the chunk.
        chunk: what is said.
        made: its sounds, in order.
        shaper: of the chunk.
        origin: samples of the whole audio before the chunk.
        timed: whether word times are wanted.
        voice: of the words; None if it is that of the utterance.
    """
    start, n_told = origin, 0
    n_marks = 0
    wait_s = compute_s = 0.0
    n_windows = 0
    for one in made:
        sound = one.sound
        n_windows += not one.cached
        wait_s, compute_s = wait_s + one.wait_s, compute_s + one.compute_s
        samples = shaper.add(sound.samples)
        if sound.is_last:
            samples = np.concatenate([samples, shaper.finish()])
        elif samples.size == 0:
            continue
        end = start + samples.size
        words: tuple[WordTime, ...] = ()
        marks: tuple[MarkTime, ...] = ()
        if timed and sound.durations is not None:
            assert shaper.skipped is not None  # something leaves
            begin = origin - shaper.skipped
            latest = end if sound.is_last else begin + sound.n_samples
            untold = word_times(
                chunk.words,
                chunk.phonemes,
                sound.durations,
                begin,
                (origin, latest),
                sound.frame_samples,
                voice,
            )[n_told:]
            words = tuple(
                word for word in untold if sound.is_last or word.start_s * SAMPLE_RATE_HZ < end
            )
            n_told += len(words)
            sounding = _marks(chunk, sound, begin, (origin, latest), end - shaper.n_pause)
            marks = tuple(
                mark
                for mark in sounding[n_marks:]
                if sound.is_last or mark.time_s * SAMPLE_RATE_HZ < end
            )
            n_marks += len(marks)
        yield AudioSegment(
            index, sound.is_last, chunk.phonemes, samples, start / SAMPLE_RATE_HZ, words,
            compute_s, wait_s, n_windows, one.cached, marks,
        )  # fmt: skip
        start, wait_s, compute_s, n_windows = end, 0.0, 0.0, 0


def silent_marks(chunk: Chunk, start_s: float) -> tuple[MarkTime, ...]:
    """Return the marks of a chunk that is only a pause, which starts at `start_s`."""
    return tuple(
        MarkTime(mark.name, mark.text_start, round(start_s + mark.pause_s, 6))
        for mark in chunk.marks
    )


def _marks(
    chunk: Chunk, sound: Sound, begin: int, bounds: tuple[int, int], pause_start: int
) -> list[MarkTime]:
    """Return the times of a chunk's marks; arguments as those of `word_times`.

    Args:
        chunk: what is said.
        sound: with the durations of all of it.
        begin: the sample at which it would begin with its silence.
        bounds: the samples at which it begins and ends.
        pause_start: the sample at which its pause begins.
    """
    if not chunk.marks or sound.durations is None:
        return []
    places = [
        Word(mark.text_start, mark.text_start, mark.phoneme, mark.phoneme) for mark in chunk.marks
    ]
    times = word_times(places, chunk.phonemes, sound.durations, begin, bounds, sound.frame_samples)
    return [
        MarkTime(mark.name, mark.text_start, round(pause_start / SAMPLE_RATE_HZ + mark.pause_s, 6))
        if mark.pause_s
        else MarkTime(mark.name, mark.text_start, time.start_s)
        for mark, time in zip(chunk.marks, times, strict=True)
    ]
