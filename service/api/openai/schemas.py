"""Bodies of OpenAI's speech API."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.api.openai.names import MODELS
from service.api.schemas import (
    BLEND,
    NAMED,
    SAMPLE_RATE,
    STREAMABLE_FORMATS,
    StrictModel,
    rates_of_opus,
)
from service.audio import AudioFormat, SampleRate
from service.speech.planning import MAX_SPEED, MIN_SPEED

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
"""JSON Schema for the values that can be combined."""


class VoiceReference(StrictModel):
    """A voice, as newer clients name it."""

    id: str = Field(json_schema_extra=BLEND)


class SpeechRequest(StrictModel):
    """Body of `POST /v1/audio/speech`."""

    model_config = ConfigDict(
        json_schema_extra={
            **_GO_TOGETHER,
            **rates_of_opus("response_format"),
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
        description="a model of GET /v1/models; all names stand for the same model",
        json_schema_extra={"enum": [*MODELS]},
    )
    input: str = Field(
        description="text to say", examples=["Hello there."], json_schema_extra=NAMED
    )
    voice: str | VoiceReference = Field(
        description="a voice of GET /v1/audio/voices, a blend of voices, or an OpenAI voice",
        examples=["alloy", "af_heart"],
        json_schema_extra=BLEND,
    )
    response_format: AudioFormat = Field(
        "mp3", description="audio format; all but flac and those in WAV are streamed"
    )
    sample_rate: SampleRate | None = SAMPLE_RATE
    speed: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="2.0 is twice as fast"
    )
    stream_format: Literal["audio", "sse"] = Field(
        "audio", description="audio: the file itself; sse: events with parts of it, in base64"
    )
    instructions: str | None = Field(None, description="accepted, but without effect")


class OpenAIVoice(BaseModel):
    """A voice, as web interfaces expect it."""

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
    audio: str = Field(description="the next part of the audio file, in base64")


class SpeechUsage(BaseModel):
    """Tokens of a language model; always 0 here."""

    input_tokens: Literal[0] = 0
    output_tokens: Literal[0] = 0
    total_tokens: Literal[0] = 0


class SpeechDone(BaseModel):
    """Data of the last event."""

    type: Literal["speech.audio.done"] = "speech.audio.done"
    usage: SpeechUsage = SpeechUsage()
