"""Parsed text: passages and pauses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from service.text.offset_mapping import TracedText
from service.text.spans import Override

Interpretation = Literal[
    "cardinal", "ordinal", "digits", "characters", "date", "time", "telephone", "currency", "unit"
]
"""The kind of a text, which decides how it is read."""


@dataclass(frozen=True, slots=True)
class VoiceSettings:
    """Voice, language and rate of a passage, where its markup sets them.

    Attributes:
        voice: name of a voice or a blend; None for the voice of the request.
        language: a code. None for the language of the voice, or, without `voice`, for that of the
            request.
        rate: factor on the speed of the request.
    """

    voice: str | None = None
    language: str | None = None
    rate: float = 1.0


@dataclass(frozen=True, slots=True)
class Hint:
    """The kind of a part of the text.

    Attributes:
        start: offset in the caller's text, in code points.
        end: likewise.
        interpretation: the kind.
        detail: more about it, such as the order `mdy` of a date; may be empty.
    """

    start: int
    end: int
    interpretation: Interpretation
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Text with one voice, language and rate.

    Attributes:
        text: the text without its markup; never empty.
        voice_settings: its voice, language and rate.
        overrides: how some of its words are read; in order, not overlapping.
        hints: kinds of some parts; in order, not overlapping.
        words: what is said of the text, by the tree of the whole that it belongs to, with the same
            offsets; None if the text is a whole.
    """

    text: TracedText
    voice_settings: VoiceSettings = field(default_factory=VoiceSettings)
    overrides: tuple[Override, ...] = ()
    hints: tuple[Hint, ...] = ()
    words: TracedText | None = None

    def saying(self, words: TracedText) -> Passage:
        """Return the passage with those of some words that lie in it."""
        return replace(self, words=words[slice(*words.within(*self.text.span))])


@dataclass(frozen=True, slots=True)
class Pause:
    """Silence of exactly this length, which replaces the pause that speech would have there.

    Attributes:
        duration_s: 0 to 60.
        start: offset of the markup in the caller's text.
        end: likewise, of its end.
    """

    duration_s: float
    start: int
    end: int
