"""Every answer and session tells which replica it is from."""

from service.cluster.replica_header import ReplicaHeader
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient


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
