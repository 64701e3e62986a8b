"""Bodies of OpenAI's speech API."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic_core import CoreSchema

from service.api.lexicon_field import LexiconField
from service.api.normalize_field import NormalizationFields
from service.api.openai.names import MODELS, VoiceNames
from service.api.part_times import PartTime
from service.api.schemas import (
    BLEND,
    BY_ANY_NAME,
    IGNORED,
    LOUDNESS,
    MARKS,
    NAMED,
    NORMALIZE_LOUDNESS,
    SAMPLE_RATE,
    SPEAKERS,
    SSML,
    STREAMABLE_FORMATS,
    VOLUME,
    Depth,
    IgnoredAnswer,
    MarkAnswer,
    SpeakerName,
    SpeakersField,
    SsmlField,
    TimestampDepth,
    WordAnswer,
    cast_of,
    rates_of_opus,
    text_kind,
)
from service.audio import AudioFormat, SampleRate
from service.speech import Speaker, TextKind
from service.speech.dialogues import MOST_TURNS, USUAL_PAUSE_S
from service.speech.plan import MAX_SPEED, MIN_SPEED
from service.text import Normalization

STREAMED_HERE = (*STREAMABLE_FORMATS, "wav")
"""Formats of streams on this door: OpenAI too sends WAV with a header that tells no length."""

_NO_EVENTS = {"enum": ["audio", None]}

_GO_TOGETHER: dict[str, Any] = {
    "anyOf": [
        {
            "title": "File",
            "properties": {
                "stream_format": _NO_EVENTS,
                "stream": {"enum": [False, None]},
            },
        },
        {
            "title": "Stream",
            "properties": {
                "stream_format": _NO_EVENTS,
                "response_format": {"enum": [*STREAMED_HERE, None]},
            },
        },
        {
            "title": "Times",
            "properties": {
                "stream_format": _NO_EVENTS,
                "timestamps": {"enum": [True, *get_args(Depth)]},
            },
            "required": ["timestamps"],
        },
        {
            "title": "Captions",
            "properties": {
                "stream_format": _NO_EVENTS,
                "return_timestamps": {"const": True},
            },
            "required": ["return_timestamps"],
        },
        {
            "title": "Events",
            "properties": {
                "stream_format": {"const": "sse"},
                "response_format": {"enum": [*STREAMED_HERE, None]},
                "loudness": {"type": "null"},
            },
            "required": ["stream_format"],
        },
    ]
}
"""JSON Schema for the values that can be combined."""

_MAX_VOLUME = 10.0
"""As in Kokoro-FastAPI; beyond, little but noise is left."""


def _number(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _number_schema(schema: dict[str, Any]) -> None:
    limits = {name: schema.pop(name) for name in ("type", "minimum", "maximum")}
    schema["anyOf"] = [limits, {"type": "string", "description": "the same number as text"}]


class LooseModel(BaseModel):
    """Base of request bodies of clients that send more than they should.

    Unknown fields are kept aside, in `model_extra`. Null is as good as no field.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Describe the model, with null for what is not required; called by pydantic."""
        schema = handler(core_schema)
        body = handler.resolve_ref_schema(schema)
        for name, field in body["properties"].items():
            if name not in body.get("required", ()):
                kept = ("title", "description", "default", "examples")
                outer = {key: field.pop(key) for key in kept if key in field}
                body["properties"][name] = {**outer, "anyOf": [field, {"type": "null"}]}
        return schema


class VoiceReference(LooseModel):
    """A voice, as newer clients name it."""

    id: str = Field(json_schema_extra=BLEND)


class VoiceAlias(LooseModel):
    """A voice under another name, and its rate."""

    voice: str = Field(description="a voice or a blend of voices", json_schema_extra=BLEND)
    rate: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="factor on the speed"
    )

    def speaker(self, names: VoiceNames) -> Speaker:
        """Return the speaker.

        Raises:
            UnknownVoiceError: there is no such voice.
        """
        return Speaker(names.resolve(self.voice), self.rate)


class NormalizationOptions(LooseModel, NormalizationFields):
    """Kokoro-FastAPI's switch of text normalization, and the choices of `/synthesize`."""

    normalize: bool = Field(True, description="whether the text is normalized")

    def normalization(self) -> Normalization | None:
        """Return how the text is normalized; None for not at all."""
        return self.choices() if self.normalize else None


class SpeechRequest(LooseModel):
    """Body of `POST /v1/audio/speech`. Fields that are not listed here are ignored."""

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
                {"input": "Now $5.50.", "timestamps": True, "response_format": "wav"},
                {"input": "Hola.", "voice": "ef_dora", "lang_code": "e", "stream": False},
            ],
        },
    )

    model: str = Field(
        MODELS[0],
        min_length=1,
        description="a model of GET /v1/models; every other name stands for the server's own "
        "model, unless the setting strict_models is on",
    )
    input: str = Field(
        description="text to say", examples=["Hello there."], json_schema_extra=NAMED
    )
    voice: str | VoiceReference | None = Field(
        None,
        description="a voice of GET /v1/audio/voices in any case, or a blend of voices; default: "
        "the default voice of the service",
        examples=["alloy", "af_heart"],
        json_schema_extra=BLEND,
    )
    response_format: Annotated[AudioFormat, BY_ANY_NAME] = Field(
        "mp3", description="audio format; all but flac and those in WAV are streamed"
    )
    sample_rate: SampleRate | None = SAMPLE_RATE
    speed: Annotated[float, BeforeValidator(_number)] = Field(
        1.0,
        ge=MIN_SPEED,
        le=MAX_SPEED,
        allow_inf_nan=False,
        description="2.0 is twice as fast",
        json_schema_extra=_number_schema,
    )
    stream_format: Literal["audio", "sse"] = Field(
        "audio", description="audio: the file itself; sse: events with parts of it, in base64"
    )
    stream: bool | None = Field(
        None,
        description="true: send audio while it is made, wav and flac too, without a length; "
        "false: send it when it is complete; default: true for all but wav and flac",
    )
    lexicon: LexiconField = None
    instructions: str | None = Field(None, description="accepted, but without effect")
    input_format: TextKind | None = Field(
        None,
        description="what the input is: text with markup, ssml, strict_ssml, phonemes, or auto: "
        "ssml if it opens like that, else text; counts more than ssml",
    )
    timestamps: bool | TimestampDepth = Field(
        False,
        description="answer with JSON: the audio in base64, and the time of each word (true or "
        "word) and of its phonemes (phoneme) or visemes (viseme); with stream_format sse, in the "
        "events",
    )
    lang_code: str | None = Field(
        None,
        description="language of the input, by its code or by Kokoro's letter; default: the "
        "voice's language",
        examples=["en-us", "e"],
    )
    language: str | None = Field(None, description="the same as lang_code, which counts more")
    volume: float = VOLUME
    loudness: float | None = LOUDNESS
    normalize_loudness: bool = NORMALIZE_LOUDNESS
    volume_multiplier: Annotated[float, BeforeValidator(_number)] = Field(
        1.0,
        ge=0.0,
        le=_MAX_VOLUME,
        allow_inf_nan=False,
        description="factor of the samples; peaks that get too loud are limited",
        json_schema_extra=_number_schema,
    )
    normalization_options: NormalizationOptions = Field(
        NormalizationOptions.model_validate({}),
        description="whether and how the text is normalized",
    )
    return_timestamps: bool = Field(
        False, description="like timestamps, with the answer of Kokoro-FastAPI"
    )
    download_format: Annotated[str | None, BY_ANY_NAME] = Field(
        None, description="accepted, but without effect: there are no download links"
    )
    return_timing: bool = Field(
        False,
        description="tell in X-Timing-Path where the times of the parts are, below /v1, when all "
        "audio is sent",
    )
    ssml: SsmlField | None = SSML
    speakers: SpeakersField = SPEAKERS
    voice_aliases: dict[SpeakerName, str | VoiceAlias] = Field(
        default_factory=dict,
        max_length=100,
        description="like speakers, as Kokoro-FastAPI has them",
        examples=[{"slow": {"voice": "af_bella", "rate": 0.8}}],
    )
    allow_voice_tags: bool | None = Field(
        None, description="false: tags of voices and rates are text; default: they are markup"
    )

    def cast(self, names: VoiceNames) -> dict[str, str | Speaker]:
        """Return the speakers of the request, and the voices that have names of their own here."""
        aliases = {
            name: names.resolve(alias) if isinstance(alias, str) else alias.speaker(names)
            for name, alias in self.voice_aliases.items()
        }
        return {**names.mapped, **aliases, **cast_of(self.speakers)}

    def kind(self, *, auto_ssml: bool) -> TextKind:
        """Return what the input is.

        Args:
            auto_ssml: whether an input that opens like SSML is SSML, if the caller does not say.
        """
        return self.input_format or text_kind(self.ssml, auto=auto_ssml)

    @property
    def depth(self) -> Depth | None:
        """Return which times are wanted."""
        if isinstance(self.timestamps, str):
            return self.timestamps
        return "word" if self.timestamps or self.return_timestamps else None

    @property
    def ignored(self) -> list[str]:
        """Return the names of the fields that were sent and have no effect."""
        names = list(self.model_extra or ())
        if self.instructions:
            names.append("instructions")
        if self.download_format not in (None, self.response_format):
            names.append("download_format")
        switches = self.normalization_options.model_extra or ()
        return names + [f"normalization_options.{name}" for name in switches]


class SpokenTurn(LooseModel):
    """A turn of Kokoro-FastAPI's dialogues."""

    voice: str = Field(
        description="a voice, a blend or one of voice_aliases", json_schema_extra=BLEND
    )
    text: str = Field(description="text to say", json_schema_extra=NAMED)


class TurnsRequest(SpeechRequest):
    """Body of `POST /dev/dialogue`. Fields that are not listed here are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "turns": [
                        {"voice": "af_bella", "text": "Who is there?"},
                        {"voice": "am_michael", "text": "It is me."},
                    ],
                    "pause_between_turns": 0.4,
                }
            ]
        }
    )

    input: str = Field("", description="has no effect")
    turns: list[SpokenTurn] = Field(
        min_length=1, max_length=MOST_TURNS, description="what is said, in order"
    )
    pause_between_turns: float = Field(
        USUAL_PAUSE_S, ge=0, le=60, allow_inf_nan=False, description="seconds of silence"
    )


class CaptionedRequest(SpeechRequest):
    """Body of `POST /dev/captioned_speech`. Fields that are not listed here are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"input": "Hello there.", "voice": "af_bella", "stream": False}]
        }
    )

    return_timestamps: bool = Field(True, description="false leaves the times out")


class SsmlRequest(LooseModel):
    """Body of `POST /dev/ssml`; exactly one of the fields."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": '<speak>Hi <prosody rate="slow">there</prosody></speak>'}]
        }
    )

    text: str | None = Field(None, description="an SSML document")
    input: str | None = Field(None, description="the same")


class TaggedText(BaseModel):
    """Answer of `POST /dev/ssml`."""

    text: str = Field(description="text with inline markup that is said like the document")
    ignored: list[IgnoredAnswer] | None = IGNORED


class OpenAIVoice(BaseModel):
    """A voice, as web interfaces expect it."""

    id: str
    name: str
    language: str | None
    sex: str | None


class OpenAIVoices(BaseModel):
    """Answer of `GET /v1/audio/voices`."""

    voices: list[OpenAIVoice] | list[str]


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


class NamedModel(BaseModel):
    """A model, as Open WebUI reads it."""

    id: str
    name: str


class SpeechModels(OpenAIModels):
    """Answer of `GET /v1/audio/models`: the same models twice, for different readers."""

    models: list[NamedModel]


class ProbeAnswer(BaseModel):
    """Answer of `GET /v1/test`."""

    status: Literal["ok"] = "ok"


class CaptionedWord(BaseModel):
    """A word and its time in seconds, under Kokoro-FastAPI's names."""

    word: str
    start_time: float
    end_time: float
    voice: str | None = Field(
        None, description="that says it; left out if it is that of the request"
    )


class CaptionedAnswer(BaseModel):
    """Answer with audio and word times under Kokoro-FastAPI's names: `return_timestamps`."""

    audio: str = Field(description="the audio file, in base64")
    audio_format: str = Field(description="its media type")
    timestamps: list[CaptionedWord]


class PartTimesAnswer(BaseModel):
    """Answer of `GET /v1/timing/{name}`."""

    chunks: list[PartTime]


class SpeechDelta(BaseModel):
    """Data of an event with audio."""

    type: Literal["speech.audio.delta"] = "speech.audio.delta"
    audio: str = Field(description="the next part of the audio file, in base64")
    words: list[WordAnswer] | None = Field(
        None, description="with timestamps: the words that begin in it"
    )
    marks: list[MarkAnswer] | None = MARKS


class SpeechUsage(BaseModel):
    """Tokens of a language model; always 0 here."""

    input_tokens: Literal[0] = 0
    output_tokens: Literal[0] = 0
    total_tokens: Literal[0] = 0


class SpeechDone(BaseModel):
    """Data of the last event."""

    type: Literal["speech.audio.done"] = "speech.audio.done"
    usage: SpeechUsage = SpeechUsage()
    ignored: list[IgnoredAnswer] | None = IGNORED
