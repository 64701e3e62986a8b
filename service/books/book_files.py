"""Read a book of any known kind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from service.books.book import Book
from service.errors import InvalidBookError

_READERS = {
    ".epub": ("epub_file", "read_epub"),
    ".txt": ("text_file", "read_text_file"),
    ".md": ("markdown_file", "read_markdown"),
    ".markdown": ("markdown_file", "read_markdown"),
    ".html": ("html_file", "read_html"),
    ".htm": ("html_file", "read_html"),
    ".xhtml": ("html_file", "read_html"),
    ".fb2": ("fb2_file", "read_fb2"),
    ".docx": ("docx_file", "read_docx"),
}
ENDINGS = tuple(_READERS)
"""Of the files that can be read."""

_OF_SHOPS = (".azw", ".azw3", ".kfx", ".acsm", ".ibooks")


def read_book(path: Path) -> Book:
    """Read a book.

    Args:
        path: of the file; its ending tells what it is.

    Raises:
        InvalidBookError: the ending is unknown, the file is damaged or protected, or it has no
            text. The message says what to do.
        OSError: the file cannot be read.
    """
    ending = path.suffix.lower()
    if ending in _OF_SHOPS:
        raise InvalidBookError(
            f"{path.name} is a shop's own format, usually with DRM; get the book as EPUB"
        )
    if ending not in _READERS:
        raise InvalidBookError(f"{path.name}: the name must end in {', '.join(ENDINGS)}")
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    book = replace(_reader(ending)(path), sha256=digest.hexdigest())
    if not any(map(str.isalnum, "".join(p.text for c in book.chapters for p in c.paragraphs))):
        raise InvalidBookError(
            f"{path.name} has no text; if its pages are pictures, have a program recognize them "
            "(OCR) first"
        )
    return book


def _reader(ending: str) -> Callable[[Path], Book]:
    module, name = _READERS[ending]
    reader: Callable[[Path], Book] = getattr(import_module(f"service.books.{module}"), name)
    return reader
