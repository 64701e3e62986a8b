"""The jobs of a service, kept in a folder over restarts."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from service.errors import JobsUnavailableError, StorageFullError
from service.folder_lock import lock_folder
from service.jobs.record import Job

_SCHEMA = "create table if not exists job (id text primary key, record text not null)"
_DATABASE = "jobs.sqlite"
_INCOMING = "incoming"

_FORGOTTEN = ("progress", "left_s")
"""What a job is told anew when it goes on."""

_TRY_AGAIN_S = 60


class JobsFolder:
    """A folder with a record, a document, a journal and files for each job. Thread-safe.

    Args:
        folder: made if it is missing; nobody else may read it. One process uses it at a time.
        max_jobs: that are kept.
        max_bytes: that all files of all jobs may take.
        max_age_s: after which a finished job is removed.
        now: tells the time, in seconds of Unix time.

    Raises:
        JobsUnavailableError: the folder cannot be used.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_jobs: int,
        max_bytes: int,
        max_age_s: float,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._max_jobs = max_jobs
        self._max_bytes = max_bytes
        self._max_age_s = max_age_s
        self._now = now
        self._lock = threading.RLock()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder_lock = lock_folder(folder)
        except BlockingIOError as error:
            raise JobsUnavailableError("another process has the jobs of data_dir") from error
        except OSError as error:
            raise JobsUnavailableError("data_dir cannot be written") from error
        try:
            with ExitStack() as opened:
                opened.callback(self._folder_lock.close)
                # Of a process that was killed.
                shutil.rmtree(folder / _INCOMING, ignore_errors=True)
                (folder / _INCOMING).mkdir()
                database = sqlite3.connect(folder / _DATABASE, check_same_thread=False)
                self._database = opened.enter_context(closing(database))
                self._jobs = self._read()
                opened.pop_all()
        except (OSError, sqlite3.Error) as error:
            raise JobsUnavailableError("the jobs in data_dir cannot be read") from error

    def _read(self) -> dict[str, Job]:
        self._database.isolation_level = None
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = full")
        self._database.execute(_SCHEMA)
        jobs = {}
        with closing(self._database.execute("select record from job")) as cursor:
            for (record,) in cursor:
                job = _job(json.loads(record))
                jobs[job.id] = job
        known = {*jobs, _INCOMING}
        for path in self._folder.iterdir():
            if path.is_dir() and path.name not in known:
                shutil.rmtree(path)  # of a process that was killed while it added or removed a job
        return jobs

    def close(self) -> None:
        """Let another process use the folder. May be called again."""
        with self._lock:
            self._database.close()
            self._folder_lock.close()

    @property
    def incoming(self) -> Path:
        """Return the folder for documents that are being received, on the same file system."""
        return self._folder / _INCOMING

    def folder_of(self, job: Job) -> Path:
        """Return the folder of a job's files."""
        return self._folder / job.id

    def jobs(self) -> list[Job]:
        """Return all jobs, the oldest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: job.created_s)

    def get(self, job_id: str) -> Job | None:
        """Return a job; None if there is none."""
        return self._jobs.get(job_id)

    def add(self, job: Job, document: Path) -> None:
        """Keep a new job, whose document is moved into its folder.

        Raises:
            StorageFullError: there are as many jobs, or as many bytes, as may be.
            OSError: it cannot be kept.
        """
        self.expire()
        with self._lock:
            if len(self._jobs) >= self._max_jobs:
                raise StorageFullError(
                    f"{self._max_jobs} jobs are kept already; delete some", _TRY_AGAIN_S
                )
            self._check_room(document.stat().st_size)
            folder = self.folder_of(job)
            folder.mkdir(mode=0o700)
            document.replace(folder / job.document)
            self.save(job)
            self._jobs[job.id] = job

    def save(self, job: Job) -> None:
        """Keep what has changed of a job; it is on the disk when this returns.

        Raises:
            OSError: it cannot be kept.
        """
        record = {name: v for name, v in asdict(job).items() if name not in _FORGOTTEN}
        row = (job.id, json.dumps(record))
        with self._lock:
            try:
                self._database.execute("insert or replace into job values (?, ?)", row)
            except sqlite3.OperationalError as error:
                raise OSError(f"the record of a job cannot be written: {error}") from error

    def remove(self, job: Job) -> None:
        """Forget a job, and remove its files."""
        with self._lock:
            self._jobs.pop(job.id, None)
            self._database.execute("delete from job where id = ?", (job.id,))
            shutil.rmtree(self.folder_of(job), ignore_errors=True)

    def expire(self) -> None:
        """Remove finished jobs that are older than `max_age_s`."""
        before = self._now() - self._max_age_s
        for job in self.jobs():
            if job.finished_s is not None and job.finished_s < before:
                self.remove(job)

    def check_room(self) -> None:
        """Raise StorageFullError if the jobs take as many bytes as they may."""
        with self._lock:
            self._check_room(0)

    def _check_room(self, n_more: int) -> None:
        used = sum(_size(self.folder_of(job)) for job in self._jobs.values())
        if used + n_more > self._max_bytes:
            raise StorageFullError(
                f"the jobs take {used} of {self._max_bytes} bytes; delete some", _TRY_AGAIN_S
            )


def _size(folder: Path) -> int:
    """Return the bytes of all files in a folder; files may come and go meanwhile."""
    n_bytes = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                n_bytes += os.stat(os.path.join(path, name)).st_size
    return n_bytes


def _job(record: dict[str, Any]) -> Job:
    """Return a job from its record; one that was interrupted is queued again."""
    error = record.pop("error")
    job = Job(**record, error=None if error is None else (error[0], error[1]))
    if job.is_finished:
        job.progress = 1.0 if job.state == "done" else 0.0
    else:
        job.state = "queued"
    return job
