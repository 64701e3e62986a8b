"""Planning: from an utterance to the chunks that the model says."""

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
from service.speech.chunking import LONGEST_CHUNK_S, REAL_TIME_FACTOR, Chunker, Chunking
from service.speech.plan import MAX_SPEED, MIN_SPEED, Chunk, Coverage, Plan, Preview, model_speed
from service.speech.utterance import SILENCE_S, Delivery, Utterance
from service.speech.voices import Blend, VoiceLibrary
from service.text import (
    READ_AT_ONCE,
    FrontEnd,
    Passage,
    Pause,
    Reading,
    check_text,
    load_vocabulary,
    longest_in_words,
    parse,
    read_phonemes,
    unmarked,
    words_of,
)

MAX_SILENCE_S = 600.0
"""Total seconds of the pauses in a text, which a few characters could make very long."""

_SHORTEST_SILENCE_S = 0.001
"""Of a text of nothing but pauses. It has samples at every sample rate."""

_NOTHING = "the text has nothing to pronounce"

GROWTH = 8
"""How many times as long as `max_text_length` a text may be in words. Rows of figures become seven
times as long: `1,234,567`."""

MOST_PHONEMES = 16
"""How many times as many phonemes as `max_text_length` a text may have. Prose has as many phonemes
as characters, and rows of figures some eight times as many."""

_LONG_RESPELLING = 4
"""Characters of a respelling that are not counted as growth."""


@dataclass(frozen=True)
class _Part:
    """A passage, and how to say it."""

    passage: Passage
    language: str
    blend: Blend
    speed: float


class Planner:
    """Makes plans of utterances. Safe to share between threads.

    Args:
        front_end: converts texts to phonemes.
        voices: the known voices.
        default_voice: for utterances that name none.
        max_text_length: maximum characters of an utterance.
        longest_chunk_s: maximum seconds of a chunk.

    Attributes:
        front_end: see above.
        voices: see above.
        real_time_factor: measured in the self-test; decides how long chunks are if audio is to
            start early.

    Raises:
        ServiceError: the default voice does not exist.
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

    def plan(self, utterance: Utterance, delivery: Delivery) -> Plan:
        """Make the plan of an utterance.

        Raises:
            ServiceError: one of the classes with a 4xx status, or EspeakError.
        """
        is_phonemes = utterance.kind == "phonemes"
        coverage = Coverage()
        parts: list[_Part | Pause] = []
        if not utterance.is_part:
            self.check_length(utterance.text, "phonemes" if is_phonemes else "text")
        _check_speed(utterance.speed, "speed")
        chunking = delivery.chunking or "even"
        if is_phonemes:
            blend, language = self.resolve(utterance.voice), None
            coverage.n_characters = len(utterance.text)
            chunks = self._cut_phonemes(utterance, blend, chunking)
        else:
            blend, language = self.settle(utterance.voice, utterance.language)
            parts = self._parts(utterance, language)
            chunks = _cut_text(
                parts, blend, utterance.speed, self._chunker(utterance, blend, chunking),
                partial(self._read, utterance, coverage),
            )  # fmt: skip
        first = next(chunks, None)
        if first is None and not utterance.is_part:
            self._explain(utterance, parts)
        if first is None and utterance.silence_s is not None:
            first = Chunk("", (), blend, utterance.speed, utterance.silence_s, is_last=True)
        if first is None:
            raise NothingToSayError(_NOTHING)
        if first.is_silence and (first.pause_s or 0.0) < _SHORTEST_SILENCE_S:
            # Several formats have no file without samples.
            first = replace(first, pause_s=utterance.silence_s or SILENCE_S)
        all_chunks = chain([first], chunks)
        return Plan(
            tuple(all_chunks) if delivery.read_first else all_chunks,
            blend,
            language,
            delivery,
            coverage,
        )

    def preview(self, utterance: Utterance, chunking: Chunking) -> Preview:
        """Return the phonemes and chunks of a text.

        Raises:
            ServiceError: one of the classes with a 4xx status, or EspeakError.
        """
        self.check_length(utterance.text)
        blend, language = self.settle(utterance.voice, utterance.language)
        coverage = Coverage()
        normalized: list[str] = []

        def read(part: _Part) -> Iterator[Reading]:
            for reading in self._read(utterance, coverage, part):
                normalized.append(reading.normalized)
                yield reading

        parts = self._parts(utterance, language)
        chunker = self._chunker(utterance, blend, chunking)
        chunks = tuple(_cut_text(parts, blend, utterance.speed, chunker, read))
        if not chunks:
            self._explain(utterance, parts)
            raise NothingToSayError(_NOTHING)
        written = " ".join(filter(None, normalized))
        return Preview(language, written, chunks, tuple(coverage.dropped))

    def plan_phonemes(self, phonemes: str) -> Plan:
        """Plan phonemes of any length in the default voice, for the service itself."""
        blend = self.resolve(None)
        chunks = self._cut_phonemes(Utterance(phonemes, "phonemes"), blend, "even")
        return Plan(chunks, blend, None, Delivery())

    def settle(self, voice: str | None, language: str | None) -> tuple[Blend, str]:
        """Return the voice and the language for a text.

        Raises:
            UnknownVoiceError: the voice does not exist.
            InvalidBlendError: the blend is malformed.
            LanguageUnavailableError: the language is unknown, or its G2P is not installed.
        """
        blend = self.resolve(voice)
        language = blend.language if language is None else language
        if language is None:
            raise LanguageUnavailableError(
                f"the voice {blend.parts[0][0].name} has no language; set language"
            )
        return blend, self.front_end.readers.require(language).code

    @staticmethod
    def count(texts: Iterable[str]) -> int:
        """Return how many characters the texts of a document count as if they are dense signs."""
        return sum(map(longest_in_words, texts)) // GROWTH

    def check_length(self, text: str, name: str = "text") -> None:
        """Raise TextTooLongError if a field of a request is too long."""
        if len(text) > self._max_text_length:
            raise TextTooLongError(
                f"{name} has {len(text)} characters; the limit is {self._max_text_length}"
            )

    def resolve(self, voice: str | None) -> Blend:
        """Return a voice or a blend by its name, None for the default voice.

        Raises:
            UnknownVoiceError: the voice does not exist.
            InvalidBlendError: the blend is malformed.
        """
        return self.voices.resolve(self._default_voice if voice is None else voice)

    def _parts(self, utterance: Utterance, language: str) -> list[_Part | Pause]:
        """Return the parts of a text: passages, each with how to say it, and pauses."""
        text, words = utterance.text, utterance.words
        parts: list[_Part | Pause] = []
        silence_s = 0.0
        cast = utterance.cast or {}
        parsed = parse(
            text,
            is_ssml=utterance.kind == "ssml",
            language=language,
            open_voices=utterance.open_voices,
            strict=self.front_end.strict,
        )
        if words is None and utterance.kind == "text" and len(parsed) > 1:
            words = words_of(unmarked(text), utterance.normalization)
        for part in parsed:
            if isinstance(part, Pause):
                silence_s += part.duration_s
                parts.append(part)
                continue
            settings = part.voice_settings
            own_language = utterance.language if settings.voice is None else None
            voice = settings.voice or utterance.voice
            blend, language = self.settle(
                voice if voice is None else cast.get(voice, voice),
                settings.language or own_language,
            )
            if words is not None:
                part = part.saying(words)
            speed = utterance.speed * settings.rate
            _check_speed(speed, "speed times rate")
            if len(text) > READ_AT_ONCE:
                self.front_end.check(
                    part, language, normalization=utterance.normalization, lexicon=utterance.lexicon
                )
            parts.append(_Part(part, language, blend, speed))
        if silence_s > MAX_SILENCE_S:
            raise InvalidRequestError(
                f"the pauses of the text are {silence_s:g} s long; the limit is {MAX_SILENCE_S:g} s"
            )
        if not utterance.is_part:
            self._check_growth(utterance, parts)
        return parts

    def _check_growth(self, utterance: Utterance, parts: Iterable[_Part | Pause]) -> None:
        """Raise TextTooLongError if the text is too long in words."""
        limit = GROWTH * self._max_text_length
        respellings = () if utterance.lexicon is None else utterance.lexicon.respellings
        growth = max(map(len, respellings), default=0) // _LONG_RESPELLING
        if longest_in_words(utterance.text) * max(1, growth) <= limit:
            return
        n_characters = 0
        for part in parts:
            if isinstance(part, Pause):
                continue
            for length in self.front_end.length_in_words(
                part.passage,
                part.language,
                normalization=utterance.normalization,
                lexicon=utterance.lexicon,
            ):
                n_characters += length
                if n_characters > limit:
                    raise TextTooLongError(
                        f"text has {len(utterance.text)} characters, but in words more than "
                        f"{limit}, which is the limit: {GROWTH} times {self._max_text_length}"
                    )

    def _explain(self, utterance: Utterance, parts: Iterable[_Part | Pause]) -> None:
        """Raise the reason why a text has nothing to pronounce, if that is its letters."""
        for part in parts:
            if isinstance(part, _Part):
                self.front_end.explain(
                    part.passage,
                    part.language,
                    normalization=utterance.normalization,
                    lexicon=utterance.lexicon,
                )

    def _chunker(self, utterance: Utterance, blend: Blend, chunking: Chunking) -> Chunker:
        said_at = model_speed(utterance.speed)
        return Chunker(
            chunking=chunking,
            # Stretched speech plays shorter or longer than it was made.
            real_time_factor=self.real_time_factor * utterance.speed / said_at,
            pace=blend.pace * said_at,
            longest_s=self._longest_chunk_s,
        )

    def _read(self, utterance: Utterance, coverage: Coverage, part: _Part) -> Iterator[Reading]:
        """Yield the readings of a part, counted.

        Raises:
            TextTooLongError: the text has too many phonemes, in spite of its length in words.
        """
        limit = MOST_PHONEMES * self._max_text_length
        for reading in self.front_end.read(
            part.passage,
            part.language,
            normalization=utterance.normalization,
            lexicon=utterance.lexicon,
        ):
            coverage.add(reading)
            if coverage.n_phonemes > limit and not utterance.is_part:
                raise TextTooLongError(
                    f"text has {len(utterance.text)} characters, but more than {limit} phonemes, "
                    f"which is the limit: {MOST_PHONEMES} times {self._max_text_length}"
                )
            yield reading

    def _cut_phonemes(
        self, utterance: Utterance, blend: Blend, chunking: Chunking
    ) -> Iterator[Chunk]:
        """Yield the chunks of phonemes; errors are raised before the first."""
        check_text(utterance.text)
        reading = read_phonemes(utterance.text)
        vocabulary = load_vocabulary()
        vocabulary.token_ids(reading.phonemes)
        if not vocabulary.is_pronounceable(reading.phonemes):
            raise NothingToSayError("the phonemes have nothing to pronounce")
        chunker = self._chunker(utterance, blend, chunking)
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
    """Yield the chunks of a text while its G2P runs."""
    held: Chunk | None = None  # its pause may follow

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
            chunker.say_at(blend.pace * model_speed(speed))
        for reading in read(part):
            if reading.phonemes:
                yield from chunks(chunker.add(reading))
    yield from chunks(chunker.finish())
    if held is not None:
        yield replace(held, is_last=True)


def _check_speed(speed: float, what: str) -> None:
    if not MIN_SPEED <= speed <= MAX_SPEED:
        raise InvalidRequestError(f"{what} must be from {MIN_SPEED} to {MAX_SPEED}")
