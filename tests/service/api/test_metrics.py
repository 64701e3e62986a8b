"""What Prometheus reads, parsed by its own parsers."""

import math
import re
import threading

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text
from service.api.metrics import Metrics

ENDPOINTS = ("/synthesize", "/v1/audio/speech", "/health")
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@pytest.fixture
def metrics():
    return Metrics(ENDPOINTS)


def families(metrics):
    content, _ = metrics.render("")
    return {family.name: family for family in parse_text(content.decode())}


def value(metrics, sample_name, /, **labels):
    """Return a sample's value, or None where there is no such sample."""
    for family in families(metrics).values():
        for sample in family.samples:
            if sample.name == sample_name and sample.labels == labels:
                return float(sample.value)
    return None


def test_every_metric_is_there_before_the_first_request(metrics):
    found = families(metrics)
    kinds = {name: family.type for name, family in found.items() if name.startswith("kokoro_")}
    created = {name for name in kinds if name.endswith("_created")}
    assert {name: kind for name, kind in kinds.items() if name not in created} == {
        "kokoro_time_to_first_audio_seconds": "histogram",
        "kokoro_real_time_factor": "histogram",
        "kokoro_queue_wait_seconds": "histogram",
        "kokoro_request_duration_seconds": "histogram",
        "kokoro_requests": "counter",
        "kokoro_characters": "counter",
        "kokoro_audio_seconds": "counter",
        "kokoro_limited_samples": "counter",
        "kokoro_audio_cache": "counter",
        "kokoro_requests_in_flight": "gauge",
        "kokoro_wyoming_open": "gauge",
        "kokoro_websockets_open": "gauge",
        "kokoro_queue_length": "gauge",
        "kokoro_answer_bytes": "gauge",
        "kokoro_audio_cache_bytes": "gauge",
        "kokoro_ready": "gauge",
        "kokoro_jobs_unfinished": "gauge",
        "kokoro_model_loaded": "gauge",
        "kokoro_key_requests": "counter",
        "kokoro_key_characters": "counter",
    }
    assert all(family.documentation for family in found.values())
    assert value(metrics, "kokoro_audio_cache_total", result="hit") == 0
    assert value(metrics, "kokoro_audio_cache_total", result="miss") == 0
    assert value(metrics, "kokoro_ready") == 0


def test_memory_and_file_descriptors_of_the_process_are_there(metrics):
    memory = value(metrics, "process_resident_memory_bytes")
    assert memory is not None
    assert memory > 1e6
    assert value(metrics, "process_open_fds") is not None
    assert "python_info" in families(metrics)


def test_requests_are_counted_by_endpoint_and_outcome(metrics):
    for outcome in ("ok", "ok", "unknown_voice", "receive_timeout", "forbidden_origin"):
        metrics.observe_request(endpoint="/synthesize", outcome=outcome, duration_s=0.5)
    name = "kokoro_requests_total"
    assert value(metrics, name, endpoint="/synthesize", outcome="ok") == 2
    for outcome in ("unknown_voice", "receive_timeout", "forbidden_origin"):
        assert value(metrics, name, endpoint="/synthesize", outcome=outcome) == 1
    name = "kokoro_request_duration_seconds"
    assert value(metrics, f"{name}_count", endpoint="/synthesize") == 5
    assert value(metrics, f"{name}_sum", endpoint="/synthesize") == 2.5


def test_callers_cannot_make_labels(metrics):
    for number in range(100):
        metrics.observe_request(endpoint=f"/{number}", outcome=f"made_up_{number}", duration_s=0)
        metrics.observe_request(endpoint="/health", outcome="ok\nkokoro_ready 7", duration_s=0)
    name = "kokoro_requests_total"
    assert value(metrics, name, endpoint="other", outcome="other") == 100
    assert value(metrics, name, endpoint="/health", outcome="other") == 100
    assert len(families(metrics)["kokoro_requests"].samples) == 2


def test_keys_with_names_are_counted_apart(metrics):
    for key in ("robot", "robot", None):
        metrics.observe_request(endpoint="/synthesize", outcome="ok", duration_s=0, key=key)
        metrics.observe_speech(n_characters=7, audio_s=1, compute_s=1, n_limited=0, key=key)
    metrics.observe_request(endpoint="/x", outcome="key_limit", duration_s=0, key="robot")
    name = "kokoro_key_requests_total"
    assert value(metrics, name, key="robot", outcome="ok") == 2
    assert value(metrics, name, key="robot", outcome="key_limit") == 1
    assert value(metrics, "kokoro_key_characters_total", key="robot") == 14
    assert value(metrics, "kokoro_characters_total") == 21
    assert len(families(metrics)["kokoro_key_characters"].samples) == 1


def test_further_outcomes_can_be_known():
    metrics = Metrics(ENDPOINTS, outcomes=["teapot"])
    metrics.observe_request(endpoint="/health", outcome="teapot", duration_s=0)
    assert value(metrics, "kokoro_requests_total", endpoint="/health", outcome="teapot") == 1


def buckets(metrics, name):
    return {
        float(sample.labels["le"]): sample.value
        for sample in families(metrics)[name].samples
        if sample.name == f"{name}_bucket"
    }


def test_waits_fall_into_buckets(metrics):
    for wait_s in (0.07, 0.4, 90):
        metrics.observe_first_audio(wait_s)
        metrics.observe_queue_wait(wait_s)
    first = buckets(metrics, "kokoro_time_to_first_audio_seconds")
    assert (first[0.05], first[0.1], first[0.5], first[30], first[math.inf]) == (0, 1, 2, 2, 3)
    waits = buckets(metrics, "kokoro_queue_wait_seconds")
    assert (waits[0.05], waits[0.1], waits[0.5], waits[300]) == (0, 1, 2, 3)


def test_speech_is_counted_and_its_real_time_factor_taken(metrics):
    metrics.observe_speech(n_characters=100, audio_s=6.0, compute_s=1.5, n_limited=7)
    metrics.observe_speech(n_characters=20, audio_s=1.0, compute_s=3.0, n_limited=3)
    assert value(metrics, "kokoro_characters_total") == 120
    assert value(metrics, "kokoro_limited_samples_total") == 10
    assert value(metrics, "kokoro_audio_seconds_total") == 7
    assert value(metrics, "kokoro_real_time_factor_sum") == 3.25
    # One of the bounds says how many were faster than real time.
    assert buckets(metrics, "kokoro_real_time_factor")[1] == 1


def test_speech_out_of_the_cache_has_no_real_time_factor(metrics):
    metrics.observe_speech(n_characters=5, audio_s=1.0, compute_s=0.0, n_limited=0)
    metrics.observe_speech(n_characters=5, audio_s=0.0, compute_s=0.2, n_limited=0)
    metrics.count_cache(n_hits=1, n_misses=2)
    assert value(metrics, "kokoro_real_time_factor_count") == 0
    assert value(metrics, "kokoro_audio_seconds_total") == 1
    assert value(metrics, "kokoro_audio_cache_total", result="hit") == 1
    assert value(metrics, "kokoro_audio_cache_total", result="miss") == 2


def test_in_flight_goes_down_again_whatever_happens(metrics):
    def fail():
        with metrics.request_in_flight(), metrics.websocket_open():
            assert value(metrics, "kokoro_requests_in_flight") == 1
            assert value(metrics, "kokoro_websockets_open") == 1
            raise OverflowError

    with pytest.raises(OverflowError):
        fail()
    assert value(metrics, "kokoro_requests_in_flight") == 0
    assert value(metrics, "kokoro_websockets_open") == 0


def test_watched_gauges_are_as_of_the_reading(metrics):
    waiting = [1, 2, 3]
    ready = threading.Event()
    metrics.watch(
        queue_length=lambda: len(waiting),
        answer_bytes=lambda: 48_000,
        audio_cache_bytes=lambda: 96_000,
        ready=ready.is_set,
        model_loaded=lambda: len(waiting) == 3,
        jobs=lambda: 2,
    )
    assert value(metrics, "kokoro_jobs_unfinished") == 2
    assert value(metrics, "kokoro_queue_length") == 3
    assert value(metrics, "kokoro_answer_bytes") == 48_000
    assert value(metrics, "kokoro_audio_cache_bytes") == 96_000
    assert value(metrics, "kokoro_model_loaded") == 1
    assert value(metrics, "kokoro_ready") == 0
    waiting.pop()
    ready.set()
    assert value(metrics, "kokoro_queue_length") == 2
    assert value(metrics, "kokoro_model_loaded") == 0
    assert value(metrics, "kokoro_ready") == 1


def test_the_model_is_named_once_it_is_there(metrics):
    assert "kokoro_model_info" not in families(metrics)
    model = {"name": "a.onnx", "sha256": "12ab", "onnxruntime": "1.30.0", "provider": "cpu"}
    metrics.set_model(**model)
    assert value(metrics, "kokoro_model_info", **model) == 1
    metrics.set_model(**{**model, "provider": "cuda"})
    assert value(metrics, "kokoro_model_info", **model) is None
    assert value(metrics, "kokoro_model_info", **{**model, "provider": "cuda"}) == 1


def test_two_applications_count_apart():
    one, other = Metrics(ENDPOINTS), Metrics(ENDPOINTS)
    one.count_cache(n_hits=1, n_misses=0)
    assert value(other, "kokoro_audio_cache_total", result="hit") == 0


def test_threads_lose_no_count(metrics):
    def count():
        for _ in range(1000):
            metrics.observe_request(endpoint="/synthesize", outcome="ok", duration_s=0.1)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(metrics, "kokoro_requests_total", endpoint="/synthesize", outcome="ok") == 8000


@pytest.fixture
def used():
    metrics = Metrics(ENDPOINTS)
    metrics.set_model(name="a", sha256="b", onnxruntime="c", provider="cpu")
    metrics.observe_request(endpoint="/synthesize", outcome="ok", duration_s=0.5)
    return metrics


@pytest.mark.parametrize("accept", [
    "application/openmetrics-text",
    "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    "application/OpenMetrics-text; version=abc", "text/plain, application/openmetrics-text;version=99\x7f",
])  # fmt: skip
def test_openmetrics_is_given_to_who_asks(used, accept):
    content, content_type = used.render(accept)
    assert content_type == OPENMETRICS
    names = {family.name for family in parse_openmetrics(content.decode())}
    assert {"kokoro_requests", "kokoro_model", "process_open_fds"} <= names


@pytest.mark.parametrize("accept", ["", "*/*", "text/plain; version=abc", "text/html,;;,=\x00"])
def test_others_get_the_text_format(used, accept):
    content, content_type = used.render(accept)
    assert content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert re.search(rb'^kokoro_requests_total\{endpoint="/synthesize",outcome="ok"\} 1\.0$', content, re.MULTILINE)
