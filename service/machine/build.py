"""What a build of ONNX Runtime has for CUDA."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from service.machine.elf import ElfError, ElfFile
from service.machine.kernels import Kernels, read_kernels
from service.machine.libraries import split_name


class CudaBuild:
    """The CUDA part of a build, of which each fact is found out when it is first asked for.

    Args:
        library: the `libonnxruntime.so` in use.
    """

    def __init__(self, library: Path) -> None:
        self.library = library.resolve()
        """The real file: ONNX Runtime looks for its parts beside it, not beside a link to it."""
        self.provider = self.library.parent / "libonnxruntime_providers_cuda.so"
        """The part that has the kernels, in a build with CUDA."""

    @cached_property
    def kernels(self) -> Kernels:
        """For which GPUs it has kernels."""
        return read_kernels(self.provider)

    @cached_property
    def damage(self) -> str:
        """What is wrong with the file of the CUDA part; empty if it is sound or not there."""
        if not self.provider.is_file():
            return ""
        try:
            with ElfFile(self.provider) as file:
                file.needed()
        except ElfError as error:
            return str(error)
        return ""

    @cached_property
    def wanted(self) -> dict[str, str]:
        """Versions of the libraries that it cannot be loaded without, by their names.

        As `{"libcudart": "13"}`; empty where its file cannot be read.
        """
        try:
            with ElfFile(self.provider) as file:
                return dict(split_name(name) for name in file.needed())
        except ElfError:
            return {}
