"""Speaking: the one session, its lock, and the way from text to samples."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import ortffi
from service.errors import (
    InvalidRequestError,
    LanguageUnavailableError,
    NothingToSayError,
    NotReadyError,
    SynthesisError,
    TextTooLongError,
    TimesUnavailableError,
)
from service.model import Inference
from service.model.kokoro import SAMPLE_RATE_HZ, Kokoro, Samples
from service.speech import joining
from service.speech.cache import AudioCache
from service.speech.cancellation import Cancellation
from service.speech.chunking import split, split_early
from service.speech.timing import WordTime, word_times
from service.speech.turns import Turns
from service.speech.voices import Blend, VoiceLibrary
from service.text import (
    FrontEnd,
    Reading,
    Vocabulary,
    Word,
    check_text,
    find_language,
    read_phonemes,
)

MIN_SPEED = 0.5
MAX_SPEED = 2.0
"""Speeds at which every voice stays intelligible. Above, phonemes reach the model's shortest
duration, one frame, and get no faster: at 4.0 a sentence is 2.3 times as fast."""

SELF_TEST_PHONEMES = "həlˈO, wˈɜɹld."
"""What the self-test says."""

_AUDIBLE = 0.01
"""Root mean square of a self-test that can be heard: -40 dB; speech is at -20 to -30 dB."""


@dataclass(frozen=True)
class Utterance:
    """What is to be said; either `text` or `phonemes`.

    Attributes:
        text: any text.
        phonemes: symbols of the model's vocabulary, said as they are.
        voice: a voice's name or a blend; None for the default voice.
        speed: 0.5 to 2.0.
        language: code of the text's language; None for the voice's own.
        early: whether the pieces are cut so that sound starts early, instead of evenly.
        timed: whether each word's time is wanted.
    """

    text: str | None = None
    phonemes: str | None = None
    voice: str | None = None
    speed: float = 1.0
    language: str | None = None
    early: bool = False
    timed: bool = False


@dataclass(frozen=True)
class Piece:
    """A part of the reading that the model says in one run.

    Attributes:
        phonemes: 1 to 250 of them.
        start: where it starts in the reading's phonemes.
        words: those that have phonemes in it; none where no times are wanted.
    """

    phonemes: str
    start: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Plan:
    """An utterance that can be said: everything that can be refused has been.

    Attributes:
        pieces: in order; at least one.
        blend: the voice.
        language: code of the language that the text was read in; None for phonemes.
        speed: 0.5 to 2.0.
        timed: whether each word's time is wanted.
    """

    pieces: tuple[Piece, ...]
    blend: Blend
    language: str | None
    speed: float
    timed: bool


@dataclass(frozen=True)
class AudioChunk:
    """One piece, ready to stand after the one before it.

    Attributes:
        phonemes: what was said.
        samples: float32 [n], mono at 24 kHz, the pause after the piece included.
        start_s: where it starts in the whole speech.
        words: when each word is said, in seconds of the whole speech; empty if not wanted.
        compute_s: seconds that the model took; 0 where the audio was in the cache.
        wait_s: seconds that it waited for its turn.
        cached: whether the audio was in the cache; None where there is no cache.
    """

    phonemes: str
    samples: Samples
    start_s: float
    words: tuple[WordTime, ...]
    compute_s: float
    wait_s: float
    cached: bool | None

    @property
    def duration_s(self) -> float:
        """Return the length of the audio."""
        return self.samples.size / SAMPLE_RATE_HZ


class Synthesizer:
    """Turn utterances into speech. Safe to use from several threads.

    Owns the model. One piece at a time is made, each in a turn of its own: concurrent requests
    take turns in the order in which they ask, and none waits for the whole of another.
    """

    def __init__(
        self,
        model: Kokoro,
        voices: VoiceLibrary,
        front_end: FrontEnd,
        vocabulary: Vocabulary,
        *,
        default_voice: str,
        max_text_length: int,
        audio_cache_bytes: int = 0,
    ) -> None:
        self.model = model
        self.voices = voices
        self.front_end = front_end
        self.turns = Turns()
        self.cache = AudioCache(audio_cache_bytes)
        self._vocabulary = vocabulary
        self._default_voice = default_voice
        self._max_text_length = max_text_length
        self._closed = False
        voices.resolve(default_voice)

    def plan(self, utterance: Utterance) -> Plan:
        """Settle everything about an utterance but its sound.

        Raises:
            ServiceError: one of the classes with a 4xx status, or TimesUnavailableError; nothing
                was synthesised.
        """
        given = [name for name in ("text", "phonemes") if getattr(utterance, name) is not None]
        if len(given) != 1:
            raise InvalidRequestError("exactly one of text and phonemes must be given")
        spoken = utterance.text if utterance.text is not None else utterance.phonemes or ""
        if len(spoken) > self._max_text_length:
            raise TextTooLongError(
                f"{given[0]} of {len(spoken)} characters, where {self._max_text_length} are allowed"
            )
        if not MIN_SPEED <= utterance.speed <= MAX_SPEED:
            raise InvalidRequestError(f"speed must be from {MIN_SPEED} to {MAX_SPEED}")
        if utterance.timed and not self.model.gives_durations:
            raise TimesUnavailableError(
                f"{self.model.name} does not tell durations, so there are no times"
            )
        blend = self._resolve(utterance.voice)
        if utterance.text is None:
            language, reading = None, self._read_phonemes(spoken)
        else:
            blend, language = self.settle(utterance.voice, utterance.language)
            reading = self.front_end.read(spoken, language, align=utterance.timed)
        cut = split_early if utterance.early else split
        pieces = _pieces(reading, cut(reading.phonemes), timed=utterance.timed)
        return Plan(pieces, blend, language, utterance.speed, utterance.timed)

    def settle(self, voice: str | None, language: str | None) -> tuple[Blend, str]:
        """Return the voice and the language of a text that may be still to come.

        Raises:
            UnknownVoiceError: there is no such voice.
            InvalidBlendError: the blend cannot be read.
            LanguageUnavailableError: there is no such language, or nothing that reads it.
        """
        blend = self._resolve(voice)
        language = blend.language if language is None else language
        if language is None:
            raise LanguageUnavailableError(
                f"the voice {blend.parts[0][0].name} has no language of its own; name one"
            )
        return blend, find_language(language).code

    def stream(
        self,
        plan: Plan,
        cancellation: Cancellation | None = None,
        *,
        first: bool = True,
        last: bool = True,
        keep_memory: bool = True,
    ) -> Iterator[AudioChunk]:
        """Say a plan, piece by piece; all chunks joined are the whole speech.

        Args:
            plan: what `plan` returned.
            cancellation: stops it, also in the middle of a run.
            first: whether no other speech stands before it; else its first pause is a joint's.
            last: whether no other speech follows.
            keep_memory: whether the model's working memory stays for the next piece.

        Raises:
            SynthesisError: the model failed, or gave something else than the whole speech.
            NotReadyError: the synthesizer is closed.
            ServiceError: the reason of the cancellation.
        """
        n_samples = 0
        for index, piece in enumerate(plan.pieces):
            inference, wait_s, compute_s, cached = self._infer(
                piece, plan, cancellation, keep_memory
            )
            samples, skipped = joining.shape(
                inference.samples,
                first=first and index == 0,
                last=last and index == len(plan.pieces) - 1,
                pause_s=joining.pause_after(piece.phonemes, plan.speed),
            )
            words: tuple[WordTime, ...] = ()
            if plan.timed and inference.durations is not None:
                words = word_times(
                    piece.words,
                    piece.phonemes,
                    piece.start,
                    inference.durations,
                    n_samples - skipped,
                    (n_samples, n_samples + samples.size),
                )
            start_s = n_samples / SAMPLE_RATE_HZ
            n_samples += samples.size
            yield AudioChunk(piece.phonemes, samples, start_s, words, compute_s, wait_s, cached)

    def _infer(
        self, piece: Piece, plan: Plan, cancellation: Cancellation | None, keep_memory: bool
    ) -> tuple[Inference, float, float, bool | None]:
        """Return a piece's audio, the seconds of waiting and computing, and whether it was kept."""
        key = (piece.phonemes, plan.blend, plan.speed)
        kept = self.cache.get(key) if self.cache.is_on else None
        if kept is not None:
            if cancellation is not None:
                cancellation.check()
            return kept, 0.0, 0.0, True
        token_ids = self._vocabulary.token_ids(piece.phonemes)
        style = self.voices.style(plan.blend, len(token_ids))
        asked = time.perf_counter()
        with self.turns.take(cancellation):
            if self._closed:
                raise NotReadyError("the service is shutting down")
            start = time.perf_counter()
            try:
                inference = self.model.infer(
                    token_ids,
                    style,
                    plan.speed,
                    keep_memory=keep_memory,
                    run_options=None if cancellation is None else cancellation.run_options,
                )
            except ortffi.TerminatedError:
                if cancellation is not None:
                    cancellation.check()
                raise
            compute_s = time.perf_counter() - start
        if self.cache.is_on:
            self.cache.put(key, inference)
        return inference, start - asked, compute_s, False if self.cache.is_on else None

    def self_test(self) -> float:
        """Say two words and look at the result.

        Returns:
            The seconds it took.

        Raises:
            SynthesisError: the audio is silent, clipped, not finite, or not as long as promised.
        """
        start = time.perf_counter()
        reading = self._read_phonemes(SELF_TEST_PHONEMES)  # however short callers' texts must be
        pieces = _pieces(reading, [reading.phonemes], timed=False)
        plan = Plan(pieces, self._resolve(None), None, 1.0, timed=False)
        # Who only waits for its first request shall not hold memory for it.
        chunks = self.stream(plan, keep_memory=False)
        samples = np.concatenate([chunk.samples for chunk in chunks])
        loudness = float(np.sqrt(np.mean(np.square(samples))))
        if loudness < _AUDIBLE:
            raise SynthesisError(f"the self-test is silent: root mean square {loudness:.5f}")
        if float(np.abs(samples).max()) > 2:
            raise SynthesisError("the self-test is far too loud")
        return time.perf_counter() - start

    def close(self) -> None:
        """Finish the piece in progress, then release the model. Calling again is harmless."""
        self._closed = True  # who gets a turn before us sees it
        with self.turns.take():
            self.model.close()

    def _resolve(self, voice: str | None) -> Blend:
        return self.voices.resolve(self._default_voice if voice is None else voice)

    def _read_phonemes(self, phonemes: str) -> Reading:
        check_text(phonemes)
        reading = read_phonemes(phonemes)
        self._vocabulary.token_ids(reading.phonemes)
        if not self._vocabulary.is_pronounceable(reading.phonemes):
            raise NothingToSayError("the phonemes hold nothing that can be pronounced")
        return reading


def _pieces(reading: Reading, cut: list[str], *, timed: bool) -> tuple[Piece, ...]:
    """Find the pieces again in the reading, and give each its words."""
    starts = [word.phonemes_start for word in reading.words] if timed else []
    ends = [word.phonemes_end for word in reading.words] if timed else []
    pieces = []
    end = 0
    for phonemes in cut:
        start = reading.phonemes.index(phonemes, end)
        end = start + len(phonemes)
        words = reading.words[bisect_right(ends, start) : bisect_left(starts, end)]
        pieces.append(Piece(phonemes, start, words))
    return tuple(pieces)
