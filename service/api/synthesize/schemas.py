"""Bodies of `/synthesize` and `/phonemize`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.api.lexicon_field import LexiconField
from service.api.normalize_field import NORMALIZE, NormalizeField, normalization_of
from service.api.piper_fields import PiperFields
from service.api.schemas import (
    BLEND,
    BY_ANY_NAME,
    LOUDNESS,
    MODEL,
    NAMED,
    NORMALIZE_LOUDNESS,
    SAMPLE_RATE,
    SPEAKERS,
    SSML,
    STREAMABLE_FORMATS,
    VOLUME,
    IgnoredAnswer,
    SpanAnswer,
    SpeakersField,
    SsmlField,
    StrictModel,
    TimestampDepth,
    cast_of,
    rates_of_opus,
    text_kind,
)
from service.audio import FORMATS, AudioFormat, SampleRate
from service.errors import InvalidRequestError
from service.settings import Decoding
from service.speech import Chunk, Delivery, Preview, Utterance, gain_of
from service.speech.plan import MAX_SPEED, MIN_SPEED
from service.text import LANGUAGES, Decision, Option, encodable

_EITHER: dict[str, Any] = {
    "oneOf": [
        {"required": [name], "properties": {name: {"type": "string"}}}
        for name in ("text", "phonemes")
    ]
}
"""JSON Schema for: exactly one of the two; null does not count."""

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
"""JSON Schema for the values that can be combined."""


class SynthesisRequest(StrictModel, PiperFields):
    """Body of `POST /synthesize`; exactly one of `text` and `phonemes`."""

    model_config = ConfigDict(
        json_schema_extra={
            **_EITHER,
            **_GO_TOGETHER,
            **rates_of_opus("format"),
            "examples": [
                {"text": "Hello there."},
                {"text": "One moment.", "stream": True, "format": "pcm"},
                {"text": "Now $5.50.", "timestamps": "word"},
                {"text": "Watch my lips.", "timestamps": "viseme"},
                {"text": "Thank you for calling.", "format": "mulaw"},
                {"text": "[Kokoro](/kˈOkəɹO/) says: [pause:0.5s] hello."},
                {"text": "Flight 1024.", "normalize": {"numbers_as": "digits"}},
                {"text": "Ask Siobhan.", "lexicon": {"Siobhan": "/ʃəvˈɔn/"}},
                {"text": "<speak>Wait.<break time='1s'/> Go!</speak>", "ssml": True},
            ],
        },
    )

    text: str | None = Field(
        None, description="text to say", examples=["Hello there."], json_schema_extra=NAMED
    )
    phonemes: str | None = Field(
        None,
        description="phonemes to say, in the model's symbols",
        examples=["həlˈO"],
        json_schema_extra=NAMED,
    )
    voice: str | None = Field(
        None,
        description="a voice of GET /voices, a blend of voices, or a voice of piper, for which the "
        "default voice of its language speaks",
        examples=["af_heart", "af_bella(2)+af_sky(1)"],
        json_schema_extra=BLEND,
    )
    model: str | None = MODEL
    speed: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="2.0 is twice as fast"
    )
    length_scale: float | None = Field(
        None,
        ge=1 / MAX_SPEED,
        le=1 / MIN_SPEED,
        allow_inf_nan=False,
        description="the inverse of speed, as in piper: 2.0 takes twice as long; if both are "
        f"given, speed / length_scale must be from {MIN_SPEED} to {MAX_SPEED}",
    )
    language: str | None = Field(
        None,
        description="language code of the text; default: the voice's language; not needed for "
        "phonemes",
        examples=list(LANGUAGES),
    )
    ssml: SsmlField | None = SSML
    speakers: SpeakersField = SPEAKERS
    normalize: NormalizeField = NORMALIZE
    lexicon: LexiconField = None
    format: Annotated[AudioFormat | Literal["srt", "vtt"], BY_ANY_NAME] = Field(
        "wav", description="audio format, or a subtitle format, which has times and no audio"
    )
    sample_rate: SampleRate | None = SAMPLE_RATE
    volume: float = VOLUME
    loudness: float | None = LOUDNESS
    normalize_loudness: bool = NORMALIZE_LOUDNESS
    stream: bool = Field(
        False,
        description="send audio while it is made; not with wav, wav_mulaw, wav_alaw, srt and vtt",
    )
    chunking: Literal["even", "early"] | None = Field(
        None,
        description="how the text is split into chunks: even, or early (a short first chunk, so "
        "that audio starts early); default: even, in streams after a first chunk of three seconds "
        "or more, or early for streams that are decoded whole",
    )
    decoding: Decoding | None = Field(
        None,
        description="how a chunk is decoded: in windows, one after the other, so that audio "
        "starts early, or whole; default: the settings stream_decoding and file_decoding",
    )
    timestamps: TimestampDepth | None = Field(
        None,
        description="answer with JSON: the audio in base64, and the time of each word (and of its "
        "phonemes, or visemes); with server-sent events if stream is true",
    )

    @property
    def spoken(self) -> str:
        """Return the text or the phonemes."""
        return self.text or self.phonemes or ""

    def utterance(self, *, auto_ssml: bool = False) -> Utterance:
        """Return what to say.

        Args:
            auto_ssml: whether a text that opens like SSML is SSML, if the caller does not say.

        Raises:
            InvalidRequestError: both or neither of text and phonemes are given.
        """
        if (self.text is None) == (self.phonemes is None):
            raise InvalidRequestError("exactly one of text and phonemes must be given")
        speed = self.speed if self.length_scale is None else self.speed / self.length_scale
        return Utterance(
            self.spoken,
            "phonemes" if self.text is None else text_kind(self.ssml, auto=auto_ssml),
            self.voice,
            speed,
            self.language,
            normalization_of(self.normalize),
            lexicon=self.lexicon,
            cast=cast_of(self.speakers),
            even=self.normalize_loudness,
        )

    def delivery(self) -> Delivery:
        """Return how to deliver it."""
        return Delivery(
            streamed=self.stream,
            timed=self.timestamps is not None or self.format in ("srt", "vtt"),
            chunking=self.chunking,
            decoding=self.decoding,
            gain=gain_of(self.volume),
            loudness_lufs=self.loudness,
        )


class PhonemizeRequest(StrictModel):
    """Body of `POST /phonemize`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": "Dr. Smith paid $5."},
                {"text": "Lead weighs more.", "explain": True},
                {"text": "Son las 5.", "language": "es", "normalize": False},
                {"text": "See https://example.com/a?b=1.", "normalize": {"urls": "short"}},
                {"text": "The odds were 5/2.", "explain": True},
            ]
        },
    )

    text: str = Field(description="text to convert to phonemes", json_schema_extra=NAMED)
    language: str | None = Field(
        None, description="language code of the text; default: the voice's language"
    )
    voice: str | None = Field(
        None,
        description="a voice or a blend; default: the default voice",
        json_schema_extra=BLEND,
    )
    model: str | None = MODEL
    ssml: SsmlField | None = SSML
    speakers: SpeakersField = SPEAKERS
    normalize: NormalizeField = NORMALIZE
    lexicon: LexiconField = None
    chunking: Literal["even", "early"] = Field(
        "even", description="how the text is split into chunks"
    )
    explain: bool = Field(
        False,
        description="tell in `decisions` how each part might be read, and why it is read so; in "
        "`source` where the sound of each word is from",
    )

    def utterance(self, *, auto_ssml: bool = False) -> Utterance:
        """Return what would be said; the argument is that of `SynthesisRequest.utterance`."""
        return Utterance(
            self.text,
            text_kind(self.ssml, auto=auto_ssml),
            voice=self.voice,
            language=self.language,
            normalization=normalization_of(self.normalize),
            lexicon=self.lexicon,
            cast=cast_of(self.speakers),
        )


class ReadWordAnswer(SpanAnswer):
    """A word, or a part of one, and how it is read."""

    phonemes: str
    source: str | None = Field(
        None,
        description="where its sound is from, if `explain` is true: `lexicon`, `inflection`, "
        "`homograph` with its reading and a score, `context`, `loanwords`, `cmudict`, `name` with "
        "its language, `spelling`, `compound`, `caller` or `espeak-ng`; empty for other readers",
    )


class ChunkAnswer(BaseModel):
    """A chunk: what the model says in one run."""

    phonemes: str
    text_start: int | None = Field(
        description="offset of its first word; null if it is only a pause"
    )
    text_end: int | None = Field(
        description="offset of the end of its last word; null if it is only a pause"
    )
    pause_s: float | None = Field(description="seconds of silence after it that the text asks for")
    words: list[ReadWordAnswer]

    @classmethod
    def of(cls, chunk: Chunk, text: str, *, explained: bool = False) -> ChunkAnswer:
        """Return the answer's form of a chunk."""
        words = chunk.words
        return cls(
            phonemes=chunk.phonemes,
            text_start=words[0].text_start if words else None,
            text_end=words[-1].text_end if words else None,
            pause_s=chunk.pause_s,
            words=[
                ReadWordAnswer(
                    text=encodable(text[word.text_start : word.text_end]),
                    text_start=word.text_start,
                    text_end=word.text_end,
                    phonemes=chunk.phonemes[word.phonemes_start : word.phonemes_end],
                    source=word.source if explained else None,
                )
                for word in words
            ],
        )


class ReasonAnswer(BaseModel):
    """What speaks for a reading, or against it."""

    feature: str = Field(description="what a grammar sees in the text or around it")
    weight: float = Field(description="what was learned of it: above 0 for the reading")


class OptionAnswer(BaseModel):
    """A reading that was weighed."""

    kind: str = Field(description="its class and form, as in `date.short`")
    said: str | None = Field(description="its words; null for what is written, empty if silent")
    text_end: int = Field(description="offset of the end of what is read so")
    score: float = Field(description="the sum of its weights; readings of more text have more")
    probability: float = Field(description="of its being right, from 0 to 1")
    reasons: list[ReasonAnswer] = Field(description="the features that count most")

    @classmethod
    def of(cls, option: Option) -> OptionAnswer:
        """Return the answer's form of a reading."""
        return cls(
            kind=option.candidate.kind,
            said=option.candidate.words,
            text_end=option.end,
            score=round(option.score, 3),
            probability=round(option.probability, 4),
            reasons=[
                ReasonAnswer(feature=feature, weight=weight)
                for feature, weight in option.reasons
                if weight
            ],
        )


class DecisionAnswer(SpanAnswer):
    """A part of the text that may be read in several ways."""

    options: list[OptionAnswer] = Field(
        description="first how it is read, then what else might begin there, by score"
    )


class PhonemizeAnswer(BaseModel):
    """Answer of `POST /phonemize`."""

    language: str
    normalized: str = Field(description="the text after normalization, without its markup")
    phonemes: str = Field(description="phonemes of the whole text, as /synthesize takes them")
    chunks: list[ChunkAnswer]
    dropped: list[SpanAnswer] = Field(
        description="letters, digits and symbols that are not pronounced, such as emoji"
    )
    ignored: list[IgnoredAnswer] = Field(description="markup that is ignored, in order")
    decisions: list[DecisionAnswer] | None = Field(
        None,
        description="what was decided about readings, in order, if `explain` is true; empty in "
        "languages without grammars",
    )

    @classmethod
    def of(cls, preview: Preview, text: str, *, explained: bool = False) -> PhonemizeAnswer:
        """Return the answer for a preview of a text."""
        return cls(
            language=preview.language,
            normalized=preview.normalized,
            phonemes=" ".join(chunk.phonemes for chunk in preview.chunks if chunk.phonemes),
            chunks=[ChunkAnswer.of(chunk, text, explained=explained) for chunk in preview.chunks],
            dropped=[SpanAnswer.of(span, text) for span in preview.dropped],
            ignored=[IgnoredAnswer.of(one) for one in preview.ignored],
            decisions=[_decision(one, text) for one in preview.decisions] if explained else None,
        )


def _decision(decision: Decision, text: str) -> DecisionAnswer:
    span = SpanAnswer.of((decision.start, decision.end), text)
    options = [OptionAnswer.of(option) for option in decision.options]
    return DecisionAnswer(**span.model_dump(), options=options)
