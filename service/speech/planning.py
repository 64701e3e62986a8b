"""From an utterance to the chunks that the model says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from service.errors import (
    InvalidRequestError,
    LanguageUnavailableError,
    NothingToSayError,
    TextTooLongError,
)
from service.settings import Decoding
from service.speech.chunking import LONGEST_CHUNK_S, REAL_TIME_FACTOR, Chunker
from service.speech.voices import Blend, VoiceLibrary
from service.text import (
    READ_AT_ONCE,
    FrontEnd,
    Passage,
    Pause,
    Reading,
    Word,
    check_text,
    dropped,
    load_vocabulary,
    parse,
    read_phonemes,
)

MIN_SPEED = 0.5
MAX_SPEED = 2.0
"""Speeds at which every voice stays intelligible. Above, phonemes reach the model's shortest
duration, one frame, and get no faster: at 4.0 a sentence is 2.3 times as fast."""

MAX_SILENCE_S = 600.0
"""Seconds of the pauses that a text asks for, all together: a few characters are a minute."""


_NOTHING = "the text has nothing that can be pronounced"


_LIKELY_S_PER_BYTE = 0.07
"""Of a text: 14.6 letters of English are a second; what is written with fewer signs has more bytes
for each. Figures and pauses may take many times as long."""


@dataclass(frozen=True)
class Utterance:
    """What is to be said; either `text` or `phonemes`.

    Attributes:
        text: any text.
        phonemes: symbols of the model's vocabulary, said as they are.
        voice: a voice's name or a blend; None for the default voice.
        speed: 0.5 to 2.0.
        language: code of the text's language; None for the voice's own.
        is_ssml: whether the text is SSML.
        normalized: whether figures, dates, abbreviations and the like are written in words
            before they are read.
        streamed: whether the sound is wanted while it is made.
        early: whether the first chunks are cut short, so that sound starts early, instead of
            evenly; None for early where it is streamed and not decoded in windows.
        decoding: None for what the settings say.
        timed: whether each word's time is wanted.
    """

    text: str | None = None
    phonemes: str | None = None
    voice: str | None = None
    speed: float = 1.0
    language: str | None = None
    is_ssml: bool = False
    normalized: bool = True
    streamed: bool = False
    early: bool | None = None
    decoding: Decoding | None = None
    timed: bool = False

    @property
    def likely_s(self) -> float:
        """Return about how many seconds it takes to say, before anything of it is read."""
        n_bytes = len((self.text or self.phonemes or "").encode("utf-8", "surrogatepass"))
        return n_bytes * _LIKELY_S_PER_BYTE / self.speed


@dataclass(frozen=True)
class Chunk:
    """A part of an utterance that the model says in one run.

    Attributes:
        phonemes: up to 150 of them; none for a pause that nothing stands before.
        words: the words of the text that they are, or parts of them, as offsets in `phonemes`.
        blend: the voice.
        speed: 0.5 to 2.0.
        pause_s: seconds of silence after it; None for what its last mark asks for.
        is_last: whether it ends the utterance.
    """

    phonemes: str
    words: tuple[Word, ...]
    blend: Blend
    speed: float
    pause_s: float | None = None
    is_last: bool = False


@dataclass(frozen=True)
class Plan:
    """An utterance that can be said: what can be refused has been.

    Attributes:
        chunks: in order; at least one. To be gone through once: a long text is read while its
            beginning is spoken, so going on may raise what `FrontEnd.read` does.
        blend: the voice; markup may change it for some of the chunks.
        language: code of the language that the text is read in; None for phonemes.
        timed: whether each word's time is wanted.
        in_windows: whether chunks are decoded window by window, where that is known to be good.
    """

    chunks: Iterable[Chunk]
    blend: Blend
    language: str | None
    timed: bool
    in_windows: bool = False


@dataclass(frozen=True)
class Preview:
    """What will be said of a text, and how.

    Attributes:
        language: code of the language that it is read in.
        normalized: the text in words.
        chunks: in order; at least one.
        dropped: what is not said, as spans of the text.
    """

    language: str
    normalized: str
    chunks: tuple[Chunk, ...]
    dropped: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Part:
    """A passage, and how it is said."""

    passage: Passage
    language: str
    blend: Blend
    speed: float


class Planner:
    """Settles everything about utterances but their sound. Safe to share between threads.

    Args:
        front_end: reads texts.
        voices: that there are.
        default_voice: of utterances that name none.
        max_text_length: characters of an utterance.
        longest_chunk_s: seconds of a chunk at most.

    Attributes:
        front_end: likewise.
        voices: likewise.
        real_time_factor: seconds that the model takes for a second of speech, from the self-test;
            chunks of speech that shall start early are as long as it allows.

    Raises:
        ServiceError: the default voice is not there.
    """

    def __init__(
        self,
        front_end: FrontEnd,
        voices: VoiceLibrary,
        *,
        default_voice: str,
        max_text_length: int,
        longest_chunk_s: float = LONGEST_CHUNK_S,
    ) -> None:
        self.front_end = front_end
        self.voices = voices
        self._default_voice = default_voice
        self._max_text_length = max_text_length
        self._longest_chunk_s = longest_chunk_s
        self.real_time_factor = REAL_TIME_FACTOR
        voices.resolve(default_voice)

    def plan(self, utterance: Utterance) -> Plan:
        """Settle everything about an utterance but its sound.

        Raises:
            ServiceError: one of the classes with a 4xx status, or EspeakError.
        """
        given = [name for name in ("text", "phonemes") if getattr(utterance, name) is not None]
        if len(given) != 1:
            raise InvalidRequestError("exactly one of text and phonemes must be given")
        spoken = utterance.text if utterance.text is not None else utterance.phonemes or ""
        self.check_length(spoken, given[0])
        _check_speed(utterance.speed, "speed")
        if utterance.text is None:
            blend, language = self.resolve(utterance.voice), None
            chunks = self._cut_phonemes(spoken, blend, utterance)
        else:
            blend, language = self.settle(utterance.voice, utterance.language)
            parts = self._parts(spoken, utterance, language)
            chunks = _cut_text(
                parts, blend, utterance.speed, self._chunker(utterance, blend),
                partial(self._read, utterance),
            )  # fmt: skip
        first = next(chunks, None)
        if first is None:
            raise NothingToSayError(_NOTHING)
        return Plan(chain([first], chunks), blend, language, utterance.timed)

    def preview(self, utterance: Utterance) -> Preview:
        """Tell what will be said of a text, and how.

        Raises:
            ServiceError: one of the classes with a 4xx status, or EspeakError.
        """
        text = utterance.text or ""
        self.check_length(text)
        blend, language = self.settle(utterance.voice, utterance.language)
        read: list[tuple[Passage, list[Reading]]] = []

        def note(part: _Part) -> list[Reading]:
            readings = list(self._read(utterance, part))
            read.append((part.passage, readings))
            return readings

        parts = self._parts(text, utterance, language)
        chunker = self._chunker(utterance, blend)
        chunks = tuple(_cut_text(parts, blend, utterance.speed, chunker, note))
        if not chunks:
            raise NothingToSayError(_NOTHING)
        normalized = (reading.normalized for _, readings in read for reading in readings)
        not_said = (dropped(passage, readings) for passage, readings in read)
        return Preview(language, " ".join(normalized), chunks, tuple(chain(*not_said)))

    def plan_phonemes(self, phonemes: str) -> Plan:
        """Plan phonemes of the default voice that the service says to itself, of any length."""
        blend = self.resolve(None)
        chunks = self._cut_phonemes(phonemes, blend, Utterance(phonemes=phonemes))
        return Plan(chunks, blend, None, timed=False)

    def settle(self, voice: str | None, language: str | None) -> tuple[Blend, str]:
        """Return the voice and the language of a text that may be still to come.

        Raises:
            UnknownVoiceError: there is no such voice.
            InvalidBlendError: the blend cannot be read.
            LanguageUnavailableError: there is no such language, or nothing that reads it.
        """
        blend = self.resolve(voice)
        language = blend.language if language is None else language
        if language is None:
            raise LanguageUnavailableError(
                f"the voice {blend.parts[0][0].name} has no language of its own; name one"
            )
        return blend, self.front_end.readers.require(language).code

    def check_length(self, text: str, name: str = "text") -> None:
        """Raise TextTooLongError if a field of a request is too long."""
        if len(text) > self._max_text_length:
            raise TextTooLongError(
                f"{name} of {len(text)} characters, where {self._max_text_length} are allowed"
            )

    def resolve(self, voice: str | None) -> Blend:
        """Return a voice or a blend by its name, None for the default voice.

        Raises:
            UnknownVoiceError: there is no such voice.
            InvalidBlendError: the blend cannot be read.
        """
        return self.voices.resolve(self._default_voice if voice is None else voice)

    def _parts(self, text: str, utterance: Utterance, language: str) -> list[_Part | Pause]:
        """Return what a text is made of, each passage with how it is said."""
        parts: list[_Part | Pause] = []
        silence_s = 0.0
        for part in parse(text, is_ssml=utterance.is_ssml, language=language):
            if isinstance(part, Pause):
                silence_s += part.duration_s
                parts.append(part)
                continue
            delivery = part.delivery
            own_language = utterance.language if delivery.voice is None else None
            blend, language = self.settle(
                delivery.voice or utterance.voice, delivery.language or own_language
            )
            speed = utterance.speed * delivery.rate
            _check_speed(speed, "speed times rate")
            if len(text) > READ_AT_ONCE:
                self.front_end.check(part, language, normalized=utterance.normalized)
            parts.append(_Part(part, language, blend, speed))
        if silence_s > MAX_SILENCE_S:
            raise InvalidRequestError(
                f"the pauses of the text are {silence_s:g} s, where {MAX_SILENCE_S:g} are allowed"
            )
        return parts

    def _chunker(self, utterance: Utterance, blend: Blend) -> Chunker:
        return Chunker(
            early=bool(utterance.early),
            real_time_factor=self.real_time_factor,
            pace=blend.pace * utterance.speed,
            longest_s=self._longest_chunk_s,
        )

    def _read(self, utterance: Utterance, part: _Part) -> Iterator[Reading]:
        return self.front_end.read(part.passage, part.language, normalized=utterance.normalized)

    def _cut_phonemes(self, phonemes: str, blend: Blend, utterance: Utterance) -> Iterator[Chunk]:
        """Yield the chunks of phonemes; what can be refused is refused at once."""
        check_text(phonemes)
        reading = read_phonemes(phonemes)
        vocabulary = load_vocabulary()
        vocabulary.token_ids(reading.phonemes)
        if not vocabulary.is_pronounceable(reading.phonemes):
            raise NothingToSayError("the phonemes hold nothing that can be pronounced")
        chunker = self._chunker(utterance, blend)
        chunks = [*chunker.add(reading), *chunker.finish()]
        for number, chunk in enumerate(chunks, start=1):
            yield Chunk(
                chunk.phonemes,
                chunk.words,
                blend,
                utterance.speed,
                is_last=number == len(chunks),
            )


def _cut_text(
    parts: list[_Part | Pause],
    blend: Blend,
    speed: float,
    chunker: Chunker,
    read: Callable[[_Part], Iterable[Reading]],
) -> Iterator[Chunk]:
    """Yield the chunks of a text while it is being read."""
    held: Chunk | None = None  # its pause may be still to come

    def chunks(readings: Iterable[Reading]) -> Iterator[Chunk]:
        nonlocal held
        for reading in readings:
            if held is not None:
                yield held
            held = Chunk(reading.phonemes, reading.words, blend, speed)

    for part in parts:
        if isinstance(part, Pause):
            yield from chunks(chunker.finish())
            held = held or Chunk("", (), blend, speed)
            held = replace(held, pause_s=(held.pause_s or 0.0) + part.duration_s)
            continue
        if (part.blend, part.speed) != (blend, speed):
            yield from chunks(chunker.finish())
            blend, speed = part.blend, part.speed
            chunker.say_at(blend.pace * speed)
        for reading in read(part):
            yield from chunks(chunker.add(reading))
    yield from chunks(chunker.finish())
    if held is not None:
        yield replace(held, is_last=True)


def _check_speed(speed: float, what: str) -> None:
    if not MIN_SPEED <= speed <= MAX_SPEED:
        raise InvalidRequestError(f"{what} must be from {MIN_SPEED} to {MAX_SPEED}")
