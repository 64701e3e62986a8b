"""The machine's memory: total and available."""

from __future__ import annotations

import re
from pathlib import Path

from service.machine.control_groups import ControlGroup, control_groups, read_kernel_file

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
        found = control_groups(root, "memory", "memory.limit_in_bytes", "memory.max")
        self._groups = [group for group in map(_Group, found) if group.limit() is not None]
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
        match = re.search(
            rb"^%b:\s+(\d+) kB$" % name, read_kernel_file(self._meminfo), re.MULTILINE
        )
        if match is None:
            raise ValueError(f"{self._meminfo} has no {name.decode()}")
        return int(match[1]) << 10


class _Group:
    """A control group for memory."""

    def __init__(self, group: ControlGroup) -> None:
        self._group = group
        if group.version == 2:
            self._limit, self._usage, self._cache = "memory.max", "memory.current", b"inactive_file"
        else:
            self._limit, self._usage = "memory.limit_in_bytes", "memory.usage_in_bytes"
            # The counts that begin with total are those with the groups below.
            self._cache = b"total_inactive_file"

    def limit(self) -> int | None:
        """Return the limit in bytes; None if there is none, or it cannot be read any more."""
        try:
            limit = int(self._group.read(self._limit))
        except (OSError, ValueError):  # "max" where there is none
            return None
        return limit if limit < _UNLIMITED else None

    def room(self) -> int | None:
        """Return how much more the group may use; None if it has no limit."""
        limit = self.limit()
        if limit is None:
            return None
        try:
            used = int(self._group.read(self._usage))
            # Pages of files that nobody has used lately go when room is needed.
            stat = dict(line.split() for line in self._group.read("memory.stat").splitlines())
            return max(0, limit - max(0, used - int(stat.get(self._cache, 0))))
        except (OSError, ValueError):
            return None
