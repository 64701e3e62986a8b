"""Read a document of Word, DOCX."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table
from docx.text.paragraph import Paragraph as Written

from service.books import tidying
from service.books.book import Book, ParagraphKind
from service.books.chaptering import by_headings
from service.books.html_blocks import Block
from service.books.markup_trees import children, descendants, parse_xml
from service.errors import InvalidBookError

_ENCRYPTED = b"\xd0\xcf\x11\xe0"
"""An OLE file: a document with a password, or one of Word before 2007."""

_HEADING = re.compile(r"heading (\d)", re.I)
_KINDS: dict[str, ParagraphKind] = {
    "quote": "quotation", "intense quote": "quotation", "caption": "caption",
    "html preformatted": "code", "macro text": "code", "footnote text": "note",
}  # fmt: skip


def read_docx(path: Path) -> Book:
    """Read a book from a DOCX file. Chapters begin at its headings.

    Raises:
        InvalidBookError: it is damaged, has a password, or is of an older Word.
    """
    with path.open("rb") as file:
        if file.read(4) == _ENCRYPTED:
            raise InvalidBookError(
                f"{path.name} has a password, or is too old; save it as DOCX without one"
            )
    try:
        document = docx.Document(str(path))
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise InvalidBookError(f"{path.name} is no DOCX, or is damaged: {error}") from error
    properties = document.core_properties
    authors = (one.strip() for one in re.split(r"[;&]", properties.author or ""))
    found = [*_blocks(document)]
    title = properties.title.strip() or _written_title(document) or path.stem
    chapters = by_headings([*found, *_notes(path)])
    return Book(title, _names(authors), properties.language or None, None, chapters)


def _names(authors: Iterator[str]) -> tuple[str, ...]:
    return tuple(name for name in authors if name and name != "python-docx")


def _written_title(document: Document) -> str:
    titles = (p.text.strip() for p in document.paragraphs if _style(p) == "title")
    return next(filter(None, titles), "")


def _style(paragraph: Written) -> str:
    style = paragraph.style
    return (style.name or "").lower() if style is not None else ""


def _blocks(document: Document) -> Iterator[Block]:
    for part in document.iter_inner_content():
        if isinstance(part, Table):
            for row in part.rows:
                # A merged cell is given once for each cell that it covers.
                cells = dict.fromkeys(cell.text.strip() for cell in row.cells)
                yield from _block(", ".join(filter(None, cells)), "table", 0)
            continue
        style = _style(part)
        heading = _HEADING.match(style)
        level = int(heading[1]) if heading else 0
        kind = "heading" if heading or style in ("title", "subtitle") else _KINDS.get(style, "text")
        yield from _block(part.text, kind, level)


def _block(text: str, kind: ParagraphKind, level: int) -> Iterator[Block]:
    done = tidying.paragraph(text, kind)
    if done is not None:
        yield Block(done, level if done.kind == "heading" else 0, ())


def _notes(path: Path) -> Iterator[Block]:
    """Yield the footnotes and endnotes, which python-docx does not read."""
    with zipfile.ZipFile(path) as archive:
        for name in ("word/footnotes.xml", "word/endnotes.xml"):
            if name not in archive.namelist():
                continue
            root = parse_xml(archive.read(name), name)
            for note in children(root, "footnote", "endnote"):
                text = " ".join("".join(one.text or "" for one in descendants(line, "t"))
                                for line in descendants(note, "p"))  # fmt: skip
                yield from _block(text, "note", 0)
