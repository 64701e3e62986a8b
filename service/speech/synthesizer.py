"""Speaking: the one session, its lock, and the way from text to samples."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

import ortffi
from service.errors import (
    DecodingUnavailableError,
    NotReadyError,
    SynthesisError,
    TimesUnavailableError,
)
from service.model import Inference, Model, SplitModel
from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.settings import Decoding
from service.speech import joining
from service.speech.cache import AudioCache
from service.speech.cancellation import Cancellation
from service.speech.delivery import AudioSegment, Made, deliver
from service.speech.planning import Chunk, Plan, Planner
from service.speech.turns import Turns
from service.speech.utterance import Delivery, Utterance
from service.speech.windows import Sound, say_in_windows, say_whole
from service.text import load_vocabulary

SELF_TEST_PHONEMES = "həlˈO, wˈɜɹld."
"""What the self-test says."""

_USUAL_TOKENS = 100
"""Of a chunk; what is known of the statistics of a voice is known of all lengths or of none."""

_AT_ONCE = Delivery()

_AUDIBLE = 0.01
"""Root mean square of a self-test that can be heard: -40 dB; speech is at -20 to -30 dB."""


@dataclass
class _Turn:
    """A turn at the model, and the seconds of waiting for it and of having it."""

    wait_s: float
    compute_s: float = 0.0


class Synthesizer:
    """Turn utterances into speech. Safe to use from several threads.

    Owns the model. One chunk at a time is made, or one window of a chunk, each in a turn of its
    own: concurrent requests take turns in the order in which they ask, and none waits for the whole
    of another.

    Args:
        model: what speaks.
        planner: of what is said.
        audio_cache_bytes: memory for speech that may be asked for again.
        stream_decoding: of utterances that are streamed, where they do not say it themselves.
        file_decoding: likewise of others.
    """

    def __init__(
        self,
        model: Model,
        planner: Planner,
        *,
        audio_cache_bytes: int = 0,
        stream_decoding: Decoding = "windows",
        file_decoding: Decoding = "whole",
    ) -> None:
        self.model = model
        self.planner = planner
        self.turns = Turns()
        self.cache = AudioCache(audio_cache_bytes)
        self._stream_decoding = stream_decoding
        self._file_decoding = file_decoding
        self._closed = False

    def plan(self, utterance: Utterance, delivery: Delivery = _AT_ONCE) -> Plan:
        """Settle everything about an utterance but its sound.

        Raises:
            TimesUnavailableError: word times are asked for and the model does not tell them.
            DecodingUnavailableError: windows are asked for and the model, or the voice, has none.
            ServiceError: see `Planner.plan`.
        """
        if delivery.timed and not self.model.gives_durations:
            raise TimesUnavailableError(
                f"{self.model.name} does not tell durations, so there are no times"
            )
        usual = self._stream_decoding if delivery.streamed else self._file_decoding
        decoding = delivery.decoding or usual
        if decoding == "windows" and (lack := self._lack_of_windows(utterance)):
            if delivery.decoding is not None:
                raise DecodingUnavailableError(lack)
            decoding = "whole"
        early = delivery.early
        if early is None:
            early = delivery.streamed and decoding == "whole"
        return self.planner.plan(utterance, replace(delivery, decoding=decoding, early=early))

    def _lack_of_windows(self, utterance: Utterance) -> str:
        """Tell why an utterance cannot be decoded in windows; nothing where it can."""
        statistics = self.model.statistics if isinstance(self.model, SplitModel) else None
        if statistics is None:
            return "only the published model is decoded in windows, and that where it is prepared"
        blend = self.planner.resolve(utterance.voice)
        if statistics.covers(self.planner.voices.style(blend, _USUAL_TOKENS)):
            return ""
        return "the statistics of this voice are not known, so it is not decoded in windows"

    def stream(
        self,
        plan: Plan,
        cancellation: Cancellation | None = None,
        *,
        keep_memory: bool = True,
    ) -> Iterator[AudioSegment]:
        """Say a plan, chunk by chunk; all segments joined are the whole speech.

        Args:
            plan: what `plan` returned.
            cancellation: stops it, also in the middle of a run.
            keep_memory: whether the model's working memory stays for the next chunk.

        Raises:
            SynthesisError: the model failed, or gave something else than the whole speech.
            NotReadyError: the synthesizer is closed.
            ServiceError: the reason of the cancellation.
        """
        delivery = plan.delivery
        n_samples = 0
        soon = True
        for index, chunk in enumerate(plan.chunks):
            if cancellation is not None:
                cancellation.check()  # reading takes its time too
            n_pause = joining.pause_after(chunk.phonemes, chunk.speed)
            if chunk.pause_s is not None:
                n_pause = round(chunk.pause_s * SAMPLE_RATE_HZ)
            if not chunk.phonemes:
                start_s = n_samples / SAMPLE_RATE_HZ
                n_samples += n_pause
                silence = joining.silence(n_pause)
                yield AudioSegment(index, True, "", silence, start_s, (), 0.0, 0.0, 0, None)
                continue
            shaper = joining.Shaper(
                first=delivery.first and index == 0,
                last=delivery.last and chunk.is_last and chunk.pause_s is None,
                n_pause=n_pause,
            )
            sounds = self._sounds(
                chunk,
                cancellation,
                in_windows=delivery.decoding == "windows",
                soon=soon,
                keep_memory=keep_memory,
            )
            soon = False
            for segment in deliver(index, chunk, sounds, shaper, n_samples, timed=delivery.timed):
                n_samples += segment.samples.size
                yield segment

    def _sounds(
        self,
        chunk: Chunk,
        cancellation: Cancellation | None,
        *,
        in_windows: bool,
        soon: bool,
        keep_memory: bool,
    ) -> Iterator[Made]:
        """Have the model say a chunk, unless it has said it before; see `windows_of` for `soon`."""
        token_ids = load_vocabulary().token_ids(chunk.phonemes)
        style = self.planner.voices.style(chunk.blend, len(token_ids))
        split = self.model if in_windows and isinstance(self.model, SplitModel) else None
        statistics = None if split is None else split.statistics
        if statistics is not None and not statistics.covers(style):
            statistics = None
        key = (chunk.phonemes, chunk.blend, chunk.speed, statistics is not None)
        kept = self.cache.get(key) if self.cache.is_on else None
        if kept is not None:
            if cancellation is not None:
                cancellation.check()
            yield Made(Sound.whole(kept), 0.0, 0.0, True)
            return
        run_options = None if cancellation is None else cancellation.run_options
        saying = (token_ids, style, chunk.speed, run_options)
        sounds = (
            say_whole(self.model, *saying, keep_memory=keep_memory)
            if split is None or statistics is None
            else say_in_windows(split, *saying, statistics=statistics, soon=soon)
        )
        cached = False if self.cache.is_on else None
        said: list[Samples] = []
        is_last = False
        while not is_last:
            with self._turn(cancellation) as turn:
                sound = next(sounds)
            is_last = sound.is_last
            if self.cache.is_on:
                said.append(sound.samples)
                if is_last:
                    self.cache.put(key, Inference(np.concatenate(said), sound.durations))
            yield Made(sound, turn.wait_s, turn.compute_s, cached)

    @contextmanager
    def _turn(self, cancellation: Cancellation | None) -> Iterator[_Turn]:
        """Wait for a turn at the model, and have it for the `with` block."""
        asked = time.perf_counter()
        with self.turns.take(cancellation):
            if self._closed:
                raise NotReadyError("the service is shutting down")
            start = time.perf_counter()
            turn = _Turn(start - asked)
            try:
                yield turn
            except ortffi.TerminatedError:
                if cancellation is not None:
                    cancellation.check()
                raise
            turn.compute_s = time.perf_counter() - start

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
        segments = list(self.stream(plan, keep_memory=False))
        samples = np.concatenate([segment.samples for segment in segments])
        loudness = float(np.sqrt(np.mean(np.square(samples))))
        if loudness < _AUDIBLE:
            raise SynthesisError(f"the self-test is silent: root mean square {loudness:.5f}")
        if float(np.abs(samples).max()) > 2:
            raise SynthesisError("the self-test is far too loud")
        duration_s = sum(segment.duration_s for segment in segments)
        self.planner.real_time_factor = sum(segment.compute_s for segment in segments) / duration_s
        return time.perf_counter() - start

    def close(self) -> None:
        """Finish the chunk in progress, then release the model. Calling again is harmless."""
        self._closed = True  # who gets a turn before us sees it
        with self.turns.take():
            self.model.close()
