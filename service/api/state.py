"""State that the endpoints share: settings, synthesizer, admission, metrics."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import cast

import anyio.to_thread
from starlette.requests import Request

from service.api.admission import Admission
from service.api.api_keys import ApiKeys, read_keys
from service.api.callers import Callers
from service.api.connections import Connections
from service.api.idleness import Idleness
from service.api.job_runner import JobRunner
from service.api.metrics import Metrics
from service.api.models import OtherModels
from service.api.part_times import PartTimes
from service.api.telemetry import Telemetry, open_telemetry
from service.api.uploads import Uploads
from service.books.document_reader import DocumentReader
from service.books.ongoing_reading import ReadingLimits
from service.errors import LexiconError, NotReadyError, SettingsError
from service.loading import (
    load_lexicon,
    load_lexicons,
    load_models,
    load_other_model,
    load_spec,
    load_synthesizer,
    usual_voice,
)
from service.machine import SystemMemory
from service.settings import Settings
from service.speech import Synthesizer
from service.text import UserLexicon

logger = logging.getLogger(__name__)

_BYTES_PER_CHARACTER = 12
"""The longest form of a character in JSON: two escapes of six bytes."""

_BODY_OVERHEAD_BYTES = 16_384
"""Room for the other fields and for white space."""


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
        default_voice: for requests that name none.
        endpoints: the known paths.
        max_body_bytes: maximum length of a body, and of a WebSocket message.
        admission: admits requests and sessions.
        callers: the API keys, with what they have used.
        connections: that are open, of the service's own server.
        idleness: unloads the model after `idle_unload_s` without speech.
        documents: reads documents, in processes of their own.
        jobs: documents that are spoken behind all requests.
        own_model: name of the model of the settings.
        models: other models that requests may choose.
        uploads: documents that are received and read before they are jobs.
        part_times: of the last answers that were asked for with them.
        executor: threads, enough for all that are admitted, and for nobody else.
        metrics: for Prometheus.
        telemetry: traces.

    Raises:
        StartupError: telemetry is on and cannot be used, or the file of keys, a lexicon of a key or
            the record of the model cannot be used.
    """

    def __init__(self, settings: Settings, endpoints: Collection[str]) -> None:
        self.settings = settings
        self.default_voice = usual_voice(settings)
        self.endpoints = frozenset(endpoints)
        self.max_body_bytes = settings.max_text_length * _BYTES_PER_CHARACTER + _BODY_OVERHEAD_BYTES
        self.admission = Admission(
            settings.max_requests,
            settings.max_websockets,
            _memory_check(settings),
            settings.answer_memory_bytes,
        )
        self.connections = Connections(settings.max_connections)
        self.callers = Callers(*self._read_callers())
        self.idleness = Idleness(settings.idle_unload_s, self._unload_soon)
        self.documents = DocumentReader(ReadingLimits.of(settings))
        self.jobs = JobRunner(settings, self.callers, self.documents, self.idleness_of)
        self.uploads = Uploads(settings.max_document_bytes)
        self.part_times = PartTimes()
        self.own_model = load_spec(settings).name
        others = [spec.name for spec in load_models(settings) if spec.name != self.own_model]
        self._shared = settings.model_copy(
            update={"memory_budget_bytes": settings.memory_budget_bytes // (1 + len(others))}
        )
        self.models = OtherModels(tuple(others), self._load_other, settings.idle_unload_s)
        self.executor = ThreadPoolExecutor(
            settings.max_requests + settings.max_websockets, thread_name_prefix="speech"
        )
        self.metrics = Metrics(self.endpoints, outcomes=("stalled",))
        self.metrics.watch(
            queue_length=lambda: self._ready.synthesizer.turns.n_waiting if self._ready else 0,
            answer_bytes=lambda: self.admission.held_bytes,
            audio_cache_bytes=lambda: self._ready.synthesizer.cache.n_bytes if self._ready else 0,
            ready=lambda: self.is_ready,
            jobs=lambda: self.jobs.n_unfinished,
            model_loaded=lambda: self._ready is not None and self._ready.synthesizer.is_loaded,
        )
        self.telemetry: Telemetry = open_telemetry(settings.telemetry)
        self._ready: Ready | None = None
        self._lexicon: UserLexicon | None = None  # one that was read again
        self._lock = threading.Lock()
        self._reloading = threading.Lock()
        self._step = "loading"

    def _read_callers(self) -> tuple[ApiKeys | None, dict[str, UserLexicon]]:
        """Read the file of keys and their lexicons; raises SettingsError and LexiconError."""
        keys, lexicons = read_keys(self.settings), load_lexicons(self.settings)
        unknown = set(lexicons) - {key.name for key in keys or ()}
        for name in sorted(unknown):
            logger.warning("lexicons_dir: %s.toml is not used, for no key has this name", name)
        return keys, lexicons

    def load(self) -> None:
        """Load and test the synthesizer; takes seconds.

        Raises:
            StartupError: something is missing or damaged; the message says what to do.
            SynthesisError: the self-test failed.
            NotReadyError: the service was stopped meanwhile.
        """
        start = time.perf_counter()

        def tell(line: str) -> None:
            self._tell(line)
            self._step = line

        synthesizer = load_synthesizer(self._shared, tell)
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
            if self._lexicon is not None:
                synthesizer.planner.front_end.lexicon = self._lexicon
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

    def _tell(self, line: str) -> None:
        if self.admission.closing.is_set():  # preparing a model may take a minute
            raise NotReadyError("the service is shutting down")
        logger.info(line)

    def _load_other(self, name: str) -> Synthesizer:
        """Load and test another model; raises StartupError, SynthesisError and NotReadyError."""
        front_end = self.require().synthesizer.planner.front_end
        synthesizer = load_other_model(self._shared, name, front_end, self._tell)
        try:
            synthesizer.self_test()
            self._tell(f"the model {name} is loaded")
        except BaseException:
            synthesizer.close()
            raise
        return synthesizer

    async def synthesizer(self, model: str | None) -> Synthesizer:
        """Return the synthesizer of a model; None is the server's own.

        Raises:
            UnknownModelError: there is no such model.
            NotReadyError: it is not loaded yet and cannot be, or is already closed.
        """
        own = self.require().synthesizer
        if model is None or model == self.own_model:
            return own
        return await self.models.get(model)

    async def synthesizer_called(self, name: str | None) -> Synthesizer:
        """Return the synthesizer of an added model; of every other name the server's own.

        For doors whose clients name models of others. Raises NotReadyError as `synthesizer` does.
        """
        return await self.synthesizer(name if name in self.models.names else None)

    def idleness_of(self, synthesizer: Synthesizer) -> Idleness:
        """Return what counts how long nobody has spoken with a synthesizer."""
        return self.models.idleness_of(synthesizer) or self.idleness

    def _unload_soon(self) -> None:
        """Unload the model in a thread, unless the service is stopping."""
        if self._ready is not None and not self.admission.closing.is_set():
            synthesizer = self._ready.synthesizer
            asyncio.get_running_loop().run_in_executor(self.executor, self._unload, synthesizer)

    def _unload(self, synthesizer: Synthesizer) -> None:
        logger.info("unloading the model after %g s of silence", self.settings.idle_unload_s)
        synthesizer.unload()

    def reload(self) -> None:
        """Read the lexicons and the keys again, for requests from now on.

        A bad file changes nothing.
        """
        with self._reloading:
            try:
                lexicon = load_lexicon(self.settings)
                keys, lexicons = self._read_callers()
            except (LexiconError, SettingsError) as error:
                logger.error("nothing is reloaded: %s", error.message)
                return
            self.callers.replace(keys, lexicons)
            with self._lock:
                self._lexicon = lexicon
                if self._ready is not None:
                    for one in (self._ready.synthesizer, *self.models.synthesizers):
                        one.planner.front_end.lexicon = lexicon
            numbers = len(keys or ()), len(lexicons)
            logger.info("reloaded: the lexicon, %d keys and %d lexicons of keys", *numbers)

    @property
    def is_ready(self) -> bool:
        """Tell whether there is a synthesizer, and the service is not shutting down."""
        return self._ready is not None and not self.admission.closing.is_set()

    def require(self) -> Ready:
        """Return the synthesizer.

        Raises:
            NotReadyError: it is not loaded yet, or already closed.
        """
        ready = self._ready
        if ready is None and self.admission.closing.is_set():
            raise NotReadyError("the service is shutting down")
        if ready is None:
            raise NotReadyError(f"the model is not loaded yet: {self._step}")
        return ready

    async def drain(self, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """Admit nobody any more, and wait until those who are served have left.

        After `shutdown_timeout_s` what is left is cancelled. May be called again.

        Args:
            is_urgent: tells whether to stop waiting earlier.
        """
        admission, timeout_s = self.admission, self.settings.shutdown_timeout_s
        if not admission.closing.is_set():
            logger.info(
                "stopping: %d requests and %d sessions have %g s to finish",
                admission.n_requests,
                admission.n_sessions,
                timeout_s,
            )
        await admission.close(timeout_s, is_urgent)
        await self.jobs.close()
        await anyio.to_thread.run_sync(self.documents.close)

    def close(self) -> None:
        """Close the synthesizer after the chunk in progress. May be called again."""
        with self._lock:
            ready, self._ready = self._ready, None
        self.uploads.close()
        self.documents.close()
        self.executor.shutdown()
        self.models.close()
        if ready is not None:
            ready.synthesizer.close()
        self.telemetry.close()


def state_of(request: Request) -> ServiceState:
    """Return the state of the service from a request."""
    return cast("ServiceState", request.app.state.service)
