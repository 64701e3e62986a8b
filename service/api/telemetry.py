"""Traces for an OpenTelemetry collector."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from service import __version__
from service.errors import StartupError
from service.extras import advice

if TYPE_CHECKING:
    from opentelemetry import trace
    from opentelemetry.context import Context

Attribute = str | bool | int | float

SERVICE_NAME = "kokoro-service"

CLOSE_TIMEOUT_S = 5.0
"""Longest time that the end of the service waits for a collector that does not answer."""


class Span:
    """A span that nobody records."""

    trace_id: str | None = None
    """The trace's id, 32 hexadecimal digits; None if nothing is recorded."""

    def set(self, name: str, value: Attribute) -> None:
        """Set an attribute; never a caller's text."""


class Telemetry:
    """Records nothing; `open_telemetry` returns it if telemetry is off."""

    def span(
        self,
        name: str,
        attributes: Mapping[str, Attribute] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        parent: Span | None = None,
    ) -> AbstractContextManager[Span]:
        """Record the block as one span.

        An exception is recorded by the name of its class, and passed on.

        Args:
            name: of the kind of work, from a small set.
            attributes: those that are known at the start; never a caller's text.
            headers: of an incoming request, with lower-case names; `traceparent` continues the
                caller's trace.
            parent: the span that this one is part of; that of the running context (which tasks
                inherit, and threads where the context is copied) if not given.
        """
        return nullcontext(_NOBODYS)

    def close(self) -> None:
        """Send the remaining spans; takes seconds if the collector does not answer."""


_NOBODYS = Span()


def open_telemetry(enabled: bool) -> Telemetry:
    """Return a recorder that sends spans as the OTEL_* variables say, or none if not enabled.

    OpenTelemetry is imported only if enabled, and its process-wide provider is left alone. The
    variables that its SDK knows hold here: OTEL_EXPORTER_OTLP_* (HTTP with protobuf),
    OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_BSP_*,
    OTEL_SDK_DISABLED.

    Raises:
        StartupError: OpenTelemetry is not installed, or a variable cannot be read.
    """
    if not enabled:
        return Telemetry()
    try:
        return _Recorder()
    except ImportError as error:
        raise StartupError(f"telemetry needs OpenTelemetry ({error}): {advice('otel')}") from error
    except ValueError as error:
        raise StartupError(f"telemetry: an OTEL_* variable cannot be read: {error}") from error


class _RecordedSpan(Span):
    def __init__(self, recorded: trace.Span) -> None:
        self.recorded = recorded
        self.trace_id = f"{recorded.get_span_context().trace_id:032x}"

    def set(self, name: str, value: Attribute) -> None:
        self.recorded.set_attribute(name, value)


class _Recorder(Telemetry):
    def __init__(self) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        ours = {"service.name": SERVICE_NAME, "service.version": __version__}
        # The variables come last, so that they win.
        resource = Resource.create(ours).merge(OTELResourceDetector().detect())
        self._exporter = OTLPSpanExporter()
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer("service", __version__)
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def span(
        self,
        name: str,
        attributes: Mapping[str, Attribute] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        parent: Span | None = None,
    ) -> Iterator[Span]:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        with self._tracer.start_as_current_span(
            name,
            self._context(headers, parent),
            SpanKind.INTERNAL if headers is None else SpanKind.SERVER,
            attributes,
            # OpenTelemetry would record the message too, which may quote a caller's text.
            record_exception=False,
            set_status_on_exception=False,
        ) as recorded:
            try:
                yield _RecordedSpan(recorded)
            except BaseException as error:
                recorded.set_attribute("error.type", type(error).__name__)
                recorded.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def _context(self, headers: Mapping[str, str] | None, parent: Span | None) -> Context | None:
        from opentelemetry.trace import set_span_in_context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        if isinstance(parent, _RecordedSpan):
            return set_span_in_context(parent.recorded)
        if headers is None:
            return None  # that of the running context
        return TraceContextTextMapPropagator().extract(headers)

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        # The SDK would wait up to 30 s for a collector that is not there.
        giving_up = threading.Timer(CLOSE_TIMEOUT_S, self._exporter.shutdown)
        giving_up.start()
        try:
            self._provider.shutdown()
        finally:
            giving_up.cancel()
