"""Read documents with limits, in processes that are killed when nobody waits any more."""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from service import errors
from service.books.book import Book
from service.books.book_pieces import BookTooLargeError, Collector, DamagedPieceError
from service.books.reading_process import (
    EXCEEDED,
    HEADER,
    NOT_STARTED,
    PIECE,
    READER,
    REFUSED,
    STATUS,
    UNREADABLE,
    ReadingRequest,
)
from service.errors import DocumentLimitError, InvalidBookError, NotReadyError, ServiceError
from service.settings import Settings
from service.speech import Cancellation
from service.speech.turns import Turns

logger = logging.getLogger(__name__)

AT_ONCE = 2
"""Documents that are read at a time; others wait. Each may take `document_memory_bytes`."""

_COMMAND = (
    sys.executable,
    "-I",  # ignores the current folder and the environment
    "-c",
    # It imports from the same places as this process.
    "import sys, json; sys.path = json.loads(sys.argv[1]); "
    "from service.books.reading_process import main; main()",
)

_ANSWER_BYTES = 96 << 20
"""Of the pieces of a book. Two million English words in paragraphs of ten have 53 MB."""

_PART_BYTES = 1 << 16
"""Of a read; a pipe holds no more."""

_KILL_S = 5.0
"""How long a killed process may take to end. One that the kernel cannot end is left to it."""


@dataclass(frozen=True)
class ReadingLimits:
    """The limits of reading a document.

    Attributes:
        cpu_s: processor time.
        wall_s: from the start of its process.
        memory_bytes: that its process takes for it. Kept on Linux.
        answer_bytes: of the book, as it comes from the process.
    """

    cpu_s: float
    wall_s: float
    memory_bytes: int
    answer_bytes: int = _ANSWER_BYTES

    @classmethod
    def of(cls, settings: Settings) -> ReadingLimits:
        """Return those of the settings."""
        return cls(
            settings.document_cpu_s, settings.document_timeout_s, settings.document_memory_bytes
        )


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
        self._process: _Process | None = None
        self._is_closed = False

    def read(
        self,
        path: Path,
        cancellation: Cancellation | None = None,
        reading: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> Book:
        """Read a document; return what `read_book` would.

        Waits while others are read. Those of requests go before those of background work.

        Args:
            path: of the file; its ending tells what it is.
            cancellation: ends the process that reads it.
            reading: the document is read in the block of what it returns, not while it waits.

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
            self._reader,
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
                reading = stack.enter_context(_Reading(process, request, self._limits))
            except BrokenPipeError:
                self._forget(process)
                return None
            except OSError as error:
                raise _unable(error) from error
            if cancellation is not None:
                stack.enter_context(cancellation.calling(reading.kill))
            try:
                book = reading.book()
            except (_FaultError, InvalidBookError) as error:
                if cancellation is not None:
                    cancellation.check()
                self._check_open()
                if isinstance(error, InvalidBookError):
                    raise
                logger.error("a document could not be read: %s", error)
                raise InvalidBookError(
                    f"{Path(request.path).name} cannot be read; it is damaged, or needs to be "
                    "converted to another format, such as EPUB"
                ) from None
        if book is None:
            self._forget(process)
        return book

    def _started(self) -> _Process:
        with self._lock:
            self._check_open()
            if self._process is None:
                try:
                    self._process = _Process()
                except OSError as error:
                    raise _unable(error) from error
            return self._process

    def _check_open(self) -> None:
        if self._is_closed:
            raise NotReadyError("the service is shutting down")

    def _forget(self, process: _Process) -> None:
        """Start another process next time."""
        with self._lock:
            if self._process is process:
                self._process = None
        process.end()


def _unable(error: OSError) -> NotReadyError:
    """Return the error for a machine that has no processes or descriptors left."""
    return NotReadyError(f"the document cannot be read now: {error.strerror}")


class _Process:
    """A running `service.books.reading_process`, which ends with this object."""

    def __init__(self) -> None:
        control, theirs = socket.socketpair()
        with theirs, ExitStack() as failing:
            failing.enter_context(control)
            popen = subprocess.Popen(
                [*_COMMAND, json.dumps(sys.path)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                # What a terminal sends to all processes is for this one.
                start_new_session=True,
            )
            self.end = weakref.finalize(self, _end, popen, control)
            failing.pop_all()
        self._control = control
        self._lock = threading.Lock()

    def ask(self, request: ReadingRequest, descriptors: list[int]) -> None:
        """Have a document read.

        Args:
            request: which, and how.
            descriptors: where the answer is written, and the other end of the connection.

        Raises:
            BrokenPipeError: the process has ended.
        """
        try:
            with self._lock:
                socket.send_fds(self._control, [request.encode()], descriptors)
        except OSError as error:
            raise BrokenPipeError from error


def _end(popen: subprocess.Popen[bytes], control: socket.socket) -> None:
    control.close()
    try:
        popen.wait(_KILL_S)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()


class _FaultError(Exception):
    """The process that reads a document has failed. The message has nothing of the document."""


class _Reading:
    """A document that is being read. A context manager: at its end nobody reads it any more.

    Args:
        process: starts the process that reads.
        request: which document.
        limits: of the document.

    Raises:
        BrokenPipeError: `process` has ended.
        OSError: there are no descriptors left.
    """

    def __init__(self, process: _Process, request: ReadingRequest, limits: ReadingLimits) -> None:
        self._name = Path(request.path).name
        self._limits = limits
        self._ended: int | None = None
        with ExitStack() as stack:
            self._answer, answer = os.pipe()
            stack.callback(os.close, answer)
            with ExitStack() as kept:
                kept.callback(os.close, self._answer)
                self._connection, theirs = socket.socketpair()
                kept.enter_context(self._connection)
                stack.enter_context(theirs)
                self._deadline_s = time.monotonic() + limits.wall_s
                process.ask(request, [answer, theirs.fileno()])
                self._kept = kept.pop_all()

    def __enter__(self) -> _Reading:
        return self

    def __exit__(self, *_: object) -> None:
        with self._kept:
            self.kill()
            self._status()

    def kill(self) -> None:
        """End the process, if it has not ended. Thread-safe."""
        with suppress(OSError):  # it is closed already
            self._connection.shutdown(socket.SHUT_WR)

    def book(self) -> Book | None:
        """Wait for the book; return None if `process` has ended.

        Raises:
            DocumentLimitError: it takes more than the limits allow.
            InvalidBookError: it is refused.
            _FaultError: its process has failed.
            OSError: the file cannot be read.
            NotReadyError: no process can be started.
        """
        collector = Collector(self._limits.answer_bytes)
        try:
            for kind, content in self._frames():
                if kind == PIECE:
                    collector.add(content)
                else:
                    raise self._failure(kind, content)
        except BookTooLargeError:
            raise self._exceeded("answer") from None
        except DamagedPieceError:
            raise _FaultError("its process sent no book") from None
        status = self._status()
        if status is None:
            return None
        if status == NOT_STARTED:
            raise NotReadyError("no process can be started to read the document")
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number == signal.SIGXCPU:
                raise self._exceeded("cpu")
            raise _FaultError(f"its process was ended by signal {number}")
        book = collector.book()
        if status != 0 or book is None:
            raise _FaultError(f"its process ended with status {status}")
        return book

    def _frames(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield kind and content of the answer's frames as they come."""
        received = bytearray()
        while self._wait_for(self._answer, self._deadline_s):
            part = os.read(self._answer, _PART_BYTES)
            if not part:
                return
            received += part
            while len(received) >= HEADER.size:
                kind, length = HEADER.unpack_from(received)
                end = HEADER.size + length
                if length > self._limits.answer_bytes:
                    raise BookTooLargeError
                if len(received) < end:
                    break
                yield kind, bytes(received[HEADER.size : end])
                del received[:end]
        raise self._exceeded("wall")

    def _status(self) -> int | None:
        """Wait until the process has ended; return its status, None if nobody knows it."""
        if self._ended is None and self._wait_for(
            self._connection.fileno(), time.monotonic() + _KILL_S
        ):
            told = self._connection.recv(STATUS.size)
            if len(told) == STATUS.size:
                (self._ended,) = STATUS.unpack(told)
        return self._ended

    @staticmethod
    def _wait_for(descriptor: int, deadline_s: float) -> bool:
        """Wait until something comes, or the end; return whether it did in time."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(max(0.0, 1000 * (deadline_s - time.monotonic()))))

    def _failure(self, kind: bytes, content: bytes) -> Exception:
        """Return what the process has told instead of a book."""
        if kind == REFUSED:
            name, message = json.loads(content)
            failure: ServiceError = getattr(errors, name)(message)
            return failure
        if kind == UNREADABLE:
            return OSError(*json.loads(content))
        if kind == EXCEEDED:
            return self._exceeded(content.decode())
        return _FaultError(content.decode())

    def _exceeded(self, limit: str) -> DocumentLimitError:
        limits = self._limits
        return DocumentLimitError(
            f"{self._name} "
            + {
                "cpu": f"takes more than {limits.cpu_s:g} s of processor time to read "
                "(document_cpu_s)",
                "wall": f"takes more than {limits.wall_s:g} s to read (document_timeout_s)",
                "memory": f"takes more than {limits.memory_bytes} bytes of memory to read "
                "(document_memory_bytes)",
                "answer": f"has more than {limits.answer_bytes} bytes of text",
            }[limit]
            + "; divide it, or have it converted to plain text"
        )
