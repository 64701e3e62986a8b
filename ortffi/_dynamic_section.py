"""Whether the dynamic section of an ELF file, which the loader follows, is the linker's."""

from __future__ import annotations

import os
import struct
from collections import Counter

import numpy as np

from ortffi._elf import (
    DYNAMIC,
    ORDER,
    RUNS,
    WORD,
    WRITES,
    DamagedError,
    ElfFile,
)

_ENTRY = struct.Struct(ORDER + ("qQ" if WORD == 8 else "iI"))
_SYMBOL_SIZE = {4: 16, 8: 24}[WORD]
_RELOCATION_WORDS = {"RELA": 3, "REL": 2}
_RELATIVE = {3: 8, 40: 23, 62: 8, 183: 1027}
"""The relocation that needs no symbol, R_..._RELATIVE, by machine."""
_ALL_SYMBOLS, _DYNAMIC_SECTION, _SYMBOLS = 2, 6, 11
"""SHT_SYMTAB, SHT_DYNAMIC and SHT_DYNSYM."""

_TAGS = {
    1: "NEEDED", 2: "PLTRELSZ", 3: "PLTGOT", 4: "HASH", 5: "STRTAB", 6: "SYMTAB", 7: "RELA",
    8: "RELASZ", 9: "RELAENT", 10: "STRSZ", 11: "SYMENT", 12: "INIT", 13: "FINI", 14: "SONAME",
    15: "RPATH", 17: "REL", 18: "RELSZ", 19: "RELENT", 20: "PLTREL", 22: "TEXTREL", 23: "JMPREL",
    25: "INIT_ARRAY", 26: "FINI_ARRAY", 27: "INIT_ARRAYSZ", 28: "FINI_ARRAYSZ", 29: "RUNPATH",
    30: "FLAGS", 32: "PREINIT_ARRAY", 33: "PREINIT_ARRAYSZ", 35: "RELRSZ", 36: "RELR",
    37: "RELRENT", 0x6FFFFEF5: "GNU_HASH", 0x6FFFFEF6: "TLSDESC_PLT", 0x6FFFFEF7: "TLSDESC_GOT",
    0x6FFFFEFA: "CONFIG", 0x6FFFFEFB: "DEPAUDIT", 0x6FFFFEFC: "AUDIT", 0x6FFFFFF0: "VERSYM",
    0x6FFFFFF9: "RELACOUNT", 0x6FFFFFFA: "RELCOUNT", 0x6FFFFFFC: "VERDEF", 0x6FFFFFFD: "VERDEFNUM",
    0x6FFFFFFE: "VERNEED", 0x6FFFFFFF: "VERNEEDNUM", 0x7FFFFFFD: "AUXILIARY", 0x7FFFFFFF: "FILTER",
}  # fmt: skip
"""DT_..., without those that say nothing that can be wrong."""
_HIGHEST_GENERIC_TAG, _FIRST_TAG_OF_SYSTEMS, _LAST_TAG = 38, 0x6000000D, 0x7FFFFFFF
_REPEATED = {"NEEDED", "AUXILIARY", "FILTER", "AUDIT", "DEPAUDIT"}
_STRINGS = {"SONAME", "RPATH", "RUNPATH", "CONFIG", *_REPEATED}
_TEXT_RELOCATIONS = 4
"""DF_TEXTREL."""
_COMPLETE = (
    ("RELA", "RELASZ", "RELAENT"), ("REL", "RELSZ", "RELENT"), ("RELR", "RELRSZ", "RELRENT"),
    ("JMPREL", "PLTRELSZ", "PLTREL"), ("INIT_ARRAY", "INIT_ARRAYSZ"),
    ("FINI_ARRAY", "FINI_ARRAYSZ"), ("PREINIT_ARRAY", "PREINIT_ARRAYSZ"), ("VERDEF", "VERDEFNUM"),
    ("VERNEED", "VERNEEDNUM"), ("STRTAB", "STRSZ"), ("SYMTAB", "SYMENT"),
)  # fmt: skip
"""Entries of the dynamic section that make sense only together."""
_SIZES = {
    "SYMENT": {_SYMBOL_SIZE}, "RELAENT": {3 * WORD}, "RELENT": {2 * WORD}, "RELRENT": {WORD},
    "PLTREL": {7, 17},
}  # fmt: skip
_ADDRESSES = {
    "PLTGOT": WRITES, "HASH": 0, "GNU_HASH": 0, "STRTAB": 0, "SYMTAB": 0, "RELA": 0, "REL": 0,
    "RELR": 0, "JMPREL": 0, "INIT": RUNS, "FINI": RUNS, "INIT_ARRAY": 0, "FINI_ARRAY": 0,
    "PREINIT_ARRAY": 0, "VERSYM": 0, "VERDEF": 0, "VERNEED": 0, "TLSDESC_PLT": RUNS,
    "TLSDESC_GOT": WRITES,
}  # fmt: skip
"""What a segment must allow at the address."""
_EXTENTS = {
    "STRTAB": "STRSZ", "RELA": "RELASZ", "REL": "RELSZ", "RELR": "RELRSZ", "JMPREL": "PLTRELSZ",
    "INIT_ARRAY": "INIT_ARRAYSZ", "FINI_ARRAY": "FINI_ARRAYSZ",
    "PREINIT_ARRAY": "PREINIT_ARRAYSZ",
}  # fmt: skip
_BY_SECTION_TYPE = {
    5: ("HASH", ""), _SYMBOLS: ("SYMTAB", ""), 14: ("INIT_ARRAY", "INIT_ARRAYSZ"),
    15: ("FINI_ARRAY", "FINI_ARRAYSZ"), 16: ("PREINIT_ARRAY", "PREINIT_ARRAYSZ"),
    19: ("RELR", "RELRSZ"), 0x6FFFFFF6: ("GNU_HASH", ""), 0x6FFFFFFD: ("VERDEF", ""),
    0x6FFFFFFE: ("VERNEED", ""), 0x6FFFFFFF: ("VERSYM", ""),
}  # fmt: skip
"""The entries of the dynamic section for a section's address and size."""
_BY_SECTION_NAME = {
    ".rela.dyn": ("RELA", "RELASZ"), ".rel.dyn": ("REL", "RELSZ"),
    ".rela.plt": ("JMPREL", "PLTRELSZ"), ".rel.plt": ("JMPREL", "PLTRELSZ"),
    ".init": ("INIT", ""), ".fini": ("FINI", ""),
}  # fmt: skip
_USUAL_FRAME_TABLE = b"\x01\x1b\x03\x3b"
"""The beginning of a table that is sorted by functions: version and encodings."""

_DESCRIBED = {name for pair in _BY_SECTION_TYPE.values() for name in pair if name}


class DynamicSection:
    """The entries of the dynamic section of a file whose segments and sections are sound.

    Raises:
        DamagedError: it is not where the file says, or has no end.
    """

    def __init__(self, file: ElfFile) -> None:
        self._file = file
        self._entries = self._read_entries()
        """Tag and value of each."""
        self._named = {_TAGS[tag]: value for tag, value in self._entries if tag in _TAGS}

    def check(self) -> None:
        """Raise DamagedError if the loader would be led astray."""
        self._check_entries()
        if self._file.sections:
            self._compare()
        self._check_hashes()
        self._check_relocations()

    def _read_entries(self) -> list[tuple[int, int]]:
        (segment,) = (segment for segment in self._file.segments if segment.kind == DYNAMIC)
        if segment.in_file % _ENTRY.size or segment.address % WORD:
            raise DamagedError("its dynamic section has an impossible size")
        sections = [section for section in self._file.sections if section.kind == _DYNAMIC_SECTION]
        if self._file.sections and [(each.address, each.size) for each in sections] != [
            (segment.address, segment.in_file)
        ]:
            raise DamagedError("its dynamic section is in two places")
        if not self._file.allows(segment.address, WRITES):
            raise DamagedError("its dynamic section cannot be written")
        entries = list(_ENTRY.iter_unpack(
            self._file.read(segment.address, segment.in_file, "its dynamic section")
        ))  # fmt: skip
        for index, (tag, _) in enumerate(entries):
            if tag == 0:
                return entries[:index]
        raise DamagedError("its dynamic section has no end")

    def _check_entries(self) -> None:
        for tag, _ in self._entries:
            if _HIGHEST_GENERIC_TAG < tag < _FIRST_TAG_OF_SYSTEMS or not 0 < tag <= _LAST_TAG:
                raise DamagedError(f"its dynamic section has the unknown entry {tag:#x}")
        counts = Counter(tag for tag, _ in self._entries)
        for tag, count in counts.items():
            if count > 1 and _TAGS.get(tag) not in _REPEATED:
                raise DamagedError(f"its dynamic section has two entries {tag:#x}")
        found = self._named
        for group in (*_COMPLETE, ("STRTAB", "SYMTAB")):
            present = [name for name in group if name in found]
            if present and len(present) < len(group):
                raise DamagedError(f"its dynamic section has {present[0]} alone")
        if "STRTAB" not in found or not found.keys() & {"HASH", "GNU_HASH"}:
            raise DamagedError("its dynamic section has no table of symbols")
        for name, sizes in _SIZES.items():
            if name in found and found[name] not in sizes:
                raise DamagedError(f"{name} of its dynamic section is {found[name]}")
        for name, flags in _ADDRESSES.items():
            if name not in found:
                continue
            size = found.get(_EXTENTS.get(name, ""), 1) or 1
            if not self._file.allows(found[name], flags, size):
                raise DamagedError(f"{name} of its dynamic section is in no such segment")
        for tag, value in self._entries:
            if _TAGS.get(tag) in _STRINGS and value >= found["STRSZ"]:
                raise DamagedError("a name in its dynamic section is not in its strings")
        strings = self._file.read(found["STRTAB"], found["STRSZ"], "the table of strings")
        if strings[-1:] != b"\0":
            raise DamagedError("its strings have no end")
        if any(_TAGS.get(tag) == "NEEDED" and not strings[value] for tag, value in self._entries):
            raise DamagedError("a library that it needs has no name")

    def _compare(self) -> None:
        """Compare the dynamic section with the sections."""
        found, wanted = self._named, self._from_sections()
        for name in wanted.keys() | (found.keys() & _DESCRIBED):
            value = found.get(name)
            if value in wanted.get(name, {None}):
                continue
            # The linker's options -init and -fini name other functions.
            if name in ("INIT", "FINI") and value and self._begins_function(value):
                continue
            raise DamagedError(f"{name} of its dynamic section is not that of its sections")

    def _from_sections(self) -> dict[str, set[int | None]]:
        """Return the entries that the dynamic section may have, by name."""
        wanted: dict[str, set[int | None]] = {}

        def expect(name: str, *values: int | None) -> None:
            if name:
                wanted.setdefault(name, set()).update(values)

        named = [(_BY_SECTION_NAME[name], section) for name, section in self._file.names.items()
                 if name in _BY_SECTION_NAME]  # fmt: skip
        typed = [(_BY_SECTION_TYPE[section.kind], section) for section in self._file.sections
                 if section.kind in _BY_SECTION_TYPE]  # fmt: skip
        for (address, size), section in named + typed:
            # An empty section may have no entry, and no place.
            expect(address, section.address, *([] if section.size else [None]))
            expect(size, section.size, *([] if section.size else [None]))
            if section.kind == _SYMBOLS and section.link < len(self._file.sections):
                strings = self._file.sections[section.link]
                expect("STRTAB", strings.address)
                expect("STRSZ", strings.size)
            if address in ("VERDEF", "VERNEED"):
                expect(f"{address}NUM", section.info)
        for name in (".got.plt", ".got"):
            if name in self._file.names:
                expect("PLTGOT", self._file.names[name].address, None)
        return wanted

    def _begins_function(self, address: int) -> bool:
        """Return whether a function begins at an address, says one of the tables that tell.

        Those are the symbols, and the table for exceptions. If there is no such table, that of an
        unusual linker, True.
        """
        for section in self._file.sections:
            if section.kind in (_ALL_SYMBOLS, _SYMBOLS):
                content = os.pread(self._file.descriptor, section.size, section.offset)
                # The value is the second word of a symbol.
                words = np.frombuffer(content, f"{ORDER}u{WORD}")[1 :: _SYMBOL_SIZE // WORD]
                if (words == address).any():
                    return True
        section_of_frames = self._file.names.get(".eh_frame_hdr")
        if section_of_frames is None:
            return True
        start, size = section_of_frames.address, section_of_frames.size
        content = self._file.read(start, size, "the table for exceptions")
        if len(content) < 12 or content[:4] != _USUAL_FRAME_TABLE:
            return True
        table = np.frombuffer(content[12 : 12 + (len(content) - 12) // 8 * 8], f"{ORDER}i4")
        return bool((table[::2] == address - start).any())

    def _check_hashes(self) -> None:
        found = self._named
        if "GNU_HASH" in found:
            buckets, _, words, shift = struct.unpack(
                ORDER + "IIII", self._file.read(found["GNU_HASH"], 16, "the table of symbols")
            )
            if not buckets or not words or words & (words - 1) or shift >= 8 * WORD:
                raise DamagedError("its table of symbols is none")
            size = 16 + WORD * words + 4 * buckets
            self._file.read(found["GNU_HASH"], size, "the table of symbols")
        if "HASH" in found:
            head = self._file.read(found["HASH"], 8, "the table of symbols")
            buckets, chains = struct.unpack(ORDER + "II", head)
            if not buckets:
                raise DamagedError("its table of symbols is none")
            self._file.read(found["HASH"], 8 + 4 * (buckets + chains), "the table of symbols")

    def _check_relocations(self) -> None:
        found = self._named
        n_symbols = max((section.size // _SYMBOL_SIZE for section in self._file.sections
                         if section.kind == _SYMBOLS), default=None)  # fmt: skip
        anywhere = "TEXTREL" in found or found.get("FLAGS", 0) & _TEXT_RELOCATIONS
        lazily = {7: "RELA", 17: "REL"}.get(found.get("PLTREL", 0), "")
        for name, size, form in (("RELA", "RELASZ", "RELA"), ("REL", "RELSZ", "REL"),
                                 ("JMPREL", "PLTRELSZ", lazily)):  # fmt: skip
            if name not in found:
                continue
            words = _RELOCATION_WORDS[form]
            if found[size] % (words * WORD):
                raise DamagedError(f"{size} of its dynamic section is not a number of relocations")
            content = self._file.read(found[name], found[size], "the table of relocations")
            table = np.frombuffer(content, f"{ORDER}u{WORD}").reshape(-1, words)
            kinds = table[:, 1] & (0xFFFFFFFF if WORD == 8 else 0xFF)
            symbols = table[:, 1] >> (32 if WORD == 8 else 8)
            if n_symbols is not None and (symbols >= n_symbols).any():
                raise DamagedError("a relocation is for a symbol that is none")
            # A relocation of type 0 does nothing, wherever it is.
            written = table[:, 0][kinds != 0]
            allowed = np.zeros(len(written), bool)
            for load in self._file.loads:
                if load.flags & WRITES or anywhere:
                    allowed |= (written >= load.address) & (written < load.end)
            if not allowed.all():
                raise DamagedError("a relocation is in no segment that can be written")
            count = found.get(f"{name}COUNT", 0)
            relative = _RELATIVE.get(self._file.machine)
            if count > len(table) or (relative and (kinds[:count] != relative).any()):
                raise DamagedError(f"{name}COUNT of its dynamic section is {count}")
