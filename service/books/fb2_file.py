"""Read a FictionBook, FB2."""

from __future__ import annotations

import base64
import binascii
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from service.books import tidying
from service.books.archive import Archive
from service.books.book import Book, Chapter, Paragraph, ParagraphKind, Picture
from service.books.chaptering import Mark, by_contents
from service.books.document_budget import MAX_BYTES_OF_FB2, Budget, Document
from service.books.html_blocks import Block
from service.books.illustrations import picture_of
from service.books.markup_trees import (
    Element,
    attribute,
    children,
    descendants,
    local_name,
    parse_xml,
    text_of,
)
from service.covers import UnusableCoverError
from service.errors import InvalidBookError

_BINARY = re.compile(rb"(<binary\b[^<>]*>)([^<>]*)(</binary\s*>)")
_KINDS: dict[str, ParagraphKind] = {
    "title": "heading", "subtitle": "heading", "epigraph": "quotation", "cite": "quotation",
    "poem": "verse", "annotation": "text", "text-author": "text", "code": "code", "td": "table",
}  # fmt: skip


def read_fb2(document: Document) -> Book:
    """Read a book from an FB2 file, also one in a ZIP archive.

    Raises:
        InvalidBookError: it is damaged, or larger than its budget.
    """
    budget = Budget(document.name, MAX_BYTES_OF_FB2)
    content, pictures = _without_pictures(_content(document.path, budget))
    root = parse_xml(content, document.name, budget)
    titles = next(iter(descendants(root, "title-info")), None)
    if local_name(root) != "fictionbook" or titles is None:
        raise InvalidBookError(
            f"{document.name} is no FB2: it has no FictionBook with a title-info"
        )
    authors = (
        " ".join(filter(None, (text_of(one) for part in ("first-name", "middle-name", "last-name",
                 "nickname") for one in children(author, part))))
        for author in children(titles, "author")
    )  # fmt: skip
    title = next(filter(None, map(text_of, children(titles, "book-title"))), document.stem)
    language = next(filter(None, map(text_of, children(titles, "lang"))), None)
    cover, notes = _cover(root, titles, pictures)
    about_file = next(iter(descendants(root, "document-info")), None)
    identifiers = [] if about_file is None else children(about_file, "id")
    identifier = next(filter(None, map(text_of, identifiers)), "")
    return Book(
        title, tuple(filter(None, authors)), language, cover, _chapters(root), notes=notes,
        n_dropped=budget.n_dropped, identifier=identifier,
    )  # fmt: skip


def _content(path: Path, budget: Budget) -> bytes:
    if not zipfile.is_zipfile(path):
        return budget.read(path)
    with Archive(path, budget) as archive:
        for name in archive.names:
            if name.lower().endswith(".fb2"):
                return archive.read(name)
    raise InvalidBookError(f"{budget.name} is an archive without an FB2 file")


def _without_pictures(content: bytes) -> tuple[bytes, list[bytes]]:
    """Return a document with numbers in the place of its pictures, and those, in Base64.

    Pictures are longer than any text that the parser takes.
    """
    pictures: list[bytes] = []

    def number(match: re.Match[bytes]) -> bytes:
        pictures.append(match[2])
        return b"%s%d%s" % (match[1], len(pictures) - 1, match[3])

    return _BINARY.sub(number, content), pictures


def _cover(
    root: Element, titles: Element, pictures: list[bytes]
) -> tuple[Picture | None, tuple[str, ...]]:
    """Return the cover, and what is to be told if it cannot be had."""
    binaries = {attribute(one, "id"): text_of(one) for one in children(root, "binary")}
    notes = []
    for picture in (
        one for page in children(titles, "coverpage") for one in descendants(page, "image")
    ):
        written = binaries.get(attribute(picture, "href").lstrip("#"))
        if written is None:
            continue
        try:
            is_number = written.isascii() and written.isdigit() and int(written) < len(pictures)
            content = pictures[int(written)] if is_number else written.encode()
            return picture_of(base64.b64decode(content)), ()
        except (binascii.Error, UnusableCoverError) as error:
            notes.append(f"the cover is left out: {error}")
    return None, tuple(notes[:1])


def _chapters(root: Element) -> tuple[Chapter, ...]:
    blocks: list[Block] = []
    marks: list[Mark] = []
    for body in children(root, "body"):
        is_notes = "note" in attribute(body, "name").lower()
        if is_notes:
            marks.append(Mark(_title(body) or "Notes", 1, len(blocks), "notes"))
        for level, paragraph in _paragraphs(body, "note" if is_notes else "text", 0):
            if isinstance(paragraph, str):
                if not is_notes:
                    marks.append(Mark(paragraph, level, len(blocks)))
            else:
                blocks.append(Block(paragraph, 0, ()))
    return by_contents(blocks, marks)


def _title(section: Element) -> str:
    titles = children(section, "title")
    if not titles:
        return ""
    lines = filter(None, map(text_of, children(titles[0], "p")))
    return tidying.tidy("\n".join(lines), "heading")


def _paragraphs(
    element: Element, kind: ParagraphKind, level: int
) -> Iterator[tuple[int, Paragraph | str]]:
    """Yield the paragraphs, and the title of each section where it begins, with its level."""
    for child in element:
        name = local_name(child)
        if name == "section":
            yield level + 1, _title(child)
            yield from _paragraphs(child, kind, level + 1)
            continue
        own = "note" if kind == "note" else _KINDS.get(name, kind)
        if name in ("title", "stanza"):
            texts = "\n".join(_text(line) for line in children(child, "p", "v"))
        elif name in ("epigraph", "cite", "poem", "annotation", "table", "tr"):
            if name == "tr":
                texts = ", ".join(filter(None, map(text_of, child)))
                own = "note" if kind == "note" else "table"
            else:
                yield from _paragraphs(child, own, level)
                continue
        elif name == "empty-line":
            yield level, Paragraph("", "break")
            continue
        elif name in ("p", "subtitle", "text-author", "v", "date"):
            texts = _text(child)
        else:  # pictures
            continue
        done = tidying.paragraph(texts, own)
        if done is not None:
            yield level, done


def _text(element: Element) -> str:
    """Return the text of a paragraph, without the marks of notes."""
    pieces = [element.text or ""]
    for child in element:
        is_note = local_name(child) == "a" and attribute(child, "type") == "note"
        pieces += ["" if is_note else _text(child), child.tail or ""]
    return " ".join(f"|{''.join(pieces)}|".split())[1:-1]
