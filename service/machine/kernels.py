"""The GPUs that a library has machine code for.

NVIDIA's compiler puts a fat binary for each source file into the section `.nv_fatbin`: a header,
and entries with machine code (a cubin) or assembler text for a virtual GPU (PTX), which the driver
can compile. The contents may be compressed, but the headers are not. Their layout is not publicly
documented; it was derived from what CUDA 13's `fatbinary` writes and `cuobjdump` reads. The results
on real libraries equal cuobjdump's.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from service.machine.elf import ElfError, ElfFile, Section

_MAGIC = struct.pack("<I", 0xBA55ED50)
_HEADER = struct.Struct("<4sHHQ")  # magic, version, size of this header, size of all entries
_ENTRY = struct.Struct("<HHIQ12xI8xQ")  # kind, version, size of header and content, SM, flags
_PTX, _CUBIN = 1, 2
_ARCHITECTURE_SPECIFIC, _FAMILY_SPECIFIC = 1 << 20, 1 << 21
_BLOCK = 4096

_TEGRA = {(5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0)}
"""Capabilities of GPUs that are part of a Tegra: Nano, TX2, Xavier, Orin, Thor (10.1 was renamed
11.0 in CUDA 13)."""


@dataclass(frozen=True, order=True)
class Target:
    """A GPU architecture that code was compiled for.

    Attributes:
        major: of the compute capability.
        minor: of the compute capability.
        kind: `sm` for machine code, `compute` for PTX.
        suffix: `a` for code of this architecture only, `f` for its family, otherwise empty.
    """

    major: int
    minor: int
    kind: Literal["sm", "compute"]
    suffix: Literal["", "a", "f"] = ""

    def __str__(self) -> str:
        return f"{self.kind}_{self.major}{self.minor}{self.suffix}"

    def runs_on(self, capability: tuple[int, int]) -> bool:
        """Tell whether a GPU of a compute capability runs it.

        CUDA C++ Programming Guide, Binary Compatibility, PTX Compatibility and Family-Specific
        Features: machine code runs on later minor versions of the same major one, but not from
        Tegra to others or back; PTX on everything later. Features of one architecture (`a`) are on
        no other, those of a family (`f`) on later minor versions.
        """
        own = (self.major, self.minor)
        if own == capability:
            return True
        if self.suffix == "a" or capability < own:
            return False
        if self.kind == "compute" and not self.suffix:
            return True
        across = own in _TEGRA or capability in _TEGRA
        return capability[0] == self.major and not across


@dataclass(frozen=True)
class Kernels:
    """The GPU code of a library.

    Attributes:
        targets: the architectures that it has code for.
        problem: why they are unknown; empty if they are known.
    """

    targets: frozenset[Target]
    problem: str = ""

    def supports(self, capability: tuple[int, int]) -> bool | None:
        """Tell whether a GPU of a compute capability can run it; None if unknown."""
        if self.problem:
            return None
        return any(target.runs_on(capability) for target in self.targets)

    def __str__(self) -> str:
        if self.problem:
            return f"cannot tell: {self.problem}"
        return ", ".join(str(target) for target in sorted(self.targets))


def read_kernels(library: Path) -> Kernels:
    """Read for which GPUs a library, such as `libonnxruntime_providers_cuda.so`, was compiled.

    In a file of 280 MB it reads some 3000 headers, which takes some milliseconds if they are in the
    system's cache. A damaged file, or one without GPU code, sets `problem`.

    Args:
        library: the file.
    """
    try:
        with ElfFile(library) as file:
            section = file.section(".nv_fatbin")
            if section is None:
                return Kernels(frozenset(), f"{library} has no code for GPUs")
            targets = frozenset(_targets(file, section))
    except ElfError as error:
        return Kernels(frozenset(), str(error))
    if not targets:
        return Kernels(frozenset(), f"{library} has no code for GPUs that could be read")
    return Kernels(targets)


def _targets(file: ElfFile, section: Section) -> set[Target]:
    targets = set()
    end = section.offset + section.size
    position = _next_binary(file, section.offset, end)
    while position + _HEADER.size <= end:
        _, _, header_size, size = _HEADER.unpack(file.read(position, _HEADER.size))
        entry, position = position + header_size, position + header_size + size
        if header_size < _HEADER.size or position > end:
            raise ElfError(f"{file.path}: a fat binary goes on beyond the end of its section")
        while entry + _ENTRY.size <= position:
            kind, _, entry_header, content, architecture, flags = _ENTRY.unpack(
                file.read(entry, _ENTRY.size)
            )
            if entry_header < _ENTRY.size or entry + entry_header + content > position:
                raise ElfError(f"{file.path}: an entry of a fat binary is longer than the whole")
            if kind in (_PTX, _CUBIN):
                targets.add(_target(kind, architecture, flags))
            entry += entry_header + content
        position = _next_binary(file, position, end)
    return targets


def _target(kind: int, architecture: int, flags: int) -> Target:
    suffix: Literal["", "a", "f"] = ""
    if flags & _ARCHITECTURE_SPECIFIC:
        suffix = "a"
    elif flags & _FAMILY_SPECIFIC:
        suffix = "f"
    return Target(*divmod(architecture, 10), "sm" if kind == _CUBIN else "compute", suffix)


def _next_binary(file: ElfFile, position: int, end: int) -> int:
    """Return the start of the next fat binary, after padding, or the end."""
    while position < end:
        block = file.read(position, min(_BLOCK, end - position))
        found = block.find(_MAGIC)
        if found >= 0:
            return position + found
        if len(block) < _BLOCK:
            break
        position += _BLOCK - len(_MAGIC) + 1
    return end
