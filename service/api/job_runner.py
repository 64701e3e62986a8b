"""Runs jobs in turns behind all requests."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from service.api.callers import Callers
from service.api.idleness import Idleness
from service.api.job_options import JobOptions
from service.books.document_reader import DocumentReader
from service.errors import (
    CancelledError,
    JobLeavingError,
    JobNotFoundError,
    JobsUnavailableError,
    NotReadyError,
    ServiceError,
    StartupError,
    StorageFailedError,
)
from service.extras import advice, is_installed
from service.jobs import Job, JobsFolder, perform
from service.jobs.storage import cause
from service.settings import Settings
from service.speech import Cancellation, Synthesizer

logger = logging.getLogger(__name__)

T = TypeVar("T")

Choose = Callable[[str | None], Awaitable[Synthesizer]]
"""Returns the synthesizer of a model, as `ServiceState.synthesizer` does."""

AT_ONCE = 4
"""Jobs that take turns; others wait until one is finished. More would only finish all of them
later."""

_EXPIRE_S = 3600
_AGAIN_S = 30
_KEEP_AGAIN_S = 5
"""After so long the end of a job is kept that could not be kept, on a full disk for example."""

_FOLDER = "jobs"


class JobRunner:
    """The jobs of a service. Used on the event loop only.

    Four jobs take turns, window by window, whenever no request needs the model; those of the key
    with the fewest come first. A job that is interrupted by the end of the process goes on at its
    next start.

    Args:
        settings: of the service.
        callers: whose lexicons the jobs use.
        documents: reads the documents of the jobs.
        idleness_of: returns what is told while jobs are spoken, by the synthesizer.

    Raises:
        StartupError: jobs are wanted, and what reads and writes books is not installed.
    """

    def __init__(
        self,
        settings: Settings,
        callers: Callers,
        documents: DocumentReader,
        idleness_of: Callable[[Synthesizer], Idleness],
    ) -> None:
        if settings.data_dir is not None and not is_installed("books"):
            raise StartupError(f"data_dir is set, and jobs need the extra books: {advice('books')}")
        self._settings = settings
        self._callers = callers
        self._documents = documents
        self._idleness_of = idleness_of
        self._opened: JobsFolder | None = None
        self._opening = asyncio.Lock()
        self._not_opened: tuple[float, str] = (-math.inf, "")
        """When the folder could not be opened last, and why."""
        self._choose: Choose | None = None
        self._executor = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="job")
        # One thread, for those who change the folder wait for each other anyway.
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="jobs-folder")
        self._is_closed = False
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._cancellations: dict[str, Cancellation] = {}
        self._leaving: set[str] = set()
        """Jobs that are being removed."""
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def are_offered(self) -> bool:
        """Return whether there is a folder for jobs."""
        return self._settings.data_dir is not None

    @property
    def n_unfinished(self) -> int:
        """Return how many jobs are queued or worked on. Thread-safe."""
        folder = self._opened
        return 0 if folder is None else sum(not job.is_finished for job in folder.jobs())

    async def start(self, choose: Choose) -> None:
        """Go on with the jobs of the process before.

        `choose` returns the synthesizer of a model; of None that of the server's own.

        A folder that cannot be used is logged; requests for jobs then say so.
        """
        self._choose = choose
        data_dir = self._settings.data_dir
        if data_dir is None or not await self._on_disk((data_dir / _FOLDER).is_dir):
            return
        try:
            await self.folder()
        except JobsUnavailableError as error:
            logger.error("no jobs: %s", error.message)

    async def folder(self) -> JobsFolder:
        """Return the jobs, which are opened when they are first needed.

        Raises:
            JobsUnavailableError: there is no folder for them, or it cannot be used.
        """
        if self._opened is None:
            if self._settings.data_dir is None:
                raise JobsUnavailableError("set data_dir to a folder where jobs are kept")
            path = self._settings.data_dir / _FOLDER
            came_s = time.monotonic()
            async with self._opening:
                failed_s, why = self._not_opened
                if failed_s > came_s:  # for all who waited meanwhile
                    raise JobsUnavailableError(why)
                if self._opened is None:
                    try:
                        self._opened = await self._on_disk(partial(self._open, path))
                    except JobsUnavailableError as error:
                        self._not_opened = time.monotonic(), error.message
                        raise
                    self._expire()
                    self._fill()
        return self._opened

    def _open(self, path: Path) -> JobsFolder:
        settings = self._settings
        return JobsFolder(
            path,
            max_jobs=settings.max_jobs,
            max_bytes=settings.jobs_bytes,
            max_age_s=settings.job_age_s,
            check_options=_check_options,
        )

    async def _on_disk(self, action: Callable[[], T]) -> T:
        """Do what waits for the disk in a thread.

        Raises:
            NotReadyError: the service is shutting down.
        """
        if self._is_closed:
            raise NotReadyError("the service is shutting down")
        return await asyncio.get_running_loop().run_in_executor(self._disk, action)

    def _expire(self) -> None:
        assert self._opened is not None
        if not self._is_closed:
            self._disk.submit(self._opened.expire)  # it logs what it cannot remove
            self._expiry = asyncio.get_running_loop().call_later(_EXPIRE_S, self._expire)

    async def find(self, job_id: str) -> Job:
        """Return a job of the caller.

        Raises:
            JobNotFoundError: the caller has no such job.
            JobsUnavailableError: see `folder`.
        """
        job = (await self.folder()).get(job_id)
        if job is None or job.owner != self._callers.owner():
            raise JobNotFoundError("there is no such job")
        return job

    async def own(self) -> list[Job]:
        """Return the caller's jobs, the oldest first; raises JobsUnavailableError, see `folder`."""
        owner = self._callers.owner()
        return [job for job in (await self.folder()).jobs() if job.owner == owner]

    async def add(self, job: Job, document: Path) -> None:
        """Take a new job.

        Raises:
            StorageFullError: there are too many.
            StorageFailedError: it cannot be kept.
            NotReadyError: the service is shutting down.
            JobsUnavailableError: see `folder`.
        """
        folder = await self.folder()
        await self._on_disk(partial(folder.add, job, document))
        self._fill()

    async def retry(self, job: Job) -> None:
        """Queue a job that has failed. What is made of it is kept.

        Raises:
            JobLeavingError: it is being removed.
            JobNotFailedError: it has not failed.
            JobNotFoundError: it was removed meanwhile.
            NotReadyError: the service is shutting down.
            StorageFailedError: the change cannot be kept; the job is as it was.
        """
        folder = await self.folder()
        if job.state == "failed" and (task := self._tasks.get(job.id)):
            await asyncio.wait([task])  # it is at its end
        if job.id in self._leaving:
            raise JobLeavingError("the job is being deleted")
        await self._on_disk(partial(folder.queue_again, job))
        self._fill()

    async def remove(self, job: Job) -> None:
        """Stop a job if it is worked on, and remove it.

        Raises:
            JobLeavingError: it is being removed already.
            JobNotFoundError: it was removed meanwhile.
            NotReadyError: the service is shutting down.
            StorageFailedError: it cannot be removed; it goes on, or is removed later.
        """
        folder = await self.folder()
        if job.id in self._leaving:
            raise JobLeavingError("the job is being deleted")
        self._leaving.add(job.id)
        try:
            cancellation, task = self._cancellations.get(job.id), self._tasks.get(job.id)
            if cancellation is not None:
                cancellation.cancel(CancelledError("the job is deleted"))
            if task is not None:
                await asyncio.wait([task])
            await self._on_disk(partial(folder.remove, job))
        finally:
            self._leaving.discard(job.id)
            self._fill()

    async def close(self) -> None:
        """Stop all jobs, which go on when the service starts again. May be called again."""
        self._choose = None
        if self._expiry is not None:
            self._expiry.cancel()
        for cancellation in self._cancellations.values():
            cancellation.cancel(NotReadyError("the service is shutting down"))
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        if not self._is_closed:
            if self._opened is not None:
                await self._on_disk(self._opened.close)
            self._is_closed = True
            self._executor.shutdown(wait=False)
            self._disk.shutdown(wait=False)

    def _fill(self) -> None:
        """Begin with as many jobs as may be worked on."""
        while self._opened is not None and self._choose is not None:
            jobs = self._opened.jobs()
            busy = self._leaving | self._tasks.keys()
            waiting = [job for job in jobs if not job.is_finished and job.id not in busy]
            if len(self._tasks) >= AT_ONCE or not waiting:
                return
            working = Counter(job.owner for job in jobs if job.id in self._tasks)
            job = min(waiting, key=lambda job: (working[job.owner], job.created_s))
            work = self._work(job, self._opened, self._choose)
            self._tasks[job.id] = asyncio.create_task(work)

    async def _work(self, job: Job, folder: JobsFolder, choose: Choose) -> None:
        with Cancellation(is_background=True) as cancellation, ExitStack() as stack:
            self._cancellations[job.id] = cancellation
            loop = asyncio.get_running_loop()
            try:
                chosen: Synthesizer | ServiceError
                try:
                    chosen = synthesizer = await choose(job.options.get("model"))
                    stack.enter_context(self._idleness_of(synthesizer).speaking())
                except ServiceError as error:
                    chosen = error
                action = partial(self._perform, job, folder, chosen, cancellation)
                await loop.run_in_executor(self._executor, action)
            finally:
                del self._cancellations[job.id], self._tasks[job.id]
        if job.is_finished or job.id in self._leaving:
            self._fill()
        elif self._choose is not None:
            loop.call_later(_AGAIN_S, self._fill)  # the model could not be loaded

    def _perform(
        self,
        job: Job,
        folder: JobsFolder,
        chosen: Synthesizer | ServiceError,
        cancellation: Cancellation,
    ) -> None:
        """Do the work of a job in a thread, and keep how it has ended, as soon as it can be kept.

        Until then the job is not finished, and nothing of it is removed.
        """
        end = self._end(job, folder, chosen, cancellation)
        stopped = threading.Event()
        with cancellation.calling(stopped.set):
            while end and not stopped.is_set():
                try:
                    folder.finish(job, **end)
                    return
                except StorageFailedError:
                    stopped.wait(_KEEP_AGAIN_S)
        job.state = "queued"

    def _end(
        self,
        job: Job,
        folder: JobsFolder,
        chosen: Synthesizer | ServiceError,
        cancellation: Cancellation,
    ) -> dict[str, Any]:
        """Return how the work of a job has ended; empty if it is to go on later."""
        document = folder.folder_of(job) / job.document
        try:
            if isinstance(chosen, ServiceError):
                raise chosen  # there is no such model any more, or it cannot be loaded
            options = JobOptions.model_validate(job.options)
            order = options.order(document, self._callers.lexicon_of(job.owner))
            outputs = perform(job, order, self._documents, chosen, cancellation, folder)
            return {"state": "done", "outputs": outputs, "error": None}
        except (CancelledError, NotReadyError, StorageFailedError):
            return {}
        except ServiceError as error:
            code, message = error.code, error.message
        except OSError as error:
            logger.error("a job failed: %s", error.strerror or type(error).__name__)
            message = f"the service could not write the files of the job: {cause(error)}"
            code = StorageFailedError.code
        except Exception:
            logger.exception("a job failed")
            code, message = "internal_error", "internal error"
        return {"state": "failed", "error": (code, message)}


def _check_options(options: dict[str, Any]) -> None:
    """Raise ValueError or ServiceError if kept options mean nothing to this version."""
    if JobOptions.model_validate(options).format != options.get("format"):
        raise ValueError("they name no format")
