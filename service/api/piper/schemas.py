"""Body of piper's endpoint."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from service.api.piper_fields import PiperFields
from service.api.schemas import (
    BLEND,
    NAMED,
    SPEAKERS,
    SSML,
    SpeakersField,
    SsmlField,
    cast_of,
    text_kind,
)
from service.speech import SILENCE_S, Utterance
from service.speech.plan import MAX_SPEED, MIN_SPEED


class PiperRequest(PiperFields):
    """Body of `POST /`; other fields are ignored."""

    model_config = ConfigDict(
        extra="ignore",
        strict=True,
        json_schema_extra={
            "examples": [
                {"text": "Hello there."},
                {"text": "Good day.", "voice": "en_US-lessac-medium", "length_scale": 1.2},
            ]
        },
    )

    text: str = Field(description="text to say", examples=["Hello there."], json_schema_extra=NAMED)
    voice: str | None = Field(
        None,
        description="a voice of GET /voices, a blend of voices, or a voice of piper, for which "
        "the default voice of its language speaks",
        examples=["en_US-lessac-medium", "af_heart"],
        json_schema_extra=BLEND,
    )
    length_scale: float | None = Field(
        None,
        ge=1 / MAX_SPEED,
        le=1 / MIN_SPEED,
        allow_inf_nan=False,
        description="2.0 takes twice as long",
    )

    ssml: SsmlField | None = SSML
    speakers: SpeakersField = SPEAKERS

    def utterance(self, *, auto_ssml: bool = False) -> Utterance:
        """Return what to say.

        Args:
            auto_ssml: whether a text that opens like SSML is SSML, if the caller does not say.
        """
        return Utterance(
            self.text,
            text_kind(self.ssml, auto=auto_ssml),
            voice=self.voice,
            speed=1 / (self.length_scale or 1.0),
            silence_s=SILENCE_S,
            cast=cast_of(self.speakers),
        )
