"""Plans: the chunks of an utterance, and what of its text they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from service.speech.chunking import LONGEST_CHUNK_S
from service.speech.utterance import Delivery
from service.speech.voices import Blend
from service.text import Decision, Ignored, Reading, Word

MIN_SPEED = 0.25
MAX_SPEED = 6.0
"""Speeds of an utterance, and of each part of it."""

_MODEL_SPEEDS = (0.5, 2.0)
"""Speeds at which the model says every voice intelligibly. Above, phonemes reach its shortest
duration, one frame, and get no faster: at 4.0 a sentence is only 2.3 times as fast."""

_CLEAR_SPEED = 1.25
"""Speed at which the model says what is stretched to more than 2.0. At 2.0 some phonemes are lost,
and stretching would not bring them back: of 38 words at 4.0, slowed back, a recognizer misses 50 %
if the model said them at 1.25, 74 % at 1.5 and 82 % at 2.0."""

LONGEST_SEGMENT_S = LONGEST_CHUNK_S * _MODEL_SPEEDS[0] / MIN_SPEED
"""Seconds of the longest segment: the longest chunk, stretched as far as it may be."""


@dataclass(frozen=True)
class Manner:
    """How a part of an utterance is said.

    Attributes:
        blend: the voice.
        speed: 0.25 to 6.0.
        gain: factor of the samples; what gets too loud is limited.
        pitch: semitones above the voice's own pitch.
        is_bleeped: whether a tone sounds instead of the words.
        phoneme_s: seconds that a phoneme takes on average, to which its sound is stretched; None if
            the speed decides.
    """

    blend: Blend
    speed: float
    gain: float = 1.0
    pitch: float = 0.0
    is_bleeped: bool = False
    phoneme_s: float | None = None


@dataclass(frozen=True)
class PlacedMark:
    """A mark of the text, and where it sounds in a chunk.

    Attributes:
        name: of the mark.
        text_start: offset of its markup in the caller's text.
        phoneme: the phoneme of the chunk that it comes before; as many as there are for the end of
            the speech.
        pause_s: seconds of the pause after the speech that go before it.
    """

    name: str
    text_start: int
    phoneme: int
    pause_s: float = 0.0


@dataclass(frozen=True)
class Chunk:
    """What the model says in one run.

    Attributes:
        phonemes: up to 150; empty for a pause at the beginning of the text, or instead of it.
        words: the words, or parts of words, with their offsets in the text and in `phonemes`.
        manner: how they are said.
        pause_s: seconds of silence after it, whatever the speed; None for the usual pause of its
            punctuation.
        is_last: whether it ends the utterance.
        marks: of the text, in order.
    """

    phonemes: str
    words: tuple[Word, ...]
    manner: Manner
    pause_s: float | None = None
    is_last: bool = False
    marks: tuple[PlacedMark, ...] = ()

    @property
    def blend(self) -> Blend:
        """Return the voice."""
        return self.manner.blend

    @property
    def speed(self) -> float:
        """Return the speed: 0.25 to 6.0."""
        return self.manner.speed

    @property
    def is_silence(self) -> bool:
        """Tell whether it is all of an utterance, and nothing but a pause."""
        return self.is_last and not self.phonemes

    @property
    def model_speed(self) -> float:
        """Return the speed at which the model says it."""
        return model_speed(self.speed)

    @property
    def stretching(self) -> float:
        """Return how many times as fast it then is made by stretching."""
        return self.speed / self.model_speed


@dataclass
class Coverage:
    """What is read of an utterance so far.

    Attributes:
        n_characters: in words, after text normalization; those of phonemes as they are.
        n_phonemes: of its text.
        dropped: spans of the text that are not pronounced.
        ignored: markup of the text that has no effect, or not the one that it asks for.
    """

    n_characters: int = 0
    n_phonemes: int = 0
    dropped: list[tuple[int, int]] = field(default_factory=list)
    ignored: tuple[Ignored, ...] = ()

    @property
    def n_dropped(self) -> int:
        """Return how many characters are not pronounced."""
        return sum(end - start for start, end in self.dropped)

    def add(self, reading: Reading) -> None:
        """Count what another reading says."""
        self.n_characters += len(reading.normalized)
        self.n_phonemes += len(reading.phonemes)
        self.dropped += reading.dropped


@dataclass(frozen=True)
class Plan:
    """An utterance that can be said: all errors that can be found in advance are found.

    Attributes:
        chunks: in order; at least one, and never all without samples. Iterate once only, unless
            `delivery.read_first`: the G2P of a long text runs while its beginning is spoken, so
            iterating may raise the errors of `FrontEnd.read`.
        blend: the voice; markup may change it for some of the chunks.
        language: code of the text's language; None for phonemes.
        delivery: with its `decoding` decided: windows only if model and voice allow it.
        coverage: complete when all chunks are taken.
        even: whether all voices are equally loud.
    """

    chunks: Iterable[Chunk]
    blend: Blend
    language: str | None
    delivery: Delivery
    coverage: Coverage = field(default_factory=Coverage)
    even: bool = False


@dataclass(frozen=True)
class Preview:
    """The phonemes and chunks of a text.

    Attributes:
        language: code of the text's language.
        normalized: the text after normalization.
        chunks: in order; at least one.
        dropped: spans of the text that are not pronounced.
        ignored: see `Coverage`.
        decisions: what was decided about readings, in order; empty if nobody asked.
    """

    language: str
    normalized: str
    chunks: tuple[Chunk, ...]
    dropped: tuple[tuple[int, int], ...]
    ignored: tuple[Ignored, ...] = ()
    decisions: tuple[Decision, ...] = ()


def model_speed(speed: float) -> float:
    """Return the speed at which the model speaks; stretching does the rest."""
    least, greatest = _MODEL_SPEEDS
    return max(speed, least) if speed <= greatest else _CLEAR_SPEED
