"""A document that is being read, and the process that starts the one that reads it."""

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
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from service import errors
from service.books.book import Book
from service.books.book_pieces import BookTooLargeError, Collector, DamagedPieceError
from service.books.reading_process import (
    EXCEEDED,
    HEADER,
    LOGGED,
    NOT_STARTED,
    PIECE,
    REFUSED,
    STATUS,
    UNREADABLE,
    ReadingRequest,
)
from service.errors import DocumentLimitError, NotReadyError, ServiceError
from service.settings import Settings

logger = logging.getLogger(__name__)

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


class Starter:
    """A running `service.books.reading_process`, which starts others and ends with this object.

    Raises:
        OSError: there are no processes or descriptors left.
    """

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


class FaultError(Exception):
    """The process that reads a document has failed. The message has nothing of the document."""


class Reading:
    """A document that is being read. A context manager: at its end nobody reads it any more.

    Args:
        process: starts the process that reads.
        request: which document.
        limits: of the document.

    Attributes:
        name: of the document, for messages.

    Raises:
        BrokenPipeError: `process` has ended.
        OSError: there are no descriptors left.
    """

    def __init__(self, process: Starter, request: ReadingRequest, limits: ReadingLimits) -> None:
        self.name = request.shown_name
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

    def __enter__(self) -> Reading:
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
            FaultError: its process has failed.
            OSError: the file cannot be read.
            NotReadyError: no process can be started.
        """
        collector = Collector(self._limits.answer_bytes)
        try:
            for kind, content in self._frames():
                if kind == PIECE:
                    collector.add(content)
                elif kind == LOGGED:
                    logger.warning("%s", content.decode())
                else:
                    raise self._failure(kind, content)
        except BookTooLargeError:
            raise self._exceeded("answer") from None
        except DamagedPieceError:
            raise FaultError("its process sent no book") from None
        status = self._status()
        if status is None:
            return None
        if status == NOT_STARTED:
            raise NotReadyError("no process can be started to read the document")
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number == signal.SIGXCPU:
                raise self._exceeded("cpu")
            raise FaultError(f"its process was ended by signal {number}")
        book = collector.book()
        if status != 0 or book is None:
            raise FaultError(f"its process ended with status {status}")
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
        return FaultError(content.decode())

    def _exceeded(self, limit: str) -> DocumentLimitError:
        limits = self._limits
        return DocumentLimitError(
            f"{self.name} "
            + {
                "cpu": f"takes more than {limits.cpu_s:g} s of processor time to read "
                "(document_cpu_s)",
                "wall": f"takes more than {limits.wall_s:g} s to read (document_timeout_s)",
                "memory": f"takes more than {limits.memory_bytes} bytes of memory to read "
                "(document_memory_bytes)",
                "answer": "has more paragraphs and text than are kept of a book",
            }[limit]
            + "; divide it, or have it converted to plain text"
        )
