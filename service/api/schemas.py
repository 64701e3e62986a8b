"""Bodies of requests and answers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from service.audio import AudioFormat
from service.speech import Utterance, Voice
from service.speech.synthesizer import MAX_SPEED, MIN_SPEED


class SynthesisRequest(BaseModel):
    """Body of `POST /synthesize`; exactly one of `text` and `phonemes`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str | None = Field(None, description="what to say", examples=["Hello from Kokoro."])
    phonemes: str | None = Field(
        None, description="what to say, in the symbols of the model", examples=["həlˈO"]
    )
    voice: str | None = Field(
        None,
        description="a voice of GET /voices, or a blend of several",
        examples=["af_heart", "af_bella(2)+af_sky(1)"],
    )
    speed: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="2.0 is twice as fast"
    )
    language: str | None = Field(
        None, description="code of the text's language; the voice's own by default"
    )
    format: AudioFormat = Field("wav", description="wav, or pcm: the same samples without header")

    def utterance(self) -> Utterance:
        """Return what is to be said."""
        return Utterance(self.text, self.phonemes, self.voice, self.speed, self.language)


class VoiceAnswer(BaseModel):
    """One voice in the answer of `GET /voices`."""

    name: str
    language: str | None
    sex: str | None
    licence: str | None

    @classmethod
    def of(cls, voice: Voice) -> VoiceAnswer:
        """Return what callers are told of a voice."""
        return cls(name=voice.name, language=voice.language, sex=voice.sex, licence=voice.licence)


class VoicesAnswer(BaseModel):
    """Answer of `GET /voices`."""

    default: str
    voices: list[VoiceAnswer]


class HealthAnswer(BaseModel):
    """Answer of `GET /health`."""

    status: Literal["alive"] = "alive"


class ModelAnswer(BaseModel):
    """The model in use."""

    name: str
    sha256: str
    gives_durations: bool


class ReadyAnswer(BaseModel):
    """Answer of `GET /ready` with status 200."""

    status: Literal["ready"] = "ready"
    version: str
    provider: Literal["cpu", "cuda"]
    onnxruntime: str
    model: ModelAnswer
    self_test_s: float


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str
    message: str
    request_id: str


class ErrorAnswer(BaseModel):
    """The one shape of every error."""

    error: ErrorDetail
