"""What the bodies of several doors share."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from service.audio import FORMATS
from service.speech import WordTime
from service.speech.voices import MAX_BLEND_LENGTH

STREAMABLE_FORMATS = [name for name, form in FORMATS.items() if form.streamable]

NAMED: dict[str, Any] = {"minLength": 1}
"""For the document: what is refused with a code of its own, not as `invalid_request`."""

BLEND: dict[str, Any] = {**NAMED, "maxLength": MAX_BLEND_LENGTH}

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


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str
    message: str
    request_id: str


class ErrorAnswer(BaseModel):
    """The one shape of every error."""

    error: ErrorDetail
