"""Whether a file is an intact shared library for this process, before the system maps it.

The dynamic loader of Linux believes what an ELF file says about its own length. Reading beyond the
end of a mapped file kills the process (SIGBUS). The layout is that of the ELF specification
(https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html).
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from functools import cache

_WORD = struct.calcsize("P")
_HEADER_SIZE = {4: 52, 8: 64}[_WORD]
_ORDER = {"little": "<", "big": ">"}[sys.byteorder]
_HEADER = struct.Struct(_ORDER + ("HHIQQQIHHHHH" if _WORD == 8 else "HHIIIIIHHHHH"))
"""Behind the first 16 bytes."""
_SEGMENT = struct.Struct(_ORDER + ("IIQQQQ" if _WORD == 8 else "IIIIII"))
"""The first six fields of a program header."""
_SECTION_SIZE_OFFSET = 32 if _WORD == 8 else 20
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
    header = os.pread(descriptor, _HEADER_SIZE, 0)
    if header[:4] != b"\x7fELF"[: len(header)]:
        return "is not a library: it has no ELF header"
    if len(header) < _HEADER_SIZE:
        return _truncated(size, _HEADER_SIZE)
    wrong = _stranger(header)
    if wrong is not None:
        return wrong
    (
        _, _, _, _, segments, sections, _, _, segment_size, n_segments, section_size, n_sections,
    ) = _HEADER.unpack_from(header, 16)  # fmt: skip
    if n_segments and segment_size < _SEGMENT.size:
        return f"is damaged: its program headers have {segment_size} bytes; {_REMEDY}"
    needed = max(_HEADER_SIZE, segments + segment_size * n_segments)
    table = os.pread(descriptor, segment_size * n_segments, segments) if needed <= size else b""
    for at in range(0, len(table), segment_size or 1):
        fields = _SEGMENT.unpack_from(table, at)
        offset, length = (fields[2], fields[5]) if _WORD == 8 else (fields[1], fields[4])
        needed = max(needed, offset + length if fields[0] == _LOADED else 0)
    if sections and not n_sections:  # too many for the header: the first section has their number
        first = os.pread(descriptor, section_size, sections) if sections < size else b""
        if len(first) >= _SECTION_SIZE_OFFSET + _WORD:
            n_sections = int.from_bytes(first[_SECTION_SIZE_OFFSET:][:_WORD], sys.byteorder)
        else:
            n_sections = 1
    needed = max(needed, sections + section_size * n_sections if sections else 0)
    return _truncated(size, needed) if size < needed else None


def _stranger(header: bytes) -> str | None:
    """Return how an ELF header is not that of a shared library for this process."""
    word, order = _WORDS.get(header[4]), _ORDERS.get(header[5])
    if word is None or order is None:
        return f"is damaged: its ELF header is of no known kind; {_REMEDY}"
    if (word, order) != (_WORD, sys.byteorder):
        this_one = f"{8 * _WORD}-bit {sys.byteorder}-endian"
        return f"is for {8 * word}-bit {order}-endian processes; this one is {this_one}"
    kind, machine = _HEADER.unpack_from(header, 16)[:2]
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
            header = file.read(_HEADER_SIZE)
    except OSError:
        return None
    known = header[:4] == b"\x7fELF" and len(header) == _HEADER_SIZE
    return int(_HEADER.unpack_from(header, 16)[1]) if known else None


def _truncated(size: int, needed: int) -> str:
    return f"is truncated: it has {size} bytes of {needed}; {_REMEDY}"
