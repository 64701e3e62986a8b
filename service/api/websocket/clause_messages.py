"""The messages of a clause: one for each segment, with its span of the text."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import pairwise

from service.api.backlog import Order
from service.api.rendering import word_answers
from service.api.schemas import MarkAnswer, WordAnswer, dropped_answers, ignored_answers
from service.api.websocket import messages
from service.audio import FORMATS, open_encoder
from service.speech import AudioSegment, Chunk, Plan
from service.text import Clause

SpokenSegment = tuple[messages.Audio, bytes]
"""A message, and the bytes of audio that follow it."""


def clause_messages(
    order: Order, plan: Plan, segments: Iterable[AudioSegment]
) -> Generator[SpokenSegment, None, None]:
    """Yield the messages of a clause. Times count from the start of each message's audio.

    A clause is encoded for itself: it begins and ends with silence.
    """
    clause, manner = order.clause, order.manner
    bytes_per_s = FORMATS[manner.format].bytes_per_s(manner.sample_rate_hz)
    chunks = tuple(plan.chunks)
    ends, text_end = _ends(clause, chunks), clause.start
    start_s = 0.0  # of the message's audio, in that of the clause
    untold: list[WordAnswer] = []
    ignored = ignored_answers(plan.coverage.ignored)
    dropped = dropped_answers(plan.coverage, clause.text)
    with open_encoder(manner.format, manner.sample_rate_hz) as encoder:
        for segment in segments:
            audio = encoder.encode(segment.samples)
            if segment.is_last and chunks[segment.chunk].is_last:
                audio += encoder.finish()
            duration_s = len(audio) / bytes_per_s
            # The encoder may hold back the beginning of the last word.
            words = [*untold, *word_answers(segment.words, clause.text, manner.depth)]
            n_told = len(words)
            if not segment.is_last:
                n_told = sum(word.start_s < start_s + duration_s for word in words)
            words, untold = words[:n_told], words[n_told:]
            text_start = text_end
            if segment.is_last:
                text_end = ends[segment.chunk]
            elif words:
                text_end = max(text_end, clause.start + words[-1].text_end)
            message = messages.Audio(
                text_start=text_start,
                text_end=text_end,
                start_s=0.0,
                end_s=duration_s,
                n_bytes=len(audio),
                words=[word.moved(clause.start, -start_s) for word in words],
                dropped=dropped and [span.moved(clause.start) for span in dropped],
                marks=[MarkAnswer.of(mark).moved(clause.start, -start_s) for mark in segment.marks]
                or None,
                ignored=ignored,
            )
            dropped = ignored = None
            start_s += duration_s
            yield message, audio


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
