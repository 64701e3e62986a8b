"""The whole application, wired: who is let in, what every answer carries, what is told of it."""

import json
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.api.app import create_app
from service.settings import Settings
from tests.service.api.speech_client import FOREIGN, KEYS, LISTED, STRANGER, TEXT, assert_refused, bearer


def test_every_key_lets_in(secured):
    for headers in [bearer(key) for key in KEYS] + [{"x-api-key": key} for key in KEYS]:
        assert secured.client.get("/voices", headers=headers).status_code == 200
        assert secured.client.post("/synthesize", json={"text": TEXT}, headers=headers).status_code == 200


@pytest.mark.parametrize(("method", "path"), [
    ("POST", "/synthesize"), ("POST", "/v1/audio/speech"), ("GET", "/voices"), ("GET", "/v1/models"),
    ("GET", "/metrics"), ("GET", "/openapi.json"), ("GET", "/nothing"), ("DELETE", "/voices"),
])  # fmt: skip
def test_nothing_is_told_to_who_has_no_key(secured, method, path):
    body = {"text": TEXT} if method == "POST" else None
    for headers in (
        {}, bearer(STRANGER), bearer(KEYS[0][:-1]), {"authorization": "Bearer"}, {"x-api-key": STRANGER},
        {"authorization": f"Basic {KEYS[0]}"}, {"cookie": f"api_key={KEYS[0]}"},
    ):  # fmt: skip
        answer = secured.client.request(method, path, json=body, headers=headers)
        assert_refused(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


def test_probes_need_no_key_and_metrics_do(secured):
    assert [secured.client.get(path).status_code for path in ("/health", "/ready", "/metrics")] == [200, 200, 401]
    assert secured.client.get("/metrics", headers=bearer(KEYS[1])).status_code == 200


def test_no_page_is_told_anything_where_none_is_listed(server):
    for origin in (LISTED, FOREIGN, "null"):
        read = server.client.get("/voices", headers={"origin": origin})
        spoken = server.client.post("/synthesize", json={"text": TEXT}, headers={"origin": origin})
        asked = server.client.options(
            "/synthesize", headers={"origin": origin, "access-control-request-method": "POST"}
        )
        assert spoken.status_code == 403
        assert not any(name.startswith("access-control") for answer in (read, spoken, asked) for name in answer.headers)


def test_a_listed_page_may_use_it_and_another_may_not(secured):
    wanted = {"method": "POST", "headers": "authorization,content-type"}

    def ask(origin):
        before = {"origin": origin, **{f"access-control-request-{name}": value for name, value in wanted.items()}}
        headers = {"origin": origin, **bearer(KEYS[0])}
        return (
            secured.client.options("/synthesize", headers=before),
            secured.client.post("/synthesize", json={"text": TEXT}, headers=headers),
        )

    asked, spoken = ask(LISTED)
    assert (asked.status_code, spoken.status_code) == (200, 200)
    for answer in (asked, spoken):
        assert answer.headers["access-control-allow-origin"] == LISTED
    exposed = {name.strip().lower() for name in spoken.headers["access-control-expose-headers"].split(",")}
    own = {name for name in spoken.headers if name.startswith("x-")} - {"x-content-type-options"}
    assert own <= exposed
    asked, spoken = ask(FOREIGN)
    assert spoken.status_code == 403
    for answer in (asked, spoken):
        assert "access-control-allow-origin" not in answer.headers


def test_the_log_is_one_object_a_line_and_holds_no_key_and_no_text(secured):
    text = "Zanzibar."
    for key, identity in ((KEYS[0], "let-in"), (STRANGER, "kept-out")):
        headers = {**bearer(key), "x-request-id": identity}
        secured.client.post("/synthesize", json={"text": text}, headers=headers)
        secured.client.get(f"/voices/{text}?key={key}", headers=headers)
        secured.wait_for(rf'"id": "{identity}".*"path": "-"')
    lines = [json.loads(line) for line in secured.log if line]
    assert all({"time", "level", "logger", "message"} <= set(line) for line in lines)
    (spoken,) = [line for line in lines if line.get("id") == "let-in" and line["path"] == "/synthesize"]
    expected = {"message": "request", "outcome": "ok", "status": 200, "voice": "af_heart", "language": "en-us"}
    assert {**expected, "characters": len(text), "cache": "miss"}.items() <= spoken.items()
    assert all(spoken[name] > 0 for name in ("audio_s", "first_audio_s", "real_time_factor"))
    assert {line["outcome"] for line in lines if line.get("id") == "kept-out"} == {"unauthorized"}
    log = "".join(secured.log)
    for secret in (*KEYS, STRANGER, "Zanzibar"):
        assert secret not in log


# Numbers.

UNDOCUMENTED = {
    "/", "/docs", "/page/{digest}/{name}", "/openapi.json", "/synthesize/stream",
    "/v1/text-to-speech/{voice_id}/stream-input",
    "/v1/text-to-speech/{voice_id}/multi-stream-input", "other",
}  # fmt: skip
"""The page, the WebSockets, and whatever does not exist."""


class Numbers(dict[tuple[str, ...], float]):
    """The samples of `/metrics`, by name and values of their labels."""

    def __init__(self, server):
        answer = server.client.get("/metrics", headers=bearer(KEYS[0]))
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        self.families = list(text_string_to_metric_families(answer.text))
        samples = [sample for family in self.families for sample in family.samples]
        super().__init__({(s.name, *s.labels.values()): s.value for s in samples})

    def __missing__(self, key):
        return 0.0


def test_metrics_count_what_happens(secured):
    before = Numbers(secured)
    text = "It counts."
    audio_s = 0.0
    for fields in ({"text": text}, {"text": text}, {"text": "No.", "voice": "nobody"}):
        answer = secured.client.post("/synthesize", json=fields, headers=bearer(KEYS[0]))
        audio_s += float(answer.headers.get("x-duration-s", 0))
    secured.client.get("/v1/models/kokoro", headers=bearer(KEYS[0]))
    secured.client.get("/made/up/label", headers=bearer(KEYS[0]))
    secured.client.get("/voices")
    after = Numbers(secured)

    def grown(*key):
        return after[key] - before[key]

    requests = "kokoro_requests_total"
    expected = {
        (requests, "/synthesize", "ok"): 2, (requests, "/synthesize", "unknown_voice"): 1,
        (requests, "/v1/models/{model}", "ok"): 1, (requests, "other", "not_found"): 1,
        (requests, "/voices", "unauthorized"): 1, ("kokoro_request_duration_seconds_count", "/synthesize"): 3,
        ("kokoro_time_to_first_audio_seconds_count",): 2, ("kokoro_queue_wait_seconds_count",): 2,
        ("kokoro_real_time_factor_count",): 1,  # the other was in the cache
        ("kokoro_characters_total",): 2 * len(text), ("kokoro_audio_cache_total", "hit"): 1,
        ("kokoro_audio_cache_total", "miss"): 1,
    }  # fmt: skip
    assert {key: grown(*key) for key in expected} == expected
    assert 0 < grown("kokoro_real_time_factor_sum") < 100
    assert grown("kokoro_audio_seconds_total") == pytest.approx(audio_s, abs=1e-5)
    # 24,000 samples of four bytes a second, and the durations.
    assert grown("kokoro_audio_cache_bytes") >= audio_s / 2 * 96_000


def test_metrics_are_those_of_the_service_and_its_process(secured):
    numbers = Numbers(secured)
    families = {family.name: family for family in numbers.families}
    assert {"kokoro_requests", "process_resident_memory_bytes"} <= set(families)
    (model,) = families["kokoro_model_info"].samples
    assert (model.value, model.labels["provider"], model.labels["name"]) == (1, "cpu", "kokoro-v1.0.int8.onnx")
    assert re.fullmatch(r"[0-9a-f]{64}", model.labels["sha256"])
    assert model.labels["onnxruntime"].startswith("1.")
    samples = [sample for family in numbers.families for sample in family.samples]
    # Other tests may have asked for any.
    endpoints = {*create_app(Settings(), lambda error: None).openapi()["paths"], *UNDOCUMENTED}
    assert {s.labels["endpoint"] for s in samples if "endpoint" in s.labels} <= endpoints
    outcomes = {s.labels["outcome"] for s in samples if "outcome" in s.labels}
    assert all(re.fullmatch(r"[a-z_]+", outcome) and outcome != "other" for outcome in outcomes)
    assert numbers["process_resident_memory_bytes",] > 50_000_000
    # This request is the one in flight.
    gauges = {"ready": 1, "requests_in_flight": 1, "websockets_open": 0, "queue_length": 0}
    assert {name: numbers[f"kokoro_{name}",] for name in gauges} == gauges
    assert all(sample.value >= 0 for sample in samples)
