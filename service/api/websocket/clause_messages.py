"""The messages of a clause: one for each segment, with its span of the text."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import pairwise

from service.api.rendering import word_answers
from service.api.websocket import messages
from service.api.websocket.backlog import Order
from service.audio.encoding import to_int16
from service.speech import AudioSegment, Chunk, Plan
from service.text import Clause

SpokenSegment = tuple[messages.Audio, bytes]
"""A message, and the PCM bytes that follow it."""


def clause_messages(
    order: Order, plan: Plan, segments: Iterable[AudioSegment]
) -> Generator[SpokenSegment, None, None]:
    """Yield the messages of a clause. Times count from the start of each message's audio."""
    clause = order.clause
    ends, end = _ends(clause, tuple(plan.chunks)), clause.start
    for segment in segments:
        start, end = end, _end_of(segment, clause, ends, end)
        pcm = to_int16(segment.samples).tobytes()
        words = [
            answer.moved(clause.start, -segment.start_s)
            for answer in word_answers(segment, clause.text, order.manner.depth)
        ]
        message = messages.Audio(
            text_start=start,
            text_end=end,
            start_s=0.0,
            end_s=segment.duration_s,
            n_bytes=len(pcm),
            words=words,
        )
        yield message, pcm


def _ends(clause: Clause, chunks: Sequence[Chunk]) -> list[int]:
    """Return the end of each chunk's span; the spans make up the clause.

    A chunk ends at the first word of the next. A word that was cut belongs to the chunk where it
    begins. If no words are known, the whole clause belongs to the first chunk.
    """
    ends = []
    for before, chunk in pairwise(chunks):
        bounds = [word.text_end for word in before.words[-1:]]
        bounds += [word.text_start for word in chunk.words[:1]]
        ends.append(max(bounds, default=len(clause.text)))
    return [clause.start + end for end in (*ends, len(clause.text))]


def _end_of(segment: AudioSegment, clause: Clause, ends: Sequence[int], start: int) -> int:
    """Return the end of a segment's span: the end of its chunk, or of its last word."""
    if segment.is_last:
        return ends[segment.chunk]
    return max([start, *(clause.start + word.text_end for word in segment.words)])
