"""Renderings: how audio is written into the body of an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable

from service.api.schemas import Depth, WordAnswer
from service.audio import FORMATS, AudioFormat, encode, open_encoder, require_rate
from service.errors import UnsupportedFormatError
from service.model.kokoro import Samples
from service.speech import AudioSegment, Coverage, MarkTime, WordTime, merge_parts


class Rendering(ABC):
    """A way to write audio. Runs in a worker thread.

    Attributes:
        streams: whether each part is sent at once; otherwise the one part is the whole body.
        media_type: of the body.
        sample_rate_hz: of the audio.
        bytes_per_s: memory that a second of audio takes at most while it is written.
        coverage: what is read of the text; set before `parts` is called, complete at its end.
    """

    streams: bool
    media_type: str
    sample_rate_hz: int
    bytes_per_s: int
    coverage: Coverage

    @abstractmethod
    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write segments as parts of the body, none of them empty."""


class _AudioFile(Rendering):
    """An audio file as the body.

    Args:
        audio_format: of the file.
        sample_rate_hz: of the file; None for the format's usual one.

    Raises:
        UnsupportedFormatError: the format cannot be written here, or has no such rate.
    """

    def __init__(self, audio_format: AudioFormat, sample_rate_hz: int | None = None) -> None:
        self._format = audio_format
        self.sample_rate_hz = require_rate(audio_format, sample_rate_hz)
        self.media_type = FORMATS[audio_format].content_type(self.sample_rate_hz)
        self.bytes_per_s = FORMATS[audio_format].bytes_per_s(self.sample_rate_hz)


class WholeAudio(_AudioFile):
    """A complete audio file."""

    streams = False

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write one part."""
        samples = (segment.samples for segment in segments)
        yield encode(samples, self._format, self.sample_rate_hz)


class StreamedAudio(_AudioFile):
    """An audio file, streamed; also `wav`, with a header that does not tell its length."""

    streams = True

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write a part for each segment, and one for the end of the file."""
        with open_encoder(self._format, self.sample_rate_hz, endless_wav=True) as encoder:
            for segment in segments:
                part = encoder.encode(segment.samples)
                if part:
                    yield part
            part = encoder.finish()
            if part:
                yield part


def require_streamable(audio_format: AudioFormat) -> None:
    """Refuse to stream a format whose header has the length of the audio.

    Raises:
        UnsupportedFormatError: it is one.
    """
    if not FORMATS[audio_format].streamable:
        raise UnsupportedFormatError(
            f"{audio_format} cannot be streamed, because its header has the length of the audio; "
            "use pcm, or do not set stream"
        )


class AudioInText(Rendering):
    """An audio file in base64 within a body of text; arguments and errors are the same."""

    def __init__(self, audio_format: AudioFormat, sample_rate_hz: int | None = None) -> None:
        self._format = audio_format
        self.sample_rate_hz = require_rate(audio_format, sample_rate_hz)
        # Once alone, and once in an object.
        self.bytes_per_s = FORMATS[audio_format].bytes_per_s(self.sample_rate_hz) * 8 // 3
        self._marks: list[MarkTime] = []

    def _encode(self, segments: Iterable[AudioSegment]) -> tuple[bytes, list[WordTime], float]:
        """Return the complete audio file, its words, and the seconds of its end."""
        words: list[WordTime] = []
        end_s = 0.0

        def samples() -> Generator[Samples, None, None]:
            nonlocal end_s
            for segment in segments:
                words.extend(segment.words)
                self._marks.extend(segment.marks)
                end_s = segment.start_s + segment.duration_s
                yield segment.samples

        audio = encode(samples(), self._format, self.sample_rate_hz)
        return audio, merge_parts(words), end_s


def word_answers(words: Iterable[WordTime], text: str, depth: Depth) -> list[WordAnswer]:
    """Return words in the answer's form."""
    return [WordAnswer.of(word, text, depth) for word in words]


def server_sent_event(event: str | None, data: str) -> bytes:
    """Return an event of a stream. The data must not have line breaks."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {data}\n\n".encode()
