"""A form with a document, as `curl -F file=@book.epub` sends it: RFC 7578."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

from service.errors import InvalidRequestError

_MAX_PARTS = 100
_MAX_HEAD_BYTES = 16 << 10
_MAX_FIELD_BYTES = 64 << 10
_MAX_BOUNDARY = 70
"""Characters: RFC 2046, 5.1.1."""
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class Form:
    """A form that was received.

    Attributes:
        document: the file of its document.
        file_name: as the client has it; may be empty.
        media_type: of the document, in small letters; may be empty.
        fields: the other fields.
    """

    document: Path
    file_name: str
    media_type: str
    fields: dict[str, str]

    @classmethod
    def of(cls, body: Path, content_type: str, document: Path) -> Form:
        """Read the body of a request, in memory of no account.

        Args:
            body: its file.
            content_type: of the request, which has the boundary.
            document: where the document is put.

        Raises:
            InvalidRequestError: it is malformed, or does not have exactly one document.
            OSError: the document cannot be written.
        """
        header = Message()
        header["content-type"] = content_type
        boundary = str(header.get_param("boundary") or "")
        if not 0 < len(boundary) <= _MAX_BOUNDARY or not boundary.isascii():
            raise InvalidRequestError("the content type of a form must have a boundary")
        found: Form | None = None
        fields: dict[str, str] = {}
        with body.open("rb") as file:
            if not body.stat().st_size:
                raise InvalidRequestError("the form is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                for head, start, end in _parts(content, boundary.encode()):
                    name = str(head.get_param("name", "", "content-disposition"))
                    file_name = head.get_filename()
                    if file_name is None:
                        if end - start > _MAX_FIELD_BYTES:
                            raise InvalidRequestError(f"the field {name[:50]!r} is too long")
                        fields[name] = content[start:end].decode("utf-8", "replace")
                        continue
                    if found is not None:
                        raise InvalidRequestError("the form has more than one document")
                    _copy(content, start, end, document)
                    found = cls(document, file_name, _media_type(head), fields)
        if found is None:
            raise InvalidRequestError("the form has no document; send it as the file of a field")
        return found


def _parts(content: mmap.mmap, boundary: bytes) -> Iterator[tuple[Message, int, int]]:
    """Yield the head of each part, and where its content begins and ends."""
    opening, between = b"--" + boundary, b"\r\n--" + boundary
    at = 0 if content[: len(opening)] == opening else content.find(between) + 2
    if content[at : at + len(opening)] != opening:
        raise InvalidRequestError("the form does not begin with its boundary")
    for _ in range(_MAX_PARTS):
        at += len(opening)
        if content[at : at + 2] == b"--":
            return
        at = content.find(b"\r\n", at) + 2
        start = content.find(b"\r\n\r\n", max(0, at - 2), at + _MAX_HEAD_BYTES) + 4
        end = content.find(between, max(0, start - 2))
        if at < 2 or start < 4 or end < 0:
            raise InvalidRequestError("the form is cut off, or malformed")
        head = HeaderParser().parsestr(content[at : start - 2].decode("utf-8", "replace"))
        yield head, start, max(start, end)
        at = end + 2
    raise InvalidRequestError(f"the form has more than {_MAX_PARTS} parts")


def _media_type(head: Message) -> str:
    return head.get_content_type() if "content-type" in head else ""


def _copy(content: mmap.mmap, start: int, end: int, path: Path) -> None:
    with path.open("wb") as file:
        for at in range(start, end, _BLOCK_BYTES):
            file.write(content[at : min(end, at + _BLOCK_BYTES)])
