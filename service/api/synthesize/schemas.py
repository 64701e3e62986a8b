"""Bodies of requests and answers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from service.audio import FORMATS, AudioFormat
from service.errors import InvalidRequestError
from service.settings import Decoding
from service.speech import Chunk, Delivery, Preview, TextKind, Utterance, Voice, WordTime
from service.speech.planning import MAX_SPEED, MIN_SPEED
from service.speech.voices import MAX_BLEND_LENGTH
from service.text import LANGUAGES

STREAMABLE_FORMATS = [name for name, form in FORMATS.items() if form.streamable]

NAMED: dict[str, Any] = {"minLength": 1}
"""For the document: what is refused with a code of its own, not as `invalid_request`."""

BLEND: dict[str, Any] = {**NAMED, "maxLength": MAX_BLEND_LENGTH}

_EITHER: dict[str, Any] = {
    "oneOf": [
        {"required": [name], "properties": {name: {"type": "string"}}}
        for name in ("text", "phonemes")
    ]
}
"""JSON Schema's words for: exactly one of the two, and null is none."""

_GO_TOGETHER: dict[str, Any] = {
    "anyOf": [
        {
            "title": "Whole",
            "properties": {"stream": {"const": False}, "format": {"enum": list(FORMATS)}},
        },
        {
            "title": "Streamed",
            "properties": {"stream": {"const": True}, "format": {"enum": STREAMABLE_FORMATS}},
            "required": ["stream", "format"],
        },
        {
            "title": "Subtitles",
            "properties": {
                "stream": {"const": False},
                "format": {"enum": ["srt", "vtt"]},
                "timestamps": {"type": "null"},
            },
            "required": ["format"],
        },
    ]
}
"""Likewise: which fields go together."""


NORMALIZE: Any = Field(
    True,
    description="whether figures, dates, abbreviations, addresses and the like are written in "
    "words before they are read",
)


_MOST_FIELDS = 64
"""More than any of them has."""


class StrictModel(BaseModel):
    """What a caller sends, of these fields and these types only."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, data: object) -> object:
        # pydantic writes an error for each unknown one: of ten thousand a tenth of a second, for
        # which the event loop would stand still.
        if isinstance(data, dict) and len(data) > _MOST_FIELDS:
            raise PydanticCustomError(
                "too_many_fields", "{count} fields, where there are {known}",
                {"count": len(data), "known": ", ".join(cls.model_fields)},
            )  # fmt: skip
        return data


class SynthesisRequest(StrictModel):
    """Body of `POST /synthesize`; exactly one of `text` and `phonemes`."""

    model_config = ConfigDict(
        json_schema_extra={
            **_EITHER,
            **_GO_TOGETHER,
            "examples": [
                {"text": "Hello there."},
                {"text": "One moment.", "stream": True, "format": "pcm"},
                {"text": "Now $5.50.", "timestamps": "word"},
                {"text": "[Kokoro](/kˈOkəɹO/) says: [pause:0.5s] hello."},
                {"text": "<speak>Wait.<break time='1s'/> Go!</speak>", "ssml": True},
            ],
        },
    )

    text: str | None = Field(
        None, description="what to say", examples=["Hello there."], json_schema_extra=NAMED
    )
    phonemes: str | None = Field(
        None,
        description="what to say, in the symbols of the model",
        examples=["həlˈO"],
        json_schema_extra=NAMED,
    )
    voice: str | None = Field(
        None,
        description="a voice of GET /voices, or a blend of several",
        examples=["af_heart", "af_bella(2)+af_sky(1)"],
        json_schema_extra=BLEND,
    )
    speed: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="2.0 is twice as fast"
    )
    length_scale: float | None = Field(
        None,
        ge=1 / MAX_SPEED,
        le=1 / MIN_SPEED,
        allow_inf_nan=False,
        description="piper's name for the inverse of speed: 2.0 takes twice as long; where both "
        f"are given, speed / length_scale is from {MIN_SPEED} to {MAX_SPEED}",
    )
    language: str | None = Field(
        None,
        description="code of the text's language; the voice's own by default; phonemes need none",
        examples=list(LANGUAGES),
    )
    ssml: bool = Field(
        False, description="whether text is SSML; a subset, see docs/markup.md of the project"
    )
    normalize: bool = NORMALIZE
    format: AudioFormat | Literal["srt", "vtt"] = Field(
        "wav", description="an audio format, or subtitles: what is said when, without the sound"
    )
    stream: bool = Field(False, description="send audio while it is made; not for wav, srt and vtt")
    chunking: Literal["even", "early"] | None = Field(
        None,
        description="how long text is cut: evenly, or the first chunk short so that sound starts "
        "early; early by default where stream is true and speech is decoded whole, else even",
    )
    decoding: Decoding | None = Field(
        None,
        description="how a chunk of text becomes sound: windows, one after the other, so that it "
        "starts soon and with the melody of the whole chunk, or whole; by default what the "
        "settings say of streams and of files",
    )
    timestamps: Literal["word", "phoneme"] | None = Field(
        None,
        description="answer JSON with the audio in base64 and the time of each word (and its "
        "phonemes); server-sent events where stream is true",
    )

    @property
    def spoken(self) -> str:
        """Return the text or the phonemes."""
        return self.text or self.phonemes or ""

    def utterance(self) -> Utterance:
        """Return what is to be said.

        Raises:
            InvalidRequestError: it is not exactly one of text and phonemes.
        """
        if (self.text is None) == (self.phonemes is None):
            raise InvalidRequestError("exactly one of text and phonemes must be given")
        kind: TextKind = "ssml" if self.ssml else "text"
        speed = self.speed if self.length_scale is None else self.speed / self.length_scale
        return Utterance(
            self.spoken,
            kind if self.phonemes is None else "phonemes",
            self.voice,
            speed,
            self.language,
            self.normalize,
        )

    def delivery(self) -> Delivery:
        """Return how it is to be delivered."""
        return Delivery(
            streamed=self.stream,
            timed=self.timestamps is not None or self.format in ("srt", "vtt"),
            early=None if self.chunking is None else self.chunking == "early",
            decoding=self.decoding,
        )


class PhonemeAnswer(BaseModel):
    """One symbol of a word, and when it is said."""

    symbol: str
    start_s: float
    end_s: float


class WordAnswer(BaseModel):
    """A word as it stands in the request's text (or phonemes), and when it is said."""

    text: str
    text_start: int = Field(description="its first character in the text, in Unicode code points")
    text_end: int = Field(description="behind its last character")
    start_s: float = Field(description="seconds from the start of the audio")
    end_s: float
    phonemes: list[PhonemeAnswer] | None = None

    @classmethod
    def of(cls, word: WordTime, text: str, *, phonemes: bool) -> WordAnswer:
        """Return what callers are told of a word of their text."""
        symbols = None
        if phonemes:
            symbols = [
                PhonemeAnswer(symbol=p.symbol, start_s=p.start_s, end_s=p.end_s)
                for p in word.phonemes
            ]
        return cls(
            text=text[word.text_start : word.text_end],
            text_start=word.text_start,
            text_end=word.text_end,
            start_s=word.start_s,
            end_s=word.end_s,
            phonemes=symbols,
        )

    def moved(self, n_characters: int, seconds: float) -> WordAnswer:
        """Return the same, later in the text and in the audio."""
        later = {"start_s": self.start_s + seconds, "end_s": self.end_s + seconds}
        update: dict[str, object] = {name: round(time, 6) for name, time in later.items()}
        if self.phonemes is not None:
            update["phonemes"] = [
                PhonemeAnswer(
                    symbol=phoneme.symbol,
                    start_s=round(phoneme.start_s + seconds, 6),
                    end_s=round(phoneme.end_s + seconds, 6),
                )
                for phoneme in self.phonemes
            ]
        update |= {
            "text_start": self.text_start + n_characters,
            "text_end": self.text_end + n_characters,
        }
        return self.model_copy(update=update)


class TimedAnswer(BaseModel):
    """Answer of `POST /synthesize` with `timestamps`."""

    audio: str = Field(description="the audio file in base64")
    format: AudioFormat
    sample_rate_hz: int
    duration_s: float
    words: list[WordAnswer]


class AudioEvent(BaseModel):
    """Data of the event `audio` of `POST /synthesize` with `timestamps` and `stream`."""

    audio: str = Field(description="the next part of the audio file in base64")
    start_s: float
    end_s: float
    words: list[WordAnswer]


class DoneEvent(BaseModel):
    """Data of the event `done`, the last one."""

    audio: str = Field(description="the rest of the audio file in base64, often nothing")
    duration_s: float


class PhonemizeRequest(StrictModel):
    """Body of `POST /phonemize`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": "Dr. Smith paid $5."},
                {"text": "Son las 5.", "language": "es", "normalize": False},
            ]
        },
    )

    text: str = Field(description="what would be said", json_schema_extra=NAMED)
    language: str | None = Field(
        None, description="code of the text's language; the voice's own by default"
    )
    voice: str | None = Field(
        None, description="a voice or a blend; the default one by default", json_schema_extra=BLEND
    )
    ssml: bool = Field(False, description="whether text is SSML")
    normalize: bool = NORMALIZE
    chunking: Literal["even", "early"] = Field("even", description="how long text is cut")

    @property
    def early(self) -> bool:
        """Return whether the first chunks are short."""
        return self.chunking == "early"

    def utterance(self) -> Utterance:
        """Return what would be said."""
        return Utterance(
            self.text,
            "ssml" if self.ssml else "text",
            voice=self.voice,
            language=self.language,
            normalized=self.normalize,
        )


class SpanAnswer(BaseModel):
    """A part of the request's text."""

    text: str
    text_start: int = Field(description="its first character in the text, in Unicode code points")
    text_end: int = Field(description="behind its last character")


class ChunkAnswer(BaseModel):
    """What the model says in one run."""

    phonemes: str
    text_start: int | None = Field(description="of its first word; null for a pause alone")
    text_end: int | None = Field(description="of its last word")
    pause_s: float | None = Field(description="silence that the text asks for after it")

    @classmethod
    def of(cls, chunk: Chunk) -> ChunkAnswer:
        """Return what callers are told of a chunk."""
        words = chunk.words
        return cls(
            phonemes=chunk.phonemes,
            text_start=words[0].text_start if words else None,
            text_end=words[-1].text_end if words else None,
            pause_s=chunk.pause_s,
        )


class PhonemizeAnswer(BaseModel):
    """Answer of `POST /phonemize`: what would be said, and how."""

    language: str
    normalized: str = Field(description="the text in words, without its markup")
    phonemes: str = Field(description="what /synthesize takes as phonemes")
    chunks: list[ChunkAnswer]
    dropped: list[SpanAnswer] = Field(
        description="letters, numbers and symbols of the text that are not said, such as emoji"
    )

    @classmethod
    def of(cls, preview: Preview, text: str) -> PhonemizeAnswer:
        """Return what callers are told of a preview of their text."""
        return cls(
            language=preview.language,
            normalized=preview.normalized,
            phonemes=" ".join(chunk.phonemes for chunk in preview.chunks if chunk.phonemes),
            chunks=[ChunkAnswer.of(chunk) for chunk in preview.chunks],
            dropped=[
                SpanAnswer(text=text[start:end], text_start=start, text_end=end)
                for start, end in preview.dropped
            ],
        )


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


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str
    message: str
    request_id: str


class ErrorAnswer(BaseModel):
    """The one shape of every error."""

    error: ErrorDetail
