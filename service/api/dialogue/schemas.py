"""Bodies of `/dialogue`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from service.api.lexicon_field import LexiconField
from service.api.normalize_field import NORMALIZE, NormalizeField, normalization_of
from service.api.schemas import (
    BLEND,
    BY_ANY_NAME,
    DROPPED,
    LOUDNESS,
    MODEL,
    NAMED,
    SAMPLE_RATE,
    SPEAKERS,
    STREAMABLE_FORMATS,
    VOLUME,
    Depth,
    SpanAnswer,
    SpeakersField,
    StrictModel,
    TimestampDepth,
    WordAnswer,
    cast_of,
    rates_of_opus,
)
from service.audio import FORMATS, AudioFormat, SampleRate
from service.settings import Decoding
from service.speech import Delivery, Utterance, gain_of
from service.speech.dialogues import MOST_TURNS, USUAL_PAUSE_S, SaidTurn, TurnWord, dialogue
from service.speech.plan import MAX_SPEED, MIN_SPEED

_LONGEST_PAUSE_S = 60.0

_GO_TOGETHER: dict[str, Any] = {
    "anyOf": [
        {
            "title": "Whole",
            "properties": {"stream": {"const": False}, "format": {"enum": list(FORMATS)}},
        },
        {
            "title": "Streamed",
            "properties": {
                "stream": {"const": True},
                "format": {"enum": STREAMABLE_FORMATS},
                "loudness": {"type": "null"},
            },
            "required": ["stream", "format"],
        },
    ]
}
"""JSON Schema for the values that can be combined."""


class TurnFields(StrictModel):
    """What one speaker says."""

    text: str = Field(description="text with markup", json_schema_extra=NAMED)
    voice: str | None = Field(
        None,
        description="a voice, a blend or one of speakers; default: the default voice",
        json_schema_extra=BLEND,
    )
    speed: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="factor on the speed"
    )
    language: str | None = Field(
        None, description="language code of the text; default: the voice's language"
    )
    pause_s: float | None = Field(
        None,
        ge=0,
        le=_LONGEST_PAUSE_S,
        allow_inf_nan=False,
        description="seconds of silence after it; default: pause_s of the dialogue, or none at its "
        "end",
    )


class DialogueRequest(StrictModel):
    """Body of `POST /dialogue`."""

    model_config = ConfigDict(
        json_schema_extra={
            **_GO_TOGETHER,
            **rates_of_opus("format"),
            "examples": [
                {
                    "turns": [
                        {"voice": "af_bella", "text": "Who is there?"},
                        {"voice": "am_michael", "text": "It is me.", "speed": 0.9},
                    ]
                },
                {
                    "turns": [
                        {"voice": "anna", "text": "Good morning!", "pause_s": 1.0},
                        {"voice": "ben", "text": "Morning."},
                    ],
                    "speakers": {"anna": "bf_emma", "ben": {"voice": "bm_george", "speed": 0.9}},
                    "timestamps": "word",
                },
            ],
        }
    )

    turns: list[TurnFields] = Field(
        min_length=1, max_length=MOST_TURNS, description="what is said, in order"
    )
    model: str | None = MODEL
    speakers: SpeakersField = SPEAKERS
    pause_s: float = Field(
        USUAL_PAUSE_S,
        ge=0,
        le=_LONGEST_PAUSE_S,
        allow_inf_nan=False,
        description="seconds of silence between two turns",
    )
    speed: float = Field(
        1.0, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="2.0 is twice as fast"
    )
    normalize: NormalizeField = NORMALIZE
    lexicon: LexiconField = None
    format: Annotated[AudioFormat, BY_ANY_NAME] = Field("wav", description="audio format")
    sample_rate: SampleRate | None = SAMPLE_RATE
    volume: float = VOLUME
    loudness: float | None = LOUDNESS
    normalize_loudness: bool = Field(
        True, description="bring the voices to the same loudness, which differs by up to 13 LU"
    )
    stream: bool = Field(False, description="send audio while it is made")
    decoding: Decoding | None = Field(None, description="as for /synthesize")
    timestamps: TimestampDepth | None = Field(
        None,
        description="answer with JSON: the audio in base64, and the times of each turn and word; "
        "with server-sent events if stream is true",
    )

    def utterance(self) -> Utterance:
        """Return what to say."""
        turns = [
            SaidTurn(turn.text, turn.voice, turn.speed, turn.language, turn.pause_s)
            for turn in self.turns
        ]
        how = Utterance(
            "",
            speed=self.speed,
            normalization=normalization_of(self.normalize),
            lexicon=self.lexicon,
            cast=cast_of(self.speakers),
            even=self.normalize_loudness,
        )
        return dialogue(turns, how, self.pause_s)

    def delivery(self) -> Delivery:
        """Return how to deliver it."""
        return Delivery(
            streamed=self.stream,
            timed=self.timestamps is not None,
            decoding=self.decoding,
            gain=gain_of(self.volume),
            loudness_lufs=self.loudness,
        )


class TurnWordAnswer(WordAnswer):
    """A word of a turn, and its time; offsets are those in the text of the turn."""

    turn: int = Field(description="number of the turn, from 0")

    @classmethod
    def in_turn(cls, said: TurnWord, text: str, depth: Depth) -> TurnWordAnswer:
        """Return the answer's form of a word in the text of its turn."""
        word = WordAnswer.of(said.word, text, depth)
        return cls(turn=said.turn, **word.model_dump())


class TurnAnswer(BaseModel):
    """A turn, and its time."""

    voice: str | None = Field(description="as it was sent")
    start_s: float | None = Field(description="of its first word; null if it has none")
    end_s: float | None = Field(description="of its last word; null if it has none")
    words: list[TurnWordAnswer]


class DialogueAnswer(BaseModel):
    """Answer with audio and times: `timestamps`."""

    audio: str = Field(description="the audio file, in base64")
    format: AudioFormat
    sample_rate_hz: int
    duration_s: float
    turns: list[TurnAnswer]
    dropped: list[SpanAnswer] | None = DROPPED


class DialogueEvent(BaseModel):
    """Data of the event `audio` with `timestamps` and `stream`."""

    audio: str = Field(description="the next part of the audio file, in base64")
    start_s: float
    end_s: float
    words: list[TurnWordAnswer]
