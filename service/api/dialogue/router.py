"""The endpoint `/dialogue`."""

from __future__ import annotations

import base64
from collections.abc import Generator, Iterable
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from pydantic_core import to_json

from service.api.dialogue.schemas import (
    DialogueAnswer,
    DialogueEvent,
    DialogueRequest,
    TurnAnswer,
    TurnWordAnswer,
)
from service.api.openapi import SPEECH_HEADERS, audio_content, error_responses, event_content
from service.api.rendering import (
    AudioInText,
    Rendering,
    StreamedAudio,
    WholeAudio,
    require_streamable,
)
from service.api.response import SpeechResponse
from service.api.schemas import DoneEvent, dropped_answers
from service.api.state import state_of
from service.api.timed_rendering import WORDS_BYTES_PER_S, AudioEvents
from service.speech import AudioSegment, Utterance, WordTime
from service.speech.dialogues import by_turn

router = APIRouter()

_SPEECH: dict[str, Any] = {
    "description": "Audio (mono), or audio with the times of turns and words",
    "headers": SPEECH_HEADERS,
    "model": DialogueAnswer,
    "content": {
        **audio_content(),
        **event_content(("audio", DialogueEvent), ("done", DoneEvent)),
    },
}


@router.post(
    "/dialogue",
    tags=["speech"],
    operation_id="dialogue",
    response_class=Response,
    responses={200: _SPEECH, **error_responses(404, 413, 415, 422, 501, 503, 504)},
)
async def say_dialogue(body: DialogueRequest, request: Request) -> Response:
    """Synthesize a dialogue: what several voices say in turns."""
    state = state_of(request)
    utterance = body.utterance()
    rendering = _rendering(body, utterance)
    synthesizer = await state.synthesizer(body.model)
    return SpeechResponse(state, utterance, body.delivery(), rendering, synthesizer=synthesizer)


def _rendering(body: DialogueRequest, utterance: Utterance) -> Rendering:
    if body.stream:
        require_streamable(body.format)
    if body.timestamps is None:
        audio = StreamedAudio if body.stream else WholeAudio
        return audio(body.format, body.sample_rate)
    timed = _StreamedTimes if body.stream else _WholeTimes
    return timed(body, utterance)


class _Times(AudioInText):
    """Audio in base64, and the times of turns and words."""

    def __init__(self, body: DialogueRequest, utterance: Utterance) -> None:
        super().__init__(body.format, body.sample_rate)
        self._body = body
        self._utterance = utterance
        self.bytes_per_s += WORDS_BYTES_PER_S

    def _words(self, words: Iterable[WordTime]) -> list[TurnWordAnswer]:
        return [
            TurnWordAnswer.in_turn(
                said, self._body.turns[said.turn].text, self._body.timestamps or "word"
            )
            for said in by_turn(words, self._utterance.turns)
        ]


class _WholeTimes(_Times):
    """A JSON object."""

    streams = False
    media_type = "application/json"

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write one part."""
        audio, words, end_s = self._encode(segments)
        said: list[list[TurnWordAnswer]] = [[] for _ in self._body.turns]
        for word in self._words(words):
            said[word.turn].append(word)
        answer = DialogueAnswer(
            audio=base64.b64encode(audio).decode(),
            format=self._format,
            sample_rate_hz=self.sample_rate_hz,
            duration_s=round(end_s, 6),
            turns=[
                TurnAnswer(
                    voice=turn.voice,
                    start_s=own[0].start_s if own else None,
                    end_s=own[-1].end_s if own else None,
                    words=own,
                )
                for turn, own in zip(self._body.turns, said, strict=True)
            ],
            dropped=dropped_answers(self.coverage, self._utterance.text),
        )
        yield to_json(answer, exclude_none=True)


class _StreamedTimes(_Times, AudioEvents):
    """Server-sent events with the words of each part."""

    def _event(self, audio: str, segment: AudioSegment, end_s: float) -> BaseModel:
        return DialogueEvent(
            audio=audio,
            start_s=round(segment.start_s, 6),
            end_s=end_s,
            words=self._words(segment.words),
        )

    def _done(self, audio: str, duration_s: float) -> BaseModel:
        dropped = dropped_answers(self.coverage, self._utterance.text)
        return DoneEvent(audio=audio, duration_s=duration_s, dropped=dropped)
