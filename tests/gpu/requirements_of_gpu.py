"""What the tests in this folder need of a machine, and what this one lacks of it."""

import subprocess
import sys
from functools import cache

import ortffi
from service.machine import Machine

CUDA = "CUDAExecutionProvider"


def lack_of_build():
    """Return why this library has no CUDA part to look at; empty if it has one."""
    if CUDA in ortffi.available_providers():
        return ""
    return "needs a CUDA build of ONNX Runtime: make test-gpu"


@cache
def lack_of_gpu():
    """Return why nothing can be computed on a GPU here; empty if it must work."""
    driver = Machine().driver
    needs = "needs an NVIDIA GPU and a CUDA build of ONNX Runtime: make test-gpu"
    if not driver.gpus:
        return f"{needs} ({driver.problem})"
    return needs if lack_of_build() else ""


@cache
def first_missing_library(build):
    """Return the first library that the loader, in a process of its own, lacks for the CUDA part, or none."""
    names = [f"{stem}.so.{version}" for stem, version in build.wanted.items() if version]
    return next((name for name in names if not _loads(name)), "")


def _loads(name):
    program = f"import ctypes; ctypes.CDLL({name!r})"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0
