"""The NVIDIA GPUs of this machine, as the driver reports them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from service.machine.probe import ProbeError, ask

_LIBRARY = "libcuda.so.1"

_NO_DEVICE, _STUB = 100, 34
"""CUDA_ERROR_NO_DEVICE; CUDA_ERROR_STUB_LIBRARY: a file for linking only, of the CUDA toolkit."""


@dataclass(frozen=True)
class Gpu:
    """One GPU.

    Attributes:
        name: from the driver, such as `Orin`.
        capability: compute capability, major and minor number.
        integrated: whether it uses the system's memory.
        memory_bytes: its total memory.
    """

    name: str
    capability: tuple[int, int]
    integrated: bool
    memory_bytes: int

    @property
    def architecture(self) -> str:
        """Return the compilers' name of the capability, such as `sm_87`."""
        return "sm_{}{}".format(*self.capability)

    def __str__(self) -> str:
        memory = "of the system's memory" if self.integrated else "of its own memory"
        return f"{self.name}, {self.architecture}, {self.memory_bytes / (1 << 30):.1f} GiB {memory}"


@dataclass(frozen=True)
class Driver:
    """NVIDIA's driver.

    Attributes:
        cuda: the newest CUDA that it supports, major and minor number; None if unknown.
        release: of the kernel module, such as `580.95.05`; empty if unknown (JetPack 6).
        gpus: in the order of `cuda_device`.
        found: whether the driver's library exists.
        problem: why there is no GPU; empty if there is one.
    """

    cuda: tuple[int, int] | None
    release: str
    gpus: tuple[Gpu, ...]
    found: bool
    problem: str

    def __str__(self) -> str:
        release = f"{self.release}, " if self.release else ""
        serves = "supports CUDA {}.{}".format(*self.cuda) if self.cuda else "version unknown"
        return release + serves


def ask_driver(library: str | Path = _LIBRARY, root: Path = Path("/")) -> Driver:
    """Query the driver's GPUs in a process of its own.

    This takes some tenths of a second with a driver, and respects `CUDA_VISIBLE_DEVICES`.

    Args:
        library: name of the driver's library, for the loader.
        root: folder to use as `/`.
    """
    try:
        release = (root / "sys/module/nvidia/version").read_text(encoding="utf-8").strip()
    except OSError:
        release = ""
    try:
        answer = ask("driver", library)
    except ProbeError as error:
        return Driver(None, release, (), True, f"the driver cannot be queried: {error}")
    cuda = (answer["cuda"] // 1000, answer["cuda"] % 1000 // 10) if answer["cuda"] else None
    gpus = tuple(
        Gpu(
            gpu["name"],
            (gpu["capability"][0], gpu["capability"][1]),
            gpu["integrated"],
            gpu["memory_bytes"],
        )
        for gpu in answer["gpus"]
    )
    found = answer.get("step") != "load"
    return Driver(cuda, release, gpus, found, "" if gpus else _problem(answer))


def _problem(answer: dict[str, str | int]) -> str:
    step, code = answer.get("step"), answer.get("code")
    if step == "load":
        return f"no NVIDIA driver: {answer['text']}"
    if step == "look up":
        return f"the driver lacks functions of CUDA's driver API: {answer['text']}"
    if step is None or code == _NO_DEVICE:
        return "the driver finds no GPU"
    if code == _STUB:
        return f"the {_LIBRARY} that the loader finds is a stub for linking, not the driver"
    named = f", {answer['name']} ({answer['text']})" if answer["name"] else ""
    return f"the driver fails: {step} returns code {code}{named}"
