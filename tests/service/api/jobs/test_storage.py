"""Jobs on a disk that is full, and with a database that somebody locks."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest
from tests.service.api.jobs.test_jobs import LONG, TEXT, add, following, outcome, refused
from tests.service.api.serving_process import FAULTY_SERVER
from tests.service.files import fill, mounted


@pytest.fixture
def disk(tmp_path):
    with mounted(tmp_path / "disk") as folder:
        yield folder


@pytest.fixture
def start(start_server):
    """Start servers that serve jobs in a folder; kill them at the end."""
    with ExitStack() as stack:

        def started(data):
            server = start_server("--data-dir", str(data), program=FAULTY_SERVER)
            stack.callback(server.process.kill)
            server.wait_until_ready()
            return server

        yield started


def test_a_locked_database_delays_who_changes_jobs_and_nobody_else(start, tmp_path):
    server = start(tmp_path)
    client = server.client
    job_id = add(client, TEXT, format="flac")
    assert outcome(client, job_id)["state"] == "done"
    database = tmp_path / "jobs" / "jobs.sqlite"
    with closing(sqlite3.connect(database, isolation_level=None)) as other, ThreadPoolExecutor(3) as clients:
        other.execute("begin exclusive")
        deletion = clients.submit(client.delete, f"/jobs/{job_id}")
        creation = clients.submit(client.post, "/jobs", json={"text": TEXT})
        again = clients.submit(client.delete, f"/jobs/{job_id}")
        while not (deletion.done() and creation.done() and again.done()):
            assert client.get("/health").status_code == 200
            assert [job["id"] for job in client.get("/jobs").json()["jobs"]] == [job_id]
            assert "kokoro_jobs_unfinished 0.0" in client.get("/metrics").text
            assert client.get(f"/jobs/{job_id}/output").content.startswith(b"fLaC")
        # Of two deletions at a time one is refused, whichever comes first.
        leaving, failed = sorted((deletion.result(), again.result()), key=lambda answer: answer.status_code)
        assert refused(leaving) == (409, "job_leaving")
        for answer in (failed, creation.result()):
            assert refused(answer) == (503, "storage_failed")
            assert "another program has locked its database" in answer.json()["error"]["message"]
            assert int(answer.headers["retry-after"]) > 0
        other.execute("rollback")
    assert client.get(f"/jobs/{job_id}").json()["state"] == "done"
    assert client.delete(f"/jobs/{job_id}").status_code == 204
    assert server.stop() == 0

    restarted = start(tmp_path)
    assert restarted.client.get("/jobs").json() == {"jobs": []}
    assert {path.name for path in (tmp_path / "jobs").iterdir() if path.is_dir()} == {"incoming", "outgoing"}
    assert restarted.stop() == 0


@pytest.mark.thorough
def test_jobs_on_a_full_disk_can_be_deleted_and_are_not_lost(start, disk):
    server = start(disk)
    client = server.client
    done, spoken = add(client, TEXT, format="flac"), add(client, LONG, format="opus")
    assert outcome(client, done)["state"] == "done"
    audio = client.get(f"/jobs/{done}/output").content
    followed = following(client, spoken)
    while next(followed)["progress"] == 0:
        pass
    fill(disk)
    failed = [*followed][-1]
    assert (failed["state"], failed["error"]["code"]) == ("failed", "storage_failed")
    assert refused(client.post("/jobs", json={"text": TEXT})) == (503, "storage_failed")
    assert client.get(f"/jobs/{done}/output").content == audio
    server.process.kill()
    server.process.wait()

    again = start(disk)  # on the full disk
    client = again.client
    assert [job["id"] for job in client.get("/jobs").json()["jobs"]] == [done, spoken]
    assert client.get(f"/jobs/{done}/output").content == audio
    assert client.delete(f"/jobs/{done}").status_code == 204  # which makes some room
    assert [job["id"] for job in client.get("/jobs").json()["jobs"]] == [spoken]
    (disk / "filling").unlink()
    retried = client.post(f"/jobs/{spoken}/retry")
    if retried.status_code != 200:  # it could not be kept that it has failed, so it goes on
        assert retried.json()["error"]["code"] == "job_not_failed"
    assert outcome(client, spoken)["state"] == "done"
    assert again.stop() == 0
    assert {path.name for path in (disk / "jobs").iterdir() if path.is_dir()} == {"incoming", "outgoing", spoken}
