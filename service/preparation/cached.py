"""What is in the cache: list it, and remove it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PREPARED = "prepared"
"""The folder of prepared models."""

PARTIAL = ".partial-"
"""Begins the names of folders that are being written or removed."""


@dataclass(frozen=True)
class Cached:
    """A prepared model, a published one that was put together, or what TensorRT compiled.

    Attributes:
        path: the file or folder.
        size_bytes: of all its files.
        used_s: when it was last used, in seconds since the epoch.
    """

    path: Path
    size_bytes: int
    used_s: float

    @property
    def name(self) -> str:
        """Return the name that `remove` takes."""
        return self.path.name


def cached(cache_dir: Path) -> list[Cached]:
    """Return everything in a cache, last used first; nothing if it does not exist.

    Raises:
        OSError: it cannot be read.
    """
    found = []
    for path in _paths(cache_dir):
        try:
            found.append(Cached(path, _size(path), path.stat().st_mtime))
        except FileNotFoundError:
            continue  # another process removed it
    return sorted(found, key=lambda one: one.used_s, reverse=True)


def remove(path: Path) -> None:
    """Remove a file or a folder of the cache. Who has opened it keeps it.

    A folder vanishes at once; who is just opening it gets an error and makes it anew.

    Raises:
        FileNotFoundError: another process was quicker.
        OSError: it cannot be removed.
    """
    if not path.is_dir():
        path.unlink()
        return
    going = path.with_name(f"{PARTIAL}{path.name}")
    os.rename(path, going)
    shutil.rmtree(going)


def _paths(cache_dir: Path) -> Iterator[Path]:
    for folder in (cache_dir, cache_dir / PREPARED):
        if folder.is_dir():
            yield from (
                path
                for path in folder.iterdir()
                if path.suffix == ".onnx"
                or (path.is_dir() and path.name != PREPARED and not path.name.startswith(PARTIAL))
            )


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.lstat().st_size for file in path.rglob("*") if not file.is_dir())
    return path.stat().st_size
