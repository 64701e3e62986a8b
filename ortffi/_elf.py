"""Whether the tables of an ELF file are those that its linker wrote.

The dynamic loader of Linux follows them without a check, to addresses where it reads, writes and
calls. A linker says most of it twice: in the segments and the dynamic section, for the loader, and
in the sections, for other tools. So damage shows as a contradiction, besides what is impossible by
itself. What a compiler wrote, code and data, is not looked at.

The layouts are those of the ELF specification, of this process's word size and byte order.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from collections import Counter
from typing import NamedTuple

WORD = struct.calcsize("P")
ORDER = {"little": "<", "big": ">"}[sys.byteorder]
HEADER_SIZE = {4: 52, 8: 64}[WORD]
HEADER = struct.Struct(ORDER + ("HHIQQQIHHHHHH" if WORD == 8 else "HHIIIIIHHHHHH"))
"""Behind the first 16 bytes."""
_SEGMENT = struct.Struct(ORDER + ("IIQQQQQQ" if WORD == 8 else "IIIIIIII"))
_SECTION = struct.Struct(ORDER + ("IIQQQQIIQQ" if WORD == 8 else "IIIIIIIIII"))
_HIGHEST = 1 << (47 if WORD == 8 else 32)
"""No library reaches so far, wherever it is loaded."""

_LOAD, DYNAMIC, _INTERP, _NOTE, _PHDR, _TLS = 1, 2, 3, 4, 6, 7
_EH_FRAME, _STACK, _RELRO, _PROPERTY, _SFRAME = range(0x6474E550, 0x6474E555)
_KNOWN_SEGMENTS = {
    0, _LOAD, DYNAMIC, _INTERP, _NOTE, _PHDR, _TLS, _EH_FRAME, _STACK, _RELRO, _PROPERTY, _SFRAME,
    0x65041580,  # PT_PAX_FLAGS
}  # fmt: skip
_GNU_SEGMENTS = range(0x6474E550, 0x6474F555)  # PT_GNU_..., with those of PT_GNU_MBIND
_PROCESSOR_SEGMENTS = range(0x70000000, 0x80000000)
_IN_MEMORY = {DYNAMIC, _INTERP, _NOTE, _PHDR, _TLS, _EH_FRAME, _PROPERTY, _SFRAME}
_READS, WRITES, RUNS = 4, 2, 1
"""PF_R, PF_W and PF_X."""

_ALLOCATED, _SECTION_FLAGS = 2, ((1, WRITES, "written"), (4, RUNS, "run"))
"""SHF_ALLOC; SHF_WRITE and SHF_EXECINSTR with what they ask of a segment."""
_IN_THREADS = 0x400
"""SHF_TLS."""
_NO_BITS = 8
"""SHT_NOBITS."""


class DamagedError(Exception):
    """The tables of a file contradict each other; the message is what is wrong."""


class Segment(NamedTuple):
    """A part of the file that the loader maps, or is told of."""

    kind: int
    flags: int
    offset: int
    address: int
    in_file: int
    in_memory: int
    alignment: int

    @property
    def end(self) -> int:
        """Return the address behind its memory."""
        return self.address + self.in_memory

    def holds(self, address: int, size: int) -> bool:
        """Return whether bytes of memory are bytes of the file in this segment."""
        return self.address <= address and address + size <= self.address + self.in_file

    def reserves(self, address: int, size: int) -> bool:
        """Return whether bytes of memory are in this segment, of the file or zeros."""
        return self.address <= address and address + size <= self.end


class Section(NamedTuple):
    """A part of the file as the linker made it; the fields are those of a section header."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


def segments_of(table: bytes) -> list[Segment]:
    """Return the program headers of a file."""
    found = []
    for fields in _SEGMENT.iter_unpack(table):
        if WORD == 8:
            kind, flags, offset, address, _, in_file, in_memory, alignment = fields
        else:
            kind, offset, address, _, in_file, in_memory, flags, alignment = fields
        found.append(Segment(kind, flags, offset, address, in_file, in_memory, alignment))
    return found


def sections_of(table: bytes) -> list[Section]:
    """Return the section headers of a file."""
    return [Section(*fields) for fields in _SECTION.iter_unpack(table)]


SEGMENT_SIZE, SECTION_SIZE = _SEGMENT.size, _SECTION.size


class ElfFile:
    """A file with all of its segments and tables within.

    Args:
        descriptor: of the open file.
        size: of the file.
        header: the fields of its header.
        segments: all of them.
        sections: all of them; none if the file has been stripped of them.
    """

    def __init__(
        self,
        descriptor: int,
        size: int,
        header: tuple[int, ...],
        segments: list[Segment],
        sections: list[Section],
    ) -> None:
        self.descriptor, self._size = descriptor, size
        self.machine, self._table_offset, self._names_index = header[1], header[4], header[12]
        self.segments = segments
        self.sections = sections
        self.names: dict[str, Section] = {}
        self.loads = [segment for segment in segments if segment.kind == _LOAD]

    def check(self) -> None:
        """Raise DamagedError if segments and sections are not those of one file."""
        self._check_loads()
        self.names = self._section_names()
        self._check_other_segments()
        self._check_sections()

    def _check_loads(self) -> None:
        if not self.loads:
            raise DamagedError("no segment of it is loaded")
        end = 0
        for load in self.loads:
            if not load.flags & _READS:
                raise DamagedError("a segment cannot be read")
            if load.in_file > load.in_memory or load.end > _HIGHEST:
                raise DamagedError("a segment has an impossible size")
            if (load.address - load.offset) % mmap.PAGESIZE:
                raise DamagedError("a segment is not at the place of its page")
            if load.address // mmap.PAGESIZE * mmap.PAGESIZE < end:
                raise DamagedError("segments are in each other's place")
            end = _next_page(load.end)

    def _check_other_segments(self) -> None:
        counts = Counter(segment.kind for segment in self.segments)
        for kind in counts:
            known = kind in _KNOWN_SEGMENTS or kind in _GNU_SEGMENTS
            if not known and kind not in _PROCESSOR_SEGMENTS:
                raise DamagedError(f"a segment is of the unknown type {kind:#x}")
        if counts[DYNAMIC] != 1:
            raise DamagedError("it has no dynamic section" if not counts[DYNAMIC] else
                               "it has two dynamic sections")  # fmt: skip
        for kind in (_INTERP, _PHDR, _TLS, _EH_FRAME, _STACK, _RELRO):
            if counts[kind] > 1:
                raise DamagedError(f"two segments are of type {kind:#x}")
        for segment in self.segments:
            kind = segment.kind
            if kind in _IN_MEMORY:
                self._check_place(segment)
            if kind == _PHDR and segment.offset != self._table_offset:
                raise DamagedError("its program headers are in two places")
            if kind == _PHDR and segment.in_file < _SEGMENT.size * len(self.segments):
                raise DamagedError("its program headers are longer than their segment")
            if kind == _RELRO:
                self._check_protected(segment)
            if kind == _STACK and (segment.address or segment.in_file):
                raise DamagedError("the segment for the stack is in the file")

    def _check_place(self, segment: Segment) -> None:
        """Check a segment that must be in the memory of one that is loaded."""
        size = segment.in_file
        load = self.load_of(segment.address, size)
        if load is None or segment.offset - load.offset != segment.address - load.address:
            raise DamagedError(f"a segment of type {segment.kind:#x} is not where it is loaded")
        if segment.kind == _TLS:
            alignment = segment.alignment
            if size > segment.in_memory or alignment & (alignment - 1):
                raise DamagedError("the segment for threads has an impossible size")
        elif size != segment.in_memory or not size:
            raise DamagedError(f"a segment of type {segment.kind:#x} has two sizes")

    def _check_protected(self, segment: Segment) -> None:
        """Check what the loader makes read-only in the end, up to the last whole page."""
        start, end = segment.address, segment.address + segment.in_memory
        load = self.load_of(start, 0)
        if load is None or not load.flags & WRITES or end > _next_page(load.end):
            raise DamagedError("what is to be protected is in no segment")
        if segment.offset - load.offset != start - load.address:
            raise DamagedError("what is to be protected is not where it is loaded")
        places = [section for section in self.sections if section.flags & _ALLOCATED]
        starts = {section.address for section in places}
        ends = {section.address + section.size for section in places}
        ends |= {_next_page(each) for each in ends}
        variables = [self.names[name].address for name in (".data", ".bss") if name in self.names]
        if places and (
            start not in starts
            or end not in ends | starts
            or any(start <= address < end for address in variables)
        ):
            raise DamagedError("what is to be protected is no row of sections")

    def load_of(self, address: int, size: int) -> Segment | None:
        return next((load for load in self.loads if load.holds(address, size)), None)

    def allows(self, address: int, flags: int, size: int = 1) -> bool:
        return any(
            load.reserves(address, size) and load.flags & flags == flags for load in self.loads
        )

    def read(self, address: int, size: int, what: str) -> bytes:
        load = self.load_of(address, size)
        if load is None:
            raise DamagedError(f"{what} is in no segment")
        return os.pread(self.descriptor, size, load.offset + address - load.address)

    def _section_names(self) -> dict[str, Section]:
        """Return the sections by name, the last of each."""
        sections = self.sections
        if not sections:
            return {}
        index = sections[0].link if self._names_index == 0xFFFF else self._names_index
        if not index < len(sections) or sections[0].kind:
            raise DamagedError("its section headers are not in their place")
        for section in sections[1:]:
            if section.kind != _NO_BITS and section.offset + section.size > self._size:
                raise DamagedError("a section is not in the file")
        strings = os.pread(self.descriptor, sections[index].size, sections[index].offset)
        found = {}
        for section in sections:
            end = strings.find(b"\0", section.name)
            if section.name >= len(strings) or end < 0:
                raise DamagedError("a section has no name")
            found[strings[section.name : end].decode("latin-1")] = section
        return found

    def _check_sections(self) -> None:
        """Check that what the linker made is in the segments that the loader maps."""
        tls = next((segment for segment in self.segments if segment.kind == _TLS), None)
        ends = [0]
        for section in self.sections:
            if not section.flags & _ALLOCATED or not section.size:
                continue
            has_bits = section.kind != _NO_BITS
            if section.flags & _IN_THREADS:
                if tls is None or not tls.reserves(section.address, section.size):
                    raise DamagedError("the segment for threads lacks a section")
                ends.append(section.address + section.size)
                if not has_bits:
                    continue
            inside = Segment.holds if has_bits else Segment.reserves
            load = next((load for load in self.loads if
                         inside(load, section.address, section.size)), None)  # fmt: skip
            if load is None:
                raise DamagedError("a section is in no segment")
            if has_bits and section.offset - load.offset != section.address - load.address:
                raise DamagedError("a section is not where its segment is loaded")
            for flag, needed, done in _SECTION_FLAGS:
                if section.flags & flag and not load.flags & needed:
                    raise DamagedError(f"a section to be {done} is in a segment that cannot be")
        if tls is not None and ends != [0] and tls.end - max(ends) >= max(1, tls.alignment):
            raise DamagedError("the segment for threads is larger than its sections")
        if (
            tls is not None
            and self.sections
            and tls.alignment > max(section.alignment for section in self.sections)
        ):
            raise DamagedError("the segment for threads has an alignment that no section has")
        frames = next((each for each in self.segments if each.kind == _EH_FRAME), None)
        header = self.names.get(".eh_frame_hdr")
        if header is not None and (frames is None or frames.address != header.address):
            raise DamagedError("the segment for exceptions is not that section")


def _next_page(address: int) -> int:
    return -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
