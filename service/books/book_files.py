"""Read a book of any known kind."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from service.books.book import USUALLY_SKIPPED, Book, without
from service.books.document_budget import MAX_CHAPTERS, Document
from service.books.labels import label
from service.errors import InvalidBookError, ServiceError
from service.logs import describe

logger = logging.getLogger(__name__)

_READERS = {
    ".epub": ("epub_file", "read_epub"),
    ".txt": ("text_file", "read_text_file"),
    ".md": ("markdown_file", "read_markdown"),
    ".markdown": ("markdown_file", "read_markdown"),
    ".html": ("html_file", "read_html"),
    ".htm": ("html_file", "read_html"),
    ".xhtml": ("html_file", "read_html"),
    ".fb2": ("fb2_file", "read_fb2"),
    ".fb2.zip": ("fb2_file", "read_fb2"),
    ".fbz": ("fb2_file", "read_fb2"),
    ".docx": ("docx_file", "read_docx"),
    ".pdf": ("pdf_file", "read_pdf"),
    ".srt": ("subtitle_file", "read_subtitles"),
    ".vtt": ("subtitle_file", "read_subtitles"),
    ".ssml": ("ssml_file", "read_ssml"),
}
ENDINGS = tuple(_READERS)
"""Of the files that can be read."""

_Reader = Callable[[Document], Book]

_FINGERPRINT_LENGTH = 8
"""Of hexadecimal digits: two books have the same one by chance once in four billion times, and the
fewer there are the less they tell of a path."""

_OF_SHOPS = (".azw", ".azw1", ".azw4", ".kfx", ".acsm", ".ibooks")
_TO_CONVERT = {
    **dict.fromkeys(
        (".mobi", ".azw3", ".prc", ".lit", ".pdb", ".lrf", ".djvu"), "Calibre's ebook-convert"
    ),
    **dict.fromkeys((".doc", ".rtf", ".odt", ".pages"), "LibreOffice"),
}
"""What makes an EPUB or a DOCX of files with other endings."""


def read_book(path: Path, name: str | None = None) -> Book:
    """Read a book.

    Characters that no text has are dropped, and counted in the book.

    Args:
        path: of the file; its ending tells what it is.
        name: of the document, as whoever has it read knows it; None if that is the file's.

    Raises:
        InvalidBookError: the ending is unknown, the file is damaged, protected or too large, or it
            has no text. The message has the name and says what to do.
        OSError: the file cannot be read.
    """
    return read(Document(path, path.name if name is None else label(name)), name is None)


def read(document: Document, is_named_by_path: bool = True) -> Book:
    """Read a book from a document, whose ledger is full afterwards; see `read_book`.

    Args:
        document: it.
        is_named_by_path: whether its name is that of its file.
    """
    path, ledger = document.path, document.ledger
    place = os.path.realpath(path) if is_named_by_path else document.name
    name, ending = document.name, ending_of(path.name)
    if ending in _OF_SHOPS:
        raise InvalidBookError(
            f"{name} is a shop's own format, usually with DRM; get the book as EPUB"
        )
    if ending in _TO_CONVERT:
        raise InvalidBookError(f"{name} cannot be read; convert it with {_TO_CONVERT[ending]}")
    if ending not in _READERS:
        raise InvalidBookError(f"{name}: the name must end in {', '.join(ENDINGS)}")
    digest = _digest(path, ending)
    book = _with_something_to_read(_read(document, _reader(ending)))
    if ledger.unaccounted:
        # A fault of ours, so it is in the log.
        logger.warning("%d characters of a document are unaccounted for", ledger.unaccounted)
        ledger.note(f"{abs(ledger.unaccounted)} characters may be lost or read twice")
    book = replace(
        book,
        sha256=digest.hex(),
        notes=(*book.notes, *ledger.missing, *ledger.notes),
        omissions=ledger.omissions(),
        missing=tuple(ledger.missing),
        fingerprints=_fingerprints(book, place, digest),
    )
    if len(book.chapters) > MAX_CHAPTERS:
        raise InvalidBookError(f"{name} has more than {MAX_CHAPTERS:,} chapters")
    if not any(map(str.isalnum, "".join(p.text for c in book.chapters for p in c.paragraphs))):
        raise InvalidBookError(
            f"{name} has no text; if its pages are pictures, have a program recognize them "
            "(OCR) first"
        )
    return book


def ending_of(name: str) -> str:
    """Return the ending of a file's name that tells what it is, in small letters."""
    double = next((one for one in ENDINGS if one.count(".") > 1 and name.lower().endswith(one)), "")
    return double or Path(name).suffix.lower()


def _digest(path: Path, ending: str) -> bytes:
    """Return the digest of a file, or of the files in a folder that is an EPUB."""
    digest = hashlib.sha256()
    paths = [path]
    if ending == ".epub" and (path / "META-INF").is_dir():
        paths = sorted(one for one in path.rglob("*") if one.is_file())
    for one in paths:
        if one is not path:
            digest.update(f"{one.relative_to(path).as_posix()}\0".encode(errors="surrogateescape"))
        with one.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.digest()


def _with_something_to_read(book: Book) -> Book:
    """Return a book without roles, if nothing of it would be left to read."""
    if any(without(chapter, USUALLY_SKIPPED) for chapter in book.chapters):
        return book
    chapters = tuple(
        replace(chapter, role="body") if chapter.role != "notes" else chapter
        for chapter in book.chapters
    )
    return replace(book, chapters=chapters)


def _fingerprints(book: Book, place: str, content: bytes) -> tuple[str, ...]:
    """Return the fingerprints of a book: of what it is known by, and of its content.

    Its own identifier is the best to know it by. Without one, a file that is changed where it is
    stays the same book, and so does one that is moved as it is, by its content.
    """
    known_by = ("identifier", book.identifier) if book.identifier else (place, *book.authors)
    known = "\0".join(known_by).encode(errors="surrogatepass")
    return tuple(
        hashlib.sha256(what).hexdigest()[:_FINGERPRINT_LENGTH] for what in (known, content)
    )


def _read(document: Document, reader: _Reader) -> Book:
    """Read a book; whatever a parser makes of a damaged file is one error."""
    try:
        return reader(document)
    except (ServiceError, OSError, MemoryError):
        raise
    except Exception as error:
        # A fault of ours looks the same, so it is in the log.
        logger.warning("a document cannot be read: %s", describe(error))
        raise InvalidBookError(
            f"{document.name} is damaged, or is not what its ending says ({type(error).__name__})"
        ) from error


def load_readers() -> None:
    """Import what reads books of all kinds."""
    for ending in ENDINGS:
        _reader(ending)


def _reader(ending: str) -> _Reader:
    module, name = _READERS[ending]
    reader: _Reader = getattr(import_module(f"service.books.{module}"), name)
    return reader
