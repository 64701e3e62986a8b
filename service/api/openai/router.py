"""The endpoints of OpenAI's speech API, for its clients."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from service.api.openai.events import SpeechEvents
from service.api.openai.names import MODELS, VOICES
from service.api.openai.schemas import (
    OpenAIModel,
    OpenAIModels,
    OpenAIVoice,
    OpenAIVoices,
    SpeechDelta,
    SpeechDone,
    SpeechRequest,
)
from service.api.openapi import (
    SPEECH_HEADERS,
    audio_content,
    error_responses,
    event_content,
)
from service.api.rendering import (
    Rendering,
    StreamedAudio,
    WholeAudio,
)
from service.api.response import SpeechResponse
from service.api.state import state_of
from service.audio import FORMATS
from service.errors import UnknownModelError, UnsupportedFormatError
from service.settings import nearest
from service.speech import Delivery, Utterance

router = APIRouter(prefix="/v1", tags=["openai"])

_SPEECH: dict[str, Any] = {
    "description": "Audio, mono",
    "headers": SPEECH_HEADERS,
    "content": {
        **audio_content(),
        **event_content(("message", SpeechDelta), ("message", SpeechDone)),
    },
}


@router.post(
    "/audio/speech",
    operation_id="create_speech",
    response_class=Response,
    responses={200: _SPEECH, **error_responses(404, 413, 415, 422, 503, 504)},
)
async def speech(body: SpeechRequest, request: Request) -> Response:
    """Synthesize speech, as OpenAI's endpoint does."""
    if body.model not in MODELS:
        raise UnknownModelError(f"no model {body.model!r}; known: {', '.join(MODELS)}")
    voice = body.voice if isinstance(body.voice, str) else body.voice.id
    rendering = _rendering(body)
    utterance = Utterance(body.input, voice=VOICES.get(voice, voice), speed=body.speed)
    delivery = Delivery(streamed=rendering.streams)
    return SpeechResponse(state_of(request), utterance, delivery, rendering)


def _rendering(body: SpeechRequest) -> Rendering:
    audio_format = body.response_format
    if body.stream_format == "sse":
        if not FORMATS[audio_format].streamable:
            raise UnsupportedFormatError(
                f"{audio_format} cannot be sent as events, because its header has the length of "
                "the audio"
            )
        return SpeechEvents(audio_format, body.sample_rate)
    # The request does not ask for a stream, and some decoders refuse FLAC of unknown length.
    is_whole = audio_format == "flac" or not FORMATS[audio_format].streamable
    return (WholeAudio if is_whole else StreamedAudio)(audio_format, body.sample_rate)


@router.get("/models", operation_id="list_models")
async def models() -> OpenAIModels:
    """List the model names."""
    return OpenAIModels(data=[OpenAIModel(id=name) for name in MODELS])


@router.get("/models/{model}", operation_id="retrieve_model", responses=error_responses(404))
async def model(
    model: Annotated[str, Path(examples=[MODELS[0]], json_schema_extra={"enum": [*MODELS]})],
) -> OpenAIModel:
    """Describe a model."""
    if model not in MODELS:
        raise UnknownModelError(f"no model {model!r}{nearest(model, MODELS)}")
    return OpenAIModel(id=model)


@router.get("/audio/voices", operation_id="list_openai_voices", responses=error_responses(503))
async def voices(request: Request) -> OpenAIVoices:
    """List the voices; OpenAI's names come last."""
    synthesizer = state_of(request).require().synthesizer
    own = [
        OpenAIVoice(id=voice.name, name=voice.name, language=voice.language, sex=voice.sex)
        for voice in synthesizer.planner.voices.voices
    ]
    by_name = {voice.id: voice for voice in own}
    mapped = [
        OpenAIVoice(id=name, name=name, language=voice.language, sex=voice.sex)
        for name, voice in ((n, by_name[v]) for n, v in VOICES.items() if v in by_name)
    ]
    return OpenAIVoices(voices=own + mapped)
