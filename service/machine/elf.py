"""Read a shared library's file: its sections, and the libraries that it needs."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_DYNAMIC = 6
"""SHT_DYNAMIC."""
_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
"""DT_NEEDED, DT_RPATH, DT_RUNPATH."""
_MAX_TABLE = 1 << 22
"""Upper limit of the tables read here in an intact library."""


class ElfError(Exception):
    """The file is not an intact library; the message says what is wrong."""


@dataclass(frozen=True)
class Section:
    """A section of the file.

    Attributes:
        name: such as `.text`.
        kind: its `sh_type`.
        offset: of its first byte in the file.
        size: in bytes.
        link: its `sh_link`: the number of a related section.
    """

    name: str
    kind: int
    offset: int
    size: int
    link: int


class ElfFile:
    """A 64-bit little-endian ELF file, as x86-64 and aarch64 have.

    Reads only what is needed, and does not map the file: truncating a mapped file kills the
    process. The layout is that of the ELF-64 object file format.

    Args:
        path: the file.

    Raises:
        ElfError: it is missing, damaged, or of another kind.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise ElfError(f"{path}: {error.strerror}") from error
        # Headers lie far apart; what is between them shall not be read as well.
        os.posix_fadvise(self._descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        try:
            self.sections = self._read_sections()
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> ElfFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes of the file.

        Raises:
            ElfError: the file is shorter.
        """
        try:
            data = os.pread(self._descriptor, size, offset)
        except (OSError, OverflowError, ValueError) as error:
            raise ElfError(f"{self.path}: cannot be read at {offset}: {error}") from error
        if len(data) != size:
            raise ElfError(f"{self.path}: ends within what it says it has at {offset}")
        return data

    def section(self, name: str) -> Section | None:
        """Return the first section of a name, if there is one."""
        return next((section for section in self.sections if section.name == name), None)

    def needed(self) -> list[str]:
        """Return the names of the libraries that it needs.

        Raises:
            ElfError: the file is damaged.
        """
        return self._dynamic_names(_NEEDED)

    def run_paths(self) -> list[str]:
        """Return its search path for libraries, as written in the file.

        Raises:
            ElfError: the file is damaged.
        """
        found = self._dynamic_names(_RUNPATH) or self._dynamic_names(_RPATH)
        return [folder for names in found for folder in names.split(":") if folder]

    def _read_sections(self) -> list[Section]:
        header = self.read(0, 64)
        if header[:6] != b"\x7fELF\x02\x01":
            raise ElfError(f"{self.path}: no 64-bit little-endian ELF file")
        (table,) = struct.unpack_from("<Q", header, 40)
        entry_size, count, names_index = struct.unpack_from("<HHH", header, 58)
        if entry_size < 64 or names_index >= count:
            raise ElfError(f"{self.path}: has no table of sections")
        data = self.read(table, entry_size * count)
        fields = [struct.unpack_from("<IIQQQQI", data, entry_size * i) for i in range(count)]
        names = self._table(*fields[names_index][4:6])
        return [
            Section(_string(names, name), kind, offset, size, link)
            for name, kind, _, _, offset, size, link in fields
        ]

    def _table(self, offset: int, size: int) -> bytes:
        if size > _MAX_TABLE:
            raise ElfError(f"{self.path}: says that it has a table of {size} bytes")
        return self.read(offset, size)

    def _dynamic_names(self, wanted: int) -> list[str]:
        dynamic = next((section for section in self.sections if section.kind == _DYNAMIC), None)
        if dynamic is None or dynamic.link >= len(self.sections):
            return []
        strings = self.sections[dynamic.link]
        names = self._table(strings.offset, strings.size)
        entries = self._table(dynamic.offset, dynamic.size // 16 * 16)
        return [
            _string(names, at) for tag, at in struct.iter_unpack("<qQ", entries) if tag == wanted
        ]


def _string(table: bytes, start: int) -> str:
    end = table.find(b"\0", start)
    return table[start : end if end >= 0 else len(table)].decode("utf-8", "replace")
