"""Read a FictionBook, FB2."""

from __future__ import annotations

import base64
import binascii
import re
import zipfile
from pathlib import Path

from lxml import etree

from service.books import tidying
from service.books.archive import Archive
from service.books.blocks import Block, blocks_of
from service.books.book import Book, Chapter, Picture
from service.books.chaptering import Mark, by_contents
from service.books.document_budget import MAX_BYTES_OF_FB2, Budget, Document
from service.books.encodings import utf_8_of_markup
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
_TAGS = {
    "emphasis": "em", "strikethrough": "s", "style": "span", "epigraph": "blockquote",
    "cite": "blockquote", "text-author": "p", "date": "p", "annotation": "div", "empty-line": "hr",
    "v": "p", "image": "img", "description": "head", "binary": "head", "stylesheet": "head",
}  # fmt: skip
"""The elements of HTML that mean the same."""

_PLACE = "section {}"
"""The name of the place where a section begins, by its number."""


def read_fb2(document: Document) -> Book:
    """Read a book from an FB2 file, also one in a ZIP archive.

    Raises:
        InvalidBookError: it is damaged, or larger than its budget.
    """
    budget = Budget(document.name, MAX_BYTES_OF_FB2, ledger=document.ledger)
    utf_8 = utf_8_of_markup(_content(document.path, budget), document.name, budget)
    content, pictures = _without_pictures(utf_8)
    root = parse_xml(content, document.name, budget)
    if local_name(root) != "fictionbook":
        raise InvalidBookError(f"{document.name} is no FB2: it has no FictionBook")
    titles = next(iter(descendants(root, "title-info")), etree.Element("title-info"))
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
    marks = _translate(root)
    found = blocks_of(root, document.ledger)
    return Book(
        title, tuple(filter(None, authors)), language, cover, _chapters(found, marks), notes=notes,
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


def _translate(root: Element) -> dict[str, Mark]:
    """Make elements of HTML of those of FB2, in their places.

    Returns:
        The sections and the notes, by the names of the places where they begin.
    """
    marks: dict[str, Mark] = {}
    levels: list[Element] = []  # of the open sections
    in_notes: Element | None = None
    for element in list(root.iter()):
        name = local_name(element)
        if name == "body":
            levels = []
            is_notes = "note" in attribute(element, "name").lower()
            in_notes = element if is_notes else None
            element.tag = "div"
            if is_notes:
                title = _title(element) or "Notes"
                _mark(element, marks, Mark(title, 1, 0, "notes"))
                element.set("class", "footnotes")
        elif name == "section":
            parent = element.getparent()
            while levels and levels[-1] is not parent:
                levels.pop()
            levels.append(element)
            if in_notes is None:
                _mark(element, marks, Mark(_title(element), len(levels), 0))
        elif name in ("title", "subtitle"):
            element.tag = "div"
            element.set("role", "heading")
            _on_lines(element, "p")
        elif name == "stanza":
            element.tag = "div"
            _on_lines(element, "v")
        elif name == "poem":
            element.tag = "div"
            element.set("class", "poem")
        elif name == "a" and attribute(element, "type") == "note":
            element.set("role", "doc-noteref")
        elif name == "code" and len(text_of(element).splitlines()) > 1:
            element.tag = "pre"
        elif name in _TAGS:
            element.tag = _TAGS[name]
    return marks


def _mark(element: Element, marks: dict[str, Mark], mark: Mark) -> None:
    place = _PLACE.format(len(marks))
    marks[place] = mark
    element.set("name", place)


def _on_lines(element: Element, name: str) -> None:
    """Make lines of the paragraphs that are in an element."""
    lines = [one for one in element if local_name(one) in (name, "empty-line")]
    for line in lines:
        is_text = local_name(line) == name
        line.tag = "span" if is_text else "br"
        if is_text and line is not lines[-1]:
            line.addnext(etree.Element("br"))


def _title(section: Element) -> str:
    titles = children(section, "title")
    if not titles:
        return ""
    lines = filter(None, map(text_of, children(titles[0], "p")))
    return tidying.tidy("\n".join(lines), "heading")


def _chapters(found: list[Block], marks: dict[str, Mark]) -> tuple[Chapter, ...]:
    starts = [
        Mark(marks[name].title, marks[name].level, number, marks[name].role)
        for number, block in enumerate(found)
        for name in block.anchors
        if name in marks
    ]
    return by_contents(found, starts)
