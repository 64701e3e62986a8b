import os
from collections.abc import Callable
from pathlib import Path

import pytest

from service.machine import SystemMemory

Grow = Callable[[dict[str, str]], Path]

MEMINFO = "MemTotal:        8000 kB\nMemFree:  100 kB\nMemAvailable:    4000 kB\n"
TOTAL, AVAILABLE = 8000 << 10, 4000 << 10


def test_the_system_tells_total_and_available(jetson):
    assert jetson.memory.total_bytes() == 7_802_176 << 10
    assert jetson.memory.available_bytes() == 4_910_080 << 10


@pytest.mark.parametrize(
    ("cgroup", "group"),
    [
        ("0::/", "sys/fs/cgroup"),
        ("0::/system.slice/kokoro.service", "sys/fs/cgroup/system.slice/kokoro.service"),
        ("0::/kubepods/pod1/inner", "sys/fs/cgroup/kubepods"),
        ("0::/../../elsewhere", "sys/fs/cgroup"),
    ],
)
def test_a_group_of_version_2_bounds_it(grow, cgroup, group):
    root = grow(
        {
            "proc/meminfo": MEMINFO, "proc/self/cgroup": f"{cgroup}\n", f"{group}/memory.max": "3000000\n",
            f"{group}/memory.current": "2000000\n",
            f"{group}/memory.stat": "anon 1\ninactive_file 500000\nactive_file 7\n",
        }
    )  # fmt: skip
    memory = SystemMemory(root)
    assert memory.total_bytes() == 3_000_000
    assert memory.available_bytes() == 3_000_000 - (2_000_000 - 500_000)
    (root / group / "memory.current").write_text("4000000\n")
    assert memory.available_bytes() == 0


def test_a_group_of_version_1_bounds_it(grow):
    group = "sys/fs/cgroup/memory"  # a container sees its own group at the top
    root = grow(
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "9:name=systemd:/docker/ab\n4:memory:/docker/ab\n0::/\n",
            f"{group}/memory.limit_in_bytes": "2000000\n",
            f"{group}/memory.usage_in_bytes": "1500000\n",
            f"{group}/memory.stat": "inactive_file 1\ntotal_inactive_file 300000\n",
        }
    )
    memory = SystemMemory(root)
    assert (memory.total_bytes(), memory.available_bytes()) == (2_000_000, 800_000)


@pytest.mark.parametrize(
    ("name", "limit"),
    [("memory.max", "max"), ("memory.max", "99000000000"), ("memory.limit_in_bytes", str(2**63 - 4096))],
)
def test_no_limit_or_a_high_one_bounds_nothing(grow, name, limit):
    second = name == "memory.max"
    group = "sys/fs/cgroup" if second else "sys/fs/cgroup/memory"
    root = grow(
        {
            "proc/meminfo": MEMINFO, "proc/self/cgroup": "0::/\n" if second else "4:memory:/\n",
            f"{group}/{name}": f"{limit}\n", f"{group}/memory.current": "1000\n",
            f"{group}/memory.stat": "inactive_file 0\n",
        }
    )  # fmt: skip
    memory = SystemMemory(root)
    assert (memory.total_bytes(), memory.available_bytes()) == (TOTAL, AVAILABLE)


def test_what_is_available_is_asked_anew(grow):
    root = grow({"proc/meminfo": MEMINFO})
    memory = SystemMemory(root)
    (root / "proc/meminfo").write_text(MEMINFO.replace("4000", "1000"))
    assert memory.available_bytes() == 1000 << 10


def test_another_format_is_refused(grow):
    with pytest.raises(ValueError, match="MemTotal"):
        SystemMemory(grow({"proc/meminfo": "Memory: plenty\n"}))


def test_this_machine_has_memory():
    memory = SystemMemory()
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < memory.available_bytes() <= memory.total_bytes() <= physical
