"""The machine's memory: total and available."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_UNLIMITED = 1 << 60
"""Control groups of version 1 report a huge number if there is no limit."""


class SystemMemory:
    """The memory of the system, or less with a limit of a control group.

    On a board with Tegra it is the GPU's memory too. The control groups with a limit are looked up
    once. Each query then reads one to three small files, in some hundredths of a millisecond.

    Args:
        root: folder to use as `/`.

    Raises:
        OSError: there is no `proc/meminfo`.
        ValueError: it is not in Linux's format.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._meminfo = str(root / "proc/meminfo")
        self._groups = [group for group in _groups(root) if group.limit() is not None]
        self.total_bytes()
        self.available_bytes()

    def total_bytes(self) -> int:
        """Return the size of the memory, or the lowest limit of a control group."""
        limits = [group.limit() for group in self._groups]
        return min([self._field(b"MemTotal"), *(limit for limit in limits if limit is not None)])

    def available_bytes(self) -> int:
        """Return what can be allocated without swapping and within the limits.

        File caches count as available, as in MemAvailable.
        """
        rooms = [group.room() for group in self._groups]
        return min([self._field(b"MemAvailable"), *(room for room in rooms if room is not None)])

    def _field(self, name: bytes) -> int:
        match = re.search(rb"^%b:\s+(\d+) kB$" % name, _read(self._meminfo), re.MULTILINE)
        if match is None:
            raise ValueError(f"{self._meminfo} has no {name.decode()}")
        return int(match[1]) << 10


class _Group:
    """A control group for memory, of version 1 or 2."""

    def __init__(self, folder: Path, limit: str, usage: str, cache: bytes) -> None:
        self._limit = str(folder / limit)
        self._usage = str(folder / usage)
        self._stat = str(folder / "memory.stat")
        self._cache = cache

    def limit(self) -> int | None:
        """Return the limit in bytes; None if there is none, or it cannot be read any more."""
        try:
            limit = int(_read(self._limit))
        except (OSError, ValueError):  # "max" where there is none
            return None
        return limit if limit < _UNLIMITED else None

    def room(self) -> int | None:
        """Return how much more the group may use; None if it has no limit."""
        limit = self.limit()
        if limit is None:
            return None
        try:
            used = int(_read(self._usage))
            # Pages of files that nobody has used lately go when room is needed.
            stat = dict(line.split() for line in _read(self._stat).splitlines())
            return max(0, limit - max(0, used - int(stat.get(self._cache, 0))))
        except (OSError, ValueError):
            return None


def _groups(root: Path) -> Iterator[_Group]:
    """Yield the groups of this process that can have a limit, inner ones first.

    A container often sees its own group at the top of the tree, whatever its path outside is.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        tree = root / "sys/fs/cgroup"
        if not controllers:
            names = ("memory.max", "memory.current", b"inactive_file")
        elif "memory" in controllers.split(","):
            tree /= "memory"
            # The counts that begin with total are those with the groups below.
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", b"total_inactive_file")
        else:
            continue
        inner = PurePosixPath(path.lstrip("/"))
        for folder in (inner, *inner.parents):
            if (tree / folder / names[0]).is_file():
                yield _Group(tree / folder, *names)


def _read(path: str) -> bytes:
    """Read a small file of the kernel in one call."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)
