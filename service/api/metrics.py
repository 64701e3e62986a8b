"""Metrics for Prometheus, at `/metrics`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client import exposition as prometheus_text
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.openmetrics import exposition as openmetrics

from service.errors import ServiceError

OTHER = "other"
"""Label of an unknown endpoint or outcome."""

# Seconds. A short first chunk takes some tenths on a desktop and a second or two on a small board.
# Beyond ten the listener has gone.
_FIRST_AUDIO_S = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30)
# Finest below 1, where speech is made faster than it is heard.
_REAL_TIME_FACTOR = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 5)
# Seconds. Nothing on an idle machine; with a full queue, many turns of a second or so.
_QUEUE_WAIT_S = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300)
# Seconds. From a list of voices to a book's chapter.
_DURATION_S = (0.005, 0.02, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800)

_OUTCOMES = frozenset({
    "ok", "aborted", "internal_error", "http_error", "invalid_json", "invalid_request",
    "not_found", "method_not_allowed", "body_too_large", "unsupported_media_type",
    "receive_timeout",
})  # fmt: skip
"""Outcomes of requests beside the codes of `service.errors`."""


class Metrics:
    """The metrics of one application, in a registry of its own. Safe to use from any thread.

    Args:
        endpoints: the known paths; any other counts as `other`, so that callers cannot create
            labels.
        outcomes: further outcomes of requests.
    """

    def __init__(self, endpoints: Collection[str], outcomes: Collection[str] = ()) -> None:
        self._endpoints = frozenset(endpoints)
        self._outcomes = _OUTCOMES | _codes(ServiceError) | frozenset(outcomes)
        registry = self._registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)

        def histogram(
            name: str, text: str, buckets: tuple[float, ...], labels: tuple[str, ...] = ()
        ) -> Histogram:
            return Histogram(name, text, labels, buckets=buckets, registry=registry)

        def counter(name: str, text: str, labels: tuple[str, ...] = ()) -> Counter:
            return Counter(name, text, labels, registry=registry)

        def gauge(name: str, text: str) -> Gauge:
            return Gauge(name, text, registry=registry)

        self._first_audio = histogram(
            "kokoro_time_to_first_audio_seconds",
            "Time from a request to its first audio",
            _FIRST_AUDIO_S,
        )
        self._real_time_factor = histogram(
            "kokoro_real_time_factor",
            "Compute time of a request divided by the duration of its audio",
            _REAL_TIME_FACTOR,
        )
        self._queue_wait = histogram(
            "kokoro_queue_wait_seconds",
            "Time that a window or a chunk waited for the model",
            _QUEUE_WAIT_S,
        )
        self._duration = histogram(
            "kokoro_request_duration_seconds",
            "Time from a request to the end of its answer",
            _DURATION_S,
            ("endpoint",),
        )
        self._requests = counter(
            "kokoro_requests_total",
            "Finished requests, by endpoint and outcome",
            ("endpoint", "outcome"),
        )
        self._key_requests = counter(
            "kokoro_key_requests_total",
            "Finished requests of API keys with names, by key and outcome",
            ("key", "outcome"),
        )
        self._key_characters = counter(
            "kokoro_key_characters_total", "Characters spoken for API keys with names", ("key",)
        )
        self._characters = counter("kokoro_characters_total", "Characters spoken")
        self._audio = counter("kokoro_audio_seconds_total", "Duration of the audio synthesized")
        self._limited = counter(
            "kokoro_limited_samples_total", "Samples beyond full scale, which were limited"
        )
        cache = counter(
            "kokoro_audio_cache_total",
            "Chunks looked up in the audio cache, by result",
            ("result",),
        )
        self._cache_hits, self._cache_misses = cache.labels("hit"), cache.labels("miss")
        self._in_flight = gauge("kokoro_requests_in_flight", "Requests in progress")
        self._websockets = gauge("kokoro_websockets_open", "Open WebSocket sessions")
        self._wyoming = gauge("kokoro_wyoming_open", "Open Wyoming connections")
        self._queue_length = gauge("kokoro_queue_length", "Requests waiting for the model")
        self._answer_bytes = gauge("kokoro_answer_bytes", "Memory reserved for answers in progress")
        self._cache_bytes = gauge("kokoro_audio_cache_bytes", "Size of the audio cache")
        self._ready = gauge("kokoro_ready", "1 if the service is ready, else 0")
        self._model_loaded = gauge(
            "kokoro_model_loaded", "1 if the model is in memory, 0 before and while it is unloaded"
        )
        self._jobs = gauge("kokoro_jobs_unfinished", "Jobs that are queued or worked on")
        self._model: Info | None = None
        self._exposed: Callable[[Iterable[Family]], Iterable[Family]] = lambda own: own

    def collect(self) -> Iterator[Family]:
        """Yield the metrics of this application, with their present values."""
        return iter(self._registry.collect())

    def expose(self, exposed: Callable[[list[Family]], Iterable[Family]]) -> None:
        """Set what makes of these metrics those that `render` writes; default: the same."""
        self._exposed = lambda own: exposed(list(own))

    def watch(
        self,
        *,
        queue_length: Callable[[], int],
        answer_bytes: Callable[[], int],
        audio_cache_bytes: Callable[[], int],
        ready: Callable[[], bool],
        model_loaded: Callable[[], bool],
        jobs: Callable[[], int],
    ) -> None:
        """Set the functions that the gauges call whenever they are read."""
        self._queue_length.set_function(queue_length)
        self._answer_bytes.set_function(answer_bytes)
        self._cache_bytes.set_function(audio_cache_bytes)
        self._ready.set_function(ready)
        self._model_loaded.set_function(model_loaded)
        self._jobs.set_function(jobs)

    def set_model(self, *, name: str, sha256: str, onnxruntime: str, provider: str) -> None:
        """Set `kokoro_model_info`, which does not exist before."""
        if self._model is None:
            self._model = Info("kokoro_model", "The model in use", registry=self._registry)
        self._model.info(
            {"name": name, "sha256": sha256, "onnxruntime": onnxruntime, "provider": provider}
        )

    def request_in_flight(self) -> AbstractContextManager[None]:
        """Count a request as in flight within the block."""
        return _counted(self._in_flight)

    def websocket_open(self) -> AbstractContextManager[None]:
        """Count a WebSocket as open within the block."""
        return _counted(self._websockets)

    def wyoming_open(self) -> AbstractContextManager[None]:
        """Count a Wyoming connection as open within the block."""
        return _counted(self._wyoming)

    def observe_request(
        self, *, endpoint: str, outcome: str, duration_s: float, key: str | None = None
    ) -> None:
        """Count a finished request.

        Args:
            endpoint: its path.
            outcome: `ok` or an error code.
            duration_s: until the end of its answer.
            key: the name of its API key, which the operator gave; None if there is none.
        """
        known = endpoint if endpoint in self._endpoints else OTHER
        outcome = outcome if outcome in self._outcomes else OTHER
        self._requests.labels(known, outcome).inc()
        self._duration.labels(known).observe(duration_s)
        if key is not None:
            self._key_requests.labels(key, outcome).inc()

    def observe_first_audio(self, wait_s: float) -> None:
        """Count how long a request waited for its first audio."""
        self._first_audio.observe(wait_s)

    def observe_queue_wait(self, wait_s: float) -> None:
        """Count how long a window waited for its turn."""
        self._queue_wait.observe(wait_s)

    def observe_speech(
        self,
        *,
        n_characters: int,
        audio_s: float,
        compute_s: float,
        n_limited: int,
        key: str | None = None,
    ) -> None:
        """Count what was spoken, and its real-time factor unless all of it came from the cache.

        Cached speech would make the model look faster than it is. See `observe_request` for `key`.
        """
        self._characters.inc(n_characters)
        if key is not None:
            self._key_characters.labels(key).inc(n_characters)
        self._audio.inc(audio_s)
        self._limited.inc(n_limited)
        if audio_s > 0 and compute_s > 0:
            self._real_time_factor.observe(compute_s / audio_s)

    def count_cache(self, *, n_hits: int, n_misses: int) -> None:
        """Count the hits and misses of the audio cache, in chunks."""
        self._cache_hits.inc(n_hits)
        self._cache_misses.inc(n_misses)

    def render(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics and their content type: OpenMetrics if `Accept` asks for it.

        prometheus-client's own negotiation copies the header into the answer, and fails on a
        version that is not a number.
        """
        media_types = {item.partition(";")[0].strip().lower() for item in accept.split(",")}
        families: Any = _Families(self._exposed(self.collect()))
        if "application/openmetrics-text" in media_types:
            # Its module has no annotations.
            content = openmetrics.generate_latest(families)  # type: ignore[no-untyped-call]
            return content, openmetrics.CONTENT_TYPE_LATEST
        return prometheus_text.generate_latest(families), _TEXT_CONTENT_TYPE


class _Families:
    """What prometheus-client writes; it asks a registry for no more."""

    def __init__(self, families: Iterable[Family]) -> None:
        self._families = families

    def collect(self) -> Iterable[Family]:
        return self._families


_TEXT_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@contextmanager
def _counted(gauge: Gauge) -> Iterator[None]:
    with gauge.track_inprogress():
        yield


def _codes(error: type[ServiceError]) -> frozenset[str]:
    return frozenset({error.code}).union(*map(_codes, error.__subclasses__()))
