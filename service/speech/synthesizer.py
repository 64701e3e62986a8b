"""Speaking: the one session, its lock, and the way from text to samples."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from service.errors import (
    InvalidRequestError,
    LanguageUnavailableError,
    NothingToSayError,
    NotReadyError,
    SynthesisError,
    TextTooLongError,
)
from service.model.kokoro import SAMPLE_RATE_HZ, Kokoro, Samples
from service.speech import joining
from service.speech.chunking import split
from service.speech.voices import Blend, VoiceLibrary
from service.text import Phonemizer, Vocabulary, check_text

MIN_SPEED = 0.5
MAX_SPEED = 2.0
"""Speeds at which every voice stays intelligible."""

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
    """

    text: str | None = None
    phonemes: str | None = None
    voice: str | None = None
    speed: float = 1.0
    language: str | None = None


@dataclass(frozen=True)
class Plan:
    """An utterance that can be said: everything that can be refused has been.

    Attributes:
        pieces: phonemes, each at most as long as the model takes.
        blend: the voice.
        language: code of the language that the text was read in; None for phonemes.
        speed: 0.5 to 2.0.
    """

    pieces: tuple[str, ...]
    blend: Blend
    language: str | None
    speed: float


@dataclass(frozen=True)
class AudioChunk:
    """One piece, ready to stand after the one before it.

    Attributes:
        phonemes: what was said.
        samples: float32 [n], mono at 24 kHz, the pause after the piece included.
        compute_s: seconds that the model took, waiting for the lock not counted.
    """

    phonemes: str
    samples: Samples
    compute_s: float

    @property
    def duration_s(self) -> float:
        """Return the length of the audio."""
        return self.samples.size / SAMPLE_RATE_HZ


class Synthesizer:
    """Turn utterances into speech. Safe to use from several threads.

    Owns the model. The lock is held for one piece at a time, so that concurrent requests take
    turns and none waits for the whole of another.
    """

    def __init__(
        self,
        model: Kokoro,
        voices: VoiceLibrary,
        phonemizer: Phonemizer,
        vocabulary: Vocabulary,
        *,
        default_voice: str,
        max_text_length: int,
    ) -> None:
        self.model = model
        self.voices = voices
        self.phonemizer = phonemizer
        self._vocabulary = vocabulary
        self._default_voice = default_voice
        self._max_text_length = max_text_length
        self._lock = threading.Lock()
        self._closed = False
        voices.resolve(default_voice)

    def plan(self, utterance: Utterance) -> Plan:
        """Settle everything about an utterance but its sound.

        Raises:
            ServiceError: one of the classes with a 4xx status; nothing was synthesised.
        """
        given = [name for name in ("text", "phonemes") if getattr(utterance, name) is not None]
        if len(given) != 1:
            raise InvalidRequestError("exactly one of text and phonemes must be given")
        spoken = utterance.text if utterance.text is not None else utterance.phonemes or ""
        if len(spoken) > self._max_text_length:
            raise TextTooLongError(
                f"the {given[0]} has {len(spoken)} characters, {self._max_text_length} are allowed"
            )
        if not MIN_SPEED <= utterance.speed <= MAX_SPEED:
            raise InvalidRequestError(f"speed must be from {MIN_SPEED} to {MAX_SPEED}")
        blend = self.voices.resolve(
            self._default_voice if utterance.voice is None else utterance.voice
        )
        if utterance.text is None:
            language, phonemes = None, self._check_phonemes(spoken)
        else:
            language = utterance.language or blend.language
            if language is None:
                raise LanguageUnavailableError(
                    f"the voice {blend.parts[0][0].name} has no language of its own; name one"
                )
            phonemes = self.phonemizer.phonemize(spoken, language)
        return Plan(tuple(split(phonemes)), blend, language, utterance.speed)

    def stream(self, plan: Plan, *, keep_memory: bool = True) -> Iterator[AudioChunk]:
        """Say a plan, piece by piece; all chunks joined are the whole speech.

        Args:
            plan: what `plan` returned.
            keep_memory: whether the model's working memory stays for the next piece.

        Raises:
            SynthesisError: the model failed, or gave something else than the whole speech.
            NotReadyError: the synthesizer is closed.
        """
        last = len(plan.pieces) - 1
        for index, phonemes in enumerate(plan.pieces):
            token_ids = self._vocabulary.token_ids(phonemes)
            style = self.voices.style(plan.blend, len(token_ids))
            with self._lock:
                if self._closed:
                    raise NotReadyError("the service is shutting down")
                start = time.perf_counter()
                inference = self.model.infer(token_ids, style, plan.speed, keep_memory=keep_memory)
                compute_s = time.perf_counter() - start
            samples = joining.shape(
                inference.samples,
                first=index == 0,
                last=index == last,
                pause_s=joining.pause_after(phonemes, plan.speed),
            )
            yield AudioChunk(phonemes, samples, compute_s)

    def self_test(self) -> float:
        """Say two words and look at the result.

        Returns:
            The seconds it took.

        Raises:
            SynthesisError: the audio is silent, clipped, not finite, or not as long as promised.
        """
        start = time.perf_counter()
        plan = self.plan(Utterance(phonemes=SELF_TEST_PHONEMES))
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
        with self._lock:
            self._closed = True
            self.model.close()

    def _check_phonemes(self, phonemes: str) -> str:
        check_text(phonemes)
        phonemes = " ".join(phonemes.split())
        self._vocabulary.token_ids(phonemes)
        if not self._vocabulary.is_pronounceable(phonemes):
            raise NothingToSayError("the phonemes hold nothing that can be pronounced")
        return phonemes
