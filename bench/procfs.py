"""Memory and CPU time of a process or the machine, see proc(5); with imports that take little."""

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


def machine_cpu_s() -> float:
    """Return the CPU seconds of all processes since the machine has started."""
    user, nice, system, _idle, _iowait, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
