"""HEAD, OPTIONS, and methods that a path does not have."""

from __future__ import annotations

import socket
from typing import Any

import httpx
import pytest

from tests.service.api.asgi_server import read_answer


def ask(server: Any, method: str, path: str) -> httpx.Response:
    answer: httpx.Response = server.client.request(method, path)
    return answer


@pytest.mark.parametrize(
    "path",
    [
        *("/voices", "/languages", "/health", "/ready", "/metrics", "/openapi.json"),
        *("/v1/models", "/v1/models/tts-1", "/v1/audio/models", "/v1/audio/voices", "/v1/test"),
    ],
)
def test_head_has_the_headers_of_get_and_no_body(server: Any, path: str) -> None:
    whole, head = ask(server, "GET", path), ask(server, "HEAD", path)
    assert head.status_code == whole.status_code == 200
    assert head.content == b""
    assert head.headers["content-type"] == whole.headers["content-type"]
    if path != "/metrics":  # its numbers change
        assert head.headers["content-length"] == str(len(whole.content))


def test_a_connection_goes_on_after_head(server: Any) -> None:
    url = httpx.URL(server.url)
    with socket.create_connection((url.host, url.port or 0), timeout=60) as connection:
        for method in ("HEAD", "OPTIONS", "HEAD", "GET"):
            connection.sendall(f"{method} /health HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
            if method == "HEAD":
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(1)  # nothing of the next answer
                assert head.startswith(b"HTTP/1.1 200 ")
            else:
                assert read_answer(connection).status == (200 if method == "GET" else 204)


def test_an_error_answers_head_without_a_body_too(server: Any) -> None:
    answer = ask(server, "HEAD", "/v1/audio/voices?format=list")
    assert (answer.status_code, answer.content) == (400, b"")
    answer = ask(server, "HEAD", "/none")
    assert (answer.status_code, answer.content) == (404, b"")


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/voices", "GET, HEAD, OPTIONS"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
        ("/v1/models/a/b", "GET, HEAD, OPTIONS"),
        ("/synthesize", "OPTIONS, POST"),
        ("/v1/audio/speech", "OPTIONS, POST"),
    ],
)
def test_options_and_405_name_the_methods(server: Any, path: str, methods: str) -> None:
    answer = ask(server, "OPTIONS", path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["allow"] == methods
    for method in {"HEAD", "POST", "GET", "DELETE", "TRACE"} - set(methods.split(", ")):
        answer = ask(server, method, path)
        assert answer.status_code == 405
        assert answer.headers["allow"] == methods
        if method != "HEAD":
            assert answer.json()["error"]["code"] == "method_not_allowed"


def test_an_unknown_path_has_no_methods(server: Any) -> None:
    for method in ("OPTIONS", "HEAD", "GET"):
        answer = ask(server, method, "/none")
        assert answer.status_code == 404
        assert "allow" not in answer.headers


def test_the_log_has_the_method_and_the_path_of_the_endpoint(server: Any) -> None:
    for method, status in (("HEAD", 200), ("OPTIONS", 204), ("DELETE", 405)):
        identity = f"asked-by-{method}"
        server.client.request(method, "/v1/models/secret", headers={"x-request-id": identity})
        line = server.wait_for(rf"id={identity} (.*)")
        assert f"method={method} path=/v1/models/{{model}} status={status}" in line
