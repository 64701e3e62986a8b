"""The synthesizer: from an utterance to audio, in turns at its workers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import numpy as np

import ortffi
from service.errors import (
    DecodingUnavailableError,
    NotReadyError,
    StartupError,
    SynthesisError,
    TimesUnavailableError,
)
from service.model import Inference, Model, SplitModel, release_shared_memory
from service.model.kokoro import SAMPLE_RATE_HZ, Samples
from service.settings import Decoding
from service.speech import joining
from service.speech.cache import AudioCache
from service.speech.cancellation import Cancellation
from service.speech.delivery import AudioSegment, Made, deliver, silent_marks
from service.speech.levelling import at_loudness, evened
from service.speech.loudening import amplified, bleeped
from service.speech.model_worker import Worker
from service.speech.pitch import Resampler, ratio_of
from service.speech.plan import Chunk, Plan
from service.speech.planning import Planner
from service.speech.stretching import brought_to, stretched
from service.speech.turns import Turns
from service.speech.utterance import Delivery, Utterance
from service.speech.windows import Sound, Sounds, WholeSound, WindowedSounds

logger = logging.getLogger(__name__)

SELF_TEST_PHONEMES = "həlˈO, wˈɜɹld."
"""Phonemes of the self-test."""

_USUAL_TOKENS = 100
"""Tokens of a typical chunk. Statistics are known for all lengths of a voice, or for none."""

_AT_ONCE = Delivery()

_AUDIBLE = 0.01
"""Least root mean square of the self-test: -40 dB. Speech is at -20 to -30 dB."""


@dataclass
class _Turn:
    """A turn at a worker: its model, seconds of waiting and of computing."""

    model: Model
    wait_s: float
    compute_s: float = 0.0


class Synthesizer:
    """Synthesize utterances. Safe to use from several threads.

    Owns its workers. Each chunk, or each window of a chunk, is made in a turn of its own, by
    whichever worker is idle. Concurrent requests take turns in the order in which they ask, so none
    waits for the whole of another. Background work has its turns when nobody else waits.

    While nobody speaks the model may leave memory: `unload`. The next turn of each worker opens it
    again, and who waits for this turn waits for that too.

    Args:
        workers: the same model, opened once or more; each runs one turn at a time.
        planner: makes plans.
        audio_cache_bytes: memory of the audio cache; 0 switches it off.
        stream_decoding: default decoding of streams.
        file_decoding: default decoding of complete files.

    Attributes:
        workers: see above.
        planner: see above.
        turns: at the workers.
        cache: the audio cache.
        is_loaded: whether the model is in memory, for one of the workers at least.
    """

    def __init__(
        self,
        workers: Iterable[Worker],
        planner: Planner,
        *,
        audio_cache_bytes: int = 0,
        stream_decoding: Decoding = "windows",
        file_decoding: Decoding = "whole",
    ) -> None:
        self.workers = tuple(workers)
        self.planner = planner
        self.turns = Turns(self.workers)
        self.cache = AudioCache(audio_cache_bytes)
        self._stream_decoding = stream_decoding
        self._file_decoding = file_decoding
        self.is_loaded = True
        self._closed = False
        self._unloading = threading.Lock()
        self._has_complained = False

    @property
    def model(self) -> Model:
        """Return the model of the first worker, for what is the same of all, opened or not."""
        return self.workers[0].model

    def plan(self, utterance: Utterance, delivery: Delivery = _AT_ONCE) -> Plan:
        """Make the plan of an utterance.

        Raises:
            TimesUnavailableError: word times are wanted, and the model gives no durations.
            DecodingUnavailableError: windows are wanted, and the model or the voice does not allow
                them.
            ServiceError: see `Planner.plan`.
        """
        if delivery.timed and not self.model.gives_durations:
            raise TimesUnavailableError(
                f"{self.model.name} gives no durations, so word times are unknown"
            )
        usual = self._stream_decoding if delivery.streamed else self._file_decoding
        decoding = delivery.decoding or usual
        if decoding == "windows" and (lack := self._lack_of_windows(utterance)):
            if delivery.decoding is not None:
                raise DecodingUnavailableError(lack)
            decoding = "whole"
        chunking = delivery.chunking
        if chunking is None and delivery.streamed:
            chunking = "early" if decoding == "whole" else "short_first"
        return self.planner.plan(utterance, replace(delivery, decoding=decoding, chunking=chunking))

    def _lack_of_windows(self, utterance: Utterance) -> str:
        """Return why an utterance cannot be decoded in windows; empty if it can."""
        statistics = self.model.statistics if isinstance(self.model, SplitModel) else None
        if statistics is None:
            return "only the published model can be decoded in windows, after it is prepared"
        blend = self.planner.voice_of(utterance)
        if statistics.covers(self.planner.voices.style(blend, _USUAL_TOKENS)):
            return ""
        return "this voice cannot be decoded in windows: its statistics are unknown"

    def stream(
        self,
        plan: Plan,
        cancellation: Cancellation | None = None,
        *,
        keep_memory: bool = True,
    ) -> Iterator[AudioSegment]:
        """Synthesize a plan, chunk by chunk; all segments joined are the whole audio.

        Args:
            plan: what `plan` returned.
            cancellation: stops it, even during a run. If it is of background work, each run gives
                way to other requests, and is repeated after them.
            keep_memory: whether the model keeps its working memory for the next chunk.

        Raises:
            SynthesisError: the model failed, or its audio is incomplete.
            NotReadyError: the synthesizer is closed, or the model cannot be opened again.
            ServiceError: the reason of the cancellation.
        """
        segments = self._segments(plan, cancellation, keep_memory=keep_memory)
        lufs = plan.delivery.loudness_lufs
        yield from segments if lufs is None else at_loudness(segments, lufs)

    def _segments(
        self, plan: Plan, cancellation: Cancellation | None, *, keep_memory: bool
    ) -> Iterator[AudioSegment]:
        """Yield the segments of a plan as loud as the model and the gain make them."""
        delivery = plan.delivery
        n_samples = 0
        soon = cancellation is None or not cancellation.is_background
        for index, chunk in enumerate(plan.chunks):
            if cancellation is not None:
                cancellation.check()  # G2P takes time too
            n_pause = joining.pause_after(chunk.phonemes, chunk.speed)
            if chunk.pause_s is not None:
                n_pause = round(chunk.pause_s * SAMPLE_RATE_HZ)
            if not chunk.phonemes:
                start_s = n_samples / SAMPLE_RATE_HZ
                n_samples += n_pause
                silence = joining.silence(n_pause)
                marks = silent_marks(chunk, start_s) if delivery.timed else ()
                yield AudioSegment(index, True, "", silence, start_s, (), 0.0, 0.0, 0, None, marks)
                continue
            shaper = joining.Shaper(
                first=delivery.first and index == 0,
                last=delivery.last and chunk.is_last and chunk.pause_s is None,
                n_pause=n_pause,
                gain=max(1.0, chunk.manner.gain),
            )
            sounds = self._sounds(
                chunk,
                cancellation,
                in_windows=delivery.decoding == "windows",
                soon=soon,
                keep_memory=keep_memory,
            )
            soon = False
            altered = _altered(sounds, chunk)
            segments = deliver(
                index, chunk, altered, shaper, n_samples, timed=delivery.timed,
                voice=None if chunk.blend == plan.blend else chunk.blend.name,
            )  # fmt: skip
            gain = 1.0
            if plan.even:
                segments = evened(segments, chunk.manner, streamed=delivery.streamed)
            else:
                # After its silence was found, which would not end in a chunk that is all silent.
                gain = min(1.0, chunk.manner.gain)
            for segment in segments:
                n_samples += segment.samples.size
                yield segment.amplified(delivery.gain * gain)

    def _sounds(
        self,
        chunk: Chunk,
        cancellation: Cancellation | None,
        *,
        in_windows: bool,
        soon: bool,
        keep_memory: bool,
    ) -> Iterator[Made]:
        """Yield the sounds of a chunk as the model says it, also from the cache.

        See `windows_of` for `soon`.
        """
        token_ids = self.planner.front_end.vocabulary.token_ids(chunk.phonemes)
        style = self.planner.voices.style(chunk.blend, len(token_ids))
        statistics = None
        if in_windows and isinstance(self.model, SplitModel):
            statistics = self.model.statistics
        if statistics is not None and not statistics.covers(style):
            statistics = None
        key = (chunk.phonemes, chunk.blend, chunk.model_speed, statistics is not None)
        kept = self.cache.get(key) if self.cache.is_on else None
        if kept is not None:
            if cancellation is not None:
                cancellation.check()
            yield Made(Sound.whole(kept), 0.0, 0.0, True)
            return
        run_options = None if cancellation is None else cancellation.run_options
        saying = (token_ids, style, chunk.model_speed, run_options)
        sounds: Sounds = (
            WholeSound(*saying, keep_memory=keep_memory)
            if statistics is None
            else WindowedSounds(*saying, statistics=statistics, soon=soon)
        )
        is_background = cancellation is not None and cancellation.is_background
        cached = False if self.cache.is_on else None
        # Background work is said once, and would drop what requests say again and again.
        keeps = self.cache.is_on and not is_background
        said: list[Samples] = []
        is_last = False
        while not is_last:
            try:
                with self._turn(cancellation) as turn:
                    sound = sounds.next(turn.model)
            except ortffi.TerminatedError:
                if not is_background:
                    raise
                continue  # a request needed the worker
            is_last = sound.is_last
            if keeps:
                said.append(sound.samples)
                if is_last:
                    self.cache.put(key, Inference(np.concatenate(said), sound.durations))
            yield Made(sound, turn.wait_s, turn.compute_s, cached)

    @contextmanager
    def _turn(self, cancellation: Cancellation | None) -> Iterator[_Turn]:
        """Wait for a turn, and hold it for the block."""
        asked = time.perf_counter()
        with self.turns.take(cancellation) as worker:
            if self._closed:
                raise NotReadyError("the service is shutting down")
            if not worker.is_open:
                self._open(worker)
            start = time.perf_counter()
            turn = _Turn(worker.model, start - asked)
            try:
                yield turn
            except ortffi.TerminatedError:
                if cancellation is not None:
                    cancellation.check()
                raise
            turn.compute_s = time.perf_counter() - start

    def _open(self, worker: Worker) -> None:
        """Open the model of a worker again; of failures in a row, only the first is logged."""
        start = time.perf_counter()
        try:
            worker.open()
        except (StartupError, SynthesisError) as error:
            if not self._has_complained:
                logger.error("the model cannot be loaded again: %s", error.message)
            self._has_complained = True
            raise NotReadyError("the model cannot be loaded again at present") from error
        self.is_loaded = True
        self._has_complained = False
        logger.info("the model is loaded again, in %.2f s", time.perf_counter() - start)

    def wait_for_requests(self, cancellation: Cancellation) -> None:
        """Wait until a worker is idle, so that background work need not disturb requests.

        Raises:
            ServiceError: the reason of the cancellation.
        """
        with self._turn(cancellation):
            pass

    def self_test(self) -> float:
        """Say two words, check the audio, and measure the real-time factor.

        Returns:
            Its duration in seconds.

        Raises:
            SynthesisError: the audio is silent, too loud, not finite, or has a wrong length.
        """
        start = time.perf_counter()
        plan = self.planner.plan_phonemes(SELF_TEST_PHONEMES)
        # A service that waits for its first request must not hold memory for it.
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

    def unload(self) -> None:
        """Finish the turns in progress, then close the model of each worker until its next turn.

        Plans, voices and the audio cache stay.
        """
        # Two threads that each held some of the workers would wait for each other.
        with self._unloading, ExitStack() as turns:
            for worker in [turns.enter_context(self.turns.take()) for _ in self.workers]:
                worker.close()
            release_shared_memory()
            self.is_loaded = False

    def close(self) -> None:
        """Finish the turns in progress, then release the workers. May be called again."""
        self._closed = True  # for those who get a turn before this
        self.unload()


def _altered(sounds: Iterable[Made], chunk: Chunk) -> Iterable[Made]:
    """Return the sounds of a chunk as its manner wants them."""
    manner = chunk.manner
    ratio = ratio_of(manner.pitch)
    if chunk.stretching / ratio != 1.0:
        sounds = stretched(sounds, chunk.stretching / ratio)
    if ratio != 1.0:
        sounds = stretched(sounds, ratio, Resampler)
    if manner.phoneme_s is not None:
        sounds = brought_to(sounds, manner.phoneme_s * len(chunk.phonemes))
    if manner.is_bleeped:
        sounds = bleeped(sounds)
    return amplified(sounds, manner.gain) if manner.gain > 1.0 else sounds
