"""What every answer carries, and what it never does; errors in the shape of their door."""

import json
import re

import pytest

from tests.service.api.asgi_server import read_answer
from tests.service.api.faulty_server import AT_ONCE, SECRET, UNEXPECTED
from tests.service.api.speech_client import FOREIGN, KEYS, LISTED, STRANGER, TEXT, bearer, connect

PREFLIGHT = {"origin": LISTED, "access-control-request-method": "POST"}
ANSWERS = {
    "spoken": (200, "POST", "/synthesize", {"json": {"text": TEXT}}), "health": (200, "GET", "/health", {}),
    "streamed": (200, "POST", "/synthesize", {"json": {"text": TEXT, "stream": True, "format": "pcm"}}),
    "metrics": (200, "GET", "/metrics", {}), "document": (200, "GET", "/openapi.json", {}),
    "preflight": (200, "OPTIONS", "/synthesize", {"headers": PREFLIGHT}),
    "invalid JSON": (400, "POST", "/synthesize", {"content": b"{", "headers": {"content-type": "application/json"}}),
    "no key": (401, "GET", "/voices", {"headers": bearer(STRANGER)}),
    "foreign page": (403, "POST", "/synthesize", {"json": {"text": TEXT}, "headers": {"origin": FOREIGN}}),
    "no such path": (404, "GET", "/nothing", {}), "no such path of OpenAI": (404, "GET", "/v1/none", {}),
    "no such method": (405, "GET", "/synthesize", {}), "head": (200, "HEAD", "/voices", {}),
    "long text": (413, "POST", "/synthesize", {"json": {"text": "a" * 1_001}}),
    "long body": (413, "POST", "/synthesize", {"json": {"text": "a" * 100_000}}),
    "form": (415, "POST", "/synthesize", {"data": {"text": TEXT}}),
    "unknown voice": (422, "POST", "/synthesize", {"json": {"text": TEXT, "voice": "nobody"}}),
    "methods": (204, "OPTIONS", "/voices", {}),
    "unknown voice of OpenAI": (400, "POST", "/v1/audio/speech", {"json": {"input": TEXT, "voice": "nobody"}}),
    "failed": (500, "POST", "/synthesize", {"json": {"text": TEXT, "speed": AT_ONCE}}),
}  # fmt: skip


EVERY_ONE_HAS = {
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
}  # fmt: skip


def assert_carries(answer, identity):
    """Hold headers of an answer against what every one has."""
    found = answer.headers["x-request-id"]
    assert found == identity if identity else re.fullmatch(r"[0-9a-f]{32}", found)
    assert EVERY_ONE_HAS.items() <= dict(answer.headers).items()
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "server" not in answer.headers


@pytest.mark.parametrize("kind", ANSWERS)
def test_every_answer_has_an_id_and_the_security_headers(secured, kind):
    status, method, path, request = ANSWERS[kind]
    for given in ("the-caller.s_own", None):
        headers = {**bearer(KEYS[0]), **request.get("headers", {})}
        headers |= {"x-request-id": given} if given else {}
        answer = secured.client.request(method, path, **{**request, "headers": headers})
        assert answer.status_code == status, answer.text
        assert_carries(answer, given)
        if status >= 400:
            assert answer.json()["error"]["request_id"] == answer.headers["x-request-id"]


def ask_raw(secured, content):
    with connect(secured) as connection:
        connection.sendall(content)
        answer = read_answer(connection)
        assert connection.recv(1) == b""  # closed
    return answer


@pytest.mark.thorough
def test_a_request_that_does_not_come_in_time_gets_408_with_an_id(secured):
    head = (
        f"POST /synthesize HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {KEYS[0]}\r\n"
        "x-request-id: too-late\r\ncontent-type: application/json\r\ncontent-length: 100\r\n"
    ).encode()
    # Of a head that is not whole nobody takes an id.
    for content, identity in ((head, None), (head + b'\r\n{"text"', "too-late")):
        answer = ask_raw(secured, content)
        assert (answer.status, answer.error["code"]) == (408, "receive_timeout")
        assert answer.error["request_id"] == answer.headers["x-request-id"]
        assert_carries(answer, identity)


def test_what_is_not_http_gets_400_with_an_id(secured):
    for content in (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"):
        answer = ask_raw(secured, content)
        assert (answer.status, answer.error["code"]) == (400, "invalid_http")
        assert_carries(answer, None)


def test_an_unexpected_failure_gets_500_and_keeps_its_words_to_itself(secured):
    # Every second run of that speed fails; the first is kept, so the second has other words.
    for text, status in (("One.", 200), ("Two.", 500)):
        answer = secured.client.post("/synthesize", json={"text": text, "speed": UNEXPECTED}, headers=bearer(KEYS[0]))
        assert_carries(answer, None)
        assert SECRET not in answer.text
        assert answer.status_code == status
    error = answer.json()["error"]
    assert error["code"] == "internal_error"
    secured.wait_for(rf'"id": "{error["request_id"]}".*"outcome": "internal_error"')
    assert not any(SECRET in line for line in secured.log)


@pytest.mark.parametrize("voice", [
    "../voices/af_heart", "af_heart.bin", "/etc/passwd", "..", "af_heart\0", "af_heart/../af_bella",
    "%2e%2e%2faf_heart", "C:\\af_heart", "af_heart+../af_bella(2)", "\ud800",
])  # fmt: skip
def test_names_of_voices_are_no_paths(secured, voice):
    for path, fields in (
        ("/synthesize", {"text": TEXT, "voice": voice}),
        ("/v1/audio/speech", {"model": "tts-1", "input": TEXT, "voice": voice}),
        ("/v1/audio/speech", {"model": "tts-1", "input": TEXT, "voice": {"id": voice}}),
    ):
        content = json.dumps(fields).encode()
        headers = {**bearer(KEYS[0]), "content-type": "application/json"}
        answer = secured.client.post(path, content=content, headers=headers)
        assert answer.status_code == (400 if path.startswith("/v1/") else 422)
        assert answer.json()["error"]["code"] in ("invalid_blend", "unknown_voice")
        assert "passwd:" not in answer.text


def test_paths_lead_to_no_file(secured):
    for path in ("/../config/default.toml", "/v1/audio/..%2f..%2fvoices", "/voices/af_heart.bin"):
        answer = ask_raw(
            secured,
            f"GET {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {KEYS[0]}\r\nconnection: close\r\n\r\n".encode(),
        )
        assert answer.status == 404


OWN, ELEVENLABS = {"code", "message", "request_id"}, {"status", "message", "request_id"}
OPENAI = {*OWN, "type", "param"}
SHAPES = (
    ("GET", "/v1/none", {}, 404, OPENAI), ("GET", "/v1/audio/speech", {}, 405, OPENAI),
    ("POST", "/v1/audio/speech", {"content": b"{"}, 400, OPENAI), ("GET", "/v1/voicesx", {}, 404, OPENAI),
    ("POST", "/v1/audio/speech", {"content": b" " * 100_000}, 413, OPENAI),
    ("POST", "/v1/audio/speech", {"json": {"input": TEXT, "speed": AT_ONCE}}, 500, OPENAI),
    ("GET", "/v1/text-to-speech/af_heart", {}, 405, ELEVENLABS), ("GET", "/v1/voices/none", {}, 404, ELEVENLABS),
    ("POST", "/v1/text-to-speech/af_heart", {"content": b" " * 100_000}, 413, ELEVENLABS),
    ("GET", "/v2/voicesx", {}, 404, OWN), ("GET", "/v1x", {}, 404, OWN),
)  # fmt: skip


def test_errors_have_the_shape_of_the_door_with_the_longest_beginning_of_the_path(secured):
    headers = {**bearer(KEYS[0]), "content-type": "application/json"}
    for method, path, request, status, names in SHAPES:
        answer = secured.client.request(method, path, headers=headers, **request)
        (told,) = answer.json().values()
        assert (answer.status_code, set(told)) == (status, names), (method, path, answer.text)
        # What failed once does so again; OpenAI's SDKs would ask two more times.
        assert answer.headers.get("x-should-retry") == ("false" if status == 500 else None)
