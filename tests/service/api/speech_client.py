"""Clients of `/synthesize` whose every step a test decides, with keys and without."""

import json
import re
import socket
import struct
import time

import httpx

KEYS = ("first-key-0123456789", "second-key-0123456789")
STRANGER = "nobodys-key-0123456789"
LISTED = "https://app.example.com"
FOREIGN = "https://elsewhere.example.com"
TEXT = "Yes."
KEY = "correct-horse-battery"
OTHER_KEY = "staple-0123456789"
KEY_FILE = f"# ours\n\n{KEY}\r\n  {OTHER_KEY}  \n".encode()


def bearer(key):
    return {"authorization": f"Bearer {key}"}


def connect(server):
    url = httpx.URL(server.url)
    return socket.create_connection((url.host, url.port or 0), timeout=300)


def speak(server, **fields):
    return server.client.post("/synthesize", json=fields)


def assert_refused(answer, status, code, *named):
    """Hold the answer of a refusal against its status, its code and what its message must name; return the message."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert (error["code"], error["request_id"]) == (code, answer.headers["x-request-id"])
    assert all(name in error["message"] for name in named), error["message"]
    return error["message"]


def in_flight(server):
    """Requests beside the one that asks."""
    return metric(server, "kokoro_requests_in_flight") - 1


class Caller:
    """A connection that has sent a request, under an id of its own.

    One that is frugal takes little at a time, so that what it does not read stays with the server.
    """

    def __init__(self, server, identity, *, version="1.1", frugal=False, **fields):
        url = httpx.URL(server.url)
        body = json.dumps(fields).encode()
        self.socket = socket.socket()
        self.socket.settimeout(300)
        if frugal:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        self.socket.connect((url.host, url.port or 0))
        self.socket.sendall(
            f"POST /synthesize HTTP/{version}\r\nhost: {url.host}\r\nx-request-id: {identity}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
            + body
        )

    def read_some(self):
        """Wait for the next bytes of the answer; none where it is at its end."""
        return self.socket.recv(65_536)

    def read_all(self):
        """Read until the server closes, or breaks, the connection."""
        parts = []
        try:
            while part := self.read_some():
                parts.append(part)
        except ConnectionResetError:
            pass
        return b"".join(parts)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def reset(connection):
    """Close without the courtesy of a FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def is_cut_off(answer):
    """Tell whether an answer of HTTP/1.1 lacks its end."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        return not body.endswith(b"0\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return length is None or len(body) < int(length.group(1))


def events_received(caller):
    """Give something whenever an event `audio` comes."""
    answer = b""
    n_events = 0
    while part := caller.read_some():
        answer += part
        while n_events < answer.count(b"event: audio"):
            n_events += 1
            yield


def parse_event(text):
    """Return the name and the data of one server-sent event."""
    name, data = text.split("\n")
    assert name.startswith("event: ")
    assert data.startswith("data: ")
    return name[7:], json.loads(data[6:])


def parse_events(text):
    *events, rest = text.split("\n\n")
    assert rest == ""
    return [parse_event(event) for event in events]


def log_line(server, identity):
    return server.wait_for(rf"(request id={identity} .*)")


def log_index(server, pattern):
    """Wait for a line of the log that matches; return its place."""
    server.wait_for(pattern)
    return next(i for i, line in enumerate(server.log) if re.search(pattern, line))


def metric(server, name):
    text = server.client.get("/metrics").text
    found = re.search(rf"^{re.escape(name)} ([0-9.e+-]+)$", text, re.MULTILINE)
    assert found is not None, f"no {name} in\n{text}"
    return float(found.group(1))


def wait_until(condition):
    """Look again and again, for two minutes at most."""
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until, "it never came true"
        # Who asks without a pause takes the processor from who is to be waited for.
        time.sleep(0.005)
