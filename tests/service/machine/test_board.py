import os
from pathlib import Path

import pytest

from service.machine import Gpu, SystemMemory, ask_driver, count_processors, read_board
from service.model.runtime import open_runtime

DPKG = """\
Package: libc6
Status: install ok installed
Version: 2.35-0ubuntu3.8
Description: GNU C Library
 Package: nvidia-jetpack
 Version: 9.9

Package: nvidia-jetpack
Status: {status}
Priority: standard
Version: 6.2.1+b38
Depends: nvidia-jetpack-runtime (= 6.2.1+b38)

Package: nvidia-l4t-core
Status: install ok installed
Version: 36.4.4-20250616085344
"""


def test_a_jetson_is_recognized_and_this_machine_can_be_read(jetson):
    assert read_board().model
    board = jetson.board
    assert board.model == "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super"
    assert board.tegra
    assert (board.l4t, board.jetpack, board.power_mode) == ("36.4.7", "6.2.1", "MAXN_SUPER")


def test_packages_that_were_not_removed_tell_where_there_is_no_release_file(grow):
    board = read_board(grow({"var/lib/dpkg/status": DPKG.format(status="install ok installed")}))
    assert (board.l4t, board.jetpack, board.tegra) == ("36.4.4", "6.2.1", True)
    status = DPKG.format(status="deinstall ok config-files").replace("36.4.4-", "36.3.0-")
    assert read_board(grow({"var/lib/dpkg/status": status})).jetpack == "6.0"


RELEASES = {
    "35.4.1": "5.1.2", "35.6.2": "5.1.5", "36.3.0": "6.0", "36.4.0": "6.1", "36.4.3": "6.2", "36.9.1": "6.x",
    "38.2.2": "7.0", "38.4.0": "7.1", "39.2.1": "7.2.1", "99.1.0": "",
}  # fmt: skip


def test_the_release_tells_the_jetpack(grow):
    def told(line):
        board = read_board(grow({"etc/nv_tegra_release": f"{line}\n"}))
        return board.l4t, board.jetpack

    found = []
    for l4t in RELEASES:
        release, _, revision = l4t.partition(".")
        found.append(told(f"# R{release} (release), REVISION: {revision}, GCID: 37537400, BOARD: generic"))
    assert found == [*RELEASES.items()]
    assert told("# R36 (release), REVISION: 9.1") == ("36.9.1", "6.x")
    assert told("no such line") == ("", "")


def test_the_model_is_looked_for_in_several_places_and_tegra_is_seen_in_a_container_too(grow):
    models = [
        ({"sys/devices/soc0/machine": "NVIDIA Jetson AGX Orin\n"}, "NVIDIA Jetson AGX Orin", False),
        ({"sys/class/dmi/id/product_name": "PowerEdge R650\n"}, "PowerEdge R650", False),
        ({"proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC\n"}, "AMD EPYC", False),
        ({}, "", False),
        ({"proc/device-tree/compatible": "nvidia,p4071-0000+p3834-0008\0nvidia,tegra264\0"}, "", True),
        ({"sys/devices/soc0/family": "Tegra\n"}, "", True),
        ({"proc/sys/kernel/osrelease": "5.15.148-tegra\n"}, "", True),
    ]
    found = [read_board(grow(files, f"{number}")) for number, (files, _, _) in enumerate(models)]
    assert [(one.model, one.tegra) for one in found] == [(model, tegra) for _, model, tegra in models]


@pytest.mark.parametrize(
    ("status", "mode"), [("pmode:0000", "15W"), ("pmode:0009", "mode 9"), ("", ""), ("pmode:", "")]
)
def test_the_power_mode_has_its_name(grow, status, mode):
    conf = "# < POWER_MODEL ID=0 NAME=EXAMPLE >\n< POWER_MODEL ID=0 NAME=15W >\n"
    root = grow({"var/lib/nvpmodel/status": status, "etc/nvpmodel.conf": conf})
    assert read_board(root).power_mode == mode


# Memory.


MEMINFO = "MemTotal:        8000 kB\nMemFree:  100 kB\nMemAvailable:    4000 kB\n"


def test_the_system_and_this_machine_tell_total_and_available(jetson):
    assert jetson.memory.total_bytes() == 7_802_176 << 10
    assert jetson.memory.available_bytes() == 4_910_080 << 10
    memory = SystemMemory()
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < memory.available_bytes() <= memory.total_bytes() <= physical


@pytest.mark.parametrize(("cgroup", "group"), [
    ("0::/", "sys/fs/cgroup"),
    ("0::/system.slice/kokoro.service", "sys/fs/cgroup/system.slice/kokoro.service"),
    ("0::/kubepods/pod1/inner", "sys/fs/cgroup/kubepods"),
    ("0::/../../elsewhere", "sys/fs/cgroup"),
])  # fmt: skip
def test_a_group_of_version_2_bounds_it(grow, cgroup, group):
    root = grow({
        "proc/meminfo": MEMINFO, "proc/self/cgroup": f"{cgroup}\n", f"{group}/memory.max": "3000000\n",
        f"{group}/memory.current": "2000000\n",
        f"{group}/memory.stat": "anon 1\ninactive_file 500000\nactive_file 7\n",
    })  # fmt: skip
    memory = SystemMemory(root)
    assert memory.total_bytes() == 3_000_000
    assert memory.available_bytes() == 3_000_000 - (2_000_000 - 500_000)
    (root / group / "memory.current").write_text("4000000\n")
    assert memory.available_bytes() == 0


def test_a_group_of_version_1_bounds_it(grow):
    group = "sys/fs/cgroup/memory"  # a container sees its own group at the top
    root = grow({
        "proc/meminfo": MEMINFO,
        "proc/self/cgroup": "9:name=systemd:/docker/ab\n4:memory:/docker/ab\n0::/\n",
        f"{group}/memory.limit_in_bytes": "2000000\n",
        f"{group}/memory.usage_in_bytes": "1500000\n",
        f"{group}/memory.stat": "inactive_file 1\ntotal_inactive_file 300000\n",
    })  # fmt: skip
    memory = SystemMemory(root)
    assert (memory.total_bytes(), memory.available_bytes()) == (2_000_000, 800_000)


@pytest.mark.parametrize(
    ("name", "limit"),
    [("memory.max", "max"), ("memory.max", "99000000000"), ("memory.limit_in_bytes", str(2**63 - 4096))],
)
def test_no_limit_or_a_high_one_bounds_nothing(grow, name, limit):
    second = name == "memory.max"
    group = "sys/fs/cgroup" if second else "sys/fs/cgroup/memory"
    root = grow({
        "proc/meminfo": MEMINFO, "proc/self/cgroup": "0::/\n" if second else "4:memory:/\n",
        f"{group}/{name}": f"{limit}\n", f"{group}/memory.current": "1000\n",
        f"{group}/memory.stat": "inactive_file 0\n",
    })  # fmt: skip
    memory = SystemMemory(root)
    assert (memory.total_bytes(), memory.available_bytes()) == (8000 << 10, 4000 << 10)


def test_memory_is_asked_anew_in_the_format_of_linux(grow):
    root = grow({"proc/meminfo": MEMINFO})
    memory = SystemMemory(root)
    (root / "proc/meminfo").write_text(MEMINFO.replace("4000", "1000"))
    assert memory.available_bytes() == 1000 << 10
    with pytest.raises(ValueError, match="MemTotal"):
        SystemMemory(grow({"proc/meminfo": "Memory: plenty\n"}))


# Processors.


@pytest.fixture(autouse=True)
def _eight_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))


@pytest.mark.parametrize(("quota", "expected"), [
    ("50000 100000", 1),  # docker --cpus 0.5
    ("100000 100000", 1), ("150000 100000", 2), ("400000 100000", 4), ("1250 2500", 1), ("3200000 100000", 8),
    ("1000 100000", 1), ("max 100000", 8), ("", 8), ("max", 8), ("0 100000", 8), ("100000 0", 8),
])  # fmt: skip
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
    root = grow({
        "proc/self/cgroup": "9:name=systemd:/docker/ab\n4:cpu,cpuacct:/docker/ab\n0::/\n",
        f"{group}/cpu.cfs_quota_us": f"{quota}\n",
        f"{group}/cpu.cfs_period_us": f"{period}\n",
    })  # fmt: skip
    assert count_processors(root) == expected


def test_the_lowest_quota_of_all_groups_around_it_bounds_it(grow):
    tree = "sys/fs/cgroup"
    root = grow({
        "proc/self/cgroup": "0::/kubepods/pod1/inner\n",
        f"{tree}/kubepods/cpu.max": "600000 100000\n",
        f"{tree}/kubepods/pod1/cpu.max": "200000 100000\n",
        f"{tree}/kubepods/pod1/inner/cpu.max": "max 100000\n",
    })  # fmt: skip
    assert count_processors(root) == 2


def test_other_controllers_bound_nothing(grow):
    root = grow({
        "proc/self/cgroup": "3:cpuset:/a\n2:cpuacct:/a\n",
        "sys/fs/cgroup/cpuset/a/cpu.cfs_quota_us": "50000\n",
        "sys/fs/cgroup/cpuset/a/cpu.cfs_period_us": "100000\n",
    })  # fmt: skip
    assert count_processors(root) == 8
    assert count_processors(grow({"proc/meminfo": ""})) == 8


def test_threads_are_as_many_as_the_quota_allows(monkeypatch):
    monkeypatch.setattr("service.model.runtime.count_processors", lambda: 3)
    assert open_runtime("cpu").threads == 3
    assert open_runtime("cpu", 5).threads == 5


# The driver and its GPUs.


def test_the_driver_tells_its_gpus_and_the_kernel_module_its_release(driver_library, monkeypatch, grow):
    monkeypatch.setenv("FAKE_GPUS", "2")
    driver = ask_driver(driver_library)
    assert driver.gpus == (Gpu("Orin", (8, 7), True, 8 << 30), Gpu("Another GPU", (12, 0), False, 24 << 30))
    assert (driver.cuda, driver.found, driver.problem) == ((12, 6), True, "")
    assert str(driver) == "supports CUDA 12.6"
    assert [str(gpu) for gpu in driver.gpus] == [
        "Orin, sm_87, 8.0 GiB of the system's memory",
        "Another GPU, sm_120, 24.0 GiB of its own memory",
    ]
    root = grow({"sys/module/nvidia/version": "580.95.05\n"})
    assert str(ask_driver(driver_library, root)) == "580.95.05, supports CUDA 12.6"


def test_no_driver_and_another_library_are_told():
    driver = ask_driver("libcuda_that_nobody_has.so.1")
    assert (driver.found, driver.cuda, driver.gpus) == (False, None, ())
    assert driver.problem.startswith("no NVIDIA driver: libcuda_that_nobody_has.so.1: cannot open")
    driver = ask_driver("libc.so.6")
    assert "lacks functions" in driver.problem


@pytest.mark.parametrize(("setting", "problem"), [
    ("FAKE_GPUS=0", "the driver finds no GPU"), ("FAKE_INIT=100", "the driver finds no GPU"),
    ("FAKE_INIT=999", "the driver fails: cuInit returns code 999, CUDA_ERROR_UNKNOWN (unknown error)"),
    ("FAKE_INIT=34", "is a stub for linking, not the driver"),
    ("FAKE_INIT=12345", "the driver fails: cuInit returns code 12345"),
    ("FAKE_CRASH=1", "the driver cannot be queried: crashed with signal 6"),
])  # fmt: skip
def test_a_driver_without_gpus_says_why(driver_library, monkeypatch, setting, problem):
    monkeypatch.setenv(*setting.split("="))
    driver = ask_driver(driver_library)
    assert (driver.gpus, driver.found) == ((), True)
    assert problem in driver.problem


def test_the_driver_is_not_loaded_into_this_process(driver_library):
    assert ask_driver(driver_library).gpus
    assert str(driver_library) not in Path("/proc/self/maps").read_text()
