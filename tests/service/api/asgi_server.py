"""A real uvicorn on a real port, in a thread, for a small application."""

import json
import socket
import threading
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import NamedTuple

import uvicorn


class Identified:
    """Gives requests the id that the log of the service gives them."""

    def __init__(self, app):
        self._app = app

    async def __call__(self, scope, receive, send):
        scope["state"] = {**scope.get("state", {}), "request_id": "the-request"}
        await self._app(scope, receive, send)


@contextmanager
def serving(app, **options):
    """Serve within the block; the port."""
    # asyncio sets TCP_NODELAY only where the protocol is named; without, answers wait for ACKs.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    options = {"http": "h11", "ws": "websockets-sansio", "timeout_graceful_shutdown": 5, **options}
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, **options))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
    assert not thread.is_alive()


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self):
        return json.loads(self.body)["error"]


def read_answer(connection):
    """Read one answer from a raw connection that stays as it is."""
    response = HTTPResponse(connection)
    response.begin()
    return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def ask(connection, content):
    connection.sendall(content)
    return read_answer(connection)
