"""Audio as OpenAI's server-sent events."""

from __future__ import annotations

import base64
from collections.abc import Generator, Iterable

from service.api.openai.schemas import SpeechDelta, SpeechDone
from service.api.rendering import AudioInText, server_sent_event, word_answers
from service.api.schemas import Depth, WordAnswer, ignored_answers, mark_answers
from service.api.timed_rendering import WORDS_BYTES_PER_S
from service.audio import AudioFormat, open_encoder
from service.speech import AudioSegment, MarkTime

END = "[DONE]"
"""Data of the event that some clients wait for."""


class SpeechEvents(AudioInText):
    """Server-sent events as OpenAI sends them: `speech.audio.delta`, `speech.audio.done`, `[DONE]`.

    Args:
        audio_format: of the audio; `wav` has a header that does not tell its length.
        sample_rate_hz: of the audio; None for the format's usual one.
        text: that the words are parts of.
        depth: of the word times in the events; None for events without them.

    Raises:
        UnsupportedFormatError: the format cannot be written here, or has no such rate.
    """

    streams = True
    media_type = "text/event-stream"

    def __init__(
        self,
        audio_format: AudioFormat,
        sample_rate_hz: int | None,
        text: str,
        depth: Depth | None = None,
    ) -> None:
        super().__init__(audio_format, sample_rate_hz)
        self._text = text
        self._depth = depth
        self.bytes_per_s += WORDS_BYTES_PER_S if depth else 0

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write an event for each segment that gives bytes, and the final event."""
        words: list[WordAnswer] = []
        marks: list[MarkTime] = []
        with open_encoder(self._format, self.sample_rate_hz, endless_wav=True) as encoder:
            for segment in segments:
                if self._depth:
                    words += word_answers(segment.words, self._text, self._depth)
                    marks += segment.marks
                audio = encoder.encode(segment.samples)
                if audio:
                    yield self._delta(audio, words, marks)
                    words, marks = [], []
            audio = encoder.finish()
            if audio or words:
                yield self._delta(audio, words, marks)
        done = SpeechDone(ignored=ignored_answers(self.coverage.ignored))
        yield server_sent_event(None, done.model_dump_json(exclude_none=True))
        # Some clients take a stream that ends without it for a broken one.
        yield server_sent_event(None, END)

    def _delta(self, audio: bytes, words: list[WordAnswer], marks: list[MarkTime]) -> bytes:
        delta = SpeechDelta(
            audio=base64.b64encode(audio).decode(),
            words=words if self._depth else None,
            marks=mark_answers(marks),
        )
        return server_sent_event(None, delta.model_dump_json(exclude_none=True))
