from __future__ import annotations

from pathlib import Path

import pytest

from service.errors import JobsUnavailableError, StorageFullError
from service.jobs import Job, JobsFolder
from tests.service.files import open_files

DAY_S = 86_400


def job(number: int, **fields: object) -> Job:
    described = {
        "id": f"{number:032x}", "owner": "anne", "options": {"format": "mp3"},
        "document": "document.txt", "title": "A night", "n_characters": 5,
        "created_s": float(number), **fields,
    }  # fmt: skip
    return Job(**described)  # type: ignore[arg-type]


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def open_store(folder: Path, clock: Clock, **limits: float) -> JobsFolder:
    bounds = {"max_jobs": 3, "max_bytes": 1000, "max_age_s": DAY_S, **limits}
    return JobsFolder(folder, now=clock, **bounds)  # type: ignore[arg-type]


def add(store: JobsFolder, new: Job, n_bytes: int = 5) -> None:
    document = store.incoming / "received"
    document.write_bytes(b"x" * n_bytes)
    store.add(new, document)


def test_jobs_outlive_the_process(tmp_path: Path) -> None:
    clock = Clock()
    store = open_store(tmp_path / "jobs", clock)
    speaking, done = job(1), job(2, state="done", finished_s=3.0, outputs=["output.mp3"])
    failed = job(3, state="failed", finished_s=4.0, error=("storage_failed", "no"))
    for each in (speaking, done, failed):
        add(store, each)
    speaking.state, speaking.progress = "speaking", 0.5
    store.save(speaking)
    store.close()
    again = open_store(tmp_path / "jobs", clock)
    kept = again.jobs()
    assert [each.state for each in kept] == ["queued", "done", "failed"]
    assert kept[1].outputs == ["output.mp3"]
    assert kept[2].error == ("storage_failed", "no")
    assert kept[0].options == {"format": "mp3"}
    assert (again.folder_of(kept[0]) / "document.txt").read_bytes() == b"xxxxx"
    again.close()


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    store = open_store(tmp_path, Clock())
    add(store, job(1))
    (store.incoming / "received").write_bytes(b"half")
    store.folder_of(job(9)).mkdir()
    store.close()
    again = open_store(tmp_path, Clock())
    assert not list(again.incoming.iterdir())
    assert not again.folder_of(job(9)).exists()
    assert again.folder_of(job(1)).exists()
    again.close()


def test_only_one_process_has_a_folder(tmp_path: Path) -> None:
    store = open_store(tmp_path, Clock())
    with pytest.raises(JobsUnavailableError, match="another process"):
        open_store(tmp_path, Clock())
    store.close()
    open_store(tmp_path, Clock()).close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(JobsUnavailableError, match="cannot be written"):
        open_store(tmp_path / "file" / "jobs", Clock())


def test_damaged_records_are_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "jobs.sqlite").write_bytes(b"no database, but somebody's jobs" * 100)
    with pytest.raises(JobsUnavailableError, match="cannot be read"):
        open_store(tmp_path, Clock())
    assert (tmp_path / "jobs.sqlite").read_bytes().startswith(b"no database")
    assert not open_files(tmp_path)


def test_number_and_bytes_are_bounded(tmp_path: Path) -> None:
    store = open_store(tmp_path, Clock())
    add(store, job(1), 600)
    with pytest.raises(StorageFullError, match="600 of 1000 bytes"):
        add(store, job(2), 401)
    add(store, job(2), 400)
    with pytest.raises(StorageFullError, match="1000 of 1000 bytes"):
        add(store, job(3), 1)
    store.check_room()
    (store.folder_of(job(1)) / "output.mp3").write_bytes(b"x")
    with pytest.raises(StorageFullError):
        store.check_room()
    store.remove(job(1))
    add(store, job(3))
    add(store, job(4))
    with pytest.raises(StorageFullError, match="3 jobs"):
        add(store, job(5))
    store.close()


def test_finished_jobs_are_removed_when_they_are_old(tmp_path: Path) -> None:
    clock = Clock()
    store = open_store(tmp_path, clock)
    for each in (
        job(1),
        job(2, state="done", finished_s=10.0),
        job(3, state="done", finished_s=99.0),
    ):
        add(store, each)
    clock.now_s = DAY_S + 50.0
    store.expire()
    assert [each.id for each in store.jobs()] == [job(1).id, job(3).id]
    assert not store.folder_of(job(2)).exists()
    store.close()


def test_nobody_else_may_read_the_folder(tmp_path: Path) -> None:
    store = open_store(tmp_path / "jobs", Clock())
    add(store, job(1))
    assert (tmp_path / "jobs").stat().st_mode & 0o077 == 0
    store.close()
