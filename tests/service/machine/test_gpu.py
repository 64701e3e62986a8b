from pathlib import Path

import pytest

from service.machine import Gpu, ask_driver


def test_the_driver_tells_its_gpus(driver_library, monkeypatch):
    monkeypatch.setenv("FAKE_GPUS", "2")
    driver = ask_driver(driver_library)
    assert driver.gpus == (Gpu("Orin", (8, 7), True, 8 << 30), Gpu("Another GPU", (12, 0), False, 24 << 30))
    assert (driver.cuda, driver.found, driver.problem) == ((12, 6), True, "")
    assert str(driver) == "supports CUDA 12.6"
    assert [str(gpu) for gpu in driver.gpus] == [
        "Orin, sm_87, 8.0 GiB of the system's memory",
        "Another GPU, sm_120, 24.0 GiB of its own memory",
    ]


def test_the_release_is_the_kernel_modules(driver_library, tmp_path):
    version = tmp_path / "sys/module/nvidia/version"
    version.parent.mkdir(parents=True)
    version.write_text("580.95.05\n")
    assert str(ask_driver(driver_library, tmp_path)) == "580.95.05, supports CUDA 12.6"


def test_no_driver_is_told():
    driver = ask_driver("libcuda_that_nobody_has.so.1")
    assert (driver.found, driver.cuda, driver.gpus) == (False, None, ())
    assert driver.problem.startswith("no NVIDIA driver: libcuda_that_nobody_has.so.1: cannot open")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"FAKE_GPUS": "0"}, "the driver finds no GPU"),
        ({"FAKE_INIT": "100"}, "the driver finds no GPU"),
        ({"FAKE_INIT": "999"}, "the driver fails: cuInit returns code 999, CUDA_ERROR_UNKNOWN (unknown error)"),
        ({"FAKE_INIT": "34"}, "is a stub for linking, not the driver"),
        ({"FAKE_INIT": "12345"}, "the driver fails: cuInit returns code 12345"),
        ({"FAKE_CRASH": "1"}, "the driver cannot be queried: crashed with signal 6"),
    ],
)
def test_a_driver_without_gpus_says_why(driver_library, monkeypatch, settings, problem):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    driver = ask_driver(driver_library)
    assert driver.gpus == ()
    assert driver.found
    assert problem in driver.problem


def test_another_library_is_not_taken_for_the_driver():
    driver = ask_driver("libc.so.6")
    assert "lacks functions" in driver.problem


def test_the_driver_is_not_loaded_into_this_process(driver_library):
    assert ask_driver(driver_library).gpus
    assert str(driver_library) not in Path("/proc/self/maps").read_text()
