"""Read a document of Word, DOCX."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from service.books import tidying
from service.books.archive import Archive
from service.books.book import Book, ParagraphKind
from service.books.chaptering import by_headings
from service.books.document_budget import (
    MAX_BYTES_OF_DOCX,
    MAX_ELEMENTS_OF_DOCX,
    Budget,
    Document,
)
from service.books.html_blocks import Block
from service.books.markup_trees import (
    Element,
    attribute,
    children,
    local_name,
    parse_xml,
    text_of,
)
from service.errors import InvalidBookError

_OLE = b"\xd0\xcf\x11\xe0"
"""The head of a document with a password, or of one of Word before 2007."""

_HEADING = re.compile(r"heading (\d)", re.I)
_KINDS: dict[str, ParagraphKind] = {
    "quote": "quotation", "intense quote": "quotation", "caption": "caption",
    "html preformatted": "code", "macro text": "code", "footnote text": "note",
    "title": "heading", "subtitle": "heading",
}  # fmt: skip

_UNREAD = frozenset({"del", "movefrom", "fallback", "instrtext", "deltext", "txbxcontent", "rt"})
"""What was deleted or moved away, what older programs show instead of the same thing, the codes of
fields, and how characters are read. The text of a box is in paragraphs of its own."""

_CHARACTERS = {"tab": "\t", "ptab": "\t", "cr": "\n", "br": "\n", "nobreakhyphen": "-"}


def read_docx(document: Document) -> Book:
    """Read a book from a DOCX file. Chapters begin at its headings.

    Raises:
        InvalidBookError: it is damaged, has a password, is of an older Word, or is larger than its
            budget.
    """
    with document.path.open("rb") as file:
        if file.read(4) == _OLE:
            raise InvalidBookError(
                f"{document.name} has a password, or is too old; save it as DOCX without one"
            )
    budget = Budget(document.name, MAX_BYTES_OF_DOCX, MAX_ELEMENTS_OF_DOCX)
    with Archive(document.path, budget) as archive:
        return _Package(archive, budget).book(document)


class _Package:
    """The parts of a document, which name each other by relationships."""

    def __init__(self, archive: Archive, budget: Budget) -> None:
        self._archive = archive
        self._budget = budget
        parts = self._related("")
        self._document = parts.get("officedocument", "word/document.xml")
        self._properties = parts.get("core-properties", "docprops/core.xml")
        self._parts = self._related(self._document)

    def book(self, document: Document) -> Book:
        """Read the whole document."""
        if self._document not in self._archive:
            raise InvalidBookError(f"{document.name} is no DOCX, or is damaged: it has no document")
        names = self._style_names()
        body = next(iter(children(self._parsed(self._document), "body")), None)
        if body is None:
            raise InvalidBookError(f"{document.name} is no document of Word")
        titles: list[str] = []
        found = list(_blocks(body, names, titles))
        title, author, language = self._named_properties()
        authors = (one.strip() for one in re.split(r"[;&]", author))
        return Book(
            title or next(iter(titles), document.stem),
            tuple(one for one in authors if one and one != "python-docx"),
            language or None,
            None,
            by_headings([*found, *self._notes()]),
            n_dropped=self._budget.n_dropped,
        )

    def _parsed(self, part: str) -> Element:
        return parse_xml(self._archive.read(part), part, self._budget)

    def _related(self, part: str) -> dict[str, str]:
        """Return the parts that a part names, by the last words of the types of relationships."""
        folder, name = posixpath.split(part)
        relationships = posixpath.join(folder, "_rels", f"{name}.rels")
        if relationships not in self._archive:
            return {}
        found: dict[str, str] = {}
        for one in children(self._parsed(relationships), "relationship"):
            if attribute(one, "TargetMode").lower() != "external":
                target = posixpath.normpath(posixpath.join("/", folder, attribute(one, "Target")))
                kind = attribute(one, "Type").lower().rpartition("/")[2]
                found.setdefault(kind, target.lstrip("/"))
        return found

    def _style_names(self) -> dict[str, str]:
        """Return the names of the styles by their ids, in small letters; of the default by ""."""
        part = self._parts.get("styles", "word/styles.xml")
        names: dict[str, str] = {}
        if part in self._archive:
            for style in children(self._parsed(part), "style"):
                name = "".join(attribute(one, "val") for one in children(style, "name")).lower()
                names[attribute(style, "styleId")] = name
                is_default = attribute(style, "default") in ("1", "true", "on")
                if is_default and attribute(style, "type") == "paragraph":
                    names[""] = name
        return names

    def _named_properties(self) -> tuple[str, str, str]:
        """Return title, author and language; each may be empty."""
        if self._properties not in self._archive:
            return "", "", ""
        root = self._parsed(self._properties)
        title, author, language = (
            next(iter(map(text_of, children(root, name))), "")
            for name in ("title", "creator", "language")
        )
        return title, author, language

    def _notes(self) -> Iterator[Block]:
        for kind in ("footnotes", "endnotes"):
            part = self._parts.get(kind, f"word/{kind}.xml")
            if part not in self._archive:
                continue
            for note in children(self._parsed(part), "footnote", "endnote"):
                yield from _block(" ".join(_texts(note)), "note", 0)


def _blocks(part: Element, names: dict[str, str], titles: list[str]) -> Iterator[Block]:
    """Yield the paragraphs of a part, with those in tables, boxes and controls.

    Args:
        part: what they are in.
        names: of the styles.
        titles: gets the texts of the paragraphs in the style of a title.
    """
    for child in part:
        name = local_name(child)
        if name == "p":
            boxes: list[Element] = []
            text = _text(child, boxes)
            style = names.get(_style(child), names.get("", ""))
            if style == "title" and text.strip():
                titles.append(text)
            heading = _HEADING.match(style)
            kind = "heading" if heading else _KINDS.get(style, "text")
            yield from _block(text, kind, int(heading[1]) if heading else 0)
            for box in boxes:
                yield from _blocks(box, names, titles)
        elif name == "tr":
            # A cell that goes on from the row above has no text of its own, and one over many
            # columns is one cell.
            yield from _block(", ".join(filter(None, _cells(child))), "table", 0)
        elif name not in _UNREAD and not name.endswith("pr"):
            yield from _blocks(child, names, titles)


def _cells(row: Element) -> Iterator[str]:
    for child in row:
        name = local_name(child)
        if name == "tc":
            yield "\n".join(filter(None, map(str.strip, _texts(child))))
        elif name not in _UNREAD and not name.endswith("pr"):
            yield from _cells(child)


def _texts(element: Element) -> Iterator[str]:
    """Yield the texts of all paragraphs below an element."""
    for child in element:
        name = local_name(child)
        if name == "p":
            boxes: list[Element] = []
            yield _text(child, boxes)
            for box in boxes:
                yield from _texts(box)
        elif name not in _UNREAD and not name.endswith("pr"):
            yield from _texts(child)


def _style(paragraph: Element) -> str:
    """Return the id of a paragraph's style; empty for the default."""
    for properties in children(paragraph[:1], "ppr"):
        for style in children(properties, "pstyle"):
            return attribute(style, "val")
    return ""


def _text(paragraph: Element, boxes: list[Element]) -> str:
    """Return the text of a paragraph, and add the boxes of text in it to a list."""
    pieces: list[str] = []
    _collect(paragraph, pieces, boxes)
    return "".join(pieces)


def _collect(element: Element, pieces: list[str], boxes: list[Element]) -> None:
    for child in element:
        name = local_name(child)
        if name == "t":
            pieces.append(child.text or "")
        elif name in _CHARACTERS:
            # The end of a page or a column may be inside a sentence.
            is_line = name != "br" or attribute(child, "type") in ("", "textWrapping")
            pieces.append(_CHARACTERS[name] if is_line else "")
        elif name == "txbxcontent":
            boxes.append(child)
        elif name not in _UNREAD and not name.endswith("pr"):
            _collect(child, pieces, boxes)


def _block(text: str, kind: ParagraphKind, level: int) -> Iterator[Block]:
    done = tidying.paragraph(text, kind)
    if done is not None:
        yield Block(done, level if done.kind == "heading" else 0, ())
