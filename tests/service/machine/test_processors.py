import os
from collections.abc import Callable
from pathlib import Path

import pytest
from service.model.runtime import open_runtime

from service.machine import count_processors

Grow = Callable[[dict[str, str]], Path]


@pytest.fixture(autouse=True)
def _eight_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))


@pytest.mark.parametrize(
    ("quota", "expected"),
    [
        ("50000 100000", 1),  # docker --cpus 0.5
        ("100000 100000", 1),
        ("150000 100000", 2),
        ("400000 100000", 4),
        ("1250 2500", 1),
        ("3200000 100000", 8),
        ("1000 100000", 1),
        ("max 100000", 8),
        ("", 8),
        ("max", 8),
        ("0 100000", 8),
        ("100000 0", 8),
    ],
)
def test_a_quota_of_version_2_bounds_it(grow, quota, expected):
    root = grow({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": f"{quota}\n"})
    assert count_processors(root) == expected


@pytest.mark.parametrize(
    ("quota", "period", "expected"),
    [("50000", "100000", 1), ("250000", "100000", 3), ("-1", "100000", 8), ("100000", "0", 8)],
)
@pytest.mark.parametrize("tree", ["cpu", "cpu,cpuacct"])
def test_a_quota_of_version_1_bounds_it(grow, tree, quota, period, expected):
    group = f"sys/fs/cgroup/{tree}/docker/ab"
    root = grow(
        {
            "proc/self/cgroup": "9:name=systemd:/docker/ab\n4:cpu,cpuacct:/docker/ab\n0::/\n",
            f"{group}/cpu.cfs_quota_us": f"{quota}\n",
            f"{group}/cpu.cfs_period_us": f"{period}\n",
        }
    )
    assert count_processors(root) == expected


def test_the_lowest_quota_of_all_groups_around_it_bounds_it(grow):
    tree = "sys/fs/cgroup"
    root = grow(
        {
            "proc/self/cgroup": "0::/kubepods/pod1/inner\n",
            f"{tree}/kubepods/cpu.max": "600000 100000\n",
            f"{tree}/kubepods/pod1/cpu.max": "200000 100000\n",
            f"{tree}/kubepods/pod1/inner/cpu.max": "max 100000\n",
        }
    )
    assert count_processors(root) == 2


def test_other_controllers_bound_nothing(grow):
    root = grow(
        {
            "proc/self/cgroup": "3:cpuset:/a\n2:cpuacct:/a\n",
            "sys/fs/cgroup/cpuset/a/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpuset/a/cpu.cfs_period_us": "100000\n",
        }
    )
    assert count_processors(root) == 8
    assert count_processors(grow({"proc/meminfo": ""})) == 8


def test_threads_are_as_many_as_the_quota_allows(monkeypatch):
    monkeypatch.setattr("service.model.runtime.count_processors", lambda: 3)
    assert open_runtime("cpu").threads == 3
    assert open_runtime("cpu", 5).threads == 5
