"""Read documents with limits, in processes that are killed when nobody waits any more."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path

from service.books.book import Book
from service.books.ongoing_reading import FaultError, Reading, ReadingLimits, Starter
from service.books.reading_process import READER, ReadingRequest
from service.errors import InvalidBookError, NotReadyError
from service.speech import Cancellation
from service.speech.turns import Turns

logger = logging.getLogger(__name__)

AT_ONCE = 2
"""Documents that are read at a time; others wait. Each may take `document_memory_bytes`."""


class DocumentReader:
    """Reads documents, each in a process of its own. Threads may share one; forks must not.

    The process that starts them, `service.books.reading_process`, starts with the first document.
    All end with this object or with the service, however that ends.

    Args:
        limits: of each document.
        reader: module, colon and name of the function that reads; tests have others.
    """

    def __init__(self, limits: ReadingLimits, reader: str = READER) -> None:
        self._limits = limits
        self._reader = reader
        self._turns = Turns(range(AT_ONCE))
        self._lock = threading.Lock()
        self._process: Starter | None = None
        self._is_closed = False

    def read(
        self,
        path: Path,
        cancellation: Cancellation | None = None,
        reading: Callable[[], AbstractContextManager[None]] = nullcontext,
        name: str | None = None,
    ) -> Book:
        """Read a document; return what `read_book` would.

        Waits while others are read. Those of requests go before those of background work.

        Args:
            path: of the file; its ending tells what it is.
            cancellation: ends the process that reads it.
            reading: the document is read in the block of what it returns, not while it waits.
            name: see `read_book`.

        Raises:
            DocumentLimitError: it takes more than the limits allow; the message says which.
            InvalidBookError: it cannot be read, or has no text. The message says what to do.
            OSError: the file cannot be read.
            NotReadyError: this object is closed, or no process can be started.
            ServiceError: the reason of the cancellation.
        """
        limits, folder = self._limits, "" if path.is_absolute() else os.getcwd()
        request = ReadingRequest(
            os.fspath(path), folder, limits.cpu_s, limits.memory_bytes, limits.answer_bytes,
            self._reader, name,
        )  # fmt: skip
        with self._turns.take(cancellation), reading():
            # Again: somebody may have ended the process that starts others.
            book = self._try(request, cancellation) or self._try(request, cancellation)
        if book is None:
            raise NotReadyError("the process that reads documents has ended; try again")
        return book

    def close(self) -> None:
        """End all processes. Who waits for a document gets NotReadyError. May be called again."""
        with self._lock:
            self._is_closed = True
            process, self._process = self._process, None
        if process is not None:
            process.end()

    def __enter__(self) -> DocumentReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _try(self, request: ReadingRequest, cancellation: Cancellation | None) -> Book | None:
        """Read a document; return None if the process that starts others ended meanwhile."""
        process = self._started()
        with ExitStack() as stack:
            try:
                reading = stack.enter_context(Reading(process, request, self._limits))
            except BrokenPipeError:
                self._forget(process)
                return None
            except OSError as error:
                raise _unable(error) from error
            if cancellation is not None:
                stack.enter_context(cancellation.calling(reading.kill))
            try:
                book = reading.book()
            except (FaultError, InvalidBookError) as error:
                if cancellation is not None:
                    cancellation.check()
                self._check_open()
                if isinstance(error, InvalidBookError):
                    raise
                logger.error("a document could not be read: %s", error)
                raise InvalidBookError(
                    f"{reading.name} cannot be read; it is damaged, or needs to be "
                    "converted to another format, such as EPUB"
                ) from None
        if book is None:
            self._forget(process)
        return book

    def _started(self) -> Starter:
        with self._lock:
            self._check_open()
            if self._process is None:
                try:
                    self._process = Starter()
                except OSError as error:
                    raise _unable(error) from error
            return self._process

    def _check_open(self) -> None:
        if self._is_closed:
            raise NotReadyError("the service is shutting down")

    def _forget(self, process: Starter) -> None:
        """Start another process next time."""
        with self._lock:
            if self._process is process:
                self._process = None
        process.end()


def _unable(error: OSError) -> NotReadyError:
    """Return the error for a machine that has no processes or descriptors left."""
    return NotReadyError(f"the document cannot be read now: {error.strerror}")
