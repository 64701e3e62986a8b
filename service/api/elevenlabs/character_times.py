"""Times of the characters of a text, from the times of its words and of their phonemes."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.speech import AudioSegment, WordTime
from service.text import encodable


@dataclass(frozen=True)
class CharacterTime:
    """A character of the caller's text, and its time in seconds from the start of the audio."""

    character: str
    start_s: float
    end_s: float


class CharacterTimes:
    """Gives each character of a text its time while the words become known.

    The characters of a word share its time in proportion to its phonemes: the first starts with
    the word, the last ends with it. The first character between two words, such as a comma, lasts
    from one to the other, and what follows it there has no length. Times never go back.

    Args:
        text: what is said, or a part of it.
        text_start: its offset in the text that the words' offsets count in; it may be negative.
    """

    def __init__(self, text: str, text_start: int = 0) -> None:
        self._text = encodable(text)
        self._text_start = text_start
        self._n_placed = 0
        self._placed_to_s = 0.0
        self._placed: deque[CharacterTime] = deque()

    def add(self, word: WordTime) -> None:
        """Place the next word, and what stands before it.

        The second part of a word that is said in two chunks is ignored: its characters are placed
        with the first. `merge_parts` gives them the time of both.
        """
        self._place_between(word.text_start - self._text_start, word.start_s)
        characters = self._text[self._n_placed : max(0, word.text_end - self._text_start)]
        if characters:
            for start_s, end_s in pairwise(_shares(word, len(characters))):
                self._place(start_s, end_s)

    def take(self, until_s: float) -> list[CharacterTime]:
        """Remove and return what starts before a time, if all words that do are added.

        A mark or a space that would last until the next word, which is not known yet, lasts until
        this time.
        """
        if self._placed_to_s < until_s and self._is_between_words():
            self._place(self._placed_to_s, until_s)
        taken = list(self._taken(until_s))
        # A sign that belongs to no word may look like the beginning of one: `a ~~b~~`.
        self._placed_to_s = max(self._placed_to_s, until_s)
        return taken

    def finish(self, end_s: float) -> list[CharacterTime]:
        """Return the rest, at the end of the audio."""
        self._place_between(len(self._text), end_s)
        return list(self._placed)

    def _taken(self, until_s: float) -> Generator[CharacterTime, None, None]:
        while self._placed and self._placed[0].start_s < until_s:
            yield self._placed.popleft()

    def _is_between_words(self) -> bool:
        following = self._text[self._n_placed : self._n_placed + 1]
        return bool(following) and unicodedata.category(following)[0] in "PZC"

    def _place_between(self, text_end: int, until_s: float) -> None:
        while self._n_placed < text_end:
            self._place(self._placed_to_s, until_s)

    def _place(self, start_s: float, end_s: float) -> None:
        start_s = max(start_s, self._placed_to_s)
        self._placed_to_s = max(start_s, end_s)
        character = self._text[self._n_placed]
        self._placed.append(CharacterTime(character, start_s, self._placed_to_s))
        self._n_placed += 1


@dataclass(frozen=True)
class AlignedPart:
    """A part of the audio, with the characters that start in it.

    Attributes:
        samples: float32 [n]; empty for the end of the audio.
        start_s: its start in the whole audio.
        end_s: its end.
        characters: with their times in the whole audio.
        words: that start in it; likewise.
    """

    samples: Samples
    start_s: float
    end_s: float
    characters: Sequence[CharacterTime]
    words: Sequence[WordTime] = ()


def aligned_parts(
    segments: Iterable[AudioSegment], text: str, n_samples: int, text_start: int = 0
) -> Generator[AlignedPart, None, None]:
    """Yield the segments in parts of at most so many samples, and then what is left of the text.

    Args:
        segments: with their words.
        text: see `CharacterTimes`.
        n_samples: of the longest part.
        text_start: likewise.
    """
    times = CharacterTimes(text, text_start)
    untold: deque[WordTime] = deque()
    end_s = 0.0
    for segment in segments:
        for word in segment.words:
            times.add(word)
            untold.append(word)
        for first in range(0, segment.samples.size, n_samples):
            samples = segment.samples[first : first + n_samples]
            start_s = segment.start_s + first / SAMPLE_RATE_HZ
            end_s = start_s + samples.size / SAMPLE_RATE_HZ
            told = []
            while untold and untold[0].start_s < end_s:
                told.append(untold.popleft())
            yield AlignedPart(samples, start_s, end_s, times.take(end_s), told)
    yield AlignedPart(np.zeros(0, np.float32), end_s, end_s, times.finish(end_s), list(untold))


def _shares(word: WordTime, n_characters: int) -> list[float]:
    """Return where each character of a word starts, and where the last ends."""
    edges = [phoneme.start_s for phoneme in word.phonemes] + [word.end_s]
    step = (len(edges) - 1) / n_characters
    return [_between(edges, index * step) for index in range(n_characters)] + [word.end_s]


def _between(edges: Sequence[float], place: float) -> float:
    index = int(place)
    start_s, end_s = edges[index], edges[min(index + 1, len(edges) - 1)]
    return round(start_s + (end_s - start_s) * (place - index), 6)
