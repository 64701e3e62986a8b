"""Bodies of the answers about the service and its state."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from service.speech import Voice


class LanguageAnswer(BaseModel):
    """A language of the voices."""

    code: str
    name: str
    available: bool = Field(description="whether its G2P is installed")
    reader: str = Field(description="its G2P")
    extra: str | None = Field(description="the extra of kokoro-service that its G2P needs, if any")
    voices: int = Field(description="number of its voices")


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
        """Return the answer's form of a voice."""
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
        description="variant of the prepared model; null if it runs as published"
    )
    kernels: str | None = Field(
        description="CPU instruction set of the native operators, if it uses them"
    )


class ReadyAnswer(BaseModel):
    """Answer of `GET /ready` with status 200."""

    status: Literal["ready", "idle"] = Field(
        description="idle while the model is unloaded, until the next request"
    )
    version: str
    provider: Literal["cpu", "cuda", "tensorrt"]
    onnxruntime: str
    workers: int = Field(description="chunks that are computed at the same time")
    threads: int = Field(description="threads of each worker")
    model: ModelAnswer
    self_test_s: float
    jobs: bool = Field(description="whether documents may be sent to /jobs")
