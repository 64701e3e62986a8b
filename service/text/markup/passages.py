"""Parsed text: passages and pauses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from service.text.offset_mapping import TracedText
from service.text.spans import Override

Interpretation = Literal[
    "cardinal",
    "ordinal",
    "digits",
    "characters",
    "date",
    "time",
    "telephone",
    "currency",
    "unit",
    "fraction",
    "duration",
    "address",
]
"""The kind of a text, which decides how it is read."""


@dataclass(frozen=True, slots=True)
class VoiceWish:
    """What a document asks of a voice, to be found among those that there are.

    Attributes:
        names: of voices, blends or speakers, or of voices of other systems; the first that can be
            had is taken.
        sex: `female`, `male` or `neutral`; None for any.
        languages: codes; empty for any.
        variant: which of several that are as good, from 1.
        required: features without which no voice will do: `name`, `gender`, `languages`, `variant`.
        ordering: features, the most important first.
        keeps: whether the voice stays as it is if none will do.
        skips: whether the text is not read if none will do.
        start: offset in the caller's text of the attribute that says most of it; wishes are equal
            wherever they are.
        attribute: its name.
        element: name of the element.
        outer: what is asked around it; None for the voice of the request.
    """

    names: tuple[str, ...] = ()
    sex: str | None = None
    languages: tuple[str, ...] = ()
    variant: int = 1
    required: frozenset[str] = frozenset()
    ordering: tuple[str, ...] = ("name", "languages", "gender", "variant")
    keeps: bool = False
    skips: bool = False
    start: int = field(default=0, compare=False)
    attribute: str = field(default="", compare=False)
    element: str = field(default="voice", compare=False)
    outer: VoiceWish | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """A length that the speech of several passages is brought to.

    Attributes:
        duration_s: the length.
        at_most: whether shorter speech stays as it is.
        start: offset in the caller's text of the attribute, which tells it from others.
        element: name of its element.
        attribute: its name.
    """

    duration_s: float
    at_most: bool
    start: int
    element: str
    attribute: str


@dataclass(frozen=True, slots=True)
class MarkPause:
    """The silence after a kind of punctuation.

    Attributes:
        marks: the punctuation marks.
        duration_s: the silence.
        is_exact: whether it replaces the natural pause; otherwise it is added.
    """

    marks: str
    duration_s: float
    is_exact: bool


@dataclass(frozen=True, slots=True)
class VoiceSettings:
    """How a passage is spoken, where its markup says so.

    Attributes:
        voice: name of a voice or a blend; None for the voice of the request.
        language: a code. None for the language of the voice, or, without `voice`, for that of the
            request.
        rate: factor on the speed of the request.
        gain: factor of the samples; 0 is silence.
        pitch: semitones above the voice's own pitch.
        is_bleeped: whether a tone sounds instead of the words.
        wish: what is asked of the voice, instead of `voice`; None for nothing.
        fit: the length of its speech; None for the natural one.
        pauses: silences after punctuation marks.
    """

    voice: str | None = None
    language: str | None = None
    rate: float = 1.0
    gain: float = 1.0
    pitch: float = 0.0
    is_bleeped: bool = False
    wish: VoiceWish | None = None
    fit: Fit | None = None
    pauses: tuple[MarkPause, ...] = ()


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
        gap: white space that the document has after it, folded; empty for inline markup, where it
            is in the text.
    """

    text: TracedText
    voice_settings: VoiceSettings = field(default_factory=VoiceSettings)
    overrides: tuple[Override, ...] = ()
    hints: tuple[Hint, ...] = ()
    words: TracedText | None = None
    gap: str = field(default="", compare=False)

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


Part = TypeVar("Part", Passage, Pause)


def moved(part: Part, n_characters: int) -> Part:
    """Return a passage or a pause, so many characters later in the caller's text."""
    if isinstance(part, Pause):
        return replace(part, start=part.start + n_characters, end=part.end + n_characters)
    return replace(
        part,
        text=part.text.moved(lambda offset: offset + n_characters),
        words=part.words and part.words.moved(lambda offset: offset + n_characters),
        overrides=tuple(
            replace(one, start=one.start + n_characters, end=one.end + n_characters)
            for one in part.overrides
        ),
        hints=tuple(
            replace(one, start=one.start + n_characters, end=one.end + n_characters)
            for one in part.hints
        ),
    )
