"""The endpoints `/synthesize` and `/phonemize`."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic_core import to_json

from service.api.openapi import (
    SPEECH_HEADERS,
    TEXT,
    audio_content,
    error_responses,
    event_content,
)
from service.api.piper_fields import with_own_voice
from service.api.rendering import (
    Rendering,
    StreamedAudio,
    WholeAudio,
    require_streamable,
)
from service.api.response import SpeechResponse
from service.api.schemas import AudioEvent, DoneEvent, TimedAnswer
from service.api.state import state_of
from service.api.synthesize.schemas import PhonemizeAnswer, PhonemizeRequest, SynthesisRequest
from service.api.timed_rendering import StreamedTimedAudio, Subtitles, TimedAudio
from service.audio import SRT_MEDIA_TYPE, VTT_MEDIA_TYPE
from service.errors import InvalidRequestError
from service.speech import Utterance

router = APIRouter()

_PHONEMIZE_BYTES = 800
"""Memory of a character in words while it is phonemized: measured up to 770, in English and in
letters of other scripts."""

_SPEECH: dict[str, Any] = {
    "description": "Audio (mono), audio with word times, or subtitles",
    "headers": SPEECH_HEADERS,
    "model": TimedAnswer,
    "content": {
        **audio_content(),
        **event_content(("audio", AudioEvent), ("done", DoneEvent)),
        SRT_MEDIA_TYPE: TEXT,
        VTT_MEDIA_TYPE: TEXT,
    },
}


@router.post(
    "/synthesize",
    tags=["speech"],
    operation_id="synthesize",
    response_class=Response,
    responses={200: _SPEECH, **error_responses(404, 413, 415, 422, 501, 503, 504)},
)
async def synthesize(body: SynthesisRequest, request: Request) -> Response:
    """Synthesize speech from text or phonemes."""
    state = state_of(request)
    said = body.utterance(auto_ssml="synthesize" in state.settings.auto_ssml)
    rendering = _rendering(body, said)
    utterance = with_own_voice(said, state.default_voice)
    synthesizer = await state.synthesizer(body.model)
    return SpeechResponse(state, utterance, body.delivery(), rendering, synthesizer=synthesizer)


def _rendering(body: SynthesisRequest, utterance: Utterance) -> Rendering:
    if body.format == "srt" or body.format == "vtt":
        if body.stream or body.timestamps:
            raise InvalidRequestError(f"{body.format} cannot be combined with stream or timestamps")
        return Subtitles(body.format, utterance)
    if body.stream:
        require_streamable(body.format)
    if body.timestamps is None:
        audio = StreamedAudio if body.stream else WholeAudio
        return audio(body.format, body.sample_rate)
    timed = StreamedTimedAudio if body.stream else TimedAudio
    return timed(body.format, body.sample_rate, body.spoken, body.timestamps)


@router.post(
    "/phonemize",
    tags=["speech"],
    operation_id="phonemize",
    response_model=PhonemizeAnswer,
    responses=error_responses(404, 413, 415, 422, 503),
)
async def phonemize(body: PhonemizeRequest, request: Request) -> Response:
    """Convert text to phonemes, as `/synthesize` would, without synthesizing it."""
    state = state_of(request)
    planner = (await state.synthesizer(body.model)).planner
    said = body.utterance(auto_ssml="synthesize" in state.settings.auto_ssml)
    utterance = state.callers.adapt(said)

    held_bytes = len(body.text) * _PHONEMIZE_BYTES

    def answer() -> bytes:  # in a thread: for a long text it would block the event loop
        nonlocal held_bytes
        preview = planner.preview(utterance, body.chunking, explained=body.explain)
        held_bytes = max(held_bytes, len(preview.normalized) * _PHONEMIZE_BYTES)
        answer = PhonemizeAnswer.of(preview, body.text, explained=body.explain)
        return to_json(answer.model_dump(exclude=None if body.explain else {"decisions"}))

    with state.admission.request(lambda: held_bytes):
        content = await asyncio.get_running_loop().run_in_executor(state.executor, answer)
    return Response(content, media_type="application/json")
