"""What Prometheus reads, parsed by its own parsers, and what is counted of a request."""

import math
import re
import threading
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from service.api.metrics import Metrics
from service.api.request_statistics import RequestStatistics
from service.speech import AudioSegment
from tests.service.api.speech_client import log_line, metric, speak, wait_until

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
    samples = (sample for family in families(metrics).values() for sample in family.samples)
    return next((s.value for s in samples if (s.name, s.labels) == (sample_name, labels)), None)


def values(metrics, *names):
    return [value(metrics, f"kokoro_{name}") for name in names]


def test_every_metric_is_there_before_the_first_request(metrics):
    found = families(metrics)
    kinds = {name: family.type for name, family in found.items() if name.startswith("kokoro_")}
    expected = {
        "histogram": "time_to_first_audio_seconds real_time_factor queue_wait_seconds request_duration_seconds",
        "counter": "requests characters audio_seconds limited_samples audio_cache key_requests key_characters",
        "gauge": "requests_in_flight wyoming_open websockets_open queue_length answer_bytes audio_cache_bytes ready"
        " jobs_unfinished model_loaded",
    }
    assert {name: kind for name, kind in kinds.items() if not name.endswith("_created")} == {
        f"kokoro_{name}": kind for kind, names in expected.items() for name in names.split()
    }
    assert all(family.documentation for family in found.values())
    assert value(metrics, "kokoro_audio_cache_total", result="hit") == 0
    assert value(metrics, "kokoro_audio_cache_total", result="miss") == 0
    assert value(metrics, "kokoro_ready") == 0


def test_requests_are_counted_by_endpoint_and_outcome(metrics):
    for outcome in ("ok", "ok", "unknown_voice", "receive_timeout", "forbidden_origin"):
        metrics.observe_request(endpoint="/synthesize", outcome=outcome, duration_s=0.5)
    for outcome, n in {"ok": 2, "unknown_voice": 1, "receive_timeout": 1, "forbidden_origin": 1}.items():
        assert value(metrics, "kokoro_requests_total", endpoint="/synthesize", outcome=outcome) == n
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
    names = ("characters_total", "limited_samples_total", "audio_seconds_total", "real_time_factor_sum")
    assert values(metrics, *names) == [120, 10, 7, 3.25]
    # One of the bounds says how many were faster than real time.
    assert buckets(metrics, "kokoro_real_time_factor")[1] == 1


def test_speech_out_of_the_cache_has_no_real_time_factor(metrics):
    metrics.observe_speech(n_characters=5, audio_s=1.0, compute_s=0.0, n_limited=0)
    metrics.observe_speech(n_characters=5, audio_s=0.0, compute_s=0.2, n_limited=0)
    metrics.count_cache(n_hits=1, n_misses=2)
    assert values(metrics, "real_time_factor_count", "audio_seconds_total") == [0, 1]
    assert value(metrics, "kokoro_audio_cache_total", result="hit") == 1
    assert value(metrics, "kokoro_audio_cache_total", result="miss") == 2


def test_in_flight_goes_down_again_whatever_happens(metrics):
    names = ("requests_in_flight", "websockets_open")
    with suppress(OverflowError), metrics.request_in_flight(), metrics.websocket_open():
        assert values(metrics, *names) == [1, 1]
        raise OverflowError
    assert values(metrics, *names) == [0, 0]


def test_watched_gauges_are_as_of_the_reading(metrics):
    waiting = [1, 2, 3]
    ready = threading.Event()
    metrics.watch(
        queue_length=lambda: len(waiting), answer_bytes=lambda: 48_000, audio_cache_bytes=lambda: 96_000,
        ready=ready.is_set, model_loaded=lambda: len(waiting) == 3, jobs=lambda: 2,
    )  # fmt: skip
    names = ("jobs_unfinished", "answer_bytes", "audio_cache_bytes", "queue_length", "model_loaded", "ready")
    assert values(metrics, *names) == [2, 48_000, 96_000, 3, 1, 0]
    waiting.pop()
    ready.set()
    assert values(metrics, *names) == [2, 48_000, 96_000, 2, 0, 1]


def test_the_model_is_named_once_it_is_there(metrics):
    assert "kokoro_model_info" not in families(metrics)
    model = {"name": "a.onnx", "sha256": "12ab", "onnxruntime": "1.30.0", "provider": "cpu"}
    metrics.set_model(**model)
    assert value(metrics, "kokoro_model_info", **model) == 1
    metrics.set_model(**{**model, "provider": "cuda"})
    assert value(metrics, "kokoro_model_info", **model) is None
    assert value(metrics, "kokoro_model_info", **{**model, "provider": "cuda"}) == 1


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


# What is counted of a request.


def segment(*samples, chunk=0, n_windows=1, cached=None):
    return AudioSegment(chunk, True, "", np.array(samples, np.float32), 0.0, (), 0.0, 0.0, n_windows, cached)


def statistics_of(*requests):
    statistics = RequestStatistics()
    statistics.voice = "af_heart"  # as of an utterance that was planned
    for segments in requests:
        assert list(statistics.counted(segments)) == segments
    return statistics


@pytest.mark.parametrize(
    ("segments", "n_limited"),
    [([segment(0.5, -0.5), segment(1.0, -1.0)], 0), ([segment(1.001, 0.0, -1.5), segment(), segment(7.0)], 3)],
)
def test_samples_beyond_full_scale_are_counted_and_told(segments, n_limited):
    statistics = statistics_of(segments)
    assert statistics.n_limited == n_limited
    assert statistics.fields().get("limited", 0) == n_limited


def test_windows_are_counted_apart_from_their_chunks():
    first = [replace(segment(0.1), is_last=False)] * 3 + [segment(0.1, n_windows=2)]
    statistics = statistics_of([*first, segment(0.1, chunk=1), segment(0.0, chunk=2, n_windows=0)])
    assert (statistics.n_chunks, statistics.n_windows) == (3, 6)
    fields = statistics.fields()
    assert (fields["chunks"], fields["windows"]) == (3, 6)


def test_clauses_of_a_session_have_chunks_of_their_own():
    assert statistics_of([segment(0.1)], [segment(0.1), segment(0.1, chunk=1)]).n_chunks == 3


@pytest.mark.parametrize(("cached", "result"), [
    ([None, None], None), ([False], "miss"), ([True, True], "hit"), ([True, False], "partial"),
    ([None, True], "hit"),  # a lone pause, which nobody keeps
    ([None, False], "miss"),
])  # fmt: skip
def test_the_cache_is_told_by_the_chunks_that_it_was_asked_for(cached, result):
    segments = [segment(0.1, chunk=n, cached=was) for n, was in enumerate(cached)]
    # The windows of a chunk are asked for once.
    statistics = statistics_of([part for part in segments for _ in range(3)])
    assert statistics.cache == result
    assert statistics.fields().get("cache") == result
    assert statistics.n_cache_hits == cached.count(True)
    assert statistics.n_cache_misses == cached.count(False)


LONG = "The windows of this sentence are several, since it takes four seconds to be said aloud."


def test_a_chunk_in_windows_is_one_miss_and_then_one_hit(remembering):
    def asked(result):
        return metric(remembering, f'kokoro_audio_cache_total{{result="{result}"}}')

    hits, misses = asked("hit"), asked("miss")
    first, again = (speak(remembering, text=LONG, decoding="windows") for _ in range(2))
    assert [answer.headers["x-cache"] for answer in (first, again)] == ["miss", "hit"]
    assert [answer.headers["x-chunk-count"] for answer in (first, again)] == ["1", "1"]
    made = log_line(remembering, first.headers["x-request-id"])
    assert " chunks=1 " in made
    assert " windows=1 " not in made
    assert " chunks=1 windows=0 " in log_line(remembering, again.headers["x-request-id"])
    wait_until(lambda: asked("hit") == hits + 1)
    assert asked("miss") == misses + 1


def test_a_lone_pause_is_no_matter_for_the_cache(remembering):
    fields = {"text": "[pause:0.2s]This comes after a pause.", "speed": 2.0}
    first, again = (speak(remembering, **fields) for _ in range(2))
    assert [answer.headers["x-cache"] for answer in (first, again)] == ["miss", "hit"]
    assert [answer.headers["x-chunk-count"] for answer in (first, again)] == ["2", "2"]
    assert " chunks=2 windows=1 " in log_line(remembering, first.headers["x-request-id"])
    alone = speak(remembering, text="[pause:0.2s]")
    assert "x-cache" not in alone.headers
    assert alone.headers["x-chunk-count"] == "1"
