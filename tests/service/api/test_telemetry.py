"""Spans as a collector receives them: a real OTLP/HTTP receiver on a real port."""

import contextvars
import gzip
import logging
import re
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtoSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from starlette.datastructures import Headers

from service.api import telemetry as module
from service.api.telemetry import Telemetry, open_telemetry
from service.errors import StartupError
from service.extras import advice
from tests.service.api.asgi_server import serving

SECRET = "what the caller wrote"
PROTOBUF = [(b"content-type", b"application/x-protobuf")]


class Collector:
    """An application that takes what is sent to /v1/traces."""

    def __init__(self):
        self.requests = []
        self.raw = []

    async def __call__(self, scope, receive, send):
        assert scope["path"] == "/v1/traces"
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        if (b"content-encoding", b"gzip") in scope["headers"]:
            body = gzip.decompress(body)
        self.raw.append(body)
        self.requests.append(trace_service_pb2.ExportTraceServiceRequest.FromString(body))
        await send({"type": "http.response.start", "status": 200, "headers": PROTOBUF})
        answer = trace_service_pb2.ExportTraceServiceResponse().SerializeToString()
        await send({"type": "http.response.body", "body": answer})

    def spans(self):
        resources = [resource for request in self.requests for resource in request.resource_spans]
        return {span.name: span for each in resources for scope in each.scope_spans for span in scope.spans}

    def resource(self):
        return attributes(self.requests[0].resource_spans[0].resource)


def attributes(span):
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in span.attributes}


@pytest.fixture
def collector(monkeypatch):
    collector = Collector()
    with serving(collector, lifespan="off") as port:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        yield collector


@pytest.fixture
def telemetry(collector):
    return open_telemetry(True)


@pytest.fixture
def traced(collector):
    """Make a span with options, of a telemetry of its own; return its number and what arrives at the collector."""

    def trace(name, **options):
        with closing(open_telemetry(True)) as telemetry, telemetry.span(name, **options) as span:
            pass
        return span.trace_id, collector.spans()

    return trace


def test_spans_arrive_at_the_collector_when_it_is_closed(collector, telemetry):
    with telemetry.span("POST /synthesize", {"voice": "af_heart", "stream": True}) as span:
        span.set("audio_s", 1.5)
        span.set("n_chunks", 2)
        assert span.trace_id is not None
    telemetry.close()
    (found,) = collector.spans().values()
    assert found.name == "POST /synthesize"
    assert found.trace_id.hex() == span.trace_id
    assert found.parent_span_id == b""
    assert attributes(found) == {"voice": "af_heart", "stream": True, "audio_s": 1.5, "n_chunks": 2}
    assert found.end_time_unix_nano > found.start_time_unix_nano
    assert collector.resource()["service.name"] == "kokoro-service"


def test_variables_of_opentelemetry_win(collector, traced, monkeypatch):
    monkeypatch.setenv("OTEL_SERVICE_NAME", "kitchen")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=home")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    traced("span")
    resource = collector.resource()
    assert (resource["service.name"], resource["deployment.environment"]) == ("kitchen", "home")
    assert "service.version" in resource


def test_a_switched_off_sdk_sends_nothing(collector, traced, monkeypatch):
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    traced("span", attributes={"x": 1})
    assert collector.requests == []


TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


def test_the_trace_of_the_caller_goes_on(collector, telemetry):
    headers = Headers(raw=[(b"traceparent", f"00-{TRACE}-{PARENT}-01".encode()), (b"tracestate", b"vendor=1")])
    with telemetry.span("request", headers=headers) as span, telemetry.span("chunk"):
        assert span.trace_id == TRACE
    telemetry.close()
    request, chunk = (collector.spans()[name] for name in ("request", "chunk"))
    assert (request.trace_id.hex(), request.parent_span_id.hex()) == (TRACE, PARENT)
    assert request.trace_state == "vendor=1"
    assert request.kind == ProtoSpan.SPAN_KIND_SERVER
    assert (chunk.trace_id, chunk.parent_span_id) == (request.trace_id, request.span_id)
    assert chunk.kind == ProtoSpan.SPAN_KIND_INTERNAL


def test_a_trace_that_the_caller_does_not_sample_is_not_sent(traced):
    _, spans = traced("request", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})
    assert spans == {}


@pytest.mark.parametrize(
    "header", ["", "nonsense", f"00-{'0' * 32}-{PARENT}-01", f"ff-{TRACE}-{PARENT}-01", "é" * 2000]
)
def test_a_malformed_traceparent_begins_a_new_trace(traced, header):
    number, spans = traced("request", headers={"traceparent": header})
    assert number not in (None, TRACE)
    assert spans["request"].parent_span_id == b""


def in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_threads_take_the_parent_that_they_are_given_or_inherit(collector, telemetry):
    def work(name, parent=None):
        with telemetry.span(name, parent=parent):
            pass

    with telemetry.span("request") as span:
        in_thread(lambda: work("handed over", span))
        context = contextvars.copy_context()
        in_thread(lambda: context.run(work, "inherited"))
        in_thread(lambda: work("on its own"))
    telemetry.close()
    spans = collector.spans()
    assert spans["handed over"].parent_span_id == spans["request"].span_id
    assert spans["inherited"].parent_span_id == spans["request"].span_id
    assert spans["on its own"].parent_span_id == b""


def test_an_error_is_recorded_by_its_class_only_and_goes_on(collector, telemetry):
    with pytest.raises(ValueError, match=SECRET), telemetry.span("request"):
        raise ValueError(SECRET)
    telemetry.close()
    span = collector.spans()["request"]
    assert (span.status.code, span.status.message) == (Status.STATUS_CODE_ERROR, "ValueError")
    assert attributes(span) == {"error.type": "ValueError"}
    assert len(span.events) == 0
    assert all(SECRET.encode() not in raw for raw in collector.raw)


def test_closing_again_is_harmless(collector, caplog):
    telemetry = open_telemetry(True)
    telemetry.close()
    telemetry.close()
    # The collector of these tests may still tell that it has started.
    assert [record for record in caplog.records if not record.name.startswith("uvicorn")] == []


def test_a_collector_that_is_not_there_holds_up_nothing_for_long(collector, monkeypatch, caplog):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "3600")
    monkeypatch.setattr(module, "CLOSE_TIMEOUT_S", 0.2)
    telemetry = open_telemetry(True)
    with telemetry.span("request"):
        pass
    closing = threading.Thread(target=telemetry.close)
    closing.start()
    closing.join(20)  # the SDK's own patience is 30
    assert not closing.is_alive()
    assert any(record.levelno >= logging.WARNING for record in caplog.records)


def test_a_variable_that_cannot_be_read_stops_the_start(monkeypatch):
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "-1")
    with pytest.raises(StartupError, match="OTEL_"):
        open_telemetry(True)


@pytest.mark.thorough
def test_without_telemetry_nothing_of_opentelemetry_is_imported():
    program = """
import sys
import fastapi  # which may import the API of OpenTelemetry for itself
def imported():
    return {name for name in sys.modules if name.startswith("opentelemetry")}
before = imported()
from service.api.telemetry import open_telemetry
telemetry = open_telemetry(False)
with telemetry.span("request", {"a": 1}, headers={}) as span:
    span.set("b", 2)
    with telemetry.span("part", parent=span):
        pass
telemetry.close()
assert not any(name.startswith("opentelemetry.sdk") for name in imported())
print(span.trace_id, imported() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "None set()\n"), done.stderr


def test_without_telemetry_errors_go_on():
    with pytest.raises(ValueError, match=SECRET), Telemetry().span("request"):
        raise ValueError(SECRET)


@pytest.mark.parametrize("missing", ["opentelemetry.sdk", "opentelemetry.exporter"])
def test_without_the_extra_the_start_stops_with_what_to_do(missing, monkeypatch):
    for name in [missing, *(name for name in sys.modules if name.startswith(f"{missing}."))]:
        # What the import system takes for "not installed".
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(StartupError, match=re.escape(advice("otel"))) as caught:
        open_telemetry(True)
    assert "\n" not in caught.value.message
