"""The CUDA part of a build of ONNX Runtime."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from service.machine.elf import ElfError, ElfFile
from service.machine.kernels import Kernels, read_kernels
from service.machine.libraries import split_name


class CudaBuild:
    """The CUDA part of a build. Each fact is looked up at its first use.

    Args:
        library: the `libonnxruntime.so` in use.
    """

    def __init__(self, library: Path) -> None:
        self.library = library.resolve()
        """The file itself: ONNX Runtime looks for its parts beside it, not beside a link to it."""
        self.provider = self.library.parent / "libonnxruntime_providers_cuda.so"
        """The file with the kernels, in a build with CUDA."""

    @cached_property
    def kernels(self) -> Kernels:
        """The GPUs that it has kernels for."""
        return read_kernels(self.provider)

    @cached_property
    def damage(self) -> str:
        """Why the file of the CUDA part is damaged; empty if it is intact or missing."""
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
        """Versions of the libraries that it needs, by name.

        Such as `{"libcudart": "13"}`; empty if its file cannot be read.
        """
        try:
            with ElfFile(self.provider) as file:
                return dict(split_name(name) for name in file.needed())
        except ElfError:
            return {}
