"""Documents whose reading never ends, or takes all there is, over HTTP."""

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from bench.procfs import mebibytes
from tests.service.api.speech_client import connect, wait_until
from tests.service.books.attacks import ATTACKS
from tests.service.books.odd_readers import started
from tests.service.books.reading_processes import in_session_of, is_running, starter_of

ENDLESS_SERVER = (str(Path(__file__).parents[1] / "endless_server.py"),)
LIMITS = ("--document-cpu-s", "2", "--document-timeout-s", "120")
UNLIMITED = ("--document-cpu-s", "3600", "--document-timeout-s", "3600")

pytestmark = pytest.mark.own_server


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("endless") / "data"


@pytest.fixture(scope="module")
def endless(start_server, data):
    """A server that reads some documents without end, until the last test stops it."""
    server = start_server("--data-dir", str(data), *UNLIMITED, program=ENDLESS_SERVER)
    server.wait_until_ready()
    return server


def reading(data, folder="*"):
    """Return the processes that have begun to read a document in folders of jobs."""
    documents = [*data.glob(f"jobs/{folder}/document.txt"), *data.glob(f"jobs/incoming/{folder}/document.txt")]
    return [pid for document in documents for pid in started(document) if is_running(pid)]


def wait_for_reading(data, n_processes=1, folder="*"):
    wait_until(lambda: len(reading(data, folder)) == n_processes)
    return reading(data, folder)


@contextmanager
def posting(server, text):
    """Send a document, and lend the connection that waits for the answer."""
    head = f"POST /jobs?name=a.txt HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(text)}\r\n\r\n"
    with connect(server) as connection:
        connection.sendall(head.encode() + text)
        yield connection


def add(server, text):
    answer = server.client.post("/jobs", content=text.encode(), params={"name": "a.txt"})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def delete_last(server, job_id):
    assert server.client.delete(f"/jobs/{job_id}").status_code == 204
    assert server.client.get("/jobs").json() == {"jobs": []}


@pytest.mark.thorough
def test_a_client_that_leaves_takes_the_reading_with_it(endless, data):
    with posting(endless, b"loop now"):
        (pid,) = wait_for_reading(data)
        for _ in range(10):  # the service answers others meanwhile
            assert endless.client.get("/health").status_code == 200
            assert endless.client.get("/jobs").json() == {"jobs": []}
        assert is_running(pid)
    wait_until(lambda: not is_running(pid))
    endless.wait_for(r"path=/jobs status=499 outcome=cancelled")
    wait_until(lambda: not list((data / "jobs/incoming").iterdir()))
    assert endless.client.get("/jobs").json() == {"jobs": []}
    delete_last(endless, add(endless, "Hello."))
    assert not any("Traceback" in line or "could not" in line for line in endless.log)


@pytest.mark.thorough
def test_documents_of_clients_that_have_left_take_no_turn(endless, data):
    def n_incoming():
        return len(list(data.glob("jobs/incoming/*/document.txt")))

    with posting(endless, b"loop now"), posting(endless, b"loop now"):
        wait_for_reading(data, 2)
        for _ in range(5):
            with posting(endless, b"loop now"):
                wait_until(lambda: n_incoming() == 3)
            wait_until(lambda: n_incoming() == 2)
        assert len(reading(data)) == 2
    wait_until(lambda: not reading(data))
    delete_last(endless, add(endless, "Hello."))


def test_a_deleted_job_takes_the_reading_with_it(endless, data):
    job_id = add(endless, "loop later")
    (pid,) = wait_for_reading(data, folder=job_id)
    assert endless.client.get(f"/jobs/{job_id}").json()["state"] == "queued"
    delete_last(endless, job_id)
    assert not is_running(pid)
    assert not (data / "jobs" / job_id).exists()


@pytest.mark.thorough
def test_a_server_that_stops_ends_what_is_read(endless, data, start_server):
    job_id = add(endless, "loop later")
    with posting(endless, b"loop now") as connection:
        pids = wait_for_reading(data, 2)
        starter = starter_of(endless.process.pid)
        assert endless.stop() == 0
        assert connection.recv(65_536).startswith(b"HTTP/1.1 503 ")
    assert not any(map(is_running, [*pids, starter]))
    assert not in_session_of(starter)
    assert not any("Traceback" in line or "could not" in line for line in endless.log)
    again = start_server("--data-dir", str(data), *UNLIMITED, program=ENDLESS_SERVER)
    again.wait_until_ready()
    (pid,) = wait_for_reading(data, folder=job_id)
    assert again.client.get("/health").status_code == 200
    again.process.send_signal(signal.SIGKILL)
    again.process.wait()
    wait_until(lambda: not is_running(pid))


@pytest.mark.thorough
def test_no_document_stops_the_service(start_server, tmp_path):
    server = start_server("--data-dir", str(tmp_path / "data"), *LIMITS)
    server.wait_until_ready()
    server.client.post("/jobs", content=b"Hello.", params={"name": "a.txt"})
    before = mebibytes("VmRSS", server.process.pid)
    misses, n_answers = [], 0
    with ThreadPoolExecutor(1) as thread, httpx.Client(base_url=server.url, timeout=600) as other:
        for name, write in ATTACKS.items():
            content = write(tmp_path / name).read_bytes()
            (tmp_path / name).unlink()
            post = thread.submit(other.post, "/jobs", content=content, params={"name": name})
            while not post.done():
                assert server.client.get("/health").status_code == 200
                n_answers += 1
            answer = post.result()
            if answer.status_code not in (201, 422):
                misses.append((name, answer.status_code, answer.text))
            for job in server.client.get("/jobs").json()["jobs"]:
                assert server.client.delete(f"/jobs/{job['id']}").status_code == 204
    # A service that is held up answers before and after a document, and not between.
    assert n_answers > 3 * len(ATTACKS)
    assert not misses
    starter = starter_of(server.process.pid)
    assert in_session_of(starter) == [starter]
    assert mebibytes("VmRSS", server.process.pid) < before + 150
    assert not any("Traceback" in line or "It rained" in line for line in server.log)
    assert server.stop() == 0
