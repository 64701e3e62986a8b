"""A small application behind the middleware, and handshakes with it."""

from tests.service.api.speech_socket import refused
from websockets.sync.client import connect

KEY = "correct-horse-battery"
OTHER_KEY = "staple-0123456789"
KEY_FILE = f"# ours\n\n{KEY}\r\n  {OTHER_KEY}  \n".encode()
APP = "https://app.example.com"


def write(path, content):
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def open_session(client, **headers):
    return connect(f"ws://127.0.0.1:{client.base_url.port}/stream", additional_headers=headers)


def handshake(client, **headers):
    """Return what the service says first over a WebSocket."""
    with open_session(client, **headers) as websocket:
        return websocket.recv()


def refused_handshake(client, **headers):
    return refused(open_session, client, **headers)


def refusal(response):
    """Return status and code of an error, which must name the request."""
    error = response.json()["error"]
    assert error["request_id"] == "the-request"
    return response.status_code, error["code"]
