"""A lock on a folder, for as long as a process works in it."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

_FILE = ".lock"


def lock_folder(folder: Path) -> IO[bytes]:
    """Lock a folder, and return a file that holds the lock until it is closed.

    The system frees the lock when the process ends, however it ends.

    Raises:
        BlockingIOError: another process, or another part of this one, has it.
        OSError: the folder cannot be written.
    """
    file = (folder / _FILE).open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        file.close()
        raise
    return file
