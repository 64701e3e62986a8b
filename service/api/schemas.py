"""Parts of bodies that several doors share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from service.audio import FORMATS, AudioFormat, SampleRate, format_name
from service.audio.formats import OPUS_RATES_HZ
from service.speech import Coverage, MarkTime, Speaker, TextKind, WordTime, gain_of
from service.speech.plan import MAX_SPEED, MIN_SPEED
from service.speech.utterance import (
    MAX_LOUDNESS_LUFS,
    MAX_VOLUME_DB,
    MIN_LOUDNESS_LUFS,
    MIN_VOLUME_DB,
)
from service.speech.visemes import VisemeTime, visemes
from service.speech.voices import MAX_BLEND_LENGTH
from service.text import Ignored, encodable


def _canonical(name: object) -> object:
    return format_name(name) if isinstance(name, str) else name


BY_ANY_NAME = BeforeValidator(_canonical)
"""Takes formats by every name that they have; the document has one for each."""

STREAMABLE_FORMATS = [name for name, form in FORMATS.items() if form.streamable]

SsmlField = bool | Literal["strict", "auto"]

Depth = Literal["word", "phoneme", "viseme"]
"""What has times: words alone, or what they are made of as well."""


def _in_singular(name: object) -> object:
    plurals = [f"{one}s" for one in get_args(Depth)]
    return name[:-1] if isinstance(name, str) and name in plurals else name


TimestampDepth = Annotated[Depth, BeforeValidator(_in_singular)]
"""The same as a field, which takes plurals too; the document has one name for each."""

NAMED: dict[str, Any] = {"minLength": 1}
"""For OpenAPI only: an empty one is refused with its own error code, not `invalid_request`."""

BLEND: dict[str, Any] = {**NAMED, "maxLength": MAX_BLEND_LENGTH}

SAMPLE_RATE: Any = Field(
    None,
    description="samples of the audio in a second; default: 8000 for mulaw, alaw, wav_mulaw and "
    "wav_alaw, else 24000",
)


VOLUME: Any = Field(
    0.0,
    ge=MIN_VOLUME_DB,
    le=MAX_VOLUME_DB,
    allow_inf_nan=False,
    description="gain in decibels; 6 is twice the amplitude; peaks that get too loud are limited",
)


LOUDNESS: Any = Field(
    None,
    ge=MIN_LOUDNESS_LUFS,
    le=MAX_LOUDNESS_LUFS,
    allow_inf_nan=False,
    description="integrated loudness of the whole answer in LUFS, instead of volume; -16 is usual "
    "for podcasts, -23 for broadcasts; not with stream",
)


SSML: Any = Field(
    None,
    description="the text is SSML: true to ignore what cannot be done of it, strict to refuse it, "
    "auto if it opens like SSML; docs/markup.md lists the elements; default: false, or auto on the "
    "doors of the setting auto_ssml",
    examples=["auto"],
)


def text_kind(ssml: SsmlField | None, *, auto: bool) -> TextKind:
    """Return what a text is.

    Args:
        ssml: what the caller says; None for nothing.
        auto: what is taken then: whether a text that opens like SSML is SSML.
    """
    if ssml is None:
        return "auto" if auto else "text"
    if isinstance(ssml, str):
        return "strict_ssml" if ssml == "strict" else "auto"
    return "ssml" if ssml else "text"


NORMALIZE_LOUDNESS: Any = Field(
    False,
    description="bring the voices to the same loudness, whichever speak; for text, not phonemes",
)


def rates_of_opus(field: str) -> dict[str, Any]:
    """Return the JSON Schema for the sample rates that Opus has; `field` names the format."""
    others = [rate for rate in get_args(SampleRate) if rate not in OPUS_RATES_HZ]
    names = {field: {"const": "opus"}, "sample_rate": {"enum": others}}
    return {"not": {"properties": names, "required": [*names]}}


_MOST_FIELDS = 64
"""More than any body has."""


_HALF = re.compile(
    r"(\\[^u]|\\u(?![dD][89a-fA-F])|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def without_halves(message: str) -> str:
    """Return JSON with the replacement character in place of each lone surrogate.

    Some programs cut a text inside a pair, and pydantic takes no such string.
    """
    return _HALF.sub(lambda match: match[1] or "\\ufffd", message)


class StrictModel(BaseModel):
    """Base of request bodies: no other fields, and no conversion of types."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, data: object) -> object:
        # pydantic writes an error for each unknown field. Ten thousand of them would block the
        # event loop for a tenth of a second.
        if isinstance(data, dict) and len(data) > _MOST_FIELDS:
            raise PydanticCustomError(
                "too_many_fields", "{count} fields are too many; the fields are {known}",
                {"count": len(data), "known": ", ".join(cls.model_fields)},
            )  # fmt: skip
        return data


class SpeakerFields(StrictModel):
    """A speaker: a voice, and how it speaks."""

    voice: str = Field(
        description="a voice of GET /voices, or a blend of voices", json_schema_extra=BLEND
    )
    speed: float = Field(
        1.0,
        ge=MIN_SPEED,
        le=MAX_SPEED,
        allow_inf_nan=False,
        description="factor on the speed of the text",
    )
    gain_db: float = Field(
        0.0,
        ge=MIN_VOLUME_DB,
        le=MAX_VOLUME_DB,
        allow_inf_nan=False,
        description="gain in decibels",
    )

    def speaker(self) -> Speaker:
        """Return the speaker."""
        return Speaker(self.voice, self.speed, gain_of(self.gain_db))


SpeakerName = Annotated[str, Field(min_length=1, max_length=64)]

SpeakersField = Annotated[
    dict[SpeakerName, Annotated[str, Field(json_schema_extra=BLEND)] | SpeakerFields],
    Field(max_length=100),
]

SPEAKERS: Any = Field(
    default_factory=dict,
    description="voices, blends or speakers by the names that tags in the text, SSML and turns may "
    "give",
    examples=[{"anna": "bf_emma", "ben": {"voice": "am_adam", "speed": 0.9, "gain_db": -2.0}}],
)


MODEL: Any = Field(
    None,
    description="a model of GET /v1/models that was added, by its name; default: the server's own",
    examples=["kokoro"],
    json_schema_extra=NAMED,
)


def cast_of(speakers: SpeakersField) -> dict[str, str | Speaker]:
    """Return the speakers of a request by their names."""
    return {
        name: speaker if isinstance(speaker, str) else speaker.speaker()
        for name, speaker in speakers.items()
    }


class SpanAnswer(BaseModel):
    """A part of the request's text."""

    text: str
    text_start: int = Field(
        description="offset of its first character in the text, in Unicode code points"
    )
    text_end: int = Field(description="offset of its end")

    @classmethod
    def of(cls, span: tuple[int, int], text: str) -> SpanAnswer:
        """Return the answer's form of a span of a text."""
        start, end = span
        return cls(text=encodable(text[start:end]), text_start=start, text_end=end)

    def moved(self, n_characters: int) -> SpanAnswer:
        """Return the same span, later in the text."""
        start, end = self.text_start + n_characters, self.text_end + n_characters
        return self.model_copy(update={"text_start": start, "text_end": end})


DROPPED: Any = Field(
    None,
    description="letters, digits and symbols that are not said, such as emoji; left out if there "
    "are none",
)


class IgnoredAnswer(BaseModel):
    """Markup that has no effect, or not the one that it asks for; each name is told once."""

    name: str = Field(description="of the attribute, or of the element if it is the element")
    element: str = Field(description="name of the element")
    attribute: str | None = Field(
        None, description="name of the attribute; null, or left out, if it is the element"
    )
    line: int = Field(description="of the first, from 1")
    column: int = Field(description="of the first in its line, from 1, in Unicode code points")
    count: int = Field(description="how many there are")
    reason: str = Field(description="why, and what is done instead")

    @classmethod
    def of(cls, ignored: Ignored) -> IgnoredAnswer:
        """Return the answer's form."""
        return cls(
            name=encodable(ignored.attribute or ignored.element),
            element=encodable(ignored.element),
            attribute=encodable(ignored.attribute) or None,
            line=ignored.line,
            column=ignored.column,
            count=ignored.count,
            reason=encodable(ignored.reason),
        )


IGNORED: Any = Field(
    None, description="markup that is ignored, in order; left out if there is none"
)


class MarkAnswer(BaseModel):
    """A mark of SSML, and when it sounds."""

    name: str
    text_start: int = Field(description="offset of its element in the text, in Unicode code points")
    time_s: float = Field(description="seconds from the start of the audio")

    @classmethod
    def of(cls, mark: MarkTime) -> MarkAnswer:
        """Return the answer's form."""
        return cls(name=encodable(mark.name), text_start=mark.text_start, time_s=mark.time_s)

    def moved(self, n_characters: int, seconds: float) -> MarkAnswer:
        """Return the same mark, later in the text and in the audio."""
        return MarkAnswer(
            name=self.name,
            text_start=self.text_start + n_characters,
            time_s=round(self.time_s + seconds, 6),
        )


MARKS: Any = Field(None, description="marks of SSML; left out if there are none")


class PhonemeAnswer(BaseModel):
    """A phoneme of a word, and its time."""

    symbol: str
    start_s: float
    end_s: float


class VisemeAnswer(BaseModel):
    """A shape of the mouth, and its time."""

    name: str = Field(description="Oculus' name: sil, PP, FF, TH, DD, kk, CH, SS, nn, RR, aa, ...")
    oculus: int = Field(description="Oculus' id, 0 to 14")
    azure: int = Field(description="Azure's id, 0 to 21")
    start_s: float
    end_s: float

    @classmethod
    def of(cls, viseme: VisemeTime) -> VisemeAnswer:
        """Return the answer's form."""
        return cls(
            name=viseme.name,
            oculus=viseme.oculus,
            azure=viseme.azure,
            start_s=viseme.start_s,
            end_s=viseme.end_s,
        )


PartAnswer = TypeVar("PartAnswer", PhonemeAnswer, VisemeAnswer)


def _later(parts: list[PartAnswer] | None, seconds: float) -> list[PartAnswer] | None:
    """Return phonemes or visemes so many seconds later."""
    return parts and [
        part.model_copy(
            update={
                "start_s": round(part.start_s + seconds, 6),
                "end_s": round(part.end_s + seconds, 6),
            }
        )
        for part in parts
    ]


class WordAnswer(BaseModel):
    """A word of the request's text (or phonemes), and its time."""

    text: str
    text_start: int = Field(
        description="offset of its first character in the text, in Unicode code points"
    )
    text_end: int = Field(description="offset of its end")
    start_s: float = Field(description="seconds from the start of the audio")
    end_s: float
    voice: str | None = Field(
        None, description="the voice that says it; left out if it is that of the request"
    )
    phonemes: Annotated[
        list[PhonemeAnswer] | None,
        Field(description="those of which it is made; with the timestamps of phonemes only"),
    ] = None
    visemes: Annotated[
        list[VisemeAnswer] | None,
        Field(description="shapes of the mouth; with the timestamps of visemes only"),
    ] = None

    @classmethod
    def of(cls, word: WordTime, text: str, depth: Depth = "word") -> WordAnswer:
        """Return the answer's form of a word."""
        answer = cls(
            text=encodable(text[word.text_start : word.text_end]),
            text_start=word.text_start,
            text_end=word.text_end,
            start_s=word.start_s,
            end_s=word.end_s,
            voice=word.voice,
        )
        if depth == "phoneme":
            answer.phonemes = [
                PhonemeAnswer(symbol=one.symbol, start_s=one.start_s, end_s=one.end_s)
                for one in word.phonemes
            ]
        elif depth == "viseme":
            answer.visemes = list(map(VisemeAnswer.of, visemes(word)))
        return answer

    def moved(self, n_characters: int, seconds: float) -> WordAnswer:
        """Return the same word, later in the text and in the audio."""
        return self.model_copy(
            update={
                "text_start": self.text_start + n_characters,
                "text_end": self.text_end + n_characters,
                "start_s": round(self.start_s + seconds, 6),
                "end_s": round(self.end_s + seconds, 6),
                "phonemes": _later(self.phonemes, seconds),
                "visemes": _later(self.visemes, seconds),
            }
        )


class TimedAnswer(BaseModel):
    """Answer with audio and word times: `timestamps`."""

    audio: str = Field(description="the audio file, in base64")
    format: AudioFormat
    sample_rate_hz: int
    duration_s: float
    words: list[WordAnswer]
    marks: list[MarkAnswer] | None = MARKS
    dropped: list[SpanAnswer] | None = DROPPED
    ignored: list[IgnoredAnswer] | None = IGNORED


class AudioEvent(BaseModel):
    """Data of the event `audio` of `POST /synthesize` with `timestamps` and `stream`."""

    audio: str = Field(description="the next part of the audio file, in base64")
    start_s: float
    end_s: float
    words: list[WordAnswer]
    marks: list[MarkAnswer] | None = MARKS


class DoneEvent(BaseModel):
    """Data of the event `done`, the last one."""

    audio: str = Field(description="the rest of the audio file, in base64; often empty")
    duration_s: float
    dropped: list[SpanAnswer] | None = DROPPED
    ignored: list[IgnoredAnswer] | None = IGNORED


def ignored_answers(ignored: Iterable[Ignored]) -> list[IgnoredAnswer] | None:
    """Return the answer's form of what is ignored; None if nothing is."""
    return list(map(IgnoredAnswer.of, ignored)) or None


def mark_answers(marks: Iterable[MarkTime]) -> list[MarkAnswer] | None:
    """Return the answer's form of marks; None if there are none."""
    return list(map(MarkAnswer.of, marks)) or None


def dropped_answers(coverage: Coverage, text: str) -> list[SpanAnswer] | None:
    """Return what is not said of a text; None if all is said."""
    return [SpanAnswer.of(span, text) for span in coverage.dropped] or None


class ErrorDetail(BaseModel):
    """An error."""

    code: str
    message: str
    request_id: str


class ErrorAnswer(BaseModel):
    """The body of every error."""

    error: ErrorDetail
