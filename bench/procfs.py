"""What the kernel says of a process; see proc(5). Imports nothing that would weigh in it."""

from __future__ import annotations

import os
import re
from pathlib import Path


def mebibytes(field: str, pid: int | str = "self") -> float:
    """Return a field of the memory of a process: VmRSS is resident, VmHWM the most of it so far."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    match = re.search(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE)
    assert match is not None
    return int(match.group(1)) / 1024


def cpu_s(pid: int | str = "self") -> float:
    """Return the seconds that a process has computed, its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
