"""NVIDIA's installed libraries and their versions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from service.machine.loader import LoaderPath, versions_in
from service.machine.probe import ProbeError, ask

TITLES = {
    "libcudart": "the CUDA runtime",
    "libcublas": "cuBLAS",
    "libcublasLt": "cuBLAS",
    "libcufft": "cuFFT",
    "libcurand": "cuRAND",
    "libcudnn": "cuDNN",
    "libnvinfer": "TensorRT",
    "libnvonnxparser": "TensorRT's ONNX parser",
    "libnvrtc": "CUDA's run-time compiler",
}
"""Titles of libraries, by the stem of their file names."""

_VERSION_FUNCTIONS = {
    "libcudart": ("cudaRuntimeGetVersion", "stored"),
    "libcudnn": ("cudnnGetVersion", "returned"),
    "libnvinfer": ("getInferLibVersion", "returned"),
}

_ELSEWHERE = ("usr/local/cuda*/lib64", "usr/local/cuda*/targets/*/lib", "opt/nvidia/*/lib")
"""Folders of NVIDIA's packages that the loader often does not search."""


@dataclass(frozen=True)
class InstalledLibrary:
    """A file of a library.

    Attributes:
        stem: of its name, such as `libcudnn`.
        path: the file.
        reachable: whether the loader finds it by its name.
        version: from the library itself, such as `9.3.0`, or from its file name.
        problem: why the library could not be queried; empty if it could, or has no such function.
    """

    stem: str
    path: Path
    reachable: bool
    version: str
    problem: str = ""

    @property
    def major(self) -> str:
        """Return the version in its soname, such as `9` or `11.0`."""
        return self.path.name.removeprefix(f"{self.stem}.so.")

    def __str__(self) -> str:
        where = "" if self.reachable else ", where the loader does not look"
        problem = f", cannot be queried: {self.problem}" if self.problem else ""
        return f"{self.version}, {self.path}{where}{problem}"


class SharedLibraries:
    """NVIDIA's libraries on this machine.

    Args:
        loader: the dynamic loader; default: that of this process.
        root: folder to use as `/`.
        packages: folders of Python packages, whose wheels may have such libraries; default: those
            of this Python.
    """

    def __init__(
        self,
        loader: LoaderPath | None = None,
        root: Path = Path("/"),
        packages: Iterable[Path] | None = None,
    ) -> None:
        self._loader = loader or LoaderPath(root)
        packages = map(Path, sys.path) if packages is None else packages
        self._elsewhere = [folder for pattern in _ELSEWHERE for folder in root.glob(pattern)]
        for package in packages:
            self._elsewhere += sorted(package.glob("nvidia/*/lib"))

    def files(self, stem: str) -> list[InstalledLibrary]:
        """Return the installed files of a library, one for each soname.

        Those that the loader finds come first. The libraries themselves are not queried.

        Args:
            stem: such as `libcudnn`.
        """
        found: dict[Path, InstalledLibrary] = {}
        reachable = self._loader.find(stem)
        for path in (*reachable, *versions_in(self._elsewhere, stem)):
            # libcudnn.so.9 and libcudnn.so.9.3.0 are one; the shorter name comes first.
            real = path.resolve()
            version = real.name.removeprefix(f"{stem}.so.")
            found.setdefault(real, InstalledLibrary(stem, path, path in reachable, version))
        return list(found.values())

    def versions(self, stem: str) -> list[InstalledLibrary]:
        """Return the same as `files`, with versions from the libraries themselves.

        Each is loaded in a process of its own, which takes up to a second.
        """
        function = _VERSION_FUNCTIONS.get(stem)
        files = self.files(stem)
        return files if function is None else [_ask(file, *function) for file in files]


def _ask(file: InstalledLibrary, function: str, how: str) -> InstalledLibrary:
    try:
        answer = ask("library_version", file.path, function, how)
    except ProbeError as error:
        answer = {"problem": str(error)}
    if "problem" in answer:
        return replace(file, problem=answer["problem"])
    return replace(file, version=decode_version(file.stem, answer["version"]))


def decode_version(stem: str, number: int) -> str:
    """Return a version in its usual form.

    The CUDA runtime has 1000 x major + 10 x minor. cuDNN up to 8 and TensorRT up to 8 have 1000 x
    major + 100 x minor + patch, later ones 10000 x major + 100 x minor + patch: `cudnn_version.h`
    and `NvInferVersion.h`.
    """
    if stem == "libcudart":
        return f"{number // 1000}.{number % 1000 // 10}"
    unit = 1000 if number < 10_000 else 10_000
    return f"{number // unit}.{number % unit // 100}.{number % 100}"


def split_name(name: str) -> tuple[str, str]:
    """Return the stem of a library's file name, and the version after `.so.`, if any.

    `libcublasLt.so.12` gives `libcublasLt` and `12`. Other names are returned whole.
    """
    match = re.fullmatch(r"([\w+-]+)\.so(?:\.([\d.]+))?", name)
    return (match[1], match[2] or "") if match else (name, "")
