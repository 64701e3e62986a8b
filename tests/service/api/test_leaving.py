"""Clients that leave take with them what was made for them.

The server's garbage collector is switched off, so that whatever is in a cycle of references would
stay. Its speech comes out of the cache, so that answers are there at once.

Clients come a few at a time and memory is measured in rounds: what many clients hold at one moment
makes the heap grow once, by as many of them as the machine let meet, and a leak grows every round.
"""

import json
import socket

import httpx
import pytest

from bench.procfs import mebibytes
from tests.service.api.serving_process import UNCOLLECTED_SERVER, lent
from tests.service.api.speech_client import metric, reset, wait_until
from tests.service.api.speech_socket import SpeechSocket
from tests.service.api.websocket.sessions import spoken

pytestmark = pytest.mark.thorough

TEXT = "A quick brown fox jumps over one lazy dog, and nobody in the village knows why. " * 2
N_CLIENTS = 150
AT_A_TIME = 10
WARM_UP = 40
ROUNDS = 4
ALLOWED_MB = 10


@pytest.fixture(scope="module")
def uncollected(start_server):
    yield from lent(start_server, "--audio-cache-bytes", "50000000", program=UNCOLLECTED_SERVER)


def let_leave(server, leave, n_clients):
    """Have so many clients leave; the server has noticed when this returns."""
    for number in range(n_clients):
        leave(number)
        if number % AT_A_TIME == AT_A_TIME - 1:
            wait_until(lambda: metric(server, "kokoro_requests_in_flight") == 1)
            wait_until(lambda: metric(server, "kokoro_websockets_open") == 0)


def growth_mb(server, leave):
    """Return the least that the server gained in a round, of up to four, of so many clients."""
    let_leave(server, leave, WARM_UP)
    least = float("inf")
    for _ in range(ROUNDS):
        before = mebibytes("VmRSS", server.process.pid)
        let_leave(server, leave, N_CLIENTS)
        least = min(least, mebibytes("VmRSS", server.process.pid) - before)
        if least < ALLOWED_MB:
            break
    return least


def leave_connection(connection, number):
    """Close it, every third time without the courtesy of a FIN."""
    close = reset if number % 3 == 2 else socket.socket.close
    close(connection)


def post_and_leave(server, path, body, declared, number):
    """Leave at once, or when the answer has begun to come."""
    url = httpx.URL(server.url)
    connection = socket.create_connection((url.host, url.port or 0), timeout=300)
    connection.sendall(
        f"POST {path} HTTP/1.1\r\nhost: {url.host}\r\ncontent-type: application/json\r\n"
        f"content-length: {declared}\r\n\r\n".encode()
        + body
    )
    if number % 2 and declared == len(body):
        assert connection.recv(1000).startswith(b"HTTP/1.1 ")
    leave_connection(connection, number)


SPEECH = {"model": "kokoro", "voice": "alloy", "input": TEXT}
STREAM = {"text": TEXT, "format": "pcm", "stream": True}
REQUESTS = {
    "whole": ("/synthesize", {"text": TEXT}), "streamed": ("/synthesize", STREAM),
    "streamed, decoded whole": ("/synthesize", {**STREAM, "decoding": "whole"}),
    "JSON": ("/synthesize", {"text": TEXT, "timestamps": "phoneme"}),
    "events": ("/synthesize", {**STREAM, "timestamps": "word"}),
    "subtitles": ("/synthesize", {"text": TEXT, "format": "srt"}),
    "OpenAI, whole": ("/v1/audio/speech", {**SPEECH, "response_format": "wav"}),
    "OpenAI, streamed": ("/v1/audio/speech", {**SPEECH, "response_format": "pcm"}),
    "OpenAI, events": ("/v1/audio/speech", {**SPEECH, "response_format": "pcm", "stream_format": "sse"}),
    "phonemes": ("/phonemize", {"text": TEXT}),
}  # fmt: skip


@pytest.mark.parametrize("kind", REQUESTS)
def test_who_leaves_before_the_end_of_an_answer_leaves_nothing(uncollected, kind):
    path, fields = REQUESTS[kind]
    body = json.dumps(fields).encode()
    assert uncollected.client.post(path, content=body, headers=JSON).status_code == 200

    def leave(number):
        post_and_leave(uncollected, path, body, len(body), number)

    assert growth_mb(uncollected, leave) < ALLOWED_MB


JSON = {"content-type": "application/json"}
LARGE = "x" * 200_000

BODIES = {
    "no JSON": (400, b'{"text": "' + LARGE.encode()),
    "no field": (422, json.dumps({"text": "Hello.", "unknown": LARGE}).encode()),
    "no text": (422, json.dumps({"text": [LARGE]}).encode()),
    "no voice": (422, json.dumps({"text": TEXT * 100, "voice": "nobody"}).encode()),
    "no SSML": (422, json.dumps({"text": f"<speak>{TEXT * 100}", "ssml": True}).encode()),
    "SSML": (200, json.dumps({"text": f"<speak>{TEXT}</speak>", "ssml": True}).encode()),
}


@pytest.mark.parametrize("kind", BODIES)
def test_who_has_a_text_read_or_refused_leaves_nothing(uncollected, kind):
    status, body = BODIES[kind]

    def ask(number):
        assert uncollected.client.post("/phonemize", content=body, headers=JSON).status_code == status

    assert growth_mb(uncollected, ask) < ALLOWED_MB


def test_who_leaves_in_the_middle_of_a_body_leaves_nothing(uncollected):
    body = b'{"text": "' + LARGE.encode()

    def leave(number):
        post_and_leave(uncollected, "/synthesize", body, len(body) + 1000, number)

    assert growth_mb(uncollected, leave) < ALLOWED_MB


def test_who_leaves_a_session_leaves_nothing(uncollected):
    spoken(uncollected, TEXT)  # so that the cache has it

    def leave(number):
        session = SpeechSocket(uncollected.url)
        session.until("ready")
        session.say(TEXT)
        if number % 2:
            session.send("flush")
            session.until("audio")
        if number % 5 == 4:
            session.send("cancel")
        leave_connection(session.socket.socket, number)

    assert growth_mb(uncollected, leave) < ALLOWED_MB
