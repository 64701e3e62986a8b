"""Whether a file is an intact shared library for this process, before the system maps it.

The dynamic loader of Linux believes what an ELF file says about its own length, and about
everything else (see `_elf`). Reading beyond the end of a mapped file kills the process (SIGBUS).
The layout is that of the ELF specification
(https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html).
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from functools import cache

from ortffi._dynamic_section import DynamicSection
from ortffi._elf import (
    HEADER,
    HEADER_SIZE,
    SECTION_SIZE,
    SEGMENT_SIZE,
    DamagedError,
    ElfFile,
    Section,
    sections_of,
    segments_of,
)

_WORD = struct.calcsize("P")
_SHARED_OBJECT = 3
"""ET_DYN."""
_LOADED = 1
"""PT_LOAD."""
_MACHINES = {3: "x86", 40: "arm", 62: "x86-64", 183: "arm64"}
"""Names of some EM_... numbers, for error messages."""
_WORDS = {1: 4, 2: 8}
_ORDERS = {1: "little", 2: "big"}

_REMEDY = "copy or install it again"


def fault_of(path: str) -> str | None:
    """Return why a file is no intact shared library, as the rest of a sentence; None if it is one.

    Elsewhere than on Linux, only what is no file is found.
    """
    if sys.platform != "linux":
        return None if os.path.isfile(path) else "is not a file"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return "is not a file"
        return _fault(descriptor, status.st_size)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    finally:
        os.close(descriptor)


def _fault(descriptor: int, size: int) -> str | None:
    if size == 0:
        return f"is empty; {_REMEDY}"
    header = os.pread(descriptor, HEADER_SIZE, 0)
    if header[:4] != b"\x7fELF"[: len(header)]:
        return "is not a library: it has no ELF header"
    if len(header) < HEADER_SIZE:
        return _truncated(size, HEADER_SIZE)
    wrong = _stranger(header)
    if wrong is not None:
        return wrong
    fields = HEADER.unpack_from(header, 16)
    version, at, segment_size, n_segments = fields[2], fields[4], fields[8], fields[9]
    if header[6] != 1 or version != 1:
        return _damaged("its ELF header has an unknown version")
    if not n_segments or segment_size != SEGMENT_SIZE:
        return _damaged(f"it has {n_segments} program headers of {segment_size} bytes")
    needed = max(HEADER_SIZE, at + SEGMENT_SIZE * n_segments)
    if size < needed:
        return _truncated(size, needed)
    segments = segments_of(os.pread(descriptor, SEGMENT_SIZE * n_segments, at))
    loaded = [each.offset + each.in_file for each in segments if each.kind == _LOADED]
    needed = max(needed, *loaded, 0)
    if size < needed:
        return _truncated(size, needed)
    try:
        sections = _sections(descriptor, size, fields)
        if isinstance(sections, int):
            return _truncated(size, sections)
        file = ElfFile(descriptor, size, fields, segments, sections)
        file.check()
        DynamicSection(file).check()
    except DamagedError as error:
        return _damaged(str(error))
    return None


def _sections(descriptor: int, size: int, fields: tuple[int, ...]) -> list[Section] | int:
    """Return the section headers, or how long the file must be to have them."""
    at, section_size, number = fields[5], fields[10], fields[11]
    if not at and not number:
        return []
    if not at or section_size != SECTION_SIZE:
        raise DamagedError(f"it has {number} section headers of {section_size} bytes")
    if at + SECTION_SIZE > size:
        return at + SECTION_SIZE * max(1, number)
    if not number:  # too many for the header: the first section has their number
        number = sections_of(os.pread(descriptor, SECTION_SIZE, at))[0].size or size
    if at + SECTION_SIZE * number > size:
        return at + SECTION_SIZE * number
    return sections_of(os.pread(descriptor, SECTION_SIZE * number, at))


def _stranger(header: bytes) -> str | None:
    """Return how an ELF header is not that of a shared library for this process."""
    word, order = _WORDS.get(header[4]), _ORDERS.get(header[5])
    if word is None or order is None:
        return _damaged("its ELF header is of no known kind")
    if (word, order) != (_WORD, sys.byteorder):
        this_one = f"{8 * _WORD}-bit {sys.byteorder}-endian"
        return f"is for {8 * word}-bit {order}-endian processes; this one is {this_one}"
    kind, machine = HEADER.unpack_from(header, 16)[:2]
    here = _machine()
    if machine != here is not None:
        wanted, found = (_MACHINES.get(number, f"machine {number}") for number in (here, machine))
        return f"is for {found}; this process is for {wanted}"
    if kind != _SHARED_OBJECT:
        return "is not a shared library"
    return None


@cache
def _machine() -> int | None:
    """Return the EM_... number of this process, None if the system does not show its file."""
    try:
        with open("/proc/self/exe", "rb") as file:
            header = file.read(HEADER_SIZE)
    except OSError:
        return None
    known = header[:4] == b"\x7fELF" and len(header) == HEADER_SIZE
    return int(HEADER.unpack_from(header, 16)[1]) if known else None


def _damaged(how: str) -> str:
    return f"is damaged: {how}; {_REMEDY}"


def _truncated(size: int, needed: int) -> str:
    return f"is truncated: it has {size} bytes of {needed}; {_REMEDY}"
