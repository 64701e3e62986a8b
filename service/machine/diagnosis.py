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

_BUILDS = "docs/jetson.md names a build for each board"


@dataclass(frozen=True)
class _Case:
    """The build, the machine and the GPU of a failure."""

    build: CudaBuild
    machine: Machine
    device: int

    @property
    def gpu(self) -> Gpu | None:
        gpus = self.machine.driver.gpus
        return gpus[self.device] if self.device < len(gpus) else None


def explain(message: str, *, library: Path, device: int = 0, machine: Machine | None = None) -> str:
    """Explain an error of ONNX Runtime in one line: what is wrong, and what to do.

    Looks at the machine only as far as the failure needs it, for up to a second.

    Args:
        message: of its exception, possibly with other text around it.
        library: the `libonnxruntime.so` in use.
        device: number of the GPU in the settings.
        machine: if it is known already.

    Returns:
        The cause and the cure; for an unknown failure the first line of the message.
    """
    case = _Case(CudaBuild(library), machine or Machine(), device)
    for pattern, explanation in _FAILURES:
        match = pattern.search(message)
        if match:
            return explanation(match, case)
    return (message.strip().splitlines() or ["ONNX Runtime failed without a message"])[0]


def foresee(*, library: Path, device: int = 0, machine: Machine | None = None) -> str:
    """Return in one line why CUDA will fail, before it is tried; empty if it may work.

    Finds a library without kernels for the GPU, such as PyPI's wheel for aarch64 on a Jetson, which
    would fail only in a run; and a truncated file, which would crash the process.

    Args:
        library: the `libonnxruntime.so` in use.
        device: number of the GPU in the settings.
        machine: if it is known already.
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
            # The loader ignores files for other architectures, and says that there is none.
            return (
                f"{name} beside {case.build.library} is not for this CPU "
                f"({platform.machine()}): use a build for it; {_BUILDS}"
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
        f"the NVIDIA driver is missing, {name} is not found: {install}; start a container "
        "with --runtime nvidia and NVIDIA_DRIVER_CAPABILITIES=compute,utility"
    )


def _missing_library(stem: str, wanted: str, case: _Case) -> str:
    title = TITLES.get(stem, stem)
    want = f"this ONNX Runtime needs {title} {wanted} ({stem}.so.{wanted})"
    package = f"{title} {wanted}"
    if stem not in ("libcudnn", "libnvinfer", "libnvonnxparser") and stem in TITLES:
        package = f"CUDA {case.build.wanted.get('libcudart', wanted)}"  # comes as a whole
    files = case.machine.libraries.files(stem)
    fitting = [file for file in files if _fits(file, wanted)]
    reachable = [file for file in fitting if file.reachable]
    if reachable:
        return (
            f"{want}, but {reachable[0].path} cannot be loaded: check that it is complete, "
            "readable and for this CPU, then run ldconfig"
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
            f"{want}, but this machine has {there}: install {package}, or use a build of ONNX "
            f"Runtime for this version; {_BUILDS}"
        )
    return (
        f"{want}, which is not installed: install {package}, or use a build of ONNX Runtime for "
        f"this machine; {_BUILDS}"
    )


def _hidden_folders(case: _Case) -> dict[Path, None]:
    """Return the folders of all libraries that the build needs and the loader does not find."""
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
        f"the library was built for a newer system, because it needs {match['system']}: use a "
        f"build for this system; {_BUILDS}"
    )


def _mixed_versions(match: re.Match[str], case: _Case) -> str:
    return (
        f"NVIDIA's libraries have other versions than this ONNX Runtime was built with "
        f"({match['symbol'] or match['version']} is missing): check that LD_LIBRARY_PATH leads to "
        f"one release of CUDA and cuDNN; {_BUILDS}"
    )


def _damaged(match: re.Match[str], case: _Case) -> str:
    return (
        f"{match['damaged']} cannot be loaded, {match['how']}: it is truncated or for another "
        "CPU; install it again"
    )


def _old_driver(match: re.Match[str], case: _Case) -> str:
    driver, wanted = case.machine.driver, case.build.wanted.get("libcudart", "")
    serves = "supports CUDA up to {}.{}".format(*driver.cuda) if driver.cuda else "is too old"
    built = f"this ONNX Runtime is for CUDA {wanted}" if wanted else "this ONNX Runtime needs more"
    if case.machine.board.tegra:
        return (
            f"the driver of this JetPack {serves}, but {built}: use a build for this JetPack; "
            f"{_BUILDS}"
        )
    fitting = f"CUDA {driver.cuda[0]}" if driver.cuda else "an older CUDA"
    return f"the driver {serves}, but {built}: update the driver, or use a build for {fitting}"


def _no_device(match: re.Match[str], case: _Case) -> str:
    problem = case.machine.driver.problem
    if problem:
        return (
            f"{problem}: check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not "
            "hide it; start a container with --runtime nvidia"
        )
    return _wrong_device(match, case)


def _wrong_device(match: re.Match[str], case: _Case) -> str:
    count = len(case.machine.driver.gpus)
    there = f"has {count} GPU{'s' * (count != 1)}, counted from 0"
    return f"cuda_device is {case.device}, but this machine {there}: set it to an existing one"


def _failing_driver(match: re.Match[str], case: _Case) -> str:
    problem = case.machine.driver.problem or f"CUDA returns code {match['code']}, {match['text']}"
    cure = "update JetPack's packages and restart the board"
    if not case.machine.board.tegra:
        cure = "after an update its parts are often of two releases; restart, or install it again"
    return f"{problem}: {cure}"


def _kernel_image(match: re.Match[str], case: _Case) -> str:
    gpu = case.gpu
    if gpu is not None and case.build.kernels.supports(gpu.capability):
        return (
            f"{case.build.provider} has kernels for this GPU ({gpu.name}, "
            f"{gpu.architecture}), but cuDNN or cuBLAS has none: use those for this machine, "
            f"on a Jetson JetPack's; {_BUILDS}"
        )
    return _no_kernels(case)


def _no_kernels(case: _Case) -> str:
    gpu, kernels = case.gpu, case.build.kernels
    here = f" ({gpu.name}, {gpu.architecture})" if gpu else ""
    has = "" if kernels.problem else f", only for {kernels}"
    return (
        f"{case.build.provider} has no kernels for this GPU{here}{has}: use a build for "
        f"{gpu.architecture if gpu else 'it'}; {_BUILDS}"
    )


def _limit_reached(match: re.Match[str], case: _Case) -> str:
    return (
        f"the limit of GPU memory is reached, with {_mebibytes(match['left'])} left and "
        f"{_mebibytes(match['asked'])} needed: raise memory_budget_bytes, or gpu_mem_limit in "
        "cuda_options"
    )


def _out_of_memory(match: re.Match[str], case: _Case) -> str:
    asked = match["size"]
    wanted = f", {_mebibytes(asked)} were requested" if asked else ""
    here = ""
    if case.machine.board.tegra:
        here = f", and {_mebibytes(case.machine.memory.available_bytes())} are available now"
    return (
        f"too little GPU memory{wanted}{here}: stop other programs that use it, or lower "
        "memory_budget_bytes"
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
            f"the parts of cuDNN have different versions ({match['cudnn']}; found: {found}): check "
            "that LD_LIBRARY_PATH leads to one complete cuDNN"
        )
    driver = case.machine.driver
    serves = "; the driver supports CUDA {}.{}".format(*driver.cuda) if driver.cuda else ""
    return (
        f"cuDNN does not start ({match['cudnn']}; found: {found}{serves}): too little GPU memory "
        f"is free, or it is for another CUDA; {_BUILDS}"
    )


def _unfit_cublas(match: re.Match[str], case: _Case) -> str:
    return (
        "the loaded cuBLAS has no kernels for this GPU (CUBLAS_STATUS_ARCH_MISMATCH): use the "
        f"one for this machine, on a Jetson JetPack's; {_BUILDS}"
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
