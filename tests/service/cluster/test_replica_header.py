"""Every answer and session tells which replica it is from."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from service.cluster.replica_header import ReplicaHeader


async def session(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.close()


def test_answers_and_sessions_name_the_replica() -> None:
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
