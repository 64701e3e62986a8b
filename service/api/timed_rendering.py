"""Audio with word times, and subtitles."""

from __future__ import annotations

import base64
from abc import abstractmethod
from collections.abc import Generator, Iterable
from typing import Literal

from pydantic import BaseModel
from pydantic_core import to_json

from service.api.rendering import (
    AudioInText,
    Rendering,
    server_sent_event,
    word_answers,
)
from service.api.schemas import (
    AudioEvent,
    Depth,
    DoneEvent,
    TimedAnswer,
    WordAnswer,
    dropped_answers,
    ignored_answers,
    mark_answers,
)
from service.audio import SOURCE_RATE_HZ, AudioFormat, open_encoder
from service.audio.subtitles import (
    SRT_MEDIA_TYPE,
    VTT_MEDIA_TYPE,
    cues_of_words,
    srt,
    vtt,
)
from service.speech import AudioSegment, Utterance
from service.text import Notes, parse, shown

SubtitleFormat = Literal["srt", "vtt"]

WORDS_BYTES_PER_S = 10_000
"""Memory of the words of a second of speech. Measured: 3,100 bytes, 8,400 with phonemes, and a
tenth of that as JSON."""


class _Timed(AudioInText):
    """Audio in base64, and word times."""

    def __init__(
        self,
        audio_format: AudioFormat,
        sample_rate_hz: int | None,
        text: str,
        depth: Depth,
    ) -> None:
        super().__init__(audio_format, sample_rate_hz)
        self._text = text
        self._depth = depth
        self.bytes_per_s += WORDS_BYTES_PER_S


class TimedAudio(_Timed):
    """A JSON object with the audio file in base64, and word times."""

    streams = False
    media_type = "application/json"

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write one part."""
        audio, words, end_s = self._encode(segments)
        answered = word_answers(words, self._text, self._depth)
        answer = self._answer(base64.b64encode(audio).decode(), answered, round(end_s, 6))
        yield to_json(answer, exclude_none=True)

    def _answer(self, audio: str, words: list[WordAnswer], duration_s: float) -> BaseModel:
        return TimedAnswer(
            audio=audio,
            format=self._format,
            sample_rate_hz=self.sample_rate_hz,
            duration_s=duration_s,
            words=words,
            marks=mark_answers(self._marks),
            dropped=dropped_answers(self.coverage, self._text),
            ignored=ignored_answers(self.coverage.ignored),
        )


class AudioEvents(AudioInText):
    """Server-sent events: `audio` with a part of the file, then `done`.

    After an error the connection breaks without `done`.
    """

    streams = True
    media_type = "text/event-stream"

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write an event for each segment, and the final event."""
        end_s = 0.0
        with open_encoder(self._format, self.sample_rate_hz) as encoder:
            for segment in segments:
                end_s = segment.start_s + segment.duration_s
                audio = base64.b64encode(encoder.encode(segment.samples)).decode()
                event = self._event(audio, segment, round(end_s, 6))
                yield server_sent_event("audio", event.model_dump_json(exclude_none=True))
            tail = base64.b64encode(encoder.finish()).decode()
        done = self._done(tail, round(end_s, 6))
        yield server_sent_event("done", done.model_dump_json(exclude_none=True))

    @abstractmethod
    def _event(self, audio: str, segment: AudioSegment, end_s: float) -> BaseModel:
        """Return the data of the event for a segment and its part of the file."""

    @abstractmethod
    def _done(self, audio: str, duration_s: float) -> BaseModel:
        """Return the data of the last event, with the rest of the file."""


class StreamedTimedAudio(_Timed, AudioEvents):
    """Server-sent events with the words of each part."""

    def _event(self, audio: str, segment: AudioSegment, end_s: float) -> BaseModel:
        return AudioEvent(
            audio=audio,
            start_s=round(segment.start_s, 6),
            end_s=end_s,
            words=word_answers(segment.words, self._text, self._depth),
            marks=mark_answers(segment.marks),
        )

    def _done(self, audio: str, duration_s: float) -> BaseModel:
        return DoneEvent(
            audio=audio,
            duration_s=duration_s,
            dropped=dropped_answers(self.coverage, self._text),
            ignored=ignored_answers(self.coverage.ignored),
        )


class Subtitles(Rendering):
    """SubRip or WebVTT, without audio."""

    streams = False
    sample_rate_hz = SOURCE_RATE_HZ
    bytes_per_s = WORDS_BYTES_PER_S

    def __init__(self, subtitle_format: SubtitleFormat, utterance: Utterance) -> None:
        self._utterance = utterance
        self._write = {"srt": srt, "vtt": vtt}[subtitle_format]
        self.media_type = {"srt": SRT_MEDIA_TYPE, "vtt": VTT_MEDIA_TYPE}[subtitle_format]

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write one part."""
        words = [word for segment in segments for word in segment.words]
        text, places = self._shown([(word.text_start, word.text_end) for word in words])
        timed = [
            (*place, word.start_s, word.end_s) for place, word in zip(places, words, strict=True)
        ]
        yield self._write(cues_of_words(timed, text)).encode()

    def _shown(self, words: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
        """Return the text without its markup, or the phonemes, and where in it words are."""
        text, kind = self._utterance.text, self._utterance.kind
        if kind == "phonemes":
            return text, words
        parts = parse(text, is_ssml=self._utterance.is_ssml, notes=Notes(text))
        return shown(parts, words)
