"""Why CUDA does not work here, and what to do about it: one line for each known failure."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from service.machine.build import CudaBuild
from service.machine.computer import Machine
from service.machine.gpu import Gpu
from service.machine.libraries import TITLES, InstalledLibrary, split_name

_CUDNN = "9"
"""The cuDNN that ONNX Runtime wants since 1.19. Newer releases load it only when they need it
(microsoft/onnxruntime#29252), so it is not among what their file says it needs."""

_BUILDS = "docs/jetson.md tells of a build for each board"


@dataclass(frozen=True)
class _Case:
    """Where it fails: this build, on this machine, with this GPU."""

    build: CudaBuild
    machine: Machine
    device: int

    @property
    def gpu(self) -> Gpu | None:
        gpus = self.machine.driver.gpus
        return gpus[self.device] if self.device < len(gpus) else None


def explain(message: str, *, library: Path, device: int = 0, machine: Machine | None = None) -> str:
    """Say in one line what is wrong and what to do, given what ONNX Runtime said.

    Looks at the machine only as far as the failure needs it: up to a second.

    Args:
        message: of its exception, with whatever stands before and behind it.
        library: the `libonnxruntime.so` in use.
        device: number of the GPU that was asked for.
        machine: what is known of the machine already.

    Returns:
        The cause and the cure; of an unknown failure the first line of the message.
    """
    case = _Case(CudaBuild(library), machine or Machine(), device)
    for pattern, explanation in _FAILURES:
        match = pattern.search(message)
        if match:
            return explanation(match, case)
    return (message.strip().splitlines() or ["ONNX Runtime failed without a word"])[0]


def foresee(*, library: Path, device: int = 0, machine: Machine | None = None) -> str:
    """Say in one line why CUDA is going to fail, before it is tried; nothing if it may work.

    Finds a library without kernels for the GPU, as PyPI's wheel for aarch64 on a Jetson, which
    ONNX Runtime meets only in a run; and a file that is cut short, which kills the process that
    loads it.

    Args:
        library: the `libonnxruntime.so` in use.
        device: number of the GPU that is asked for.
        machine: what is known of the machine already.
    """
    case = _Case(CudaBuild(library), machine or Machine(), device)
    if case.build.damage:
        return f"{case.build.damage}: the file is damaged; install the build again"
    if case.gpu is None or case.build.kernels.supports(case.gpu.capability) is not False:
        return ""
    return _no_kernels(case)


def _not_built_in(match: re.Match[str], case: _Case) -> str:
    provider = match["built"] or match["enabled"]
    return (
        f"{case.build.library} was built without {provider}: set ONNXRUNTIME_DIR to a build with "
        f"{provider}; {_BUILDS}"
    )


def _missing_file(match: re.Match[str], case: _Case) -> str:
    name = match["missing"]
    stem, wanted = split_name(name)
    if stem.startswith("libonnxruntime"):
        if (case.build.library.parent / name).is_file():
            # The loader passes over files for other processors, and says that there is none.
            return (
                f"{name} beside {case.build.library} is not for this processor "
                f"({platform.machine()}): take a build for it; {_BUILDS}"
            )
        return (
            f"{name} is not beside {case.build.library}: put all libonnxruntime*.so* of one "
            "build into one folder and set ONNXRUNTIME_DIR to it"
        )
    if stem == "libcuda":
        return _no_driver(name, case)
    return _missing_library(stem, wanted, case)


def _no_driver(name: str, case: _Case) -> str:
    install = "it comes with JetPack" if case.machine.board.tegra else "install it"
    return (
        f"there is no NVIDIA driver here, {name} is not found: {install}; in a container, start it "
        "with --runtime nvidia and NVIDIA_DRIVER_CAPABILITIES=compute,utility"
    )


def _missing_library(stem: str, wanted: str, case: _Case) -> str:
    title = TITLES.get(stem, stem)
    want = f"this ONNX Runtime wants {title} {wanted} ({stem}.so.{wanted})"
    package = f"{title} {wanted}"
    if stem not in ("libcudnn", "libnvinfer", "libnvonnxparser") and stem in TITLES:
        package = f"CUDA {case.build.wanted.get('libcudart', wanted)}"  # comes as a whole
    files = case.machine.libraries.files(stem)
    fitting = [file for file in files if _fits(file, wanted)]
    reachable = [file for file in fitting if file.reachable]
    if reachable:
        return (
            f"{want}, and {reachable[0].path} did not load: see that it is whole, readable and for "
            "this processor, then run ldconfig"
        )
    if fitting:
        folders = {fitting[0].path.parent: None} | _hidden_folders(case)
        return (
            f"{want}, which is in {fitting[0].path.parent}, where the loader does not look: add "
            f"{':'.join(map(str, folders))} to LD_LIBRARY_PATH before the service starts"
        )
    if files:
        there = ", ".join(f"{file.version} ({file.path})" for file in files)
        return (
            f"{want}, and here is {there}: install {package}, or take a build of ONNX Runtime for "
            f"what is here; {_BUILDS}"
        )
    return (
        f"{want}, and there is none: install {package}, or take a build of ONNX Runtime for what "
        f"is here; {_BUILDS}"
    )


def _hidden_folders(case: _Case) -> dict[Path, None]:
    """Return where all the libraries are that the build wants and the loader does not find."""
    folders: dict[Path, None] = {}
    for stem, wanted in {**case.build.wanted, "libcudnn": _CUDNN}.items():
        if stem in TITLES:
            fitting = [file for file in case.machine.libraries.files(stem) if _fits(file, wanted)]
            if fitting and not any(file.reachable for file in fitting):
                folders[fitting[0].path.parent] = None
    return folders


def _fits(file: InstalledLibrary, wanted: str) -> bool:
    return file.major == wanted or file.version.startswith(f"{wanted}.")


def _older_system(match: re.Match[str], case: _Case) -> str:
    return (
        f"the library was built for a newer system, it wants {match['system']}: take a build for "
        f"this one; {_BUILDS}"
    )


def _mixed_versions(match: re.Match[str], case: _Case) -> str:
    return (
        f"NVIDIA's libraries here are not of the versions that this ONNX Runtime was built with, "
        f"{match['symbol'] or match['version']} is missing in one: see that LD_LIBRARY_PATH leads "
        f"to one release of CUDA and cuDNN; {_BUILDS}"
    )


def _damaged(match: re.Match[str], case: _Case) -> str:
    return (
        f"{match['damaged']} cannot be loaded, {match['how']}: it is cut short or for another "
        "processor; install it again"
    )


def _old_driver(match: re.Match[str], case: _Case) -> str:
    driver, wanted = case.machine.driver, case.build.wanted.get("libcudart", "")
    serves = "serves CUDA {}.{} at most".format(*driver.cuda) if driver.cuda else "is too old"
    built = f"this ONNX Runtime is for CUDA {wanted}" if wanted else "this ONNX Runtime wants more"
    if case.machine.board.tegra:
        return (
            f"the driver of this JetPack {serves}, and {built}: take a build for this JetPack; "
            f"{_BUILDS}"
        )
    fitting = f"CUDA {driver.cuda[0]}" if driver.cuda else "an older CUDA"
    return f"the driver {serves}, and {built}: update the driver, or take a build for {fitting}"


def _no_device(match: re.Match[str], case: _Case) -> str:
    problem = case.machine.driver.problem
    if problem:
        return (
            f"{problem}: see that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not "
            "hide it; in a container, start it with --runtime nvidia"
        )
    return _wrong_device(match, case)


def _wrong_device(match: re.Match[str], case: _Case) -> str:
    count = len(case.machine.driver.gpus)
    there = f"has {count} GPU{'s' * (count != 1)}, counted from 0"
    return f"cuda_device is {case.device}, and this machine {there}: set it to one that is there"


def _failing_driver(match: re.Match[str], case: _Case) -> str:
    problem = case.machine.driver.problem or f"CUDA gives code {match['code']}, {match['text']}"
    cure = "update JetPack's packages and restart the board"
    if not case.machine.board.tegra:
        cure = "its parts are often of two releases after an update; restart, or install it again"
    return f"{problem}: {cure}"


def _kernel_image(match: re.Match[str], case: _Case) -> str:
    gpu = case.gpu
    if gpu is not None and case.build.kernels.supports(gpu.capability):
        return (
            f"{case.build.provider} has kernels for this GPU ({gpu.name}, "
            f"{gpu.architecture}), but cuDNN or cuBLAS has not: use those made for this machine, "
            f"on a Jetson JetPack's; {_BUILDS}"
        )
    return _no_kernels(case)


def _no_kernels(case: _Case) -> str:
    gpu, kernels = case.gpu, case.build.kernels
    here = f" ({gpu.name}, {gpu.architecture})" if gpu else ""
    has = "" if kernels.problem else f", only for {kernels}"
    return (
        f"{case.build.provider} has no kernels for this GPU{here}{has}: take a build for "
        f"{gpu.architecture if gpu else 'it'}; {_BUILDS}"
    )


def _limit_reached(match: re.Match[str], case: _Case) -> str:
    return (
        f"the limit of GPU memory is reached, {_mebibytes(match['left'])} are left of it and "
        f"{_mebibytes(match['asked'])} were wanted: raise memory_budget_bytes, or gpu_mem_limit of "
        "cuda_options"
    )


def _out_of_memory(match: re.Match[str], case: _Case) -> str:
    asked = match["size"]
    wanted = f", {_mebibytes(asked)} were wanted" if asked else ""
    here = ""
    if case.machine.board.tegra:
        here = f" and {_mebibytes(case.machine.memory.available_bytes())} of it are available now"
    return (
        f"there is not enough GPU memory{wanted}{here}: end other programs that use it, or lower "
        "memory_budget_bytes so that they fit together"
    )


def _mebibytes(size: str | int) -> str:
    return f"{int(size) / (1 << 20):.0f} MiB"


def _without_cudnn(match: re.Match[str], case: _Case) -> str:
    named = re.search(r"libcudnn\.so\.(\d+)", match.string)
    return _missing_library("libcudnn", named[1] if named else _CUDNN, case)


def _broken_cudnn(match: re.Match[str], case: _Case) -> str:
    there = case.machine.libraries.versions("libcudnn")
    found = ", ".join(f"{file.version} in {file.path.parent}" for file in there) or "none"
    if "MISMATCH" in match["cudnn"]:
        return (
            f"the parts of cuDNN are of different versions ({match['cudnn']}; found: {found}): see "
            "that LD_LIBRARY_PATH leads to one whole cuDNN"
        )
    driver = case.machine.driver
    serves = "; the driver serves CUDA {}.{}".format(*driver.cuda) if driver.cuda else ""
    return (
        f"cuDNN does not start ({match['cudnn']}; found: {found}{serves}): too little GPU memory "
        f"is free, or it does not fit this CUDA; {_BUILDS}"
    )


def _unfit_cublas(match: re.Match[str], case: _Case) -> str:
    return (
        "the cuBLAS that is loaded has no kernels for this GPU (CUBLAS_STATUS_ARCH_MISMATCH): use "
        f"the one made for this machine, on a Jetson JetPack's; {_BUILDS}"
    )


def _failure(code: str) -> str:
    """Return a pattern for a code of CUDA's runtime, as ONNX Runtime writes it."""
    return rf"CUDA failure (?:{code})\b"


_FAILURES: list[tuple[re.Pattern[str], Callable[[re.Match[str], _Case], str]]] = [
    (re.compile(pattern), explanation)
    for pattern, explanation in (
        (
            r"was built without (?P<built>CUDA|TensorRT)|"
            r"(?P<enabled>CUDA|TensorRT|Tensorrt) execution provider is not enabled in this build",
            _not_built_in,
        ),
        (
            r"(?P<missing>lib[\w+-]+\.so[.\d]*): cannot open shared object file: No such file",
            _missing_file,
        ),
        (r"version [`'](?P<system>GLIBC(?:XX)?_[\d.]+)' not found", _older_system),
        (
            r"version [`'](?P<version>lib[\w.]+)' not found|undefined symbol: (?P<symbol>\w+)",
            _mixed_versions,
        ),
        (
            r"(?P<damaged>[^\s:]+): (?P<how>file too short|invalid ELF header|wrong ELF class)",
            _damaged,
        ),
        (
            r"no kernel image is available|cudaErrorNoKernelImageForDevice|" + _failure("209"),
            _kernel_image,
        ),
        (
            r"Available memory of (?P<left>\d+) is smaller than requested bytes of (?P<asked>\d+)",
            _limit_reached,
        ),
        (
            r"Failed to allocate memory for requested buffer of size (?P<size>\d+)|out of memory|"
            r"cudaErrorMemoryAllocation|CU\w+_STATUS_ALLOC_FAILED|" + _failure("2"),
            _out_of_memory,
        ),
        (_failure("35|36|222|223"), _old_driver),
        (r"Invalid device [iI][dD]|" + _failure("101"), _wrong_device),
        (_failure("38|100"), _no_device),
        (
            r"CUDA failure (?P<code>3|34|46|802|803|804|999): (?P<text>[^;\n]*[^;\s])",
            _failing_driver,
        ),
        (r"cuDNN (?:is unavailable|is not available|library was not found)", _without_cudnn),
        (
            r"(?P<cudnn>CUDNN_STATUS_(?:NOT_INITIALIZED|\w*VERSION_MISMATCH|\w*LOADING_FAILED|"
            r"NOT_SUPPORTED_ARCH_MISMATCH|ARCH_MISMATCH)|Failed to initialize CUDNN Frontend)",
            _broken_cudnn,
        ),
        (r"CUBLAS_STATUS_ARCH_MISMATCH", _unfit_cublas),
    )
]
"""What ONNX Runtime says, and what it means; the first that fits counts."""
