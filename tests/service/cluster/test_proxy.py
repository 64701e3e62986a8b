"""Ray's proxy answers as the service does, and asks again for what a lost replica has not begun."""

import asyncio
import json

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

from service.cluster.proxy import ProxyAnswers
from service.cluster.replica_header import ReplicaHeader

BODY = b'{"text": "Yes."}'
N_BYTES = len(BODY)


def answer(status, body, content_type=b"application/json"):
    headers = [(b"content-type", content_type), (b"x-request-id", b"of the replica")]
    return [
        {"type": "http.response.start", "status": status, "headers": headers},
        {"type": "http.response.body", "body": body},
    ]


class Replica:
    """Stands for Ray: it reads the request, then does what a test says, once for each attempt."""

    def __init__(self, *attempts, body_size=N_BYTES):
        self.bodies = []
        self.scopes = []
        self._attempts = iter(attempts)
        self._body_size = body_size

    async def __call__(self, scope, receive, send):
        self.scopes.append(scope)
        body = b""
        while len(body) < self._body_size:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message["body"]
        self.bodies.append(body)
        for message in next(self._attempts):
            await send(message)


def ask(proxy, *, body=BODY, path="/synthesize", **headers):
    """Send a request through the middleware; return the messages that its client gets."""
    pairs = [(b"content-type", b"application/json")]
    pairs += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": path, "headers": pairs, "query_string": b""}
    parts = [
        {"type": "http.request", "body": body[: len(body) // 2], "more_body": True},
        {"type": "http.request", "body": body[len(body) // 2 :], "more_body": False},
        {"type": "http.disconnect"},
    ]
    sent = []

    async def receive():
        return parts.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(ProxyAnswers(proxy)(scope, receive, send))
    return sent


def told(sent):
    """Return the status, the code of the error and the headers of an answer."""
    start, body = sent
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], json.loads(body["body"])["error"]["code"], headers


def test_a_request_whose_replica_is_lost_is_sent_once_more_though_a_head_came():
    replica = Replica([], answer(200, b"{}"))
    sent = ask(replica, x_request_id="an-id")
    assert replica.bodies == [BODY, BODY]
    assert [scope["headers"][-1] for scope in replica.scopes] == [(b"x-request-id", b"an-id")] * 2
    assert sent[0]["status"] == 200
    ids = [value for name, value in sent[0]["headers"] if name == b"x-request-id"]
    assert ids == [b"an-id"]
    start, _ = answer(500, b"")
    replica = Replica([start], answer(200, b"{}"))
    sent = ask(replica)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[0]["status"] == 200
    assert len(replica.bodies) == 2


def test_a_request_is_sent_twice_at_most_and_a_long_one_once():
    replica = Replica([], [])
    status, code, headers = told(ask(replica, x_request_id="an-id"))
    assert (status, code, headers["x-request-id"]) == (503, "not_ready", "an-id")
    assert len(replica.bodies) == 2
    body = b"x" * ((1 << 20) + 1)
    replica = Replica([], body_size=len(body))
    assert told(ask(replica, body=body))[:2] == (503, "not_ready")
    assert replica.bodies == [body]


def test_an_answer_that_was_begun_breaks_off():
    start, part = answer(200, b"some")
    replica = Replica([start, {**part, "more_body": True}])
    with pytest.raises(RuntimeError, match="broke off"):
        ask(replica)
    assert len(replica.bodies) == 1


def test_a_client_that_has_left_is_not_answered():
    start, part = answer(200, b"some")

    async def proxy(scope, receive, send):
        await send(start)
        await send({**part, "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass

    assert len(ask(proxy)) == 2
    absent = Replica(body_size=1000)
    assert ask(absent) == []
    assert len(absent.scopes) == 1


@pytest.mark.parametrize(("status", "headers", "expected", "code"), [
    (503, [(b"retry-after", b"7")], 503, "overloaded"), (503, [], 503, "not_ready"),
    (408, [], 504, "deadline_exceeded"), (404, [], 503, "not_ready"),
])  # fmt: skip
def test_ray_s_own_answers_are_said_as_the_service_says_them(status, headers, expected, code):
    start, body = answer(status, b"of Ray", b"text/plain; charset=utf-8")
    start["headers"] += headers
    found, name, answered = told(ask(Replica([start, body])))
    assert (found, name) == (expected, code)
    assert answered.get("retry-after") == ("7" if headers else "1" if expected == 503 else None)


def test_what_the_service_answers_passes_and_callers_decide_nothing_of_the_operator_s():
    error = b'{"error": {"code": "not_found"}}'
    assert ask(Replica(answer(404, error)))[1]["body"] == error
    plain = answer(200, b"# HELP", b"text/plain; version=0.0.4")
    assert ask(Replica(plain), path="/metrics")[1]["body"] == b"# HELP"
    replica = Replica(answer(200, b"{}"))
    ask(replica, x_request_timeout_seconds="1", x_request_disconnect_disabled="1")
    names = [name for name, _ in replica.scopes[0]["headers"]]
    assert names == [b"content-type", b"x-request-id"]


# Every answer and session tells which replica it is from.


async def session(websocket):
    await websocket.accept()
    await websocket.close()


def test_answers_and_sessions_name_the_replica():
    app = Starlette(
        routes=[
            Route("/", lambda _: PlainTextResponse("x", headers={"x-own": "1"})),
            WebSocketRoute("/session", session),
        ]
    )
    app.add_middleware(ReplicaHeader, replica="abc")
    client = TestClient(app)
    for path in ("/", "/nowhere"):
        assert client.get(path).headers.get_list("x-replica") == ["abc"]
    assert client.get("/").headers["x-own"] == "1"
    with client.websocket_connect("/session") as connected:
        assert (b"x-replica", b"abc") in connected.extra_headers
