"""Spoken spans: what SSML, tags, dialogues and casts of books become, and the chunks of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from service.speech.chunking import Chunker
from service.speech.joining import PAUSES_S
from service.speech.plan import MAX_SPEED, MIN_SPEED, Chunk, Manner, PlacedMark, model_speed
from service.text import Fit, Mark, MarkPause, Passage, Pause, Reading

_CLOSING = '"”’)'


@dataclass(frozen=True)
class SpokenSpan:
    """A passage, and how to say it.

    Attributes:
        passage: the text, with overrides and hints.
        language: code.
        manner: voice, speed, gain and pitch.
        fit: the length that its speech is brought to, with that of the other spans of the same one.
        pauses: silences after punctuation marks.
        readings: its phonemes, if they are known already.
    """

    passage: Passage
    language: str
    manner: Manner
    fit: Fit | None = None
    pauses: tuple[MarkPause, ...] = ()
    readings: tuple[Reading, ...] | None = None


Read = Callable[[SpokenSpan], Iterable[Reading]]
"""Returns the readings of a span."""


def fitted(
    spans: Sequence[SpokenSpan | Pause], read: Read, tell: Callable[[Fit, str], None]
) -> list[SpokenSpan | Pause]:
    """Return spans with the speeds at which their speech is as long as it should be.

    The pace of the voice foretells them. What is made then is stretched to the exact length.

    Args:
        spans: in order.
        read: reads those whose length must be known.
        tell: called if a length cannot be reached.
    """
    # All are read, so that they are read in order.
    result = [
        span if isinstance(span, Pause) else replace(span, readings=tuple(read(span)))
        for span in spans
    ]
    fits = dict.fromkeys(
        span.fit for span in spans if isinstance(span, SpokenSpan) and span.fit is not None
    )
    for fit in fits:
        places = [i for i, s in enumerate(result) if isinstance(s, SpokenSpan) and s.fit == fit]
        n_phonemes = 0
        silence_s = natural_s = usual_s = 0.0
        for span in result[places[0] : places[-1] + 1]:
            if isinstance(span, Pause):
                silence_s += span.duration_s
                continue
            n_own = sum(len(reading.phonemes) for reading in span.readings or ())
            n_phonemes += n_own
            seconds = n_own / span.manner.blend.pace
            natural_s += seconds
            usual_s += seconds / span.manner.speed
        wanted_s = fit.duration_s - silence_s
        if fit.at_most and usual_s <= wanted_s:
            continue
        speed = natural_s / wanted_s if wanted_s > 0 else MAX_SPEED
        kept = min(max(speed, MIN_SPEED), MAX_SPEED)
        if kept != speed and natural_s:
            tell(fit, f"speech cannot be so {'short' if speed > kept else 'long'}")
        for place in places:
            span = result[place]
            assert isinstance(span, SpokenSpan)  # its places are
            phoneme_s = max(wanted_s, 0.0) / n_phonemes if n_phonemes else None
            manner = replace(span.manner, speed=kept, phoneme_s=phoneme_s)
            result[place] = replace(span, manner=manner)
    return result


class Cutter:
    """Cuts spoken spans into chunks while their G2P runs.

    Args:
        manner: of the utterance.
        chunker: cuts what is said in one manner.
        read: reads a span.
        marks: of the text, in order.
    """

    def __init__(
        self, manner: Manner, chunker: Chunker, read: Read, marks: Sequence[Mark] = ()
    ) -> None:
        self._manner = manner
        self._chunker = chunker
        self._read = read
        self._marks = list(marks)
        self._held: Chunk | None = None  # its pause may follow

    def cut(self, spans: Iterable[SpokenSpan | Pause]) -> Iterator[Chunk]:
        """Yield the chunks; the last one ends the utterance."""
        for span in spans:
            if isinstance(span, Pause):
                yield from self._finished()
                self._pause(span.duration_s, before=span.start)
                continue
            if span.manner != self._manner:
                yield from self._finished()
                self._manner = span.manner
                self._chunker.say_at(span.manner.blend.pace * model_speed(span.manner.speed))
            readings = self._read(span) if span.readings is None else span.readings
            for reading in readings:
                for part, pause in _parted(reading, span.pauses):
                    if part.phonemes:
                        yield from self._chunks(self._chunker.add(part))
                    if pause is not None:
                        yield from self._finished()
                        self._pause(_length(pause, part, span.manner.speed))
        yield from self._finished()
        if self._held is not None:
            self._place(len(self._marks))
            yield replace(self._held, is_last=True)

    def _finished(self) -> Iterator[Chunk]:
        return self._chunks(self._chunker.finish())

    def _chunks(self, readings: Iterable[Reading]) -> Iterator[Chunk]:
        for reading in readings:
            if self._held is not None:
                yield self._held
            self._held = self._marked(Chunk(reading.phonemes, reading.words, self._manner))

    def _pause(self, seconds: float, before: int | None = None) -> None:
        held = self._held or Chunk("", (), self._manner)
        self._held = held
        if before is not None:
            self._place(bisect_left(self._marks, before, key=lambda mark: mark.start))
        held = self._held
        self._held = replace(held, pause_s=(held.pause_s or 0.0) + seconds)

    def _marked(self, chunk: Chunk) -> Chunk:
        """Return a chunk with the marks before its words."""
        placed: list[PlacedMark] = []
        words = iter(chunk.words)
        word = next(words, None)
        while self._marks and word is not None:
            mark = self._marks[0]
            if word.text_start < mark.start:
                word = next(words, None)
                continue
            placed.append(PlacedMark(mark.name, mark.start, word.phonemes_start))
            del self._marks[0]
        return replace(chunk, marks=tuple(placed)) if placed else chunk

    def _place(self, n_marks: int) -> None:
        """Place so many marks at the end of what is said so far."""
        if not n_marks or self._held is None:
            return
        held = self._held
        end = max((word.phonemes_end for word in held.words), default=len(held.phonemes))
        placed = [
            PlacedMark(mark.name, mark.start, end, held.pause_s or 0.0)
            for mark in self._marks[:n_marks]
        ]
        del self._marks[:n_marks]
        self._held = replace(held, marks=(*held.marks, *placed))


def _parted(
    reading: Reading, pauses: Sequence[MarkPause]
) -> Iterator[tuple[Reading, MarkPause | None]]:
    """Yield the parts of a reading, each with the silence that the document wants after it."""
    if not pauses:
        yield reading, None
        return
    of_mark = {mark: pause for pause in pauses for mark in pause.marks}
    phonemes = reading.phonemes
    start = place = 0
    while place < len(phonemes):
        first = phonemes[place]
        place += 1
        if first not in of_mark:
            continue
        while phonemes[place : place + 1] and phonemes[place] in (*of_mark, *_CLOSING):
            place += 1
        if phonemes[place : place + 1] in ("", " "):
            yield _slice(reading, start, place), of_mark[first]
            start = place
    yield _slice(reading, start, len(phonemes)), None


def _slice(reading: Reading, start: int, end: int) -> Reading:
    """Return a part of a reading, without the spaces at its ends."""
    text = reading.phonemes[start:end]
    start += len(text) - len(text.lstrip())
    words = tuple(
        replace(
            word,
            phonemes_start=word.phonemes_start - start,
            phonemes_end=word.phonemes_end - start,
        )
        for word in reading.words
        if start <= word.phonemes_start and word.phonemes_end <= end
    )
    unbroken = tuple(
        (first - start, last - start)
        for first, last in reading.unbroken
        if start <= first and last <= end
    )
    return Reading(text.strip(), words, reading.normalized, unbroken)


def _length(pause: MarkPause, part: Reading, speed: float) -> float:
    if pause.is_exact:
        return pause.duration_s
    return pause.duration_s + PAUSES_S.get(part.phonemes[-1:], 0.0) / speed
