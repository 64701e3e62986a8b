"""What is kept of a request that is done: its log line, its span, its numbers."""

from __future__ import annotations

import logging

from service.api.request_statistics import RequestStatistics
from service.api.state import ServiceState
from service.api.telemetry import Span
from service.logs import log_request

logger = logging.getLogger("service.access")


def record_request(
    service: ServiceState,
    span: Span,
    *,
    level: int,
    identity: str,
    method: str,
    path: str,
    status: int | None,
    outcome: str,
    key: str | None = None,
    seconds: float,
    statistics: RequestStatistics | None,
) -> None:
    """Log a line, never with a text, and count.

    Args:
        service: the state of the service.
        span: of the request.
        level: of the line.
        identity: the request's id.
        method: of HTTP, or the name of another protocol.
        path: of the endpoint, or what stands for it; its label in the metrics if it is known.
        status: of HTTP; None where there is none.
        outcome: `ok` or an error code.
        key: name of the API key; None if it has none, or no key is needed.
        seconds: how long it took.
        statistics: of what was spoken; None if it was no request for speech.
    """
    fields: dict[str, object] = {
        "id": identity,
        "method": method,
        "path": path,
        "status": status,
        "outcome": outcome,
        "key": key,
        "seconds": round(seconds, 3),
        **(statistics.fields() if statistics is not None else {}),
    }
    if span.trace_id is not None:
        fields["trace_id"] = span.trace_id
    for name, value in fields.items():
        if isinstance(value, str | bool | int | float):
            span.set(name, value)
    log_request(logger, level, fields)
    metrics = service.metrics
    metrics.observe_request(endpoint=path, outcome=outcome, duration_s=seconds, key=key)
    if statistics is None or not statistics.n_chunks:
        return
    metrics.observe_speech(
        n_characters=statistics.n_characters,
        audio_s=statistics.audio_s,
        compute_s=statistics.compute_s,
        n_limited=statistics.n_limited,
        key=key,
    )
    if statistics.first_audio_s is not None:
        metrics.observe_first_audio(statistics.first_audio_s)
    for wait_s in statistics.waits_s:
        metrics.observe_queue_wait(wait_s)
    metrics.count_cache(n_hits=statistics.n_cache_hits, n_misses=statistics.n_cache_misses)
