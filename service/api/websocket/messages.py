"""Messages of the WebSocket `/synthesize/stream`, in both directions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from service.api.backlog import SampleFormat
from service.api.error_answers import explain
from service.api.lexicon_field import LexiconField
from service.api.normalize_field import NORMALIZE, NormalizeField
from service.api.schemas import (
    BY_ANY_NAME,
    MARKS,
    SPEAKERS,
    VOLUME,
    ErrorDetail,
    IgnoredAnswer,
    MarkAnswer,
    SpanAnswer,
    SpeakersField,
    SsmlField,
    StrictModel,
    TimestampDepth,
    WordAnswer,
)
from service.audio import SampleRate
from service.errors import InvalidRequestError
from service.speech.plan import MAX_SPEED, MIN_SPEED


class Config(StrictModel):
    """Set how the text after this message is spoken. Earlier text keeps its settings.

    A field that is left out gets its default.
    """

    type: Literal["config"]
    voice: str | None = None
    speed: float = Field(1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False)
    language: str | None = None
    timestamps: TimestampDepth = "word"
    normalize: NormalizeField = NORMALIZE
    format: Annotated[SampleFormat, BY_ANY_NAME] = "pcm"
    sample_rate: SampleRate | None = None
    volume: float = VOLUME
    lexicon: LexiconField = None
    speakers: SpeakersField = SPEAKERS
    ssml: SsmlField = Field(
        False,
        description="each text message is a whole SSML document; auto for documents among other "
        "text, in messages however they are cut",
    )


class Text(StrictModel):
    """The next part of the text, such as a few letters of a language model's answer."""

    type: Literal["text"]
    text: str


class Flush(StrictModel):
    """Speak the text so far, although its last clause may be incomplete. Answered by `flushed`."""

    type: Literal["flush"]


class Cancel(StrictModel):
    """Stop speaking and drop the text that was not spoken. Answered by `cancelled`.

    It may come after `end`. A `flush`, `config` or `end` that has no answer yet still gets one.
    """

    type: Literal["cancel"]


class End(StrictModel):
    """Speak the text so far, then close. Answered by `done`."""

    type: Literal["end"]


FromClient = Config | Text | Flush | Cancel | End

_FROM_CLIENT: TypeAdapter[FromClient] = TypeAdapter(
    Annotated[FromClient, Field(discriminator="type")]
)


def from_client(text: str | None) -> FromClient:
    """Read a message.

    Args:
        text: of a text frame; None for a binary frame.

    Raises:
        InvalidRequestError: it is not one of the messages.
        InvalidLexiconError: its lexicon cannot be used.
    """
    if text is None:
        raise InvalidRequestError(
            "messages are JSON in text frames; only the service sends binary frames"
        )
    try:
        return _FROM_CLIENT.validate_json(text)
    except ValidationError as error:
        raise InvalidRequestError(explain(error.errors(), whole="the message")) from None


class Ready(BaseModel):
    """The settings of the text after it: sent first, and in answer to each `config`."""

    type: Literal["ready"] = "ready"
    request_id: str
    voice: str
    language: str | None
    speed: float
    sample_rate_hz: int
    format: Literal["pcm_s16le", "mulaw", "alaw"]


class Audio(BaseModel):
    """Announces a segment of speech, whose `n_bytes` follow in binary frames.

    The spans of all segments, in order, make up the text, except what was skipped or refused.
    """

    type: Literal["audio"] = "audio"
    text_start: int = Field(description="offset in all text received, in Unicode code points")
    text_end: int
    start_s: float = Field(description="seconds from the start of all audio sent")
    end_s: float
    n_bytes: int
    words: list[WordAnswer]
    dropped: list[SpanAnswer] | None = Field(
        None,
        description="what is not said of a clause, with its first segment; left out if all is said",
    )
    marks: list[MarkAnswer] | None = MARKS
    ignored: list[IgnoredAnswer] | None = Field(
        None, description="markup that is ignored, with the first segment of a document"
    )

    def after(self, seconds: float) -> Audio:
        """Return the same message, so many seconds later."""
        return self.model_copy(
            update={
                "start_s": round(self.start_s + seconds, 6),
                "end_s": round(self.end_s + seconds, 6),
                "words": [word.moved(0, seconds) for word in self.words],
                "marks": self.marks and [mark.moved(0, seconds) for mark in self.marks],
            }
        )


class Skipped(BaseModel):
    """A clause that has nothing to pronounce, such as a lone dash."""

    type: Literal["skipped"] = "skipped"
    text_start: int
    text_end: int
    reason: str


class Flushed(BaseModel):
    """All text before the `flush` was spoken, skipped or cancelled."""

    type: Literal["flushed"] = "flushed"
    text_end: int


class Cancelled(BaseModel):
    """The text before the `cancel` is dropped; no more of its audio follows."""

    type: Literal["cancelled"] = "cancelled"
    text_end: int = Field(description="offset at which the next text will start")


class Done(BaseModel):
    """All text was spoken; the connection closes."""

    type: Literal["done"] = "done"
    text_end: int
    duration_s: float = Field(default=0.0, description="seconds of all audio sent")

    def after(self, seconds: float) -> Done:
        """Return the same message, so many seconds later."""
        return self.model_copy(update={"duration_s": round(seconds, 6)})


class Error(BaseModel):
    """A message or a clause failed; a clause has its span."""

    type: Literal["error"] = "error"
    error: ErrorDetail
    text_start: int | None = None
    text_end: int | None = None


FromServer = Ready | Audio | Skipped | Flushed | Cancelled | Done | Error
