"""Audio with word times as Kokoro-FastAPI's clients read them."""

from __future__ import annotations

from pydantic import BaseModel

from service.api.openai.schemas import CaptionedAnswer, CaptionedWord
from service.api.schemas import WordAnswer
from service.api.timed_rendering import TimedAudio
from service.audio import FORMATS


class CaptionedAudio(TimedAudio):
    """A JSON object with the audio file in base64, and word times, under Kokoro-FastAPI's names."""

    def _answer(self, audio: str, words: list[WordAnswer], duration_s: float) -> BaseModel:
        return CaptionedAnswer(
            audio=audio,
            audio_format=FORMATS[self._format].media_type,
            timestamps=[
                CaptionedWord(word=word.text, start_time=word.start_s, end_time=word.end_s)
                for word in words
            ],
        )
