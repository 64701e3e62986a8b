"""Documents that are received and read take places of their own, and hold up no speech."""

from __future__ import annotations

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from service.api.uploads import AT_ONCE
from tests.service.api.asgi_server import read_answer
from tests.service.api.jobs.held_server import HELD_BY
from tests.service.api.secured_server import bearer, connect

KEY = "key-of-anne-0123456789"
HELD_SERVER = (str(Path(__file__).with_name("held_server.py")),)
LARGEST = 100_000
N_READ_AT_ONCE = 3


@pytest.fixture
def fifo(tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


@pytest.fixture
def held(start_server, tmp_path, fifo):
    """A server that reads no document until somebody has opened and closed the FIFO."""
    server = start_server(
        *("--data-dir", str(tmp_path / "data"), "--max-document-bytes", str(LARGEST)),
        *("--receive-timeout-s", "600"),
        program=HELD_SERVER,
        environment={HELD_BY: str(fifo)},
    )
    server.wait_until_ready()
    yield server
    server.process.kill()


def head(n_bytes, media_type="text/plain"):
    return (
        f"POST /jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media_type}\r\ncontent-length: {n_bytes}\r\n\r\n"
    ).encode()


def received(server, folder, n_bytes):
    """Wait until so many bytes of each body are on the disk, and answer requests meanwhile."""
    incoming = folder / "data" / "jobs" / "incoming"
    found: list[int] = []
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


def test_speech_waits_for_no_document(held, tmp_path, fifo):
    n_bodies = AT_ONCE - 3
    with ExitStack() as stack:
        clients = stack.enter_context(ThreadPoolExecutor(3))
        stack.callback(held.process.kill)  # or they would wait for it where something fails
        post = held.client.post
        reading = [clients.submit(post, "/jobs", content=b"Hello.", params={"name": "a.txt"}) for _ in range(3)]
        held.wait_for_more("a document is to be read", N_READ_AT_ONCE - 1)
        bodies = [stack.enter_context(connect(held)) for _ in range(n_bodies)]
        for body in bodies:
            body.sendall(head(1000) + b"x" * 10)
        received(held, tmp_path, [6] * 3 + [10] * n_bodies)

        for request in ({"json": {"text": "Hi."}}, {"content": b"Hi.", "params": {"name": "a.md"}}):
            refused = post("/jobs", **request)  # type: ignore[arg-type]
            assert refused.status_code == 503
            assert refused.json()["error"]["code"] == "overloaded"
            assert int(refused.headers["retry-after"]) > 0
        assert post("/synthesize", json={"text": "Hi."}).status_code == 200
        assert held.client.get("/jobs").json() == {"jobs": []}
        assert not any(answer.done() for answer in reading)
        n_read = sum("a document is to be read" in line for line in held.log)
        assert n_read == N_READ_AT_ONCE

        for body in bodies:  # who leaves gives its place back
            body.close()
        held.wait_for_more("path=/jobs status=499", n_bodies - 1)
        received(held, tmp_path, [6] * 3)
        for _ in range(n_bodies):
            body = stack.enter_context(connect(held))
            body.sendall(head(1000) + b"x" * 10)
        received(held, tmp_path, [6] * 3 + [10] * n_bodies)
        stack.enter_context(released(fifo))
        assert [answer.result().status_code for answer in reading] == [201] * 3


def test_bodies_have_a_number_of_bytes_together(held, tmp_path):
    with ExitStack() as stack:
        bodies = [stack.enter_context(connect(held)) for _ in range(2)]
        for body, media_type in zip(bodies, ("application/json", "text/markdown"), strict=True):
            body.sendall(head(LARGEST, media_type) + b"{" * 5000)
        received(held, tmp_path, [5000, 5000])  # JSON is on the disk as well
        assert held.client.post("/jobs", json={"text": "Hi."}).status_code == 503
        # One of unknown length may be as long as any.
        unknown = held.client.post("/jobs", content=iter([b"Hi."]), params={"name": "a.txt"})
        assert unknown.status_code == 503
        bodies[0].sendall(b"{" * (LARGEST - 5000))
        answer = read_answer(bodies[0])
        assert (answer.status, answer.error["code"]) == (400, "invalid_json")
        received(held, tmp_path, [5000])
        assert not re.search("Traceback", "".join(held.log))


def test_a_body_that_is_too_late_gives_its_place_back(start_server, tmp_path):
    server = start_server("--data-dir", str(tmp_path / "data"), "--receive-timeout-s", "0.5")
    server.wait_until_ready()
    with ExitStack() as stack:
        for _ in range(2):
            bodies = [stack.enter_context(connect(server)) for _ in range(AT_ONCE)]
            for body in bodies:
                body.sendall(head(1000) + b"x" * 10)
            assert [read_answer(body).status for body in bodies] == [408] * AT_ONCE
    assert server.stop() == 0


def test_a_job_that_is_refused_does_not_count_for_its_key(start_server, tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(f"anne:{KEY} characters_per_day=15\n")
    keys.chmod(0o600)
    server = start_server(*("--data-dir", str(tmp_path / "data"), "--max-jobs", "1", "--api-keys-file", str(keys)))
    server.wait_until_ready()

    def add(client, text="Hello."):
        answer = client.post("/jobs", json={"text": text, "format": "flac"})
        body = answer.json()
        return answer.status_code, body["id"] if answer.is_success else body["error"]["code"]

    with httpx.Client(base_url=server.url, headers=bearer(KEY), timeout=600) as client:
        status, first = add(client)
        assert status == 201
        assert [add(client) for _ in range(5)] == [(503, "storage_full")] * 5
        assert add(client, "Hello there.") == (429, "key_limit")
        assert client.delete(f"/jobs/{first}").status_code == 204
        status, second = add(client)
        assert status == 201
        assert client.delete(f"/jobs/{second}").status_code == 204
        assert add(client) == (429, "key_limit")
    assert server.stop() == 0
