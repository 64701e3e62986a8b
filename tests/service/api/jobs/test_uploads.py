"""Documents that are received and read take places of their own, and hold up no speech."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import pytest

from service.api.uploads import AT_ONCE
from tests.service.api.asgi_server import read_answer
from tests.service.api.serving_process import HELD_SERVER
from tests.service.api.speech_client import connect

LARGEST = 100_000
N_READ_AT_ONCE = 3


@pytest.fixture(scope="module")
def fifo(tmp_path_factory):
    path = tmp_path_factory.mktemp("uploads") / "fifo"
    os.mkfifo(path)
    return path


@pytest.fixture(scope="module")
def held(start_server, fifo):
    """A server that reads no document until somebody has opened and closed the FIFO."""
    flags = ("--data-dir", str(fifo.with_name("data")), "--max-document-bytes", str(LARGEST))
    server = start_server(*flags, "--receive-timeout-s", "600", program=HELD_SERVER, environment={"HELD_BY": str(fifo)})
    server.wait_until_ready()
    yield server
    server.process.kill()


def head(n_bytes, media_type="text/plain"):
    return (
        f"POST /jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media_type}\r\ncontent-length: {n_bytes}\r\n\r\n"
    ).encode()


def received(server, fifo, n_bytes):
    """Wait until so many bytes of each body are on the disk, and answer requests meanwhile."""
    incoming = fifo.with_name("data") / "jobs" / "incoming"
    found = []
    while found != sorted(n_bytes):
        assert server.client.get("/health").status_code == 200
        with suppress(FileNotFoundError):  # one that is left is removed meanwhile
            found = sorted(path.stat().st_size for path in incoming.glob("*/*"))


@contextmanager
def released(fifo):
    """Let every reader of a FIFO go on within the block."""
    is_over = threading.Event()

    def release():
        while not is_over.is_set():
            with fifo.open("wb"):
                pass

    with ThreadPoolExecutor(1) as thread:
        releasing = thread.submit(release)
        yield
        is_over.set()
        # Nobody may be there who still wants to write.
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        releasing.result()
        os.close(reader)


def leave(server, bodies):
    """Leave before the end of bodies, and wait until their places are free for others."""
    path = "path=/jobs status=499"
    n_before = sum(path in line for line in server.log)
    for body in bodies:
        body.close()
    server.wait_for_more(path, n_before + len(bodies) - 1)


@pytest.mark.thorough
def test_speech_waits_for_no_document(held, fifo):
    n_bodies = AT_ONCE - 3
    with ExitStack() as stack:
        clients = stack.enter_context(ThreadPoolExecutor(3))
        # Or they would wait for it where something fails.
        stack.push(lambda kind, *_: held.process.kill() if kind else None)
        post = held.client.post
        reading = [clients.submit(post, "/jobs", content=b"Hello.", params={"name": "a.txt"}) for _ in range(3)]
        held.wait_for_more("a document is to be read", N_READ_AT_ONCE - 1)

        def send_bodies():
            bodies = [stack.enter_context(connect(held)) for _ in range(n_bodies)]
            for body in bodies:
                body.sendall(head(1000) + b"x" * 10)
            received(held, fifo, [6] * 3 + [10] * n_bodies)
            return bodies

        bodies = send_bodies()
        for request in ({"json": {"text": "Hi."}}, {"content": b"Hi.", "params": {"name": "a.md"}}):
            refused = post("/jobs", **request)
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "overloaded")
            assert int(refused.headers["retry-after"]) > 0
        assert post("/synthesize", json={"text": "Hi."}).status_code == 200
        assert held.client.get("/jobs").json() == {"jobs": []}
        assert not any(answer.done() for answer in reading)
        assert sum("a document is to be read" in line for line in held.log) == N_READ_AT_ONCE

        leave(held, bodies)
        received(held, fifo, [6] * 3)
        bodies = send_bodies()
        stack.enter_context(released(fifo))
        assert [answer.result().status_code for answer in reading] == [201] * 3
        leave(held, bodies)


def test_bodies_have_a_number_of_bytes_together(held, fifo):
    with connect(held) as first, connect(held) as second:
        for body, media_type in ((first, "application/json"), (second, "text/markdown")):
            body.sendall(head(LARGEST, media_type) + b"{" * 5000)
        received(held, fifo, [5000, 5000])  # JSON is on the disk as well
        assert held.client.post("/jobs", json={"text": "Hi."}).status_code == 503
        # One of unknown length may be as long as any.
        assert held.client.post("/jobs", content=iter([b"Hi."]), params={"name": "a.txt"}).status_code == 503
        first.sendall(b"{" * (LARGEST - 5000))
        answer = read_answer(first)
        assert (answer.status, answer.error["code"]) == (400, "invalid_json")
        received(held, fifo, [5000])
    assert "Traceback" not in "".join(held.log)
