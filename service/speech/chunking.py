"""Cut phonemes into chunks that the model says well, while they are still being read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from service.text import Reading, Word

USUAL_PACE = 16.0
"""Phonemes in a second, as most voices say them in long chunks; see `bench.pace`. Lengths of
chunks are those of speech at this pace: slower speech is cut into chunks of fewer phonemes, for
what a chunk costs, in memory and in waiting, are its seconds."""

MAX_CHUNK_LENGTH = 150
"""Phonemes of a chunk: nine seconds. The model takes 510, but rushes and fades from about 400 on,
its memory grows by 12 MB with each second, and others wait meanwhile."""

LONGEST_CHUNK_S = MAX_CHUNK_LENGTH / USUAL_PACE
"""Seconds of that."""

MIN_CHUNK_LENGTH = 70
"""Phonemes of a chunk, if the text is long enough: shorter ones lose the melody."""

_LENGTHS = (MIN_CHUNK_LENGTH, MAX_CHUNK_LENGTH)
_FIRST_LENGTHS = (30, 60)
"""Phonemes of the first chunk where sound shall start early: two to four seconds."""
REAL_TIME_FACTOR = 0.6
"""Of the published model on two good cores, with some reserve; for who has not measured his own."""
_REAL_TIME_FACTORS = (0.02, 0.9)
"""Within these lengths can be reckoned; where speech is made no quicker than it is heard, there are
gaps whatever they are."""

# A place where a chunk may end, by what is before it; quotes and brackets that close stay with it.
_BOUNDARY = re.compile(
    r"(?P<sentence>[.!?…][\"”)]*\s+)|(?P<clause>[;:—][\"”)]*\s*)|(?P<phrase>[,)”\"]\s+)|\s+"
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
"""How bad it is to cut at a boundary of a kind, inside quotes or brackets or not."""
_UNEVEN = 8
"""Likewise where that makes a chunk shorter than it should be."""
_INSIDE = 9
"""Likewise inside what belongs together."""
_OPENING, _CLOSING = frozenset("(“"), frozenset(")”")

# What is said with the symbol before it.
_MODIFIERS = frozenset("ːʰʲ\u0303↓→↗↘")


class _Lengths(NamedTuple):
    """What a chunk is to be.

    Attributes:
        low: phonemes at least, where there are enough.
        high: phonemes at most.
        nearest: whether it shall end at the first good place, or at the last.
    """

    low: int
    high: int
    nearest: bool = False


class Chunker:
    """Takes readings in order and gives back chunks; joined by spaces, they are the readings.

    A chunk ends between sentences where there is such a place between its least and its greatest
    length, else between clauses, phrases, words; rather outside quotes and brackets than inside;
    inside a word, a number or what the caller marked only where that alone is too long. How the
    phonemes were cut into readings makes no difference to the chunks.

    Args:
        early: whether sound shall start early: a short chunk first, then longer ones. Otherwise
            chunks are of similar length, `MIN_CHUNK_LENGTH` to `MAX_CHUNK_LENGTH`.
        real_time_factor: seconds that a second of speech takes: an early chunk is as long as can
            be made while those before it play.
        pace: phonemes in a second.
        longest_s: seconds of speech of a chunk at most, where memory is limited.
    """

    def __init__(
        self,
        *,
        early: bool = False,
        real_time_factor: float = REAL_TIME_FACTOR,
        pace: float = USUAL_PACE,
        longest_s: float = LONGEST_CHUNK_S,
    ) -> None:
        self._early = early
        # What may be said is shortened as it is where the pace is slow.
        self._room = min(1.0, longest_s / LONGEST_CHUNK_S)
        least, greatest = _REAL_TIME_FACTORS
        self._real_time_factor = min(max(real_time_factor, least), greatest)
        self._phonemes = ""
        self._words: list[Word] = []
        self._unbroken: list[tuple[int, int]] = []
        self._unheard_s = 0.0  # what is made and not yet heard, when the last chunk is made
        self.say_at(pace)

    def say_at(self, pace: float) -> None:
        """Take what comes from here on to be said at a pace; nothing may be left of before."""
        if self._phonemes:
            raise ValueError("there are phonemes left that are said at the pace before")
        self._pace = pace
        scale = min(1.0, pace / USUAL_PACE) * self._room
        self._limit = max(2, int(MAX_CHUNK_LENGTH * scale))
        low, high = _FIRST_LENGTHS if self._early else _LENGTHS
        self._lengths = _Lengths(int(low * scale), int(high * scale), nearest=self._early)
        if self._unheard_s:
            self._lengthen()

    def add(self, reading: Reading) -> Iterator[Reading]:
        """Take a reading; yield the chunks that are complete."""
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
        while len(self._phonemes) > self._lengths.low + self._lengths.high:  # the rest is no sliver
            low, high, nearest = self._lengths
            yield self._take(self._place(low, high, low if nearest else high, high))

    def finish(self) -> Iterator[Reading]:
        """Yield what is left, as if the text ended here."""
        limit = self._limit
        while (length := len(self._phonemes)) > limit:
            low = max(min(self._lengths.low, length // 2), length - limit)
            yield self._take(self._place(low, length - low, length / 2, limit))
        if self._phonemes:
            yield self._take(len(self._phonemes))

    def _take(self, place: int) -> Reading:
        """Cut off what is before a place."""
        phonemes = self._phonemes[:place].rstrip()
        rest = self._phonemes[place:].lstrip()
        cut = len(self._phonemes) - len(rest)
        words = [word for word in self._words if word.phonemes_start < len(phonemes)]
        self._words = [_moved(word, -cut) for word in self._words if word.phonemes_end > cut]
        self._unbroken = [(start - cut, end - cut) for start, end in self._unbroken if end > cut]
        self._phonemes = rest
        if self._early:
            said_s = len(phonemes) / self._pace
            self._unheard_s += said_s * (1 - self._real_time_factor if self._unheard_s else 1)
            self._lengthen()
        kept = [_within(word, len(phonemes)) for word in words]
        return Reading(phonemes, tuple(kept))

    def _lengthen(self) -> None:
        """Let the next chunk be as long as can be made while those before it play."""
        in_time = self._unheard_s / self._real_time_factor * self._pace
        high = max(2, min(self._limit, int(in_time)))
        self._lengths = _Lengths(high // 2, high)

    def _place(self, low: int, high: int, wanted: float, limit: int) -> int:
        """Return where to cut: at the best of the places up to a limit, the nearest to the wanted.

        Places between `low` and `high` are better than others.
        """
        best: tuple[int, float] | None = None
        place = round(wanted)
        depth = position = 0
        # A boundary that ends beyond the limit by its space alone is within it.
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
    """Return the word as it stands in other phonemes."""
    start, end = word.phonemes_start + n_phonemes, word.phonemes_end + n_phonemes
    return Word(word.text_start, word.text_end, max(start, 0), end)


def _within(word: Word, n_phonemes: int) -> Word:
    """Return the part of a word that lies in a chunk."""
    return Word(
        word.text_start, word.text_end, word.phonemes_start, min(word.phonemes_end, n_phonemes)
    )
