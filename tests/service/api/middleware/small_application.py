"""A small application behind the middleware, and handshakes with it."""

from collections.abc import Callable

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

KEY = "correct-horse-battery"
OTHER_KEY = "staple-0123456789"
APP = "https://app.example.com"


def write(path, content):
    path.write_bytes(content)
    path.chmod(0o600)
    return path


KEY_FILE = f"# ours\n\n{KEY}\r\n  {OTHER_KEY}  \n".encode()


Start = Callable[..., httpx.Client]


def websocket_url(client):
    return f"ws://127.0.0.1:{client.base_url.port}/stream"


def handshake(client, **headers):
    """Return what the service says first over a WebSocket."""
    with connect(websocket_url(client), additional_headers=headers) as websocket:
        return str(websocket.recv())


def refused_handshake(client, **headers):
    with pytest.raises(InvalidStatus) as caught, connect(websocket_url(client), additional_headers=headers):
        pass
    return caught.value


def code(response):
    error = response.json()["error"]
    assert error["request_id"] == "the-request"
    return str(error["code"])
