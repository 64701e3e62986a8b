"""Messages of the WebSocket `/synthesize/stream`, in both directions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from service.api.error_answers import explain
from service.api.schemas import ErrorDetail, StrictModel, WordAnswer
from service.errors import InvalidRequestError
from service.speech.planning import MAX_SPEED, MIN_SPEED


class Config(StrictModel):
    """How the text that follows is spoken; text from before is spoken as it was sent.

    A field that is left out has its default again.
    """

    type: Literal["config"]
    voice: str | None = None
    speed: float = Field(1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False)
    language: str | None = None
    timestamps: Literal["word", "phoneme"] = "word"
    normalize: bool = True


class Text(StrictModel):
    """The next part of the text, such as a few letters of a language model's answer."""

    type: Literal["text"]
    text: str


class Flush(StrictModel):
    """No more text is coming for now: speak what is there. Answered by `flushed` behind it."""

    type: Literal["flush"]


class Cancel(StrictModel):
    """Stop speaking and forget the text that was not spoken. Answered by `cancelled`.

    Taken after `end` too. What waits to be answered (`flush`, `config`, `end`) still is.
    """

    type: Literal["cancel"]


class End(StrictModel):
    """Speak what is there, and close. Answered by `done`."""

    type: Literal["end"]


FromClient = Config | Text | Flush | Cancel | End

_FROM_CLIENT: TypeAdapter[FromClient] = TypeAdapter(
    Annotated[FromClient, Field(discriminator="type")]
)


def from_client(text: str | None) -> FromClient:
    """Read a message.

    Args:
        text: of a text frame; None of a binary one.

    Raises:
        InvalidRequestError: it is none of the messages.
    """
    if text is None:
        raise InvalidRequestError("messages are JSON in text frames; binary frames are for audio")
    try:
        return _FROM_CLIENT.validate_json(text)
    except ValidationError as error:
        raise InvalidRequestError(explain(error.errors(), whole="the message")) from None


class Ready(BaseModel):
    """Sent first, and for each `config` in its turn: how the text after it is spoken."""

    type: Literal["ready"] = "ready"
    request_id: str
    voice: str
    language: str | None
    speed: float
    sample_rate_hz: int
    format: Literal["pcm_s16le"] = "pcm_s16le"


class Audio(BaseModel):
    """Goes before the binary frames of a segment of speech, which hold `n_bytes` together.

    The spans of all segments are the text, in order, without what was skipped or refused.
    """

    type: Literal["audio"] = "audio"
    text_start: int = Field(description="in all the text that was sent, in Unicode code points")
    text_end: int
    start_s: float = Field(description="in all the audio that was sent")
    end_s: float
    n_bytes: int
    words: list[WordAnswer]

    def after(self, seconds: float) -> Audio:
        """Return the same behind so many seconds of audio."""
        return self.model_copy(
            update={
                "start_s": round(self.start_s + seconds, 6),
                "end_s": round(self.end_s + seconds, 6),
                "words": [word.moved(0, seconds) for word in self.words],
            }
        )


class Skipped(BaseModel):
    """A clause that nothing can be said of, such as a lone dash."""

    type: Literal["skipped"] = "skipped"
    text_start: int
    text_end: int
    reason: str


class Flushed(BaseModel):
    """All text from before the `flush` was spoken, skipped or cancelled."""

    type: Literal["flushed"] = "flushed"
    text_end: int


class Cancelled(BaseModel):
    """No audio of text from before the `cancel` comes after this."""

    type: Literal["cancelled"] = "cancelled"
    text_end: int = Field(description="where the text of the next message will start")


class Done(BaseModel):
    """All was spoken; the connection closes."""

    type: Literal["done"] = "done"
    text_end: int
    duration_s: float = Field(default=0.0, description="of all the audio that was sent")

    def after(self, seconds: float) -> Done:
        """Return the same behind so many seconds of audio."""
        return self.model_copy(update={"duration_s": round(seconds, 6)})


class Error(BaseModel):
    """Something could not be done; with the span of the text, where it is about text."""

    type: Literal["error"] = "error"
    error: ErrorDetail
    text_start: int | None = None
    text_end: int | None = None


FromServer = Ready | Audio | Skipped | Flushed | Cancelled | Done | Error
