"""The work of a job: from its document to its files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from service.audio import SOURCE_RATE_HZ
from service.books.audiobook import Audiobook, Order
from service.books.book import Book
from service.books.document_reader import DocumentReader
from service.books.journal import Journal
from service.books.outputs import remove_state
from service.books.pace import Pace
from service.errors import DamagedJournalError, SynthesisError
from service.jobs.jobs_folder import JobsFolder
from service.jobs.record import Job
from service.speech import Cancellation, Synthesizer


@dataclass(frozen=True)
class JobOrder:
    """What a job is to do.

    Attributes:
        document: the file of its text; its ending tells what it is.
        title: of the document; None for its own.
        order: what it becomes, in the folder of the job.
    """

    document: Path
    title: str | None
    order: Order

    def read(
        self,
        documents: DocumentReader,
        cancellation: Cancellation,
        reading: Callable[[], AbstractContextManager[None]] = nullcontext,
        name: str | None = None,
    ) -> Book:
        """Read the document.

        Args:
            documents: reads it.
            cancellation: stops that.
            reading: see `DocumentReader.read`.
            name: as the caller knows it; None if that is the file's.

        Raises:
            ServiceError: see `DocumentReader.read`.
            OSError: the file cannot be read.
        """
        book = documents.read(self.document, cancellation, reading, name)
        return book if self.title is None else replace(book, title=self.title)


class _Progress:
    """Notes in a job how far it is."""

    def __init__(self, job: Job, folder: JobsFolder) -> None:
        self._job = job
        self._folder = folder

    def tell(self, event: str, line: str, **fields: Any) -> None:
        if event == "planned":
            self._job.state = "speaking"
            self._job.n_dropped = fields["dropped"]
        elif event == "left_out":
            self._job.left_out = line
        elif event == "note":
            self._job.notes = [*dict.fromkeys([*self._job.notes, fields["note"]])]
        elif event == "ignored":
            self._job.ignored = fields["ignored"]
        elif event == "levelled":
            self._job.loudness_lufs = fields["lufs"]
        elif event == "done":
            self._job.duration_s = fields["samples"] / SOURCE_RATE_HZ

    def planning(self, share: float) -> None:
        self._job.state = "planning"

    def show(self, chapter: int, pace: Pace) -> None:
        job = self._job
        job.state = "speaking"
        job.progress, job.left_s, job.duration_s = pace.share, pace.left_s, pace.foretold_s
        self._folder.check_room(job)


def perform(
    job: Job,
    job_order: JobOrder,
    documents: DocumentReader,
    synthesizer: Synthesizer,
    cancellation: Cancellation,
    folder: JobsFolder,
) -> list[str]:
    """Do what is left to do of a job; return the names of its files.

    Runs in a thread, for as long as it takes. Requests go before it. The document and the journal
    stay, for it is not kept yet that the job is done.

    Args:
        job: is told how far it is.
        job_order: of the job.
        documents: reads its document.
        synthesizer: says it.
        cancellation: of background work; stops it.
        folder: of the jobs.

    Raises:
        StorageFullError: there is no room for more.
        StorageFailedError: the folder cannot be written now.
        ServiceError: the document cannot be read or said, or it is the reason of the cancellation.
        OSError: something cannot be written.
    """
    order = job_order.order
    book = job_order.read(documents, cancellation, partial(folder.reading, job), job.title)
    wait = partial(synthesizer.wait_for_requests, cancellation)
    try:
        with Journal(order.output.state) as journal:
            job.n_dropped = journal.n_dropped  # of a plan that the process before has made
            audiobook = Audiobook(
                book, order.choice.of(book), order, journal, _Progress(job, folder)
            )
            audiobook.make(
                synthesizer, lambda identity: journal.identity != dict(identity), cancellation
            )
            job.state, job.progress, job.left_s = "writing", 1.0, None
            came = datetime.fromtimestamp(int(job.created_s), timezone.utc)
            written = audiobook.write(came, wait)
    except DamagedJournalError as error:
        remove_state(order.output)
        raise SynthesisError(
            "what was made of the speech is damaged, and was dropped; try the job again"
        ) from error
    return [path.name for path in written]
