"""The pictures of a book: which kinds there are, and those in its text."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from urllib.parse import unquote

from service.books.book import Illustration
from service.errors import InvalidBookError

HEAD_BYTES = 8
"""That tell what a picture is."""

_JPEG, _PNG, _GIF = "image/jpeg", "image/png", "image/gif"

ENDINGS = {_JPEG: "jpg", _PNG: "png", _GIF: "gif"}
"""Of the files of pictures, by their media types: those that every EPUB reader shows."""

COVER_TYPES = frozenset([_JPEG, _PNG])
"""Media types that a cover may have: those that every format of audio takes."""

_SIGNATURES = ((b"\xff\xd8\xff", _JPEG), (b"\x89PNG\r\n\x1a\n", _PNG), (b"GIF8", _GIF))
_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//|[?#]|\Z)", re.I)
_QUERY = re.compile(r"[?#].*", re.S)


def path_of(src: str) -> str | None:
    """Return the relative path that an `img` names; None for other addresses."""
    return None if _ELSEWHERE.match(src) else unquote(_QUERY.sub("", src))


def media_type_of(head: bytes) -> str | None:
    """Return the media type of a picture by its first bytes; None if it is none that is known."""
    return next((known for start, known in _SIGNATURES if head.startswith(start)), None)


def picture_beside(document: Path, src: str, alt: str) -> Illustration | None:
    """Return the picture that a document names; None if it is not in the document's folder.

    A document may come from anyone, so nothing outside its folder is read.
    """
    named = path_of(src)
    if named is None:
        return None
    folder = document.parent.resolve()
    try:
        path = (folder / named).resolve()
        if not path.is_relative_to(folder) or not path.is_file():
            return None
        with path.open("rb") as file:
            media_type = media_type_of(file.read(HEAD_BYTES))
    except (OSError, ValueError):  # no file can have this name, or it is not ours to read
        return None
    return None if media_type is None else Illustration(path, None, media_type, alt)


def content_of(illustration: Illustration) -> bytes:
    """Read a picture.

    Raises:
        OSError: it cannot be read.
        InvalidBookError: the EPUB is damaged, or is another one by now.
    """
    if illustration.member is None:
        return illustration.source.read_bytes()
    try:
        with zipfile.ZipFile(illustration.source) as archive:
            return archive.read(illustration.member)
    except (zipfile.BadZipFile, EOFError, KeyError) as error:
        raise InvalidBookError(
            f"{illustration.source.name}: the picture {illustration.member} cannot be read"
        ) from error
