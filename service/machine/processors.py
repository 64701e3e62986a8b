"""How many processors this process may keep busy."""

from __future__ import annotations

import os
from pathlib import Path

from service.machine.control_groups import ControlGroup, control_groups


def count_processors(root: Path = Path("/")) -> int:
    """Return how many threads this process can run at once, at least 1.

    That is the number of cores it may use, or less with a quota of processor time, as `docker
    --cpus` and the limits of Kubernetes set it; of one and a half processors two are used. With
    more threads than that, the quota is spent early in each period, and all of them wait for the
    next: two threads on half a processor took 20 % longer than one.

    Args:
        root: folder to use as `/` for the files of control groups.
    """
    groups = control_groups(root, "cpu", "cpu.cfs_quota_us", "cpu.max")
    quotas = [-(-quota // period) for quota, period in map(_quota, groups) if quota > 0 < period]
    return max(1, min([len(os.sched_getaffinity(0)), *quotas]))


def _quota(group: ControlGroup) -> tuple[int, int]:
    """Return the microseconds that a group may run in each period, and the period; 0 for no limit,
    or if it cannot be read any more."""
    try:
        if group.version == 2:
            quota, period = group.read("cpu.max").split()
        else:
            quota, period = group.read("cpu.cfs_quota_us"), group.read("cpu.cfs_period_us")
        return int(quota), int(period)
    except (OSError, ValueError):  # "max" where there is none
        return 0, 0
