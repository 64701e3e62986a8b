"""Compiled stand-ins for NVIDIA's libraries, and trees of files like those of a board."""

import shutil
import subprocess
from pathlib import Path

import pytest

from service.machine import Machine
from tests.service.machine.fat_binary import entry, fat_binary

HERE = Path(__file__).parent

MEMINFO = """\
MemTotal:        7802176 kB
MemFree:          191488 kB
MemAvailable:    4910080 kB
Buffers:          210000 kB
"""

JETSON = {
    "proc/meminfo": MEMINFO,
    "proc/device-tree/model": "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super\0",
    "proc/device-tree/compatible": "nvidia,p3768-0000+p3767-0005-super\0nvidia,tegra234\0",
    "etc/nv_tegra_release": (
        "# R36 (release), REVISION: 4.7, GCID: 42132812, BOARD: generic, EABI: aarch64, "
        "DATE: Thu Sep 18 22:54:44 UTC 2025\n"
        "# KERNEL_VARIANT: oot\n"
        "TARGET_USERSPACE_LIB_DIR=nvidia\n"
        "TARGET_USERSPACE_LIB_DIR_PATH=usr/lib/aarch64-linux-gnu/nvidia\n"
    ),
    "var/lib/nvpmodel/status": "pmode:0002 fmode:fanNull",
    "etc/nvpmodel.conf": (
        "# A mode begins with\n"
        "#    < POWER_MODEL ID=2 NAME=mode_name >\n"
        "< PARAM TYPE=FILE NAME=CPU_ONLINE >\n"
        "CORE_0 /sys/devices/system/cpu/cpu0/online\n"
        "< POWER_MODEL ID=0 NAME=15W >\n"
        "CPU_ONLINE CORE_0 1\n"
        "< POWER_MODEL ID=1 NAME=25W >\n"
        "< POWER_MODEL ID=2 NAME=MAXN_SUPER >\n"
        "< PM_CONFIG DEFAULT=1 >\n"
    ),
}
"""Files of an Orin Nano Super with JetPack 6.2.1, as people have shown them."""


@pytest.fixture
def grow(tmp_path):
    """Write files into a folder that stands for `/`."""

    def grow(files, root="root"):
        root = tmp_path / root
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    return grow


@pytest.fixture(scope="session")
def compile_library():
    """Compile a C file of this folder, or text, into a shared library."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler: install gcc")

    def compile_library(path, source, *flags):
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [compiler, "-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", "-o", path, source]
            + [str(flag) for flag in flags],
            check=True,
        )
        return path

    return compile_library


@pytest.fixture(scope="session")
def driver_library(compile_library, tmp_path_factory):
    """A stand-in for the driver; the environment tells what it says."""
    return compile_library(tmp_path_factory.mktemp("driver") / "libcuda.so.1", HERE / "fake_driver.c")


@pytest.fixture
def jetson(grow, driver_library):
    """An Orin Nano, but for the libraries."""
    return Machine(grow(JETSON), driver_library=driver_library, loader_folders=[], packages=[])


@pytest.fixture
def computer(grow, driver_library):
    """A computer with the same GPU, but for the libraries."""
    root = grow({"proc/meminfo": MEMINFO})
    return Machine(root, driver_library=driver_library, loader_folders=[], packages=[])


@pytest.fixture(scope="session")
def embed(compile_library, tmp_path_factory):
    """Link bytes into the section `.nv_fatbin` of a real library."""

    def embed(content, *flags):
        folder = tmp_path_factory.mktemp("kernels")
        (folder / "fat.bin").write_bytes(content)
        (folder / "library.c").write_text(
            f'__asm__(".section .nv_fatbin,\\"a\\"\\n.balign 8\\n.incbin \\"{folder}/fat.bin\\"\\n.text\\n");\n'
        )
        return compile_library(folder / "libonnxruntime_providers_cuda.so", folder / "library.c", *flags)

    return embed


@pytest.fixture
def cuda_build(compile_library, embed, tmp_path):
    """A build of ONNX Runtime whose CUDA part wants CUDA 13 and has kernels as PyPI's aarch64."""
    cudart = compile_library(
        tmp_path / "link/libcudart.so.13", HERE / "fake_library.c", "-DVERSION=13000", "-Wl,-soname,libcudart.so.13"
    )
    kernels = fat_binary(entry(name, 0) for name in ("sm_90a", "sm_121a"))
    path = tmp_path / "build/libonnxruntime.so"
    path.parent.mkdir()
    path.touch()
    embed(kernels, "-Wl,--no-as-needed", cudart).rename(path.with_name("libonnxruntime_providers_cuda.so"))
    return path
