"""The ZIP archive that an EPUB, a DOCX or an FB2 may be; it may be damaged, or made to do harm."""

from __future__ import annotations

import errno
import io
import posixpath
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from service.books.document_budget import Budget
from service.errors import InvalidBookError

MAX_MEMBERS = 20_000
MAX_DIRECTORY_BYTES = 16 << 20
"""Of the list of members, which is read at once: 20,000 of them have 2 MB."""

MAX_PICTURE_BYTES = 64 << 20

_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""Whose output `zipfile` gives in small parts. Of bzip2, 2 kB become 4 GB at once."""

_BLOCK_BYTES = 1 << 20
_SIGNATURE = b"PK\x03\x04"
_HEAD = struct.Struct("<4s5H3L2H")
"""Before each member: APPNOTE.TXT, 4.3.7."""
_MAX_NAME = 1024
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, NotImplementedError,
    OverflowError, RuntimeError, ValueError,
)  # fmt: skip
"""What `zipfile` raises of damaged archives; a wrong name is a UnicodeError, so a ValueError."""


class Archive:
    """The members of a ZIP archive, unpacked within the budget of its document. A context manager.

    A member is found by its name; if there is none, by the same name as bad programs write it: in
    other capitals, with `\\` in the place of `/`, with `/` or `./` before it, with `%20`, with
    letters and accents apart, in UTF-8 that is not declared, or in the one folder that all are in.
    Of two members with one name the last one counts. A folder may be an archive too.

    An archive that is cut off is read as far as it goes, which the ledger of the document tells.

    Args:
        path: of the file or folder.
        budget: of the document.

    Raises:
        InvalidBookError: it is no archive, is damaged, or has too many members.
        OSError: the file cannot be read.
    """

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path = path
        self.name = budget.name
        self._budget = budget
        self._zip: zipfile.ZipFile | None = None
        self._file: _File | None = None
        if path.is_dir():
            members = _members_of_folder(path)
        else:
            self._file = _File(io.FileIO(path))
            try:
                members = self._members_of_zip()
            except BaseException:
                self._file.close()
                raise
        if len(members) > MAX_MEMBERS:
            self.close()
            raise InvalidBookError(f"{self.name} has more than {MAX_MEMBERS:,} files in it")
        self.names = [one.filename for one in members]
        self._members = {one.filename: one for one in members}
        self._alike: dict[str, zipfile.ZipInfo] = {}
        for one in members:
            for name in _other_names(one):
                self._alike.setdefault(name, one)
        # The last of those with one name, and what is right before what is only alike.
        self._alike.update((_alike(one.filename), one) for one in members)
        self._top = _top_folder(self.names)

    def _members_of_zip(self) -> list[zipfile.ZipInfo]:
        assert self._file is not None
        try:
            with self._damage(f"no {self.path.suffix[1:].upper()}, or is damaged"):
                self._zip = zipfile.ZipFile(self._file)
            return self._zip.infolist()
        except InvalidBookError:
            members = _salvaged(self._file)
            if not members:
                raise
            self._budget.ledger.miss(
                f"{self.name} is cut off or damaged; what is there is read: {len(members)} files"
            )
            return members

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._zip is not None:
            self._zip.close()
        if self._file is not None:
            self._file.close()

    def __contains__(self, member: str) -> bool:
        return self._found(member) is not None

    def name_of(self, member: str) -> str | None:
        """Return the name that a member has in the archive; None if it is not there."""
        found = self._found(member)
        return None if found is None else found.filename

    def expect(self, members: list[str]) -> None:
        """Refuse at once, by the lengths that the archive declares, what cannot be within budget.

        Raises:
            InvalidBookError: it cannot.
        """
        self._budget.check_bytes(sum(one.file_size for one in map(self._found, members) if one))

    def read(self, member: str) -> bytes:
        """Return a document, which the budget pays for.

        Raises:
            InvalidBookError: it is missing, damaged, encrypted, or too large.
        """
        found = self._found(member)
        if found is None:
            raise InvalidBookError(f"{self.name} is damaged: it has no {member}")
        blocks = []
        for block in self._blocks(found):
            self._budget.take_bytes(len(block))
            blocks.append(block)
        return b"".join(blocks)

    def picture(self, member: str, max_bytes: int = MAX_PICTURE_BYTES) -> bytes:
        """Return a picture.

        Raises:
            InvalidBookError: it is missing, damaged, encrypted, or larger than `max_bytes`.
        """
        found = self._found(member)
        if found is None:
            raise InvalidBookError(f"{self.name} is damaged: it has no {member}")
        blocks, left = [], max_bytes
        for block in self._blocks(found):
            left -= len(block)
            if left < 0:
                raise InvalidBookError(f"{self.name}: {member} has more than {max_bytes >> 20} MB")
            blocks.append(block)
        return b"".join(blocks)

    def head(self, member: str, n_bytes: int) -> bytes:
        """Return the first bytes of a member; none if it is missing or cannot be read."""
        found = self._found(member)
        try:
            return b"" if found is None else next(self._blocks(found, n_bytes), b"")
        except InvalidBookError:
            return b""

    def _found(self, member: str) -> zipfile.ZipInfo | None:
        found = self._members.get(member) or self._alike.get(_alike(member))
        if found is None and self._top:
            found = self._alike.get(_alike(self._top + member))
        return found or self._alike.get(_alike(unquote(member)))

    def _blocks(self, member: zipfile.ZipInfo, n_bytes: int = _BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the content of a member; what the archive says of its length is not trusted."""
        if member.compress_type not in _METHODS:
            raise InvalidBookError(
                f"{self.name}: {member.filename} is compressed in a way that is not read; pack it "
                "with deflate, as ZIP usually is"
            )
        with self._damage(f"damaged in {member.filename}"), self._opened(member) as file:
            while block := file.read(n_bytes):
                yield block

    def _opened(self, member: zipfile.ZipInfo) -> IO[bytes]:
        if self._zip is not None:
            return self._zip.open(member)
        if self._file is None:
            return (self.path / member.filename).open("rb")
        self._file.seek(member.header_offset)
        return _Stream(self._file, member)

    @contextmanager
    def _damage(self, what: str) -> Iterator[None]:
        """Make one error of all that damage can cause: the archive is `what`."""
        try:
            yield
        except _DAMAGE as error:
            raise InvalidBookError(f"{self.name} is {what}: {error}") from error
        except OSError as error:
            # A place before the start of the file; anything else is a fault of the disk.
            if error.errno != errno.EINVAL:
                raise
            raise InvalidBookError(f"{self.name} is {what}: {error}") from error


class _File(io.BufferedReader):
    """A file of which no more is read at once than the list of members may have."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY_BYTES:
            raise zipfile.BadZipFile("its list of files is too long")
        return super().read(size)


class _Stream(io.BytesIO):
    """A member of an archive that has no list of its members, as far as it goes."""

    def __init__(self, file: _File, member: zipfile.ZipInfo) -> None:
        self._source = file
        self._left = member.compress_size
        is_packed = member.compress_type == zipfile.ZIP_DEFLATED
        self._unpacker = zlib.decompressobj(-zlib.MAX_WBITS) if is_packed else None
        super().__init__()

    def read(self, size: int | None = -1, /) -> bytes:
        limit = _BLOCK_BYTES if size is None or size < 0 else size
        if self._unpacker is None:
            packed = self._source.read(min(limit, self._left))
            self._left -= len(packed)
            return packed
        while not self._unpacker.eof:
            packed = self._unpacker.unconsumed_tail or self._source.read(min(1 << 16, self._left))
            if not packed:
                break
            if not self._unpacker.unconsumed_tail:
                self._left -= len(packed)
            if found := self._unpacker.decompress(packed, limit):
                return found
        return b""


def _salvaged(file: _File) -> list[zipfile.ZipInfo]:
    """Return the members of an archive without a list of them, by the heads before each."""
    members: list[zipfile.ZipInfo] = []
    file.seek(0, io.SEEK_END)
    end = file.tell()
    file.seek(0)
    content = b""
    at = start = 0
    while len(members) <= MAX_MEMBERS:
        if at + _HEAD.size + _MAX_NAME > start + len(content):
            file.seek(at)
            content, start = file.read(_BLOCK_BYTES), at
        found = content.find(_SIGNATURE, at - start)
        if found < 0:
            if start + len(content) >= end:
                break
            at = start + len(content) - len(_SIGNATURE) + 1
            continue
        at = start + found
        file.seek(at)
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            break
        _, _, flags, method, _, _, _, packed, size, n_name, n_extra = _HEAD.unpack(head)
        name = file.read(n_name)
        begin = at + _HEAD.size + n_name + n_extra
        at += len(_SIGNATURE)
        if flags & 1 or not name or begin > end or name.endswith(b"/"):
            continue
        member = zipfile.ZipInfo(name.decode("utf-8" if flags & 0x800 else "cp437", "replace"))
        member.header_offset, member.compress_type = begin, method
        # Some programs write lengths behind what they are of, which tells where it ends.
        is_open = not packed and method != zipfile.ZIP_STORED
        member.compress_size = end - begin if is_open else min(packed, end - begin)
        member.file_size = size
        members.append(member)
        at = begin + (packed if begin + packed <= end else 0)
    return members


def _members_of_folder(folder: Path) -> list[zipfile.ZipInfo]:
    members = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            member.file_size = path.stat().st_size
            members.append(member)
        if len(members) > MAX_MEMBERS:
            break
    return members


def _top_folder(names: list[str]) -> str:
    """Return the folder that the container of an EPUB is in, with a slash; empty for none."""
    inside = [name for name in names if _alike(name).endswith("/meta-inf/container.xml")]
    return inside[0][: -len("META-INF/container.xml")] if len(inside) == 1 else ""


def _other_names(member: zipfile.ZipInfo) -> Iterator[str]:
    """Yield names that programs may mean with that of a member."""
    name = member.filename
    yield _alike(unquote(name))
    if not name.isascii() and not member.flag_bits & 0x800:
        try:
            yield _alike(name.encode("cp437").decode("utf-8"))
        except UnicodeError:
            return


def _alike(name: str) -> str:
    plain = posixpath.normpath(name.replace("\\", "/")).lstrip("/")
    return unicodedata.normalize("NFC", plain).lower()
