"""Memory and CPU time of a process, see proc(5); imports only what takes little memory."""

from __future__ import annotations

import os
import re
from pathlib import Path


def mebibytes(field: str, pid: int | str = "self") -> float:
    """Return a memory field of a process in MiB.

    VmRSS is resident memory, and VmHWM its peak. Pss counts a page that is mapped several times, by
    this process or others, only once in all.
    """
    file = "smaps_rollup" if field == "Pss" else "status"
    content = Path(f"/proc/{pid}/{file}").read_text(encoding="utf-8")
    match = re.search(rf"^{field}:\s+(\d+) kB$", content, re.MULTILINE)
    assert match is not None
    return int(match.group(1)) / 1024


def cpu_s(pid: int | str = "self") -> float:
    """Return the CPU seconds of a process, over all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
