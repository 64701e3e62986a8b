"""Text whose markup is understood: passages and pauses, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from service.text.offset_mapping import TracedText
from service.text.spans import Override

Interpretation = Literal[
    "cardinal", "ordinal", "digits", "characters", "date", "time", "telephone", "currency", "unit"
]
"""What a text is to be read as, whatever it looks like."""


@dataclass(frozen=True, slots=True)
class VoiceSettings:
    """How a passage is said where its markup tells; otherwise as the request has it.

    Attributes:
        voice: name of a voice or a blend; None for the request's.
        language: code; None for the voice's own, or the request's if the voice is the request's.
        rate: by how much the passage is faster than the request's speed.
    """

    voice: str | None = None
    language: str | None = None
    rate: float = 1.0


@dataclass(frozen=True, slots=True)
class Hint:
    """What some of a text is to be read as.

    Attributes:
        start: offset in the caller's text, in code points.
        end: likewise.
        interpretation: what it is.
        detail: which kind of it, such as the order `mdy` of a date; empty if nothing is said.
    """

    start: int
    end: int
    interpretation: Interpretation
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Text that is said in one way.

    Attributes:
        text: never empty; the markup is gone from it.
        voice_settings: how it is said.
        overrides: what is settled about the reading of some of its words; in order and apart.
        hints: what some of it is; in order and apart.
    """

    text: TracedText
    voice_settings: VoiceSettings = field(default_factory=VoiceSettings)
    overrides: tuple[Override, ...] = ()
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True, slots=True)
class Pause:
    """Silence of exactly this length, in place of any pause that would be there anyway.

    Attributes:
        duration_s: 0 to 60.
        start: where the markup starts in the caller's text.
        end: where it ends.
    """

    duration_s: float
    start: int
    end: int
