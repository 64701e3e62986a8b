"""HEAD, OPTIONS, and methods that a path does not have."""

import asyncio
import re

import httpx
import pytest
from starlette.routing import Route

from service.api.app import create_app
from service.settings import Settings


def ask(server, method, path):
    return server.client.request(method, path)


def test_head_has_the_headers_of_get_and_no_body(server):
    for path in (
        "/voices", "/languages", "/health", "/ready", "/metrics", "/openapi.json", "/v1/models", "/v1/models/tts-1",
        "/v1/audio/models", "/v1/audio/voices", "/v1/test",
    ):  # fmt: skip
        whole, head = ask(server, "GET", path), ask(server, "HEAD", path)
        assert head.status_code == whole.status_code == 200, path
        assert head.content == b""
        assert head.headers["content-type"] == whole.headers["content-type"], path
        if path != "/metrics":  # its numbers change
            assert head.headers["content-length"] == str(len(whole.content)), path
    for path, status in (("/v1/audio/voices?format=list", 400), ("/none", 404)):
        answer = ask(server, "HEAD", path)
        assert (answer.status_code, answer.content) == (status, b"")


READING, SPEAKING = "GET, HEAD, OPTIONS", "OPTIONS, POST"


def test_options_and_405_name_the_methods(server):
    for path, methods in (
        ("/voices", READING), ("/openapi.json", READING), ("/v1/models/a/b", READING),
        ("/synthesize", SPEAKING), ("/v1/audio/speech", SPEAKING),
    ):  # fmt: skip
        answer = ask(server, "OPTIONS", path)
        assert (answer.status_code, answer.content, answer.headers["allow"]) == (204, b"", methods)
        for method in {"HEAD", "POST", "GET", "DELETE", "TRACE"} - set(methods.split(", ")):
            answer = ask(server, method, path)
            assert (answer.status_code, answer.headers["allow"]) == (405, methods)
            assert method == "HEAD" or answer.json()["error"]["code"] == "method_not_allowed"


def test_an_unknown_path_has_no_methods(server):
    for method in ("OPTIONS", "HEAD", "GET"):
        answer = ask(server, method, "/none")
        assert answer.status_code == 404
        assert "allow" not in answer.headers


def test_the_log_has_the_method_and_the_path_of_the_endpoint(server):
    for method, status in (("HEAD", 200), ("OPTIONS", 204), ("DELETE", 405)):
        identity = f"asked-by-{method}"
        server.client.request(method, "/v1/models/secret", headers={"x-request-id": identity})
        assert f"method={method} path=/v1/models/{{model}} status={status}" in server.wait_for(rf"id={identity} (.*)")


NAMES = {"{voice_id}": "af_heart", "{model:path}": "tts-1", "{form}": "vtt", "{name}": "x"}
"""What stands for the parameters of a path; for others an id of the right form."""


def paths_of(app):
    """Return the methods of every path that the application has, by a path without parameters."""
    methods = {}
    with_names = [(one.path_format, one.methods) for one in leaves(app.routes)]
    assert {path for path, _ in with_names} >= set(app.openapi()["paths"])
    for path, named in with_names:
        methods.setdefault(re.sub(r"\{[^}]*\}", lambda found: NAMES.get(found[0], "0" * 32), path), set()).update(named)
    return methods


def leaves(routes):
    for route in routes:
        if hasattr(route, "original_router"):
            yield from leaves(route.original_router.routes)
        elif isinstance(route, Route):
            yield route


@pytest.fixture(scope="module")
def app():
    return create_app(Settings(), lambda error: None)


def send(app, *requests, host="localhost"):
    async def sent():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            headers = {"xi-api-key": "none"}
            return [await client.request(method, path, headers=headers) for method, path in requests]

    return asyncio.run(sent())


def test_every_path_that_has_get_has_head_and_every_path_has_options(app):
    paths = paths_of(app)
    assert len(paths) > 25
    for path, answer in zip(paths, send(app, *(("OPTIONS", path) for path in paths)), strict=True):
        assert answer.status_code == 204, path
        allowed = set(answer.headers["allow"].split(", "))
        assert allowed >= paths[path] | {"OPTIONS"}, path
        assert ("HEAD" in allowed) is ("GET" in allowed), path
    gotten = [path for path in paths if "GET" in paths[path]]
    heads = send(app, *(("HEAD", path) for path in gotten))
    for path, head, got in zip(gotten, heads, send(app, *(("GET", path) for path in gotten)), strict=True):
        assert head.status_code == got.status_code != 405, path


def test_a_slash_too_many_leads_to_no_other_host(app):
    insecure = create_app(Settings(host="0.0.0.0", insecure=True), lambda error: None)
    paths = [path for path in paths_of(app) if path != "/"]
    for one, host in ((app, "localhost"), (insecure, "evil.example")):
        for slashes in ("/", "//"):
            asked = [("GET", f"{path}{slashes}?a=b%20c") for path in paths]
            for path, answer in zip(paths, send(one, *asked, host=host), strict=True):
                assert answer.status_code == 307, path
                assert answer.headers["location"] == f"{path}?a=b%20c"
                assert "evil" not in str(answer.headers)
    places = {
        ("POST", "/jobs/"): "/jobs", ("HEAD", "/voices/"): "/voices",
        ("GET", "http://localhost//evil.example/voices/"): None,
        ("GET", "/v1/models/hexgrad/Kokoro-82M/"): "/v1/models/hexgrad/Kokoro-82M",
        ("GET", "/v1/models/hexgrad/Kokoro-82M"): None,
    }  # fmt: skip
    assert [answer.headers.get("location") for answer in send(app, *places)] == [*places.values()]
