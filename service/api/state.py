"""State that the endpoints share: settings, synthesizer, admission, metrics."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import cast

from starlette.requests import Request

from service.api.admission import Admission
from service.api.metrics import Metrics
from service.api.telemetry import Telemetry, open_telemetry
from service.errors import LexiconError, NotReadyError
from service.loading import load_lexicon, load_synthesizer
from service.machine import SystemMemory
from service.settings import Settings
from service.speech import Synthesizer

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ready:
    """A synthesizer that passed its self-test, and the duration of the test."""

    synthesizer: Synthesizer
    self_test_s: float


def _memory_check(settings: Settings) -> Callable[[], bool]:
    """Return a function that tells whether enough memory is free for `min_free_memory_bytes`."""
    least = settings.min_free_memory_bytes
    if not least:
        return lambda: True
    memory = SystemMemory()
    return lambda: memory.available_bytes() >= least


class ServiceState:
    """The state of the service; owns the synthesizer. Safe to use from several threads.

    Attributes:
        settings: of the service.
        endpoints: the known paths.
        admission: admits requests and sessions.
        executor: threads, enough for all that are admitted.
        metrics: for Prometheus.
        telemetry: traces.

    Raises:
        StartupError: telemetry is on and cannot be used.
    """

    def __init__(self, settings: Settings, endpoints: Collection[str]) -> None:
        self.settings = settings
        self.endpoints = frozenset(endpoints)
        self.admission = Admission(
            settings.max_requests,
            settings.max_websockets,
            _memory_check(settings),
            settings.answer_memory_bytes,
        )
        self.executor = ThreadPoolExecutor(
            settings.max_requests + settings.max_websockets, thread_name_prefix="speech"
        )
        self.metrics = Metrics(self.endpoints, outcomes=("stalled",))
        self.metrics.watch(
            queue_length=lambda: self._ready.synthesizer.turns.n_waiting if self._ready else 0,
            answer_bytes=lambda: self.admission.held_bytes,
            audio_cache_bytes=lambda: self._ready.synthesizer.cache.n_bytes if self._ready else 0,
            ready=lambda: self._ready is not None and not self.admission.closing.is_set(),
        )
        self.telemetry: Telemetry = open_telemetry(settings.telemetry)
        self._ready: Ready | None = None
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load and test the synthesizer; takes seconds.

        Raises:
            StartupError: something is missing or damaged; the message says what to do.
            SynthesisError: the self-test failed.
            NotReadyError: the service was stopped meanwhile.
        """
        start = time.perf_counter()

        def tell(line: str) -> None:
            if self.admission.closing.is_set():  # preparing a model may take a minute
                raise NotReadyError("the service is shutting down")
            logger.info(line)

        synthesizer = load_synthesizer(self.settings, tell)
        try:
            self_test_s = synthesizer.self_test()
        except BaseException:
            synthesizer.close()
            raise
        model = synthesizer.model
        self.metrics.set_model(
            name=model.name,
            sha256=model.sha256,
            onnxruntime=model.runtime.version,
            provider=model.provider,
        )
        # Garbage collection stops all threads: for a tenth of a second with everything that is
        # loaded, but for some milliseconds if that is frozen.
        gc.collect()
        gc.freeze()
        with self._lock:
            self._ready = Ready(synthesizer, self_test_s)
        # Last, so that the service is ready when somebody reads this line.
        logger.info(
            "ready in %.2f s: provider=%s onnxruntime=%s (%s) workers=%d threads=%d model=%s "
            "voices=%d",
            time.perf_counter() - start,
            model.provider,
            model.runtime.version,
            model.runtime.found_by,
            len(synthesizer.workers),
            model.runtime.threads,
            model.name,
            len(synthesizer.planner.voices.voices),
        )

    def reload_lexicon(self) -> None:
        """Reload the user's lexicon, for texts from now on; a bad file changes nothing."""
        ready = self._ready
        if ready is None:
            return
        try:
            lexicon = load_lexicon(self.settings)
        except LexiconError as error:
            logger.error("the lexicon is not reloaded: %s", error.message)
            return
        ready.synthesizer.planner.front_end.lexicon = lexicon
        logger.info("the lexicon is reloaded")

    def require(self) -> Ready:
        """Return the synthesizer.

        Raises:
            NotReadyError: it is not loaded yet, or already closed.
        """
        ready = self._ready
        if ready is None:
            raise NotReadyError("the model is not loaded yet, or the service is shutting down")
        return ready

    def close(self) -> None:
        """Close the synthesizer after the chunk in progress. May be called again."""
        with self._lock:
            ready, self._ready = self._ready, None
        self.executor.shutdown()
        if ready is not None:
            ready.synthesizer.close()
        self.telemetry.close()


def state_of(request: Request) -> ServiceState:
    """Return the state of the service from a request."""
    return cast("ServiceState", request.app.state.service)
