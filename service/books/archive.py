"""The ZIP archive that an EPUB, a DOCX or an FB2 may be; it may be damaged, or made to do harm."""

from __future__ import annotations

import errno
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.books.document_budget import Budget
from service.errors import InvalidBookError

MAX_MEMBERS = 20_000
MAX_DIRECTORY_BYTES = 16 << 20
"""Of the list of members, which is read at once: 20,000 of them have 2 MB."""

MAX_PICTURE_BYTES = 64 << 20

_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""Whose output `zipfile` gives in small parts. Of bzip2, 2 kB become 4 GB at once."""

_BLOCK_BYTES = 1 << 20
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, NotImplementedError,
    OverflowError, RuntimeError, ValueError,
)  # fmt: skip
"""What `zipfile` raises of damaged archives; a wrong name is a UnicodeError, so a ValueError."""


class Archive:
    """The members of a ZIP archive, unpacked within the budget of its document. A context manager.

    A member is found by its name; if there is none, by the same name in other capitals, with `\\`
    in the place of `/`, or with a `/` before it. Of two members with one name the last one counts.

    Args:
        path: of the file.
        budget: of the document.

    Raises:
        InvalidBookError: it is no archive, is damaged, or has too many members.
        OSError: the file cannot be read.
    """

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path = path
        self.name = budget.name
        self._budget = budget
        self._file = _File(io.FileIO(path))
        try:
            with self._damage(f"no {path.suffix[1:].upper()}, or is damaged"):
                self._zip = zipfile.ZipFile(self._file)
            members = self._zip.infolist()
            if len(members) > MAX_MEMBERS:
                raise InvalidBookError(f"{self.name} has more than {MAX_MEMBERS:,} files in it")
        except BaseException:
            self._file.close()
            raise
        self._members = {one.filename: one for one in members}
        self._alike = {_alike(one.filename): one for one in members}

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
        self._file.close()

    def __contains__(self, member: str) -> bool:
        return self._found(member) is not None

    @property
    def names(self) -> list[str]:
        """Return the names of the members, in order."""
        return [one.filename for one in self._zip.infolist()]

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
        return self._members.get(member) or self._alike.get(_alike(member))

    def _blocks(self, member: zipfile.ZipInfo, n_bytes: int = _BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the content of a member; what the archive says of its length is not trusted."""
        if member.compress_type not in _METHODS:
            raise InvalidBookError(
                f"{self.name}: {member.filename} is compressed in a way that is not read; pack it "
                "with deflate, as ZIP usually is"
            )
        with self._damage(f"damaged in {member.filename}"), self._zip.open(member) as file:
            while block := file.read(n_bytes):
                yield block

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


def _alike(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
