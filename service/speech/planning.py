"""Planning: from an utterance to the chunks that the model says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from service.errors import (
    InvalidRequestError,
    LanguageUnavailableError,
    NothingToSayError,
    TextTooLongError,
)
from service.speech.chunking import LONGEST_CHUNK_S, REAL_TIME_FACTOR, Chunker, Chunking
from service.speech.plan import (
    MAX_SPEED,
    MIN_SPEED,
    Chunk,
    Coverage,
    Manner,
    Plan,
    Preview,
    model_speed,
)
from service.speech.spans import Cutter, Read, SpokenSpan, fitted
from service.speech.utterance import SILENCE_S, Delivery, Speaker, Turn, Utterance
from service.speech.voice_choice import Choice, VoiceChooser
from service.speech.voices import Blend, VoiceLibrary
from service.text import (
    LANGUAGES,
    READ_AT_ONCE,
    Decision,
    FrontEnd,
    Ignored,
    Notes,
    Passage,
    Pause,
    Reading,
    VoiceWish,
    check_text,
    longest_in_words,
    moved,
    parse,
    read_phonemes,
    tagged_text,
    unmarked,
    words_of,
)

MAX_SILENCE_S = 600.0
"""Total seconds of the pauses in a text, which a few characters could make very long."""

_SILENCE_S_PER_CHARACTER = 0.03
"""What a document of more than 20,000 characters may have instead, all of it together."""

_SHORTEST_SILENCE_S = 0.001
"""Of a text of nothing but pauses. It has samples at every sample rate."""

_NOTHING = "the text has nothing to pronounce"

GROWTH = 8
"""How many times as long as `max_text_length` a text may be in words. Rows of figures become seven
times as long: `1,234,567`."""

MOST_PHONEMES = 16
"""How many times as many phonemes as `max_text_length` a text may have. Prose has as many phonemes
as characters, and rows of figures some eight times as many."""

_N_OWN_SOUNDS = 8
"""Said instead of phonemes that a model does not have: a word."""

_LONG_RESPELLING = 4
"""Characters of a respelling that are not counted as growth."""


class Planner:
    """Makes plans of utterances. Safe to share between threads.

    Args:
        front_end: converts texts to phonemes.
        voices: the known voices.
        default_voice: for utterances that name none.
        max_text_length: maximum characters of an utterance.
        longest_chunk_s: maximum seconds of a chunk.
        strict_ssml: whether all SSML is refused of which something cannot be done.

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
        strict_ssml: bool = False,
    ) -> None:
        self.front_end = front_end
        self.voices = voices
        self._default_voice = default_voice
        self._max_text_length = max_text_length
        self._longest_chunk_s = longest_chunk_s
        self._strict_ssml = strict_ssml
        self.real_time_factor = REAL_TIME_FACTOR
        voices.resolve(default_voice)

    def plan(self, utterance: Utterance, delivery: Delivery) -> Plan:
        """Make the plan of an utterance.

        Raises:
            ServiceError: one of the classes with a 4xx status, or EspeakError.
        """
        is_phonemes = utterance.kind == "phonemes"
        coverage = Coverage()
        spans: list[SpokenSpan | Pause] = []
        if not utterance.is_part:
            self.check_length(utterance.text, "phonemes" if is_phonemes else "text")
        _check_speed(utterance.speed, "speed")
        chunking = delivery.chunking or "even"
        if is_phonemes:
            blend, language = self.voice_of(utterance), None
            coverage.n_characters = len(utterance.text)
            chunks = self._cut_phonemes(utterance, blend, chunking)
        else:
            blend, language = self._settle(utterance)
            self._require_speaker(utterance.first_voice, blend, language)
            read = partial(self._read, utterance, coverage)
            spans, notes = self._spans(utterance, language, read)
            cutter = Cutter(
                Manner(blend, utterance.speed),
                self._chunker(utterance, blend, chunking),
                read,
                notes.marks,
            )
            chunks = cutter.cut(spans)
            coverage.ignored = notes.ignored
        first = next(chunks, None)
        if first is None and not utterance.is_part:
            self._explain(utterance, spans)
        if first is None and utterance.silence_s is not None:
            manner = Manner(blend, utterance.speed)
            first = Chunk("", (), manner, utterance.silence_s, is_last=True)
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
            even=bool(utterance.even and utterance.turns),
        )

    def preview(
        self, utterance: Utterance, chunking: Chunking, *, explained: bool = False
    ) -> Preview:
        """Return the phonemes and chunks of a text.

        Args:
            utterance: what would be said.
            chunking: how the text is split.
            explained: whether to tell what was decided about its readings.

        Raises:
            ServiceError: one of the classes with a 4xx status, or EspeakError.
        """
        self.check_length(utterance.text)
        blend, language = self._settle(utterance)
        coverage = Coverage()
        normalized: list[str] = []

        def read(span: SpokenSpan) -> Iterator[Reading]:
            for reading in self._read(utterance, coverage, span):
                normalized.append(reading.normalized)
                yield reading

        spans, notes = self._spans(utterance, language, read)
        chunker = self._chunker(utterance, blend, chunking)
        cutter = Cutter(Manner(blend, utterance.speed), chunker, read, notes.marks)
        chunks = tuple(cutter.cut(spans))
        if not chunks:
            self._explain(utterance, spans)
            raise NothingToSayError(_NOTHING)
        written = " ".join(filter(None, normalized))
        decisions = tuple(self._decisions(utterance, spans)) if explained else ()
        return Preview(language, written, chunks, tuple(coverage.dropped), notes.ignored, decisions)

    def ignored(self, utterance: Utterance) -> tuple[Ignored, ...]:
        """Return what of the markup of a text has no effect, before its G2P.

        Raises:
            ServiceError: something of its markup, its voices or languages is refused.
        """
        _, language = self._settle(utterance)
        return self._spans(utterance, language, lambda span: ())[1].ignored

    def _decisions(
        self, utterance: Utterance, spans: Iterable[SpokenSpan | Pause]
    ) -> Iterator[Decision]:
        for span in spans:
            if isinstance(span, SpokenSpan):
                yield from self.front_end.decisions(
                    span.passage,
                    span.language,
                    normalization=utterance.normalization,
                    lexicon=utterance.lexicon,
                )

    def plan_phonemes(self, phonemes: str) -> Plan:
        """Plan phonemes of any length in the default voice, for the service itself.

        A model without one of them says some sounds of its own.
        """
        blend, vocabulary = self.resolve(None), self.front_end.vocabulary
        if vocabulary.unknown(phonemes):
            phonemes = "".join(sorted(vocabulary.sounds)[:_N_OWN_SOUNDS])
        chunks = self._cut_phonemes(Utterance(phonemes, "phonemes"), blend, "even")
        return Plan(chunks, blend, None, Delivery())

    def settle(self, voice: str | None, language: str | None) -> tuple[Blend, str]:
        """Return the voice and the language for a text.

        Raises:
            UnknownVoiceError: the voice does not exist.
            InvalidBlendError: the blend is malformed.
            LanguageUnavailableError: the language is unknown, or its G2P is not installed, or the
                model has no voice for it and none is named.
        """
        blend, code = self._settled(self.resolve(voice), language)
        self._require_speaker(voice, blend, code)
        return blend, code

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

    def voice_of(self, utterance: Utterance) -> Blend:
        """Return the voice of an utterance, of a dialogue that of its first turn.

        Raises:
            UnknownVoiceError: the voice does not exist.
            InvalidBlendError: the blend is malformed.
        """
        voice = utterance.first_voice
        return self.resolve(None if voice is None else utterance.speaker(voice).voice)

    def _settle(self, utterance: Utterance) -> tuple[Blend, str]:
        """Return the voice and the language of an utterance; all of its cast must exist."""
        for name in utterance.cast or ():
            self.resolve(utterance.speaker(name).voice)
        return self._settled(self.voice_of(utterance), utterance.language)

    def _spans(
        self, utterance: Utterance, language: str, read: Read
    ) -> tuple[list[SpokenSpan | Pause], Notes]:
        """Return the spoken spans and pauses of a text, and the notes on its markup."""
        notes = Notes(utterance.text)
        spans: list[SpokenSpan | Pause] = []
        if utterance.turns:
            for turn in utterance.turns:
                spans += self._turn(utterance, turn, notes)
        else:
            spans = self._passages(utterance, utterance.text, language, notes)
        silence_s = sum(span.duration_s for span in spans if isinstance(span, Pause))
        limit_s = max(MAX_SILENCE_S, _SILENCE_S_PER_CHARACTER * len(utterance.text))
        if silence_s > limit_s:
            raise InvalidRequestError(
                f"the pauses of the text are {silence_s:g} s long; the limit is {limit_s:g} s"
            )
        if not utterance.is_part:
            self._check_growth(utterance, spans)
        if any(isinstance(span, SpokenSpan) and span.fit is not None for span in spans):
            spans = fitted(
                spans,
                read,
                lambda fit, why: notes.ignore(fit.element, fit.start, why, attribute=fit.attribute),
            )
        return spans, notes

    def _passages(
        self, utterance: Utterance, text: str, language: str, notes: Notes
    ) -> list[SpokenSpan | Pause]:
        """Return the spoken spans and pauses of a text with its markup, without regard to fits."""
        spans: list[SpokenSpan | Pause] = []
        is_strict = utterance.kind == "strict_ssml" or self._strict_ssml
        is_tolerant = utterance.is_ssml and not is_strict
        names = {name: utterance.speaker(name).voice for name in utterance.cast or {}}
        chooser = VoiceChooser(self.voices, names)
        parsed = parse(
            text,
            is_ssml=utterance.is_ssml,
            language=language,
            open_voices=utterance.open_voices,
            strict=self.front_end.strict,
            notes=notes if is_tolerant else None,
            has_voices=utterance.has_voices,
        )
        words = utterance.words
        if words is None and not utterance.is_ssml and len(parsed) > 1:
            words = words_of(
                unmarked(text, has_voices=utterance.has_voices), utterance.normalization
            )
        for part in parsed:
            if isinstance(part, Pause):
                spans.append(part)
                continue
            if words is not None:
                part = part.saying(words)
            settings = part.voice_settings
            speaker = Speaker("")
            chosen: Choice | None = None
            if settings.wish is not None:
                chosen = _chosen(chooser, settings.wish, settings.language or language, notes)
                if chosen.is_silent:
                    continue
                if len(settings.wish.names) == 1:
                    speaker = utterance.speaker(settings.wish.names[0])
            voice = settings.voice or utterance.voice
            if voice is not None and (chosen is None or chosen.blend is None):
                speaker = utterance.speaker(voice)
                voice = speaker.voice
            if chosen is not None and chosen.blend is not None:
                blend, spoken = self._settled(chosen.blend, settings.language or chosen.language)
            else:
                own = utterance.language if settings.voice is None else None
                blend, spoken = self._settled(self.resolve(voice), settings.language or own)
            speed = utterance.speed * settings.rate * speaker.speed
            if is_tolerant and not MIN_SPEED <= speed <= MAX_SPEED:
                speed = min(max(speed, MIN_SPEED), MAX_SPEED)
                reason = f"speech cannot be so {'fast' if speed == MAX_SPEED else 'slow'}"
                notes.ignore_once("prosody", part.text.span[0], reason, attribute="rate")
            _check_speed(speed, "speed times rate")
            if len(text) > READ_AT_ONCE:
                self.front_end.check(
                    part, spoken, normalization=utterance.normalization, lexicon=utterance.lexicon
                )
            gain = settings.gain * speaker.gain * (blend.evening_gain if utterance.even else 1.0)
            manner = Manner(blend, speed, gain, settings.pitch, settings.is_bleeped)
            spans.append(SpokenSpan(part, spoken, manner, settings.fit, settings.pauses))
        return spans

    def tagged(self, document: str) -> tuple[str, Notes]:
        """Return an SSML document as text with inline markup, with voices that there are.

        Raises:
            TextTooLongError: it is too long.
            MarkupError: it is malformed or unsafe.
        """
        self.check_length(document)
        language = self.resolve(None).language or "en-us"
        notes = Notes(document)
        chooser = VoiceChooser(self.voices, {})
        parts: list[Passage | Pause] = []
        for part in parse(document, is_ssml=True, language=language, notes=notes):
            if isinstance(part, Passage) and (wish := part.voice_settings.wish) is not None:
                settings = part.voice_settings
                chosen = _chosen(chooser, wish, settings.language or language, notes)
                if chosen.is_silent:
                    continue
                voice = None if chosen.blend is None else chosen.blend.name
                part = replace(part, voice_settings=replace(settings, voice=voice))
            parts.append(part)
        return tagged_text(parts), notes

    def _turn(self, utterance: Utterance, turn: Turn, notes: Notes) -> list[SpokenSpan | Pause]:
        """Return the spoken spans and pauses of a turn of a dialogue."""
        said = replace(
            utterance,
            voice=turn.voice or utterance.voice,
            speed=utterance.speed * turn.speed,
            language=turn.language or (None if turn.voice else utterance.language),
            turns=(),
        )
        text = utterance.text[turn.start : turn.end]
        _, language = self._settled(self.voice_of(said), said.language)
        spans: list[SpokenSpan | Pause] = []
        for span in self._passages(said, text, language, notes):
            if isinstance(span, SpokenSpan):
                spans.append(replace(span, passage=moved(span.passage, turn.start)))
            else:
                spans.append(moved(span, turn.start))
        if turn.pause_s is not None:
            spans.append(Pause(turn.pause_s, turn.end, turn.end))
        return spans

    def _settled(self, blend: Blend, language: str | None) -> tuple[Blend, str]:
        """Return a voice that was chosen, and its language, or another that it speaks."""
        language = language or blend.language
        if language is None:
            raise LanguageUnavailableError(
                f"the voice {blend.parts[0][0].name} has no language; set language"
            )
        return blend, self.front_end.readers.require(language).code

    @staticmethod
    def _require_speaker(named: str | None, blend: Blend, language: str) -> None:
        """Raise LanguageUnavailableError if a language without voices has no named one."""
        known = LANGUAGES[language]
        if named is None and known.default_voice is None and blend.language != language:
            raise LanguageUnavailableError(
                f"the model has no voice for {known.name} ({language}); set voice to one of another"
                f" language, such as {blend.parts[0][0].name}, which will speak it with an accent"
            )

    def _check_growth(self, utterance: Utterance, spans: Iterable[SpokenSpan | Pause]) -> None:
        """Raise TextTooLongError if the text is too long in words."""
        limit = GROWTH * self._max_text_length
        respellings = () if utterance.lexicon is None else utterance.lexicon.respellings
        growth = max(map(len, respellings), default=0) // _LONG_RESPELLING
        if longest_in_words(utterance.text) * max(1, growth) <= limit:
            return
        n_characters = 0
        for span in spans:
            if isinstance(span, Pause):
                continue
            for length in self.front_end.length_in_words(
                span.passage,
                span.language,
                normalization=utterance.normalization,
                lexicon=utterance.lexicon,
            ):
                n_characters += length
                if n_characters > limit:
                    raise TextTooLongError(
                        f"text has {len(utterance.text)} characters, but in words more than "
                        f"{limit}, which is the limit: {GROWTH} times {self._max_text_length}"
                    )

    def _explain(self, utterance: Utterance, spans: Iterable[SpokenSpan | Pause]) -> None:
        """Raise the reason why a text has nothing to pronounce, if that is its letters."""
        for span in spans:
            if isinstance(span, SpokenSpan):
                self.front_end.explain(
                    span.passage,
                    span.language,
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

    def _read(
        self, utterance: Utterance, coverage: Coverage, span: SpokenSpan
    ) -> Iterator[Reading]:
        """Yield the readings of a span, counted.

        Raises:
            TextTooLongError: the text has too many phonemes, in spite of its length in words.
        """
        limit = MOST_PHONEMES * self._max_text_length
        for reading in self.front_end.read(
            span.passage,
            span.language,
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
        vocabulary = self.front_end.vocabulary
        reading = read_phonemes(utterance.text, vocabulary)
        vocabulary.token_ids(reading.phonemes)
        if not vocabulary.is_pronounceable(reading.phonemes):
            raise NothingToSayError("the phonemes have nothing to pronounce")
        chunker = self._chunker(utterance, blend, chunking)
        chunks = [*chunker.add(reading), *chunker.finish()]
        for number, chunk in enumerate(chunks, start=1):
            yield Chunk(
                chunk.phonemes,
                chunk.words,
                Manner(blend, utterance.speed),
                is_last=number == len(chunks),
            )


def _chosen(chooser: VoiceChooser, wish: VoiceWish, language: str, notes: Notes) -> Choice:
    """Return the voice for what a document asks of it; tell why it is another."""
    chosen = chooser.choose(wish, language)
    if chosen.reason:
        notes.ignore_once(wish.element, wish.start, chosen.reason, attribute=wish.attribute)
    return chosen


def _check_speed(speed: float, what: str) -> None:
    if not MIN_SPEED <= speed <= MAX_SPEED:
        raise InvalidRequestError(f"{what} must be from {MIN_SPEED} to {MAX_SPEED}")
