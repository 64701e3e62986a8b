"""Answers about the service: what there is, and how it does."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from service.speech import Voice


class LanguageAnswer(BaseModel):
    """A language of the voices."""

    code: str
    name: str
    available: bool = Field(description="whether text in it can be read here")
    reader: str = Field(description="what turns its text into phonemes")
    extra: str | None = Field(description="extra of kokoro-service that it needs, if any")
    voices: int = Field(description="how many voices speak it")


class LanguagesAnswer(BaseModel):
    """Answer of `GET /languages`."""

    languages: list[LanguageAnswer]


class VoiceAnswer(BaseModel):
    """A voice."""

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
    prepared: Literal["native", "stock", "float32", "float16"] | None = Field(
        description="the operators it was rewritten for; null where it runs as published"
    )
    kernels: str | None = Field(description="the processor's instructions that native ones use")


class ReadyAnswer(BaseModel):
    """Answer of `GET /ready` with status 200."""

    status: Literal["ready"] = "ready"
    version: str
    provider: Literal["cpu", "cuda", "tensorrt"]
    onnxruntime: str
    model: ModelAnswer
    self_test_s: float
