"""Audio with word times as Kokoro-FastAPI's clients read them."""

from __future__ import annotations

import base64
from collections.abc import Generator, Iterable

from pydantic import BaseModel

from service.api.openai.schemas import CaptionedAnswer, CaptionedWord
from service.api.rendering import AudioInText, word_answers
from service.api.schemas import WordAnswer
from service.api.timed_rendering import WORDS_BYTES_PER_S, TimedAudio
from service.audio import FORMATS, AudioFormat, open_encoder
from service.speech import AudioSegment, WordTime


class CaptionedAudio(TimedAudio):
    """A JSON object with the audio file in base64, and word times, under Kokoro-FastAPI's names."""

    def _answer(self, audio: str, words: list[WordAnswer], duration_s: float) -> BaseModel:
        return CaptionedAnswer(
            audio=audio,
            audio_format=FORMATS[self._format].media_type,
            timestamps=list(map(_captioned, words)),
        )


LINES_MEDIA_TYPE = "application/x-ndjson"


class StreamedCaptions(AudioInText):
    """Lines of JSON, each with the next part of the audio file and the words that begin in it.

    Args:
        audio_format: of the audio; `wav` has a header that does not tell its length.
        sample_rate_hz: of the audio; None for the format's usual one.
        text: that the words are parts of.
        is_timed: whether the words are told.
    """

    streams = True
    media_type = LINES_MEDIA_TYPE

    def __init__(
        self, audio_format: AudioFormat, sample_rate_hz: int | None, text: str, *, is_timed: bool
    ) -> None:
        super().__init__(audio_format, sample_rate_hz)
        self._text = text
        self._is_timed = is_timed
        self.bytes_per_s += WORDS_BYTES_PER_S if is_timed else 0

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write a line for each segment, and one for the end of the file."""
        with open_encoder(self._format, self.sample_rate_hz, endless_wav=True) as encoder:
            for segment in segments:
                yield self._line(encoder.encode(segment.samples), segment.words)
            tail = encoder.finish()
            if tail:
                yield self._line(tail, ())

    def _line(self, audio: bytes, words: Iterable[WordTime]) -> bytes:
        answered = word_answers(words, self._text, "word") if self._is_timed else []
        answer = CaptionedAnswer(
            audio=base64.b64encode(audio).decode(),
            audio_format=FORMATS[self._format].media_type,
            timestamps=list(map(_captioned, answered)),
        )
        return answer.model_dump_json(exclude_none=True).encode() + b"\n"


def _captioned(word: WordAnswer) -> CaptionedWord:
    return CaptionedWord(
        word=word.text, start_time=word.start_s, end_time=word.end_s, voice=word.voice
    )
