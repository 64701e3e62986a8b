"""Narrate a book: plan all of its chunks, then make the sounds that are missing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace

import numpy as np

from service import __version__
from service.audio import SOURCE_RATE_HZ, encode
from service.books.book import Chapter
from service.books.casting import Cast
from service.books.cue_times import MOST_QUICKER, rooms_s, times_of
from service.books.journal import Journal, KeptSound, PlannedChunk
from service.books.sections import Pauses, Section, sections
from service.errors import NothingToSayError, ServiceError, SynthesisError
from service.settings import Decoding
from service.speech import Cancellation, Chunk, Delivery, Plan, Synthesizer, Utterance
from service.speech.plan import MAX_SPEED
from service.speech.plan import Manner as SpokenManner
from service.text import USUAL, Ignored, Normalization, UserLexicon

_MARGIN = 1.005
"""By which a cue is quicker than its length says."""

N_TRIALS = 3
"""How often a chunk is tried before it is reported."""

_SHOWN = 60
"""Characters of a text that a report shows."""


@dataclass(frozen=True)
class Manner:
    """How a book is read.

    Attributes:
        cast: its voices.
        speed: 0.25 to 6.0.
        language: code of the language; None for that of each voice.
        pauses: silences.
        normalization: how the text is normalized; None for not at all.
        lexicon: pronunciations, laid over those of the service; None for no others.
        decoding: how chunks are decoded.
        fits: whether cues of subtitles are said at their times, more quickly if they have to be.
        strict_ssml: whether SSML is refused of which something cannot be done.
    """

    cast: Cast = field(default_factory=Cast)
    speed: float = 1.0
    language: str | None = None
    pauses: Pauses = field(default_factory=Pauses)
    normalization: Normalization | None = USUAL
    lexicon: UserLexicon | None = None
    decoding: Decoding = "whole"
    fits: bool = False
    strict_ssml: bool = False

    def utterance(self, section: Section, chapter: int) -> Utterance:
        """Return what is to be said of a section of a chapter, by its number from 1."""
        said = Utterance(
            section.text,
            voice=self.cast.voice_of_chapter(chapter),
            speed=self.speed,
            language=self.language,
            normalization=self.normalization,
            lexicon=self.lexicon,
            cast=self.cast.speakers,
            is_part=True,
        )
        if not section.is_ssml:
            return said
        return replace(said, kind="strict_ssml" if self.strict_ssml else "ssml")


@dataclass(frozen=True)
class Trouble:
    """Text that cannot be said.

    Attributes:
        chapter: number of its chapter, from 1.
        title: of the chapter.
        start: offset in the chapter's text.
        text: its beginning.
        reason: why not.
    """

    chapter: int
    title: str
    start: int
    text: str
    reason: str

    def __str__(self) -> str:
        shown = " ".join(self.text.split())
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
        return (
            f"chapter {self.chapter} ({self.title}), from character {self.start + 1}, "
            f"{shown!r}: {self.reason}"
        )


@dataclass(frozen=True)
class Made:
    """A chunk whose sound is now kept.

    Attributes:
        chapter: number of its chapter, from 0.
        n_phonemes: its length.
        n_samples: of its sound.
    """

    chapter: int
    n_phonemes: int
    n_samples: int


class Narration:
    """Plans and makes the speech of a book's chapters.

    Args:
        synthesizer: says it.
        chapters: what is read, in order.
        manner: how.
        cancellation: stops it. If it is of background work, requests go before it.

    Attributes:
        n_dropped: characters that are not said of what is planned so far.
        ignored: markup of SSML that has no effect, of the document that was planned last.
    """

    def __init__(
        self,
        synthesizer: Synthesizer,
        chapters: Sequence[Chapter],
        manner: Manner,
        cancellation: Cancellation | None = None,
    ) -> None:
        self._synthesizer = synthesizer
        self._chapters = chapters
        self._manner = manner
        self._cancellation = cancellation
        self._engine = _engine(synthesizer, manner.decoding)
        self._rooms_s: dict[int, list[float | None]] = {}
        self.n_dropped = 0
        self.ignored: tuple[Ignored, ...] = ()

    @property
    def engine(self) -> str:
        """Return what makes the sounds: another one may make others of the same phonemes."""
        return self._engine

    def plan(self, note: Callable[[int | Trouble], None]) -> Iterator[PlannedChunk]:
        """Yield the chunks of all chapters.

        Text with nothing to pronounce has no chunk and is no trouble.

        Args:
            note: called with the characters of each section before it is read, and with what
                cannot be said.

        Raises:
            ServiceError: the reason of the cancellation.
        """
        for number, chapter in enumerate(self._chapters):
            for index, section in enumerate(sections(chapter, self._manner.pauses)):
                note(len(section.text))
                self._wait()
                try:
                    for chunk, room_s in self._chunks(number, index, section):
                        words = tuple(
                            (word.text_start + section.start, word.text_end + section.start)
                            for word in chunk.words
                        )
                        key, n_phonemes = self._key(chunk, room_s), len(chunk.phonemes)
                        yield PlannedChunk(number, index, key, n_phonemes, words)
                except NothingToSayError:
                    self.n_dropped += sum(not letter.isspace() for letter in section.text)
                except ServiceError as error:
                    note(self._trouble(number, section, error))

    def make(self, journal: Journal) -> Iterator[Made | Trouble]:
        """Make the sounds that the journal's plan lacks; yield each as it is kept, or why not.

        Raises:
            SynthesisError: a section is not read as it was planned; plan again.
            OSError: a sound cannot be kept.
            ServiceError: the reason of the cancellation.
        """
        places: dict[int, list[Section]] = {}
        for number, index in journal.unmade_sections():
            if number not in places:
                places = {number: list(sections(self._chapters[number], self._manner.pauses))}
            section = places[number][index]
            self._wait()
            for chunk, room_s in self._chunks(number, index, section):
                key = self._key(chunk, room_s)
                if journal.has(key):
                    continue
                try:
                    sound = self._fitted_sound(chunk, room_s)
                except SynthesisError as error:
                    place = chunk.words[0].text_start if chunk.words else 0
                    yield self._trouble(number, section, error, place)
                    continue
                journal.keep(key, sound)
                yield Made(number, len(chunk.phonemes), sound.n_samples)

    def _wait(self) -> None:
        """Let requests go first, if this is background work; raise the reason of a cancellation."""
        if self._cancellation is not None:
            self._cancellation.check()
            if self._cancellation.is_background:
                self._synthesizer.wait_for_requests(self._cancellation)

    def _chunks(
        self, number: int, index: int, section: Section
    ) -> Iterator[tuple[Chunk, float | None]]:
        """Yield the chunks of a section, each with the seconds that it should take, if it is a cue.

        The last one ends with the section's pause.
        """
        utterance = self._manner.utterance(section, self._chapters[number].number)
        plan = self._synthesizer.plan(utterance, _DELIVERY)
        self.ignored = plan.coverage.ignored or self.ignored
        room_s = self._room_s(number, index)
        chunks = plan.chunks if room_s is None else list(plan.chunks)
        n_phonemes = 0 if room_s is None else sum(len(chunk.phonemes) for chunk in chunks)
        for chunk in chunks:
            pause_s = section.pause_s + (chunk.pause_s or 0.0) if chunk.is_last else chunk.pause_s
            own_s = None if room_s is None else room_s * len(chunk.phonemes) / max(n_phonemes, 1)
            yield replace(chunk, pause_s=pause_s), own_s
        self.n_dropped += plan.coverage.n_dropped

    def _room_s(self, number: int, index: int) -> float | None:
        """Return the seconds that a section has, if it is a cue."""
        if number not in self._rooms_s:
            self._rooms_s = {number: rooms_s(times_of(self._chapters[number]))}
        rooms = self._rooms_s[number]
        return rooms[index] if index < len(rooms) else None

    def _fitted_sound(self, chunk: Chunk, room_s: float | None) -> KeptSound:
        """Say a chunk, more quickly than usual if it takes longer than it should."""
        sound = self._sound(chunk)
        if room_s is None or not chunk.phonemes:
            return sound
        most = min(MOST_QUICKER, MAX_SPEED / chunk.speed)
        quicker = 1.0
        for _ in range(N_TRIALS):  # the model's lengths are not exactly as its speed says
            length_s = sound.n_samples / SOURCE_RATE_HZ
            if length_s <= room_s or quicker >= most:
                break
            quicker = min(quicker * length_s / room_s * _MARGIN, most) if room_s else most
            manner = replace(chunk.manner, speed=chunk.speed * quicker)
            sound = self._sound(replace(chunk, manner=manner))
        return replace(sound, quicker=quicker)

    def _sound(self, chunk: Chunk) -> KeptSound:
        """Say a chunk, as often as it takes.

        Each chunk is a stream of its own, so it sounds the same after whatever was made before.
        """
        timed = self._synthesizer.model.gives_durations
        delivery = replace(_DELIVERY, timed=timed, decoding=self._manner.decoding)
        plan = Plan([chunk], chunk.blend, None, delivery)
        for trial in range(1, N_TRIALS + 1):
            try:
                segments = list(self._synthesizer.stream(plan, self._cancellation))
                break
            except SynthesisError:
                if trial == N_TRIALS:
                    raise
        samples = np.concatenate([segment.samples for segment in segments])
        times = tuple((word.start_s, word.end_s) for one in segments for word in one.words)
        marks = tuple((mark.name, mark.time_s) for one in segments for mark in one.marks)
        return KeptSound(encode([samples], "flac"), samples.size, times, marks=marks)

    def _key(self, chunk: Chunk, room_s: float | None) -> str:
        """Return the key of a chunk's sound: all that decides what it sounds like."""
        spans = [(word.phonemes_start, word.phonemes_end) for word in chunk.words]
        voices = [(voice.name, voice.sha256, weight) for voice, weight in chunk.blend.parts]
        what = [self._engine, chunk.phonemes, spans, voices, chunk.speed, chunk.pause_s]
        if room_s is not None:
            what.append(room_s)
        if altered := _alterations(chunk):
            what.append(altered)
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()

    def _trouble(
        self, number: int, section: Section, error: ServiceError, place: int = 0
    ) -> Trouble:
        chapter, text = self._chapters[number], section.text[place:]
        return Trouble(chapter.number, chapter.title, section.start + place, text, error.message)


def _alterations(chunk: Chunk) -> dict[str, object]:
    """Return what markup makes of a chunk besides its voice and speed."""
    manner, plain = chunk.manner, SpokenManner(chunk.blend, chunk.speed)
    names = ("gain", "pitch", "is_bleeped", "phoneme_s")
    altered = {
        name: getattr(manner, name)
        for name in names
        if getattr(manner, name) != getattr(plain, name)
    }
    return {**altered, "marks": list(map(astuple, chunk.marks))} if chunk.marks else altered


_DELIVERY = Delivery(chunking="even", first=False, last=False)


def _engine(synthesizer: Synthesizer, decoding: Decoding) -> str:
    """Return what the sound of phonemes rests on: the last bits differ between instruction sets."""
    model = synthesizer.model
    prepared = model.prepared
    parts = f"{__version__} {model.sha256} {prepared.variant} {prepared.detail} {model.provider}"
    return parts if decoding == "whole" else f"{parts} {decoding}"
