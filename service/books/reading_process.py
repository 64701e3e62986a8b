"""Read documents in processes of their own, which end with limits or when nobody waits any more.

A document may be made so that reading it never ends, takes all memory or crashes a library. So
this process imports what reads documents, and a fork of it reads one. That takes some milliseconds;
a start takes half a second. Nothing else has been read in a fork, and nothing of it stays.

`main` runs in a process that `service.books.document_reader` starts. Its standard input is a Unix
socket; each message on it is the length of a request, then the request in JSON, with two file
descriptors. Into the first, a pipe, the fork writes its answer. The second is a socket whose
other end the service holds as long as it wants the answer: when that is closed, however the service
ends, the fork is killed. When the fork has ended, its status is written there: what `waitpid` says,
or -1 if no process could be started.

An answer is frames: a letter, the length, the content. `PIECE` is a piece of the book
(`service.books.book_pieces`), `LOGGED` a line for the service's log. Instead of a whole book, there
may be `REFUSED`, an error of the service: its class and message; `UNREADABLE`, an error of the
operating system: its number, text and file; `EXCEEDED`, the name of a limit; or `FAULT`, what went
wrong, without the document's text.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import json
import logging
import math
import os
import pkgutil
import resource
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from service.books import book_files
from service.books.book_pieces import BookTooLargeError, pieces_of
from service.books.labels import label
from service.errors import DocumentLimitError, ServiceError
from service.logs import describe

HEADER = struct.Struct("<cI")
"""Of a frame of an answer."""

PIECE, LOGGED, REFUSED, UNREADABLE, EXCEEDED, FAULT = b"p", b"l", b"r", b"u", b"e", b"f"

STATUS = struct.Struct("<i")
NOT_STARTED = -1

LENGTH = struct.Struct("<I")
"""Of a request."""

READER = "service.books.book_files:read_book"

_FAULT_CHARACTERS = 4000
"""The last of a traceback: that of an endless recursion has thousands of lines."""

_PR_SET_PDEATHSIG = 1  # linux/prctl.h

_OF_THE_DISK = frozenset({errno.EIO, errno.ESTALE})
"""Errors that no document can cause."""

_PARTS_TO_SPARE = 8
"""Who fails with less than this part of its memory left has failed for lack of it."""

_NICENESS = 10
"""Speech goes before documents."""


@dataclass(frozen=True)
class ReadingRequest:
    """What to read, and within which limits.

    Attributes:
        path: of the document.
        folder: that a relative path begins in.
        cpu_s: processor time.
        memory_bytes: that reading may take, beside what the process has already.
        answer_bytes: of the pieces of the book.
        reader: module, colon and name of a function from a path, and a name if there is one, to a
            book.
        name: of the document, as whoever has it read knows it; None if that is the file's.
    """

    path: str
    folder: str
    cpu_s: float
    memory_bytes: int
    answer_bytes: int
    reader: str = READER
    name: str | None = None

    @property
    def shown_name(self) -> str:
        """Return the document's name for messages."""
        return Path(self.path).name if self.name is None else label(self.name)

    def encode(self) -> bytes:
        """Return the request as a message."""
        message = json.dumps(asdict(self)).encode()
        return LENGTH.pack(len(message)) + message


def main() -> None:
    """Start forks that read documents until standard input ends."""
    # Terminals and service managers send these to all processes, but the service continues for a
    # while.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    book_files.load_readers()
    gc.freeze()  # so that forks share these pages
    _Forks(control).serve()


class _Forks:
    """The forks that read, each with the socket of who waits for it.

    Args:
        control: brings the requests.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._waiting: dict[int, socket.socket] = {}
        """By the forks' numbers."""
        self._killed: set[int] = set()
        self._woken, self._waking = socket.socketpair()
        self._woken.setblocking(False)
        self._waking.setblocking(False)
        # So that poll returns when a fork has ended.
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Serve until the input ends, then kill all forks."""
        control, woken = self._control.fileno(), self._woken.fileno()
        while True:
            forks = {s.fileno(): pid for pid, s in self._waiting.items() if pid not in self._killed}
            poll = select.poll()
            for descriptor in (control, woken, *forks):
                poll.register(descriptor, select.POLLIN)
            ready = {descriptor for descriptor, _ in poll.poll()}
            if woken in ready:
                self._woken.recv(4096)
            for descriptor in ready & forks.keys():  # nothing is sent on it, so it was closed
                self._kill(forks[descriptor])
            self._reap(os.WNOHANG)
            if control in ready and not self._start_next():
                for pid in self._waiting.keys() - self._killed:
                    self._kill(pid)
                self._reap(0)
                return

    def _kill(self, pid: int) -> None:
        # Nobody but this thread waits for it, so the number is still its own.
        os.kill(pid, signal.SIGKILL)
        self._killed.add(pid)

    def _reap(self, options: int) -> None:
        """Tell the status of forks that have ended."""
        for pid in list(self._waiting):
            ended, status = os.waitpid(pid, options)
            if ended:
                self._killed.discard(pid)
                with self._waiting.pop(pid) as waiting, suppress(OSError):  # it may have left
                    waiting.sendall(STATUS.pack(status))

    def _start_next(self) -> bool:
        """Start a fork for the next request; return whether there is one."""
        head, descriptors, _, _ = socket.recv_fds(self._control, LENGTH.size, 2)
        message = self._received(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
        if not message:
            return False
        answer, connection = descriptors
        waiting = socket.socket(fileno=connection)
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            with waiting, suppress(OSError):
                waiting.sendall(STATUS.pack(NOT_STARTED))
        else:
            if pid == 0:
                status = 1
                try:
                    waiting.close()
                    self._forget()
                    _read(ReadingRequest(**json.loads(message)), answer, parent)
                    status = 0
                finally:
                    os._exit(status)
            self._waiting[pid] = waiting
        os.close(answer)
        return True

    def _received(self, n_bytes: int) -> bytes:
        """Return the rest of a message; nothing if it is cut off."""
        message = b""
        while len(message) < n_bytes:
            part = self._control.recv(n_bytes - len(message))
            if not part:
                return b""
            message += part
        return message

    def _forget(self) -> None:
        """Close, in a fork, what belongs to the others."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for other in (self._control, self._woken, self._waking, *self._waiting.values()):
            other.close()


def _read(request: ReadingRequest, answer: int, parent: int) -> None:
    """Read a document in a fork, and write the answer."""
    if sys.platform == "linux":
        _die_with(parent)
    os.dup2(0, 2)  # what libraries print may quote the document
    if not os.path.isabs(request.path):
        os.chdir(request.folder)
    _limit(request)
    with os.fdopen(answer, "wb") as stream:
        _answer(request, stream)


def _limit(request: ReadingRequest) -> None:
    """Set the limits of this process; what ends it by a signal leaves no core file."""
    cpu_s = math.ceil(request.cpu_s)
    _lower(resource.RLIMIT_CPU, cpu_s)
    _lower(resource.RLIMIT_FSIZE, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICENESS)
    if sys.platform != "linux":
        return
    with open("/proc/self/statm", encoding="ascii") as statm:
        mapped_bytes = int(statm.read().split()[0]) * resource.getpagesize()
    _lower(resource.RLIMIT_AS, mapped_bytes + request.memory_bytes)
    with suppress(OSError):  # a container may forbid it
        # If the machine has no memory left, this process goes, and not the service.
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when the one that forked it is killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was killed meanwhile
        os._exit(1)


def _lower(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, hard))


def _answer(request: ReadingRequest, stream: BinaryIO) -> None:
    """Read a document and write the answer."""

    def write(kind: bytes, content: bytes) -> None:
        stream.write(HEADER.pack(kind, len(content)) + content)

    def write_refusal(error: ServiceError) -> None:
        write(REFUSED, json.dumps([type(error).__name__, error.message]).encode())

    logging.getLogger("service").addHandler(
        _Telling(lambda line: write(LOGGED, line[-_FAULT_CHARACTERS:].encode()))
    )
    try:
        read = pkgutil.resolve_name(request.reader)
        names = () if request.name is None else (request.name,)
        book = read(Path(request.path), *names)
        for piece in pieces_of(book, request.answer_bytes):
            write(PIECE, piece)
    except BookTooLargeError as error:
        write_refusal(DocumentLimitError(f"{request.shown_name} {error}; divide it"))
    except Exception as error:
        if isinstance(error, MemoryError) or _is_full():
            _raise_memory_limit()
            write(EXCEEDED, b"memory")
        elif isinstance(error, ServiceError):
            write_refusal(error)
        elif isinstance(error, OSError) and (
            error.errno in _OF_THE_DISK or error.filename == request.path
        ):
            told = [error.errno, error.strerror, error.filename]
            write(UNREADABLE, json.dumps(told).encode())
        else:
            # Without its message, which may quote the document.
            write(FAULT, describe(error)[-_FAULT_CHARACTERS:].encode())


class _Telling(logging.Handler):
    """Hands over what is logged: in this process nobody would see it."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Tell a line, which has no text of the document; called by logging."""
        self._tell(record.getMessage())


def _is_full() -> bool:
    """Tell whether memory was short: libraries call a document damaged that they cannot hold."""
    if sys.platform != "linux":
        return False
    limit_bytes = resource.getrlimit(resource.RLIMIT_AS)[0]
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (peak,) = (line for line in status.splitlines() if line.startswith("VmPeak:"))
    return limit_bytes - int(peak.split()[1]) * 1024 < limit_bytes // _PARTS_TO_SPARE


def _raise_memory_limit() -> None:
    """Make room for telling that there is none."""
    if sys.platform == "linux":
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
