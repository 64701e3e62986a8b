"""Renderings: how audio is written into the body of an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from typing import ClassVar, Literal

from service.api.schemas import WordAnswer
from service.audio import FORMATS, AudioFormat, encode, open_encoder
from service.model.kokoro import SAMPLE_RATE_HZ
from service.speech import AudioSegment

TimestampDepth = Literal["word", "phoneme"]


class Rendering(ABC):
    """A way to write audio. Runs in a worker thread.

    Attributes:
        streams: whether each part is sent at once; otherwise the one part is the whole body.
        media_type: of the body.
        bytes_per_s: memory that a second of audio takes at most while it is written.
    """

    streams: ClassVar[bool]
    media_type: str
    bytes_per_s: int

    @abstractmethod
    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write segments as parts of the body, none of them empty."""


class WholeAudio(Rendering):
    """A complete audio file."""

    streams = False

    def __init__(self, audio_format: AudioFormat) -> None:
        self._format = audio_format
        self.media_type = FORMATS[audio_format].media_type
        self.bytes_per_s = FORMATS[audio_format].bytes_per_s

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write one part."""
        yield encode((segment.samples for segment in segments), self._format, SAMPLE_RATE_HZ)


class StreamedAudio(Rendering):
    """An audio file, streamed."""

    streams = True

    def __init__(self, audio_format: AudioFormat) -> None:
        self._format = audio_format
        self.media_type = FORMATS[audio_format].media_type
        self.bytes_per_s = FORMATS[audio_format].bytes_per_s

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write a part for each segment, and one for the end of the file."""
        with open_encoder(self._format, SAMPLE_RATE_HZ) as encoder:
            for segment in segments:
                part = encoder.encode(segment.samples)
                if part:
                    yield part
            part = encoder.finish()
            if part:
                yield part


def base64_bytes_per_s(audio_format: AudioFormat) -> int:
    """Return the memory of a second of audio in base64: once alone, and once in an object."""
    return FORMATS[audio_format].bytes_per_s * 8 // 3


def word_answers(segment: AudioSegment, text: str, depth: TimestampDepth) -> list[WordAnswer]:
    """Return the words of a segment in the answer's form."""
    return [WordAnswer.of(word, text, phonemes=depth == "phoneme") for word in segment.words]


def server_sent_event(event: str | None, data: str) -> bytes:
    """Return an event of a stream. The data must not have line breaks."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {data}\n\n".encode()
