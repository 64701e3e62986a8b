"""The endpoints of OpenAI's speech API, so that its clients work as they are."""

from __future__ import annotations

import base64
from collections.abc import Generator, Iterable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

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
    base64_bytes_per_s,
    server_sent_event,
)
from service.api.response import SpeechResponse
from service.api.synthesize.router import state_of
from service.api.synthesize.schemas import BLEND, NAMED, STREAMABLE_FORMATS, StrictModel
from service.audio import FORMATS, AudioFormat, open_encoder
from service.errors import UnknownModelError, UnsupportedFormatError
from service.model.kokoro import SAMPLE_RATE_HZ
from service.settings import nearest
from service.speech import AudioSegment, Delivery, Utterance
from service.speech.planning import MAX_SPEED, MIN_SPEED

router = APIRouter(prefix="/v1", tags=["openai"])

MODELS = ("kokoro", "gpt-4o-mini-tts", "tts-1", "tts-1-hd")
"""One model under its own name, and under those that clients send where nothing else is set."""

VOICES = {
    "alloy": "af_alloy",
    "ash": "am_michael",
    "ballad": "bm_george",
    "cedar": "am_fenrir",
    "coral": "af_bella",
    "echo": "am_echo",
    "fable": "bm_fable",
    "marin": "af_heart",
    "nova": "af_nova",
    "onyx": "am_onyx",
    "sage": "af_sarah",
    "shimmer": "af_aoede",
    "verse": "am_puck",
}
"""OpenAI's voices: the one of the same name where Kokoro has it, else one of a like timbre."""


_GO_TOGETHER: dict[str, Any] = {
    "anyOf": [
        {"title": "File", "properties": {"stream_format": {"const": "audio"}}},
        {
            "title": "Events",
            "properties": {
                "stream_format": {"const": "sse"},
                "response_format": {"enum": STREAMABLE_FORMATS},
            },
            "required": ["stream_format"],
        },
    ]
}
"""JSON Schema's words for which fields go together."""


class VoiceReference(StrictModel):
    """A voice as newer clients may name it."""

    id: str = Field(json_schema_extra=BLEND)


class SpeechRequest(StrictModel):
    """Body of `POST /v1/audio/speech`."""

    model_config = ConfigDict(
        json_schema_extra={
            **_GO_TOGETHER,
            "examples": [
                {"model": "kokoro", "voice": "alloy", "input": "Hello there."},
                {
                    "model": "tts-1",
                    "voice": {"id": "af_bella(2)+af_sky(1)"},
                    "input": "One moment.",
                    "response_format": "pcm",
                    "stream_format": "sse",
                },
            ],
        },
    )

    model: str = Field(
        description="a model of GET /v1/models; all are the same",
        json_schema_extra={"enum": [*MODELS]},
    )
    input: str = Field(
        description="what to say", examples=["Hello there."], json_schema_extra=NAMED
    )
    voice: str | VoiceReference = Field(
        description="a voice of GET /v1/audio/voices, a blend of several, or an OpenAI voice",
        examples=["alloy", "af_heart"],
        json_schema_extra=BLEND,
    )
    response_format: Literal["mp3", "opus", "aac", "flac", "wav", "pcm"] = Field(
        "mp3",
        description="mp3, opus and pcm are sent while they are made",
        json_schema_extra={"enum": [*FORMATS]},
    )
    speed: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="2.0 is twice as fast"
    )
    stream_format: Literal["audio", "sse"] = Field(
        "audio", description="the file itself, or events with parts of it in base64"
    )
    instructions: str | None = Field(None, description="accepted, and without effect")


class OpenAIVoice(BaseModel):
    """A voice, in the shape that web interfaces read."""

    id: str
    name: str
    language: str | None
    sex: str | None


class OpenAIVoices(BaseModel):
    """Answer of `GET /v1/audio/voices`."""

    voices: list[OpenAIVoice]


class OpenAIModel(BaseModel):
    """A model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 1735689600  # Kokoro v1.0 came out in January 2025
    owned_by: str = "hexgrad"


class OpenAIModels(BaseModel):
    """Answer of `GET /v1/models`."""

    object: Literal["list"] = "list"
    data: list[OpenAIModel]


class SpeechDelta(BaseModel):
    """Data of an event with audio."""

    type: Literal["speech.audio.delta"] = "speech.audio.delta"
    audio: str = Field(description="the next part of the audio file in base64")


class SpeechUsage(BaseModel):
    """Tokens are what a language model counts; there are none here."""

    input_tokens: Literal[0] = 0
    output_tokens: Literal[0] = 0
    total_tokens: Literal[0] = 0


class SpeechDone(BaseModel):
    """Data of the last event."""

    type: Literal["speech.audio.done"] = "speech.audio.done"
    usage: SpeechUsage = SpeechUsage()


class SpeechEvents(Rendering):
    """Server-sent events as OpenAI sends them: `speech.audio.delta`, then `speech.audio.done`."""

    streams = True
    media_type = "text/event-stream"

    def __init__(self, audio_format: AudioFormat) -> None:
        self._format = audio_format
        self.bytes_per_s = base64_bytes_per_s(audio_format)

    def parts(self, segments: Iterable[AudioSegment]) -> Generator[bytes, None, None]:
        """Write an event for each segment that gives bytes, and the last."""
        with open_encoder(self._format, SAMPLE_RATE_HZ) as encoder:
            for segment in segments:
                yield from _delta(encoder.encode(segment.samples))
            yield from _delta(encoder.finish())
        yield server_sent_event(None, SpeechDone().model_dump_json())


def _delta(audio: bytes) -> Generator[bytes, None, None]:
    if audio:
        delta = SpeechDelta(audio=base64.b64encode(audio).decode())
        yield server_sent_event(None, delta.model_dump_json())


_SPEECH: dict[str, Any] = {
    "description": "Speech: int16, mono, 24 kHz",
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
    """Turn text into speech, as OpenAI's endpoint of the same path does."""
    if body.model not in MODELS:
        raise UnknownModelError(f"no model {body.model!r}; there are {', '.join(MODELS)}")
    if body.response_format == "aac":
        raise UnsupportedFormatError(f"aac is not offered; there are {', '.join(FORMATS)}")
    voice = body.voice if isinstance(body.voice, str) else body.voice.id
    rendering = _rendering(body, body.response_format)
    utterance = Utterance(body.input, voice=VOICES.get(voice, voice), speed=body.speed)
    delivery = Delivery(streamed=rendering.streams)
    return SpeechResponse(state_of(request), utterance, delivery, rendering)


def _rendering(body: SpeechRequest, audio_format: AudioFormat) -> Rendering:
    if body.stream_format == "sse":
        if not FORMATS[audio_format].streamable:
            raise UnsupportedFormatError(
                f"{audio_format} tells its length at its head, so it cannot be sent as events"
            )
        return SpeechEvents(audio_format)
    # Nobody asked for a stream in so many words, and some decoders refuse FLAC of open length.
    whole = audio_format in ("wav", "flac")
    return WholeAudio(audio_format) if whole else StreamedAudio(audio_format)


@router.get("/models", operation_id="list_models")
async def models() -> OpenAIModels:
    """List the names under which there is a model."""
    return OpenAIModels(data=[OpenAIModel(id=name) for name in MODELS])


@router.get("/models/{model}", operation_id="retrieve_model", responses=error_responses(404))
async def model(
    model: Annotated[str, Path(examples=[MODELS[0]], json_schema_extra={"enum": [*MODELS]})],
) -> OpenAIModel:
    """Describe one of the models."""
    if model not in MODELS:
        raise UnknownModelError(f"no model {model!r}{nearest(model, MODELS)}")
    return OpenAIModel(id=model)


@router.get("/audio/voices", operation_id="list_openai_voices", responses=error_responses(503))
async def voices(request: Request) -> OpenAIVoices:
    """List the voices, OpenAI's names last."""
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
