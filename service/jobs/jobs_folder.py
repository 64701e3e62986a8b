"""The jobs of a service, kept in a folder over restarts."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from service.errors import (
    JobNotFailedError,
    JobNotFoundError,
    JobsUnavailableError,
    ReadingInterruptedError,
    ServiceError,
    StorageFullError,
)
from service.folder_lock import lock_folder
from service.jobs.job_table import JobTable
from service.jobs.record import Job
from service.jobs.storage import (
    TRY_AGAIN_S,
    Sizes,
    erase,
    reason,
    refuse_on_event_loop,
    size_of,
    storing,
    sync,
    trying,
)

logger = logging.getLogger(__name__)

_DATABASE = "jobs.sqlite"
_INCOMING = "incoming"
_OUTGOING = "outgoing"

_MAX_READINGS = 2
"""How often a document is read whose reading is cut off by the end of the process."""

_NO_SUCH_JOB = "there is no such job"
_HALF_REMOVED = ("storage_failed", "the job could be removed in part only; delete it again")


class JobsFolder:
    """A folder with a record, a document, a journal and files for each job. Thread-safe.

    A job has a record in SQLite and a folder of its own. Its folder moves out of `incoming` after
    its record is written, and into `outgoing` before its record is deleted. Each move is one
    rename, and decides whether there is the job. So whatever stops the process, a job is there
    whole or not at all: what is in `incoming` or `outgoing` at the next start is removed with its
    record. A folder without a record comes from no such stop, but from records that were lost. It
    is kept, and so is a job whose record is of another version or damaged; both count as bytes.

    What needs no disk (`jobs`, `get`, `n_bytes`) comes from memory and waits for no lock. All else
    is refused on a thread that runs an event loop.

    Args:
        folder: made if it is missing; nobody else may read it. One process uses it at a time.
        max_jobs: that are kept.
        max_bytes: that all files of all jobs may take.
        max_age_s: after which a finished job is removed.
        check_options: raises ValueError or ServiceError for options that this version cannot use.
        now: tells the time, in seconds of Unix time.

    Raises:
        JobsUnavailableError: the folder cannot be used. Nothing in it was removed.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_jobs: int,
        max_bytes: int,
        max_age_s: float,
        check_options: Callable[[dict[str, Any]], object] = lambda options: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        refuse_on_event_loop()
        self._folder = folder
        self._outgoing = folder / _OUTGOING
        self._max_jobs = max_jobs
        self._max_age_s = max_age_s
        self._check_options = check_options
        self._now = now
        self._changing = threading.RLock()
        """Held over I/O by whoever changes the folder."""
        self._jobs: dict[str, Job] = {}
        """Replaced as a whole, so that it is read without a lock."""
        self._n_readings: dict[str, int] = {}
        self._sizes = Sizes(max_bytes)
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
                self._table = JobTable(folder / _DATABASE)
                opened.callback(self._table.close)
                self._open()
                opened.pop_all()
        except (OSError, sqlite3.Error) as error:
            advice = (
                f"; put a copy of {_DATABASE} in its place, or move the folder away to begin anew"
                if isinstance(error, sqlite3.DatabaseError)
                and not isinstance(error, sqlite3.OperationalError)
                else ""
            )
            raise JobsUnavailableError(
                f"the jobs in data_dir cannot be read: {reason(error)}{advice}"
            ) from error

    def _open(self) -> None:
        """Read the records, and finish what the process before could not."""
        for place in (self.incoming, self._outgoing):
            place.mkdir(mode=0o700, exist_ok=True)
        records, self._n_readings = self._table.records(), self._table.readings()
        names = {path.name for path in self._folder.iterdir() if path.is_dir()}
        names -= {_INCOMING, _OUTGOING}
        for name in names:
            self._sizes.note(name, self._measured(name))
        remarks = self._table.remarks()
        found = {
            name: self._read(name, records[name], remarks.get(name, b"{}"))
            for name in names & records.keys()
        }
        self._jobs = {name: job for name, job in found.items() if job is not None}
        for place in (self.incoming, self._outgoing):
            self._sweep(place)
        for job in self._jobs.values():
            if job.state == "done":
                self._tidy(job)
        if n_lost := len(names - records.keys()):
            logger.error(
                "%d folders of jobs in data_dir have no record: they are kept and not shown; put a "
                "copy of %s in its place, or remove them",
                *(n_lost, _DATABASE),
            )

    def _read(self, job_id: str, record: bytes, remarks: bytes) -> Job | None:
        """Return a job from its record; None if it cannot be used, which is logged."""
        try:
            job = Job.of(record, remarks)
            self._check_options(job.options)
            if job.id == job_id:
                return job
        except (ValueError, ServiceError):
            pass  # logged below: the message may quote a title
        logger.error(
            "job %.40r has a record of another version, or a damaged one: it is kept and not shown",
            job_id,
        )
        return None

    def close(self) -> None:
        """Let another process use the folder. May be called again."""
        refuse_on_event_loop()
        with self._changing:
            self._table.close()
            self._folder_lock.close()

    @property
    def incoming(self) -> Path:
        """Return the folder for documents that are being received, on the same file system."""
        return self._folder / _INCOMING

    def folder_of(self, job: Job) -> Path:
        """Return the folder of a job's files."""
        return self._folder / job.id

    @property
    def n_bytes(self) -> int:
        """Return how many bytes all jobs took when each was looked at last."""
        return self._sizes.total

    def jobs(self) -> list[Job]:
        """Return all jobs, the oldest first."""
        return sorted(self._jobs.values(), key=lambda job: job.created_s)

    def get(self, job_id: str) -> Job | None:
        """Return a job; None if there is none."""
        return self._jobs.get(job_id)

    def add(self, job: Job, document: Path) -> None:
        """Keep a new job, whose document is moved into its folder.

        Raises:
            StorageFullError: there are as many jobs, or as many bytes, as may be.
            StorageFailedError: it cannot be kept.
        """
        self.expire()
        arriving = self.incoming / job.id
        with self._changing, storing():
            if len(self._jobs) >= self._max_jobs:
                raise StorageFullError(
                    f"{self._max_jobs} jobs are kept already; delete some", TRY_AGAIN_S
                )
            self._sizes.reserve(job.id, document.stat().st_size)
            try:
                with self._table.changing():
                    arriving.mkdir(mode=0o700)
                    document.replace(arriving / job.document)
                    sync(arriving / job.document)
                    sync(arriving)
                    self._table.insert(job.id, job.record)
                    if job.ignored:
                        self._table.update(job.id, job.record, job.remarks)
                arriving.replace(self.folder_of(job))
                sync(self._folder)
            except BaseException:
                self._take_back(job)
                raise
            self._jobs = {**self._jobs, job.id: job}

    def _take_back(self, job: Job) -> None:
        """Remove what is kept of a job that cannot be added."""
        with trying("a job that was refused stays until the next start"):
            if self.folder_of(job).exists():
                self.folder_of(job).replace(self._outgoing / job.id)
            for place in (self.incoming, self._outgoing):
                self._remove_remains(place / job.id)

    def save(self, job: Job, **changes: Any) -> None:
        """Keep changes of a job, and make them when they are on the disk.

        Raises:
            JobNotFoundError: it was removed meanwhile.
            StorageFailedError: they cannot be kept; the job is as it was.
        """
        refuse_on_event_loop()
        with self._changing, storing():
            with self._table.changing():
                self._update(job, changes)
            vars(job).update(changes)  # at once, for who reads it meanwhile

    def _update(self, job: Job, changes: dict[str, Any]) -> None:
        if self._jobs.get(job.id) is not job:
            raise JobNotFoundError(_NO_SUCH_JOB)
        changed = replace(job, **changes)
        self._table.update(job.id, changed.record, changed.remarks)

    def queue_again(self, job: Job) -> None:
        """Queue a job that has failed.

        Raises:
            JobNotFailedError: it has not failed.
            JobNotFoundError: it was removed meanwhile.
            StorageFailedError: the change cannot be kept; the job is as it was.
        """
        refuse_on_event_loop()
        changes = {"state": "queued", "error": None, "finished_s": None}
        with self._changing, storing():
            if job.error is _HALF_REMOVED:
                raise JobNotFoundError(_NO_SUCH_JOB)
            if job.state != "failed":
                raise JobNotFailedError(f"the job is {job.state}")
            with self._table.changing():
                self._update(job, changes)
                self._table.end_reading(job.id)
            self._n_readings.pop(job.id, None)
            vars(job).update(changes)

    def finish(self, job: Job, **end: Any) -> None:
        """Keep how a job has ended; then remove what one that is done needs no more.

        Raises:
            JobNotFoundError: it was removed meanwhile.
            StorageFailedError: it cannot be kept; the job and all that is made of it are as before.
        """
        refuse_on_event_loop()
        with self._changing, storing():
            if end["state"] == "done":
                sync(self.folder_of(job))  # the names of its files
            self.save(job, **end, finished_s=self._now(), left_s=None)
            if job.state == "done":
                self._tidy(job)
            self._sizes.note(job.id, self._measured(job.id))

    def _tidy(self, job: Job) -> None:
        """Remove all of a job that is done but its files."""
        with trying("the document of a job that is done stays until the next start"):
            for path in self.folder_of(job).iterdir():
                if path.name not in job.outputs:
                    erase(path)
            self._sizes.note(job.id, self._measured(job.id))

    @contextmanager
    def reading(self, job: Job) -> Iterator[None]:
        """Read the document of a job in the block, and note whether the process outlives it.

        Raises:
            ReadingInterruptedError: the process has ended in two such blocks, one after the other.
            StorageFailedError: that cannot be noted.
        """
        refuse_on_event_loop()
        n_before = self._n_readings.get(job.id, 0)
        if n_before >= _MAX_READINGS:
            raise ReadingInterruptedError(
                f"the service ended {n_before} times while it read the document; it is read again "
                "when the job is tried again"
            )
        with self._changing, storing(), self._table.changing():
            self._table.begin_reading(job.id, n_before + 1)
        try:
            yield
        finally:
            self._n_readings.pop(job.id, None)  # whether or not it can be noted
            with self._changing, storing(), self._table.changing():
                self._table.end_reading(job.id)

    def remove(self, job: Job) -> None:
        """Remove a job with its files.

        Raises:
            JobNotFoundError: there is no such job.
            StorageFailedError: it cannot be removed. It is as it was; or its files are gone in
                part, and it has failed, and is removed at the next start if not before.
        """
        refuse_on_event_loop()
        leaving = self._outgoing / job.id
        with self._changing, storing():
            if job.id not in self._jobs:
                raise JobNotFoundError(_NO_SUCH_JOB)
            try:
                with self._table.changing():  # before a file is touched: another may have locked it
                    if self.folder_of(job).exists():
                        self.folder_of(job).replace(leaving)
                        sync(self._folder)
                        sync(self._outgoing)
                    self._empty(leaving)
            except BaseException:
                if not self.folder_of(job).exists():
                    left = self._jobs[job.id]
                    vars(left).update(state="failed", error=_HALF_REMOVED, finished_s=self._now())
                self._sizes.note(job.id, self._measured(job.id))
                raise
            self._jobs = {name: kept for name, kept in self._jobs.items() if name != job.id}
            self._n_readings.pop(job.id, None)
            self._sizes.drop(job.id)
            with trying("an empty folder stays until the next start"):
                leaving.rmdir()

    def _empty(self, remains: Path) -> None:
        """Remove what is in the folder of a job that is no more, and then its record."""
        for path in remains.iterdir():
            erase(path)
        self._table.delete(remains.name)

    def _remove_remains(self, remains: Path) -> None:
        """Remove what is left of a job."""
        if remains.is_dir():
            with self._table.changing():
                self._empty(remains)
            remains.rmdir()  # last: until then it tells that its record is of no job
        else:
            remains.unlink(missing_ok=True)
        self._sizes.drop(remains.name)

    def _sweep(self, place: Path) -> None:
        """Remove what is in `incoming` or `outgoing`; what cannot be removed counts."""
        for remains in place.iterdir():
            if remains.name in self._jobs:
                continue  # it is half removed, and shown as such
            self._sizes.note(remains.name, self._measured(remains.name))
            with trying("what is left of a job stays until the next start"):
                self._remove_remains(remains)

    def expire(self) -> None:
        """Remove finished jobs that are older than `max_age_s`; log it if one cannot be removed."""
        refuse_on_event_loop()
        before = self._now() - self._max_age_s
        with self._changing:
            for job in self.jobs():
                is_old = job.finished_s is not None and job.finished_s < before
                if is_old or job.error is _HALF_REMOVED:
                    with trying("an old job stays for now"):
                        self.remove(job)
            with trying("what is left of jobs stays for now"):
                self._sweep(self._outgoing)

    def check_room(self, job: Job) -> None:
        """Count the bytes of a job that grows; raise StorageFullError if there is no more room."""
        refuse_on_event_loop()
        self._sizes.note(job.id, self._measured(job.id))
        self._sizes.check()

    def _measured(self, name: str) -> int:
        """Return the bytes of all files of a job, wherever it is on its way."""
        return sum(size_of(place / name) for place in (self._folder, self.incoming, self._outgoing))
