"""The pictures of a book: which kinds there are, and those in its text."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from service.books.archive import Archive
from service.books.book import Illustration, Picture
from service.books.document_budget import Budget
from service.covers import Cover
from service.errors import InvalidBookError

HEAD_BYTES = 8
"""That tell what a picture is."""

_JPEG, _PNG, _GIF = "image/jpeg", "image/png", "image/gif"

ENDINGS = {_JPEG: "jpg", _PNG: "png", _GIF: "gif"}
"""Of the files of pictures, by their media types: those that every EPUB reader shows."""

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


def picture_of(content: bytes) -> Picture:
    """Return a picture that every format of audio takes for a cover.

    Raises:
        UnusableCoverError: it is none.
    """
    cover = Cover.of(content)
    return Picture(cover.content, cover.media_type)


class Gallery:
    """Reads pictures, of which many may be in one EPUB. A context manager."""

    def __init__(self) -> None:
        self._archive: Archive | None = None

    def __enter__(self) -> Gallery:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the EPUB that was read last."""
        if self._archive is not None:
            self._archive.close()

    def content_of(self, illustration: Illustration) -> bytes:
        """Read a picture.

        Raises:
            OSError: it cannot be read.
            InvalidBookError: the EPUB is damaged, or is another one by now.
        """
        source = illustration.source
        if illustration.member is None:
            return source.read_bytes()
        try:
            if self._archive is None or self._archive.path != source:
                if self._archive is not None:
                    self._archive.close()
                self._archive = Archive(source, Budget(source.name))
            return self._archive.picture(illustration.member)
        except InvalidBookError as error:
            raise InvalidBookError(
                f"{source.name}: the picture {illustration.member} cannot be read"
            ) from error
