"""What clients ask for in Wyoming's events.

Fields that are unknown are ignored, as the protocol wants; so is a voice's speaker, since the
voices have one each.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from wyoming.event import Event

from service.api.error_answers import explain
from service.api.schemas import SPEAKERS, SpeakersField
from service.errors import InvalidRequestError

T = TypeVar("T", bound=BaseModel)


def _check_encodable(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("there is a lone surrogate")
    return text


Text = Annotated[str, AfterValidator(_check_encodable)]


class _Data(BaseModel):
    # What a client writes as a number is not a text.
    model_config = ConfigDict(strict=True)


class VoiceChoice(_Data):
    """A voice by its name, or any voice of a language."""

    name: Text | None = None
    language: Text | None = None


class SynthesisStart(_Data):
    """How a text is spoken, before its first part."""

    voice: VoiceChoice | None = None
    text_format: Literal["text", "ssml"] | None = None
    speakers: SpeakersField = SPEAKERS


class TextPart(_Data):
    """A part of a text."""

    text: Text


class SynthesisRequest(SynthesisStart, TextPart):
    """A whole text."""


class PingRequest(_Data):
    """What the pong returns."""

    text: Text | None = None


def read(kind: type[T], event: Event) -> T:
    """Return the data of an event.

    Raises:
        InvalidRequestError: a field is missing, or of the wrong type.
    """
    try:
        return kind.model_validate(event.data)
    except ValidationError as error:
        reason = explain(error.errors(), whole="the data")
        raise InvalidRequestError(f"{event.type}: {reason}") from None
