"""Speaking: the one session, its lock, and the way from text to samples."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import ortffi
from service.errors import NotReadyError, SynthesisError, TimesUnavailableError
from service.model import Inference
from service.model.kokoro import SAMPLE_RATE_HZ, Kokoro, Samples
from service.speech import joining
from service.speech.cache import AudioCache
from service.speech.cancellation import Cancellation
from service.speech.planning import Piece, Plan, Planner, Utterance
from service.speech.timing import WordTime, word_times
from service.speech.turns import Turns
from service.text import load_vocabulary

SELF_TEST_PHONEMES = "həlˈO, wˈɜɹld."
"""What the self-test says."""

_AUDIBLE = 0.01
"""Root mean square of a self-test that can be heard: -40 dB; speech is at -20 to -30 dB."""


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

    def __init__(self, model: Kokoro, planner: Planner, *, audio_cache_bytes: int = 0) -> None:
        self.model = model
        self.planner = planner
        self.turns = Turns()
        self.cache = AudioCache(audio_cache_bytes)
        self._closed = False

    def plan(self, utterance: Utterance) -> Plan:
        """Settle everything about an utterance but its sound.

        Raises:
            TimesUnavailableError: word times are asked for and the model does not tell them.
            ServiceError: see `Planner.plan`.
        """
        if utterance.timed and not self.model.gives_durations:
            raise TimesUnavailableError(
                f"{self.model.name} does not tell durations, so there are no times"
            )
        return self.planner.plan(utterance)

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
            if cancellation is not None:
                cancellation.check()  # reading takes its time too
            n_pause = joining.pause_after(piece.phonemes, piece.speed)
            if piece.pause_s is not None:
                n_pause = round(piece.pause_s * SAMPLE_RATE_HZ)
            start_s = n_samples / SAMPLE_RATE_HZ
            if not piece.phonemes:
                n_samples += n_pause
                yield AudioChunk("", joining.silence(n_pause), start_s, (), 0.0, 0.0, None)
                continue
            inference, wait_s, compute_s, cached = self._infer(piece, cancellation, keep_memory)
            samples, skipped = joining.shape(
                inference.samples,
                first=first and index == 0,
                last=last and piece.is_last and piece.pause_s is None,
                n_pause=n_pause,
            )
            words: tuple[WordTime, ...] = ()
            if plan.timed and inference.durations is not None:
                words = word_times(
                    piece.words,
                    piece.phonemes,
                    inference.durations,
                    n_samples - skipped,
                    (n_samples, n_samples + samples.size),
                )
            n_samples += samples.size
            yield AudioChunk(piece.phonemes, samples, start_s, words, compute_s, wait_s, cached)

    def _infer(
        self, piece: Piece, cancellation: Cancellation | None, keep_memory: bool
    ) -> tuple[Inference, float, float, bool | None]:
        """Return a piece's audio, the seconds of waiting and computing, and whether it was kept."""
        key = (piece.phonemes, piece.blend, piece.speed)
        kept = self.cache.get(key) if self.cache.is_on else None
        if kept is not None:
            if cancellation is not None:
                cancellation.check()
            return kept, 0.0, 0.0, True
        token_ids = load_vocabulary().token_ids(piece.phonemes)
        style = self.planner.voices.style(piece.blend, len(token_ids))
        asked = time.perf_counter()
        with self.turns.take(cancellation):
            if self._closed:
                raise NotReadyError("the service is shutting down")
            start = time.perf_counter()
            try:
                inference = self.model.infer(
                    token_ids,
                    style,
                    piece.speed,
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
        """Say two words, look at the result, and note how quickly it came.

        Returns:
            The seconds it took.

        Raises:
            SynthesisError: the audio is silent, clipped, not finite, or not as long as promised.
        """
        start = time.perf_counter()
        plan = self.planner.plan_phonemes(SELF_TEST_PHONEMES)
        # Who only waits for its first request shall not hold memory for it.
        chunks = list(self.stream(plan, keep_memory=False))
        samples = np.concatenate([chunk.samples for chunk in chunks])
        loudness = float(np.sqrt(np.mean(np.square(samples))))
        if loudness < _AUDIBLE:
            raise SynthesisError(f"the self-test is silent: root mean square {loudness:.5f}")
        if float(np.abs(samples).max()) > 2:
            raise SynthesisError("the self-test is far too loud")
        duration_s = sum(chunk.duration_s for chunk in chunks)
        self.planner.real_time_factor = sum(chunk.compute_s for chunk in chunks) / duration_s
        return time.perf_counter() - start

    def close(self) -> None:
        """Finish the piece in progress, then release the model. Calling again is harmless."""
        self._closed = True  # who gets a turn before us sees it
        with self.turns.take():
            self.model.close()
