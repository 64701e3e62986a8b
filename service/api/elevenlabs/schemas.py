"""Bodies of ElevenLabs' speech API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.api.elevenlabs.character_times import CharacterTime
from service.api.normalize_field import normalization_of
from service.api.schemas import (
    BLEND,
    NAMED,
    SPEAKERS,
    SpeakersField,
    TimestampDepth,
    WordAnswer,
    cast_of,
)
from service.speech import SILENCE_S, Blend, Utterance, Voice
from service.speech.dialogues import MOST_TURNS, USUAL_PAUSE_S, SaidTurn, dialogue
from service.speech.plan import MAX_SPEED, MIN_SPEED
from service.text import is_variety


class LenientModel(BaseModel):
    """Base of what clients send: other fields are ignored, for clients send many."""

    model_config = ConfigDict(extra="ignore", strict=True)


class VoiceSettings(LenientModel):
    """How the voice speaks. The other settings that clients send have no effect."""

    speed: float | None = Field(
        None, ge=MIN_SPEED, le=MAX_SPEED, allow_inf_nan=False, description="2.0 is twice as fast"
    )


class TextToSpeechRequest(LenientModel):
    """Body of `POST /v1/text-to-speech/{voice_id}`; the other fields have no effect."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": "Hello there.", "model_id": "eleven_flash_v2_5"},
                {"text": "Good day.", "voice_settings": {"speed": 1.1, "stability": 0.5}},
            ]
        }
    )

    text: str = Field(description="text to say", examples=["Hello there."], json_schema_extra=NAMED)
    model_id: str | None = Field(
        None, description="a model that was added, by its name; any other means the server's own"
    )
    language_code: str | None = Field(
        None, description="language of the text; default: the voice's", examples=["en", "es"]
    )
    voice_settings: VoiceSettings | None = None
    apply_text_normalization: Literal["auto", "on", "off"] | None = Field(
        None, description="off: numbers, dates and the like are not written as words before G2P"
    )

    enable_ssml_parsing: bool | None = Field(
        None, description="a text that opens like SSML is SSML; default: the setting auto_ssml"
    )
    speakers: SpeakersField = SPEAKERS
    timestamps: TimestampDepth | None = Field(
        None,
        description="with the times of characters, those of words too, and of their phonemes or "
        "visemes, as for /synthesize; ElevenLabs has no such field",
    )

    def utterance(self, voice: str, blend: Blend, *, auto_ssml: bool = False) -> Utterance:
        """Return what to say in a voice that is known by its name and its parts.

        Args:
            voice: its name.
            blend: its parts.
            auto_ssml: whether a text that opens like SSML is SSML, if the caller does not say.
        """
        if self.enable_ssml_parsing is not None:
            auto_ssml = self.enable_ssml_parsing
        speed = self.voice_settings.speed if self.voice_settings else None
        return Utterance(
            self.text,
            "auto" if auto_ssml else "text",
            voice=voice,
            speed=1.0 if speed is None else speed,
            language=said_language(self.language_code, blend),
            normalization=normalization_of(self.apply_text_normalization != "off"),
            silence_s=SILENCE_S,
            cast=cast_of(self.speakers),
        )


class DialogueInput(LenientModel):
    """What one voice says."""

    text: str = Field(description="text to say", examples=["Hello!"], json_schema_extra=NAMED)
    voice_id: str = Field(
        description="a voice of GET /v1/voices, or a blend of voices",
        examples=["21m00Tcm4TlvDq8ikWAM"],
        json_schema_extra=BLEND,
    )


class TextToDialogueRequest(LenientModel):
    """Body of `POST /v1/text-to-dialogue`; the other fields have no effect."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "inputs": [
                        {"text": "Knock knock.", "voice_id": "21m00Tcm4TlvDq8ikWAM"},
                        {"text": "Who is there?", "voice_id": "pNInz6obpgDQGcFmaJgB"},
                    ]
                }
            ]
        }
    )

    inputs: list[DialogueInput] = Field(
        min_length=1, max_length=MOST_TURNS, description="what is said, in order"
    )
    model_id: str | None = Field(
        None, description="a model that was added, by its name; any other means the server's own"
    )
    language_code: str | None = Field(
        None, description="language of the texts; default: the voices'", examples=["en", "es"]
    )
    apply_text_normalization: Literal["auto", "on", "off"] | None = Field(
        None, description="off: numbers, dates and the like are not written as words before G2P"
    )
    timestamps: TimestampDepth | None = Field(
        None,
        description="with the times of characters, those of words too, and of their phonemes or "
        "visemes, as for /synthesize; ElevenLabs has no such field",
    )

    def utterance(self, voices: Sequence[tuple[str, Blend]]) -> Utterance:
        """Return what to say in voices that are known by their names and their parts."""
        turns = [
            SaidTurn(turn.text, voice, language=said_language(self.language_code, blend))
            for turn, (voice, blend) in zip(self.inputs, voices, strict=True)
        ]
        how = Utterance(
            "",
            normalization=normalization_of(self.apply_text_normalization != "off"),
            silence_s=SILENCE_S,
            even=True,
        )
        return dialogue(turns, how, USUAL_PAUSE_S)


def said_language(language_code: str | None, blend: Blend) -> str | None:
    """Return the language for a text; None for the voice's own, also if its country is not named.

    Clients send `en` for every kind of English.
    """
    if not language_code or is_variety(blend.language or "", language_code):
        return None
    return language_code


class CharacterAlignment(BaseModel):
    """Characters of the text, and when each is said: three lists of the same length."""

    characters: list[str]
    character_start_times_seconds: list[float]
    character_end_times_seconds: list[float]

    @classmethod
    def of(cls, characters: Iterable[CharacterTime]) -> CharacterAlignment | None:
        """Return the answer's form of characters; None if there are none."""
        columns = [(c.character, round(c.start_s, 6), round(c.end_s, 6)) for c in characters]
        if not columns:
            return None
        texts, starts, ends = map(list, zip(*columns, strict=True))
        return cls(
            characters=texts,
            character_start_times_seconds=starts,
            character_end_times_seconds=ends,
        )


class TimestampedAudio(BaseModel):
    """Answer with timestamps, or one line of a streamed answer."""

    audio_base64: str = Field(description="the audio file, or its next part, in base64")
    alignment: CharacterAlignment | None = Field(
        description="of the text as it was sent; null if no character starts in this part"
    )
    normalized_alignment: CharacterAlignment | None = Field(description="the same as alignment")
    words: list[WordAnswer] | None = Field(
        None, description="words that start in this part; left out unless timestamps asks for them"
    )

    def content(self) -> dict[str, Any]:
        """Return what is written: null where ElevenLabs has it, no words if nobody asks."""
        content = self.model_dump(exclude={"words"})
        if self.words is not None:
            content["words"] = [word.model_dump(exclude_none=True) for word in self.words]
        return content


class VoiceSegment(BaseModel):
    """A part of a dialogue that one voice says."""

    voice_id: str
    start_time_seconds: float
    end_time_seconds: float
    character_start_index: int = Field(description="in the characters of this answer or line")
    character_end_index: int
    dialogue_input_index: int


class TimestampedDialogue(TimestampedAudio):
    """Answer with timestamps, or one line of a streamed answer."""

    voice_segments: list[VoiceSegment] = Field(description="those that have characters in it")


class ElevenLabsVoice(BaseModel):
    """A voice."""

    voice_id: str
    name: str
    category: Literal["premade"] = "premade"
    labels: dict[str, str]
    description: str | None = None
    preview_url: None = None
    settings: None = None

    @classmethod
    def of(cls, voice: Voice, *, voice_id: str = "", name: str = "") -> ElevenLabsVoice:
        """Return the answer's form of a voice, perhaps under an id and a name of ElevenLabs."""
        labels = {"language": voice.language, "gender": voice.sex}
        return cls(
            voice_id=voice_id or voice.name,
            name=name or voice.name,
            labels={key: value for key, value in labels.items() if value is not None},
            description=f"spoken by {voice.name}" if name else None,
        )


class ElevenLabsVoices(BaseModel):
    """Answer of `GET /v1/voices`."""

    voices: list[ElevenLabsVoice]


class VoicesPage(ElevenLabsVoices):
    """Answer of `GET /v2/voices`; there is one page."""

    has_more: Literal[False] = False
    total_count: int
    next_page_token: None = None


class SpokenLanguage(BaseModel):
    """A language of the model."""

    language_id: str
    name: str


class ElevenLabsModel(BaseModel):
    """A model, in the list that clients get who send `xi-api-key`."""

    model_id: str = "kokoro"
    name: str = "Kokoro-82M"
    can_do_text_to_speech: bool = True
    can_do_voice_conversion: bool = False
    can_use_style: bool = False
    can_use_speaker_boost: bool = False
    maximum_text_length_per_request: int
    languages: list[SpokenLanguage]
