"""Split phonemes into chunks that the model says well, while G2P is still running."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from service.text import Reading, Word

Chunking = Literal["even", "short_first", "early"]
"""How to cut: `even` for chunks of similar lengths; `short_first` for the same after a first one
that is as short as sounds well, if the model is quick; `early` for a first one that is shorter
still, and then longer ones."""

USUAL_PACE = 16.0
"""Phonemes per second of most voices in long chunks; see `bench.pace`. The lengths below are for
this pace. Slower speech gets chunks of fewer phonemes, because memory and waiting times depend on
seconds."""

MAX_CHUNK_LENGTH = 150
"""Maximum phonemes of a chunk: nine seconds. The model takes 510, but from about 400 on it is too
fast and too quiet. Each second also takes 12 MB, and other requests wait meanwhile."""

LONGEST_CHUNK_S = MAX_CHUNK_LENGTH / USUAL_PACE
"""Seconds of the longest chunk."""

MIN_CHUNK_LENGTH = 70
"""Minimum phonemes of a chunk, if the text is long enough; shorter chunks lose the melody."""

_QUICK = 0.5
"""Real-time factor up to which a model is quick. Decoded in windows, a chunk is heard after its
encoder, which takes longer for a longer chunk. At this factor the longest chunk is heard in time
after the shortest first one; a slower model needs the reserve of a long chunk."""

REAL_TIME_FACTOR = 0.6
"""Of the published model on two good cores, with some reserve; used until it is measured."""
_REAL_TIME_FACTORS = (0.02, 0.9)
"""Limits for the calculation of lengths. If synthesis is slower than real time, there are gaps
whatever the lengths are."""

# Where a chunk may end, by the mark before it; closing quotes and brackets stay with the chunk.
# Slashes are between the Chinese words of Kokoro v1.1-zh; other models have none.
_BOUNDARY = re.compile(
    r"(?P<sentence>[.!?…][\"”)]*\s+)|(?P<clause>[;:—][\"”)]*\s*)|(?P<phrase>[,)”\"]\s+)|\s+|/"
)
_GRADES = {
    ("sentence", False): 0,
    ("clause", False): 1,
    ("sentence", True): 2,
    ("clause", True): 3,
    ("phrase", False): 4,
    ("phrase", True): 5,
    (None, False): 6,
    (None, True): 7,
}
"""How bad a cut is, by the kind of boundary, and by whether it is inside quotes or brackets."""
_UNEVEN = 8
"""Badness of a cut that makes a chunk too short."""
_INSIDE = 9
"""Badness of a cut inside what belongs together."""
_OPENING, _CLOSING = frozenset("(“"), frozenset(")”")

# Symbols that belong to the symbol before them.
_MODIFIERS = frozenset("ːʰʲ\u0303↓→↗↘")


class _Lengths(NamedTuple):
    """Limits of a chunk's length.

    Attributes:
        low: minimum phonemes, if there are enough.
        wanted: of equally good boundaries, the nearest to so many phonemes is taken.
        high: maximum phonemes.
    """

    low: int
    wanted: int
    high: int

    def scaled(self, scale: float) -> _Lengths:
        """Return the limits for another pace."""
        return _Lengths(*(int(length * scale) for length in self))


_LENGTHS = _Lengths(MIN_CHUNK_LENGTH, MAX_CHUNK_LENGTH, MAX_CHUNK_LENGTH)
_SHORT_LENGTHS = _Lengths(50, MIN_CHUNK_LENGTH, MAX_CHUNK_LENGTH)
"""Of a short first chunk: a sentence of three seconds has its melody."""
_EARLY_LENGTHS = _Lengths(30, 30, 60)
"""Of the first chunk of an early beginning: two to four seconds."""


class Chunker:
    """Makes chunks of readings, in order; the chunks, joined by spaces, are the readings.

    A chunk ends between sentences if there is a boundary within its limits, otherwise between
    clauses, phrases or words, and outside quotes and brackets if possible. A word, a number, or
    what the caller marked is cut only if it alone is too long. The chunks do not depend on how the
    phonemes are divided into readings.

    Args:
        chunking: how to cut.
        real_time_factor: of the model: an early chunk is as long as can be made while those before
            it play, and a short first one must leave time for the second. Even chunks do not
            depend on it.
        pace: phonemes per second.
        longest_s: maximum seconds of a chunk, if memory is limited.
    """

    def __init__(
        self,
        *,
        chunking: Chunking = "even",
        real_time_factor: float = REAL_TIME_FACTOR,
        pace: float = USUAL_PACE,
        longest_s: float = LONGEST_CHUNK_S,
    ) -> None:
        self._chunking = chunking
        # A limit on seconds shortens chunks like a slower pace.
        self._room = min(1.0, longest_s / LONGEST_CHUNK_S)
        least, greatest = _REAL_TIME_FACTORS
        self._real_time_factor = min(max(real_time_factor, least), greatest)
        self._phonemes = ""
        self._words: list[Word] = []
        self._unbroken: list[tuple[int, int]] = []
        self._unheard_s = 0.0  # audio that is made and not yet played when the last chunk is made
        self._usual_lengths = _LENGTHS  # of the next chunk, at the usual pace
        if chunking == "early":
            self._usual_lengths = _EARLY_LENGTHS
        elif chunking == "short_first" and self._real_time_factor <= _QUICK:
            self._usual_lengths = _SHORT_LENGTHS
        self.say_at(pace)

    def say_at(self, pace: float) -> None:
        """Set the pace of the readings from here on; all before must be finished."""
        if self._phonemes:
            raise ValueError("phonemes of the previous pace are not finished")
        self._pace = pace
        self._scale = min(1.0, pace / USUAL_PACE) * self._room
        self._limit = max(2, int(MAX_CHUNK_LENGTH * self._scale))
        self._lengths = self._next_lengths()

    def add(self, reading: Reading) -> Iterator[Reading]:
        """Add a reading; yield the chunks that are complete."""
        if self._phonemes:
            self._phonemes += " "
        offset = len(self._phonemes)
        self._phonemes += reading.phonemes
        self._words += [_moved(word, offset) for word in reading.words]
        whole = [(word.phonemes_start, word.phonemes_end) for word in reading.words]
        self._unbroken += [
            (start + offset, end + offset)
            for start, end in [*reading.unbroken, *whole]
            if _BOUNDARY.search(reading.phonemes, start, end)
        ]
        while (
            len(self._phonemes) > self._lengths.low + self._lengths.high
        ):  # the rest is long enough
            low, wanted, high = self._lengths
            yield self._take(self._place(low, high, wanted, high))

    def finish(self) -> Iterator[Reading]:
        """Yield the rest, as if the text ended here."""
        limit = self._limit
        while (length := len(self._phonemes)) > limit:
            low = max(min(self._lengths.low, length // 2), length - limit)
            yield self._take(self._place(low, length - low, length / 2, limit))
        if self._phonemes:
            yield self._take(len(self._phonemes))

    def _take(self, place: int) -> Reading:
        """Remove and return the phonemes before a place."""
        phonemes = self._phonemes[:place].rstrip()
        rest = self._phonemes[place:].lstrip()
        cut = len(self._phonemes) - len(rest)
        words = [word for word in self._words if word.phonemes_start < len(phonemes)]
        self._words = [_moved(word, -cut) for word in self._words if word.phonemes_end > cut]
        self._unbroken = [(start - cut, end - cut) for start, end in self._unbroken if end > cut]
        self._phonemes = rest
        self._usual_lengths = _LENGTHS
        if self._chunking == "early":
            said_s = len(phonemes) / self._pace
            self._unheard_s += said_s * (1 - self._real_time_factor if self._unheard_s else 1)
        self._lengths = self._next_lengths()
        kept = [_within(word, len(phonemes)) for word in words]
        return Reading(phonemes, tuple(kept))

    def _next_lengths(self) -> _Lengths:
        """Return those of the next chunk; an early one must be made while those before it play."""
        if not self._unheard_s:
            return self._usual_lengths.scaled(self._scale)
        in_time = self._unheard_s / self._real_time_factor * self._pace
        high = max(2, min(self._limit, int(in_time)))
        return _Lengths(high // 2, high, high)

    def _place(self, low: int, high: int, wanted: float, limit: int) -> int:
        """Return where to cut: the best boundary up to a limit, then the nearest to `wanted`.

        Boundaries between `low` and `high` are better than others.
        """
        best: tuple[int, float] | None = None
        place = round(wanted)
        depth = position = 0
        # Spaces at the end of a boundary may be beyond the limit.
        for match in _BOUNDARY.finditer(self._phonemes, 0, limit + 2):
            end = match.end()
            if end > limit + 1:
                break
            for symbol in self._phonemes[position:end]:
                depth += (symbol in _OPENING) - (symbol in _CLOSING)
                depth = max(depth, 0)
            position = end
            if any(first < end < last for first, last in self._unbroken):
                badness = _INSIDE
            elif low <= end <= high + 1:
                badness = _GRADES[match.lastgroup, depth > 0]
            else:
                badness = _UNEVEN
            grade = (badness, abs(end - wanted))
            if best is None or grade < best:
                best, place = grade, end
        while best is None and place > 1 and self._phonemes[place] in _MODIFIERS:
            place -= 1
        return place


def _moved(word: Word, n_phonemes: int) -> Word:
    """Return a word with its offsets moved."""
    start, end = word.phonemes_start + n_phonemes, word.phonemes_end + n_phonemes
    return replace(word, phonemes_start=max(start, 0), phonemes_end=end)


def _within(word: Word, n_phonemes: int) -> Word:
    """Return the part of a word that is in a chunk."""
    return replace(word, phonemes_end=min(word.phonemes_end, n_phonemes))
