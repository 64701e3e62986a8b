"""Check everything that the service needs, and say what is wrong."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from service import __version__
from service.errors import ServiceError
from service.loading import (
    build_synthesizer,
    load_front_end,
    load_runtime,
    load_voices,
    load_workers,
    measure_kernels,
)
from service.machine import CudaBuild, Machine, explain, foresee
from service.settings import Settings
from service.text import LANGUAGES, FrontEnd


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        name: of what was checked.
        ok: whether it is fine; None if it is missing but not needed.
        detail: what was found, or what is wrong and what to do.
    """

    name: str
    ok: bool | None
    detail: str


def _examine_machine(machine: Machine, provider: str) -> Iterator[Finding]:
    """Check the machine; what is missing is wrong only if the provider needs it."""
    board, memory, driver = machine.board, machine.memory, machine.driver
    yield Finding("board", True if board.model else None, board.model or "unknown")
    if board.tegra:
        jetpack = f"{board.jetpack or 'unknown'}, L4T {board.l4t or 'unknown'}"
        yield Finding("jetpack", True if board.jetpack else None, jetpack)
        mode = board.power_mode
        yield Finding("power mode", True if mode else None, mode or "unknown")
    total, available = memory.total_bytes() / (1 << 30), memory.available_bytes() / (1 << 30)
    shared = ", the GPU's too" if board.tegra else ""
    yield Finding("memory", True, f"{available:.1f} of {total:.1f} GiB available{shared}")
    lack = False if provider in ("cuda", "tensorrt") else None
    yield Finding("driver", True if driver.gpus else lack, driver.problem or str(driver))
    for number, gpu in enumerate(driver.gpus):
        yield Finding(f"gpu {number}", True, str(gpu))
    for name, stem in (("cuda", "libcudart"), ("cudnn", "libcudnn"), ("tensorrt", "libnvinfer")):
        found = machine.libraries.versions(stem)
        usable = any(file.reachable and not file.problem for file in found)
        if name == "tensorrt" and provider != name:
            lack = None
        detail = "; ".join(map(str, found)) or "not found"
        yield Finding(name, True if usable else lack, detail)


def _examine_kernels(settings: Settings, library: Path, problem: str) -> Finding:
    """Check for which GPUs the library has kernels; the problem is from `foresee`."""
    kernels = CudaBuild(library).kernels
    wanted = settings.provider in ("cuda", "tensorrt")
    if problem or kernels.problem:
        return Finding("kernels", False if wanted else None, problem or str(kernels))
    return Finding("kernels", True, str(kernels))


def _examine_languages(front_end: FrontEnd) -> Iterator[Finding]:
    readers = front_end.readers
    yield Finding("espeak-ng", True, readers.espeak.version)
    for language in LANGUAGES.values():
        name = f"language {language.code}"
        if not readers.is_available(language.code):
            yield Finding(name, None, f"needs {readers.requirement(language.code)}")
        else:
            yield Finding(name, True, f"G2P by {language.g2p}")


def examine(settings: Settings, progress: Callable[[str], None]) -> Iterator[Finding]:
    """Check machine, library, providers, voices, espeak-ng and model, and run a self-test.

    If one fails, those that need it are left out.
    """
    yield Finding(
        "service", True, f"{__version__}, Python {sys.version.split()[0]}, {platform.machine()}"
    )
    machine = Machine()
    yield from _examine_machine(machine, settings.provider)
    try:
        runtime = load_runtime(settings)
    except ServiceError as error:
        yield Finding("onnxruntime", False, error.message)
        return
    yield Finding(
        "onnxruntime",
        True,
        f"{runtime.version}, API {runtime.api_version}, found by {runtime.found_by}: "
        f"{runtime.library}",
    )
    yield Finding("compiled in", True, ", ".join(runtime.compiled_in))
    problem = ""
    if "CUDAExecutionProvider" in runtime.compiled_in:
        device = settings.cuda_device
        problem = foresee(library=runtime.library, device=device, machine=machine)
        yield _examine_kernels(settings, runtime.library, problem)
    # Trying a damaged library can end the process.
    for provider, message in runtime.usable(with_gpu=not problem).items():
        wanted = provider == "cpu" or settings.provider == provider
        problem = message and explain(
            message, library=runtime.library, device=settings.cuda_device, machine=machine
        )
        yield Finding(
            f"provider {provider}", not problem if wanted or not problem else None,
            problem or "usable",
        )  # fmt: skip
    try:
        voices = load_voices(settings)
        yield Finding("voices", True, f"{len(voices.voices)} checked")
        front_end = load_front_end(settings)
        yield from _examine_languages(front_end)
        workers = load_workers(settings, runtime, progress)
    except ServiceError as error:
        yield Finding(error.code, False, error.message)
        return
    model = workers[0]
    durations = "gives durations" if model.gives_durations else "gives no durations"
    yield Finding(
        "model", True,
        f"{model.name}, sha256 {model.sha256[:12]}, {durations}, runs on {model.provider}; "
        f"workers: {len(workers)}, threads of each: {model.runtime.threads}",
    )  # fmt: skip
    prepared = model.prepared
    yield Finding("prepared", True if prepared.variant else None, prepared.detail)
    if prepared.kernels is not None:
        speed = measure_kernels(settings)
        yield Finding("native kernels", True, f"{prepared.kernels}, {speed}")
    if model.gpu_check is not None:
        yield Finding("on the gpu", True, str(model.gpu_check))
    try:
        seconds = build_synthesizer(settings, workers, voices, front_end).self_test()
    except ServiceError as error:
        yield Finding("self-test", False, error.message)
    else:
        yield Finding("self-test", True, f"passed in {seconds:.2f} s")
    finally:
        for worker in workers:
            worker.close()
