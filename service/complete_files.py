"""Files that have their names only when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PARTIAL = ".part"


@contextmanager
def completed(path: Path) -> Iterator[Path]:
    """Give a path to write; it gets the name `path` when the block ends well.

    Raises:
        OSError: it cannot be written; a file that was there before stays as it was.
    """
    partial = path.with_name(f".{path.name}{_PARTIAL}")
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_whole(output: Path, content: bytes) -> None:
    """Write a file that never has its name before it is complete; a device is written as it is.

    Raises:
        OSError: it cannot be written; a file that was there before stays as it was.
    """
    place = output.resolve()  # a symbolic link stays one
    if place.exists() and not place.is_file():
        with open(place, "wb") as device:
            device.write(content)
        return
    mode = place.stat().st_mode if place.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    partial = Path(name)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(mode & 0o7777)
        os.replace(partial, place)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
