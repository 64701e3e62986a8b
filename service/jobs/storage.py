"""What a folder of jobs needs of the disk: sizes, names that last, and its errors as ours."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from service.errors import StorageFailedError, StorageFullError

logger = logging.getLogger(__name__)

TRY_AGAIN_S = 60

_LOCKED = "another program has locked its database"
_FULL = "its disk is full"
_FAILING = "its disk fails"
_PROTECTED = "it may not be written"
_UNKNOWN = "the log says why"

_CAUSES: dict[int | None, str] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EIO: _FAILING,
    errno.EROFS: _PROTECTED,
    errno.EACCES: _PROTECTED,
    errno.EPERM: _PROTECTED,
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
}

_CAUSES_IN_SQLITE = {
    "locked": _LOCKED,
    "full": _FULL,
    "I/O": _FAILING,
    "readonly": _PROTECTED,
}
"""By what is in the message: before Python 3.11 an error has no code."""


class Sizes:
    """How many bytes each folder has. Thread-safe; its lock is held for no I/O.

    Args:
        most: bytes that all of them may have.

    Attributes:
        total: bytes that they have.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._of: dict[str, int] = {}
        self.total = 0

    def note(self, name: str, n_bytes: int) -> None:
        """Note the size of a folder."""
        with self._lock:
            self.total += n_bytes - self._of.get(name, 0)
            self._of[name] = n_bytes

    def drop(self, name: str) -> None:
        """Forget a folder that is gone."""
        with self._lock:
            self.total -= self._of.pop(name, 0)

    def reserve(self, name: str, n_bytes: int) -> None:
        """Note a new folder, or raise StorageFullError if there is no room for it."""
        with self._lock:
            self._check(n_bytes)
            self.total += n_bytes
            self._of[name] = n_bytes

    def check(self) -> None:
        """Raise StorageFullError if they have more bytes than they may."""
        self._check(0)

    def _check(self, n_more: int) -> None:
        if self.total + n_more > self._most:
            raise StorageFullError(
                f"the jobs take {self.total} of {self._most} bytes; delete some", TRY_AGAIN_S
            )


def refuse_on_event_loop() -> None:
    """Raise RuntimeError on the event loop, where waiting for a disk would hold up all requests."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError("the event loop must not wait for a disk")


@contextmanager
def storing() -> Iterator[None]:
    """Log errors of SQLite and of the file system, and raise StorageFailedError for them."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        logger.error("the folder of jobs cannot be changed: %s", reason(error))
        raise StorageFailedError(
            f"the service cannot write its folder of jobs now: {cause(error)}"
        ) from error


@contextmanager
def trying(consequence: str) -> Iterator[None]:
    """Log an error of what is tried again later."""
    try:
        yield
    except (OSError, sqlite3.Error, StorageFailedError) as error:
        logger.error("%s: %s", consequence, reason(error))


def reason(error: Exception) -> str:
    """Return what went wrong, without the paths that an OSError has."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error)


def cause(error: BaseException | None) -> str:
    """Return what stands in the way of a folder, for callers, as far as an error tells."""
    if isinstance(error, sqlite3.Error):
        message = str(error)
        known = (text for part, text in _CAUSES_IN_SQLITE.items() if part in message)
        return next(known, _UNKNOWN)
    if isinstance(error, OSError):
        return _CAUSES.get(error.errno) or cause(error.__cause__)
    return _UNKNOWN


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, outlast a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def erase(path: Path) -> None:
    """Remove a file, or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder; files may come and go meanwhile."""
    n_bytes = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                n_bytes += os.stat(os.path.join(path, name)).st_size
    return n_bytes
