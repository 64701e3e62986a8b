"""Errors in the shape that the clients of a door expect, by path."""

import httpx
import pytest
from fastapi import FastAPI
from pydantic import BaseModel
from service.api.error_answers import ErrorShape
from service.api.middleware.limits import BodyLimit
from service.errors import OverloadedError, UnknownVoiceError
from tests.service.api.asgi_server import Identified, serving

from service.api import error_answers


class Fault(BaseModel):
    """The body of a door's errors."""

    detail: dict[str, str]


class Body(BaseModel):
    """The body of its requests."""

    speed: float


def fault(failure):
    return Fault(
        detail={
            "status": failure.code,
            "message": failure.message,
            "field": failure.field or "",
            "request": failure.request_id,
        }
    )


SHAPE = ErrorShape(Fault, fault, statuses={422: 400}, headers={503: {"X-Should-Retry": "true"}})
INNER_SHAPE = ErrorShape(Fault, fault, statuses={422: 418}, headers={})


@pytest.fixture(scope="module")
def client():
    app = FastAPI()

    @app.post("/synthesize")
    @app.post("/door")
    @app.post("/door/inner/room")
    @app.post("/doorstep")
    async def speak(body: Body):
        if body.speed > 1:
            raise OverloadedError("too many", 7)
        raise UnknownVoiceError("no voice '\ud800'")

    error_answers.install(app, {"/door": SHAPE, "/door/inner": INNER_SHAPE})
    app.add_middleware(BodyLimit, max_bytes=1000)
    with serving(Identified(app)) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        yield client


@pytest.mark.parametrize(
    ("path", "status"), [("/synthesize", 422), ("/doorstep", 422), ("/door", 400), ("/door/inner/room", 418)]
)
def test_the_longest_beginning_of_the_path_decides(client, path, status):
    answer = client.post(path, json={"speed": 1})
    assert answer.status_code == status
    message = "no voice '\\ud800'"
    if path.startswith("/door/") or path == "/door":
        assert answer.json() == {
            "detail": {"status": "unknown_voice", "message": message, "field": "", "request": "the-request"}
        }
    else:
        assert answer.json() == {"error": {"code": "unknown_voice", "message": message, "request_id": "the-request"}}


def test_the_field_that_is_wrong_is_known(client):
    answer = client.post("/door", json={"speed": "fast"})
    assert answer.status_code == 400
    assert answer.json()["detail"]["field"] == "speed"
    assert answer.json()["detail"]["status"] == "invalid_request"


@pytest.mark.parametrize(("method", "path", "content", "status", "code"), [
    ("POST", "/door", b"{", 400, "invalid_json"), ("POST", "/door", b" " * 1001, 413, "body_too_large"),
    ("GET", "/door", b"", 405, "method_not_allowed"), ("GET", "/door/none", b"", 404, "not_found"),
])  # fmt: skip
def test_middleware_and_routing_keep_to_it(client, method, path, content, status, code):
    headers = {"content-type": "application/json"}
    answer = client.request(method, path, content=content, headers=headers)
    assert answer.status_code == status
    assert answer.json()["detail"]["status"] == code


def test_a_shape_adds_headers_to_those_of_the_error(client):
    for path, added in (("/door", "true"), ("/door/inner/room", None), ("/synthesize", None)):
        answer = client.post(path, json={"speed": 2})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "7")
        assert answer.headers.get("x-should-retry") == added
