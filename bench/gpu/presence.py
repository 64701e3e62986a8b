"""Which GPU and libraries this machine has, or what it lacks."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

import ortffi
from bench.gpu.setup import PACKAGE
from service.machine import Machine, explain

CUDA = "CUDAExecutionProvider"
NEEDS = "needs an NVIDIA GPU and a CUDA build of ONNX Runtime: make bench-gpu"


def lack_of_gpu(machine: Machine | None = None, package: Path = PACKAGE) -> str:
    """Return what prevents a measurement here, in one line; empty if nothing does."""
    machine = machine or Machine()
    try:
        library = ortffi.init().library
    except ortffi.LibraryNotFoundError as error:
        return f"{NEEDS} ({' '.join(str(error).split())})"
    if CUDA not in ortffi.available_providers():
        return f"{NEEDS} ({library.path} was built without CUDA)"
    if not machine.driver.gpus:
        return f"{NEEDS} ({machine.driver.problem})"
    try:
        ortffi.try_provider("cuda")
    except ortffi.ProviderUnavailableError as error:
        return f"{NEEDS} ({explain(str(error), library=library.path, machine=machine)})"
    if not (package / "onnxruntime").is_dir():
        return f"the onnxruntime-gpu package is not in {package}: make bench-gpu"
    return ""


def gpu_and_libraries(machine: Machine) -> str:
    """Return the GPU, its driver and its libraries, in two lines."""
    found = {
        name: ", ".join(dict.fromkeys(file.version for file in machine.libraries.versions(stem)))
        for name, stem in (("CUDA", "libcudart"), ("cuDNN", "libcudnn"))
    }
    gpus = "; ".join(map(str, machine.driver.gpus)) or machine.driver.problem
    lines = [f"{name} {versions or 'unknown'}" for name, versions in found.items()]
    if machine.board.tegra:
        lines.append(f"JetPack {machine.board.jetpack or 'unknown'}")
        lines.append(f"power mode {machine.board.power_mode or 'unknown'}")
    package = next(
        (f"{each.name} {each.version}" for each in distributions(path=[str(PACKAGE)])
         if each.name.startswith("onnxruntime")), "unknown"
    )  # fmt: skip
    return f"GPU: {gpus}.\nDriver {machine.driver}; {', '.join(lines)}; the package is {package}."
