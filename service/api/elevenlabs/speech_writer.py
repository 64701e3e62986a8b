"""The messages with the speech of a context."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable
from dataclasses import replace

from service.api.backlog import Order
from service.api.elevenlabs.character_times import CharacterTime, aligned_parts
from service.api.elevenlabs.input_messages import audio_message
from service.api.elevenlabs.stream_options import StreamOptions
from service.api.rendering import word_answers
from service.api.schemas import IgnoredAnswer, WordAnswer, ignored_answers
from service.audio import open_encoder
from service.speech import AudioSegment, Plan

_MESSAGE_SAMPLES = 60_000
"""Samples of a message, at most. Some clients take messages of a megabyte; two and a half seconds
at 48 kHz are 320 KB in base64."""


class SpeechWriter:
    """Writes what is spoken in a context as messages, with one audio file and one clock for all.

    A message has audio and the characters that start in it. Clients add up the lengths of the
    alignments to know where the next message begins, so these are as long as the audio, and audio
    in which no character starts waits for the next that does. Every character of the text comes,
    also of clauses that are not said.

    Args:
        options: of the session.
        context_id: of the context, if the socket has several.
        timed: whether word times are known.
    """

    def __init__(self, options: StreamOptions, context_id: str | None, *, timed: bool) -> None:
        self._context_id = context_id
        self._in_one_time = options.in_one_time
        self._depth = options.depth
        self._timed = timed
        self._encoder = open_encoder(options.output.audio_format, options.output.sample_rate_hz)
        self._text = ""  # that is not spoken yet
        self._text_start = 0
        self._hearing = threading.Lock()
        self._audio = b""
        self._characters: list[CharacterTime] = []
        self._ignored: list[IgnoredAnswer] = []
        self._words: list[WordAnswer] = []
        self._start_s = self._end_s = 0.0  # of the next message

    def hear(self, text: str) -> None:
        """Note text before it is spoken."""
        with self._hearing:
            self._text += text

    def write(
        self, order: Order, plan: Plan, segments: Iterable[AudioSegment]
    ) -> Generator[str, None, None]:
        """Yield the messages of a clause. Runs in a thread, for one clause at a time."""
        clause, origin_s = order.clause, self._end_s
        self._ignored += ignored_answers(plan.coverage.ignored) or []
        text_start = self._text_start - clause.start
        text = self._take_text(clause.start + len(clause.text))
        for part in aligned_parts(segments, text, _MESSAGE_SAMPLES, text_start):
            if part.samples.size:
                self._audio += self._encoder.encode(part.samples)
            self._end_s = origin_s + part.end_s
            self._characters += [
                replace(c, start_s=c.start_s + origin_s, end_s=c.end_s + origin_s)
                for c in part.characters
                if self._timed
            ]
            if self._depth:
                told = word_answers(part.words, clause.text, self._depth)
                self._words += [word.moved(clause.start, origin_s) for word in told]
            if self._audio and (self._characters or not self._timed):
                yield self._message()

    def rest(self) -> str | None:
        """Return the message of what waits, at the end of a clause; None if nothing does."""
        return self._message() if self._audio or self._characters else None

    def finish(self) -> str | None:
        """Return the message of the end of the audio file and of the text; None if it is empty."""
        if self._end_s:  # without samples an encoder gives half a file
            self._audio += self._encoder.finish()
        if self._timed:
            self._characters += [
                CharacterTime(character, self._end_s, self._end_s) for character in self._text
            ]
        self._text = ""
        return self.rest()

    def close(self) -> None:
        """Free the encoder."""
        self._encoder.close()

    def _take_text(self, end: int) -> str:
        """Return the text up to an offset, and the white space that is known to follow."""
        with self._hearing:
            text, length = self._text, end - self._text_start
            length = len(text) - len(text[length:].lstrip())
            self._text = text[length:]
            self._text_start += length
        return text[:length]

    def _message(self) -> str:
        characters = self._characters
        if characters:
            last = characters.pop()
            characters.append(replace(last, end_s=max(last.start_s, self._end_s)))
        origin_s = 0.0 if self._in_one_time else self._start_s
        words = [word.moved(0, -origin_s) for word in self._words] if self._depth else None
        message = audio_message(
            self._context_id, self._audio, characters, round(origin_s * 1000), self._ignored, words
        )
        self._audio, self._characters, self._start_s = b"", [], self._end_s
        self._ignored, self._words = [], []
        return message
