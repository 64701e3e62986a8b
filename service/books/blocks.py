"""Make paragraphs of the tree of a document, and enter what is read into the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from service.books import tidying
from service.books.book import Paragraph, ParagraphKind
from service.books.ledger import Ledger, Reason
from service.books.markup_trees import Element
from service.books.walk import UNREAD, FindPicture, Page, page_of
from service.text.characters import WRAPPED_LINE
from service.text.document import elements
from service.text.document.spoken import RAISED, SUPERSCRIPTS
from service.text.document.tree import SAID, Leaf, Span
from service.text.document.tree import Block as TreeBlock

_KINDS: dict[str, ParagraphKind] = {
    "heading": "heading", "code": "code", "verse": "verse", "caption": "caption", "row": "table",
}  # fmt: skip
_SPOKEN_LINK = re.compile(r"/[^/]+/\Z|[-+−–]\d(?:\.\d*)?\Z")
"""The target of a link that is markup of the service: `[Kokoro](/kˈOkəɹO/)`, `[never](+1)`."""


_BEFORE = 40
"""Characters before a raised number that tell what it is."""

_READING_AIDS = frozenset({"rt", "rp", "rtc"})

_CELL = "\v"
"""Between the cells of a row."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph in its document.

    Attributes:
        paragraph: tidied; None for an anchor at the end, before which there is no text.
        level: of a heading, 1 to 6; 0 for anything else.
        anchors: ids of the elements that begin with it.
    """

    paragraph: Paragraph | None
    level: int
    anchors: tuple[str, ...]


class _Unit(NamedTuple):
    """What blocks of the tree become a paragraph together: one of text, or a row."""

    number: int
    kind: ParagraphKind = "text"
    level: int = 0
    is_row: bool = False


def blocks_of(
    root: Element, ledger: Ledger, find_picture: FindPicture = lambda src, alt: None
) -> list[Block]:
    """Return the paragraphs of a document in elements of HTML; see `blocks`."""
    ledger.find(root.itertext())
    page = page_of(root, find_picture)
    ledger.find(page.added)
    return blocks(page, ledger)


def blocks(page: Page, ledger: Ledger) -> list[Block]:
    """Return the paragraphs of a document, in order, and where its ids are.

    A picture comes before the paragraph that it is in. A note has the kind `note`.

    Args:
        page: the document.
        ledger: counts what is read and what is not.
    """
    writer = _Writer(page, ledger)
    found = list(writer.blocks())
    if anchors := writer.rest():
        found.append(Block(None, 0, anchors))
    for gap in page.gaps:
        ledger.leave_out(page.document.text[gap.start : gap.end], gap.reason)
    return found


class _Writer:
    """Writes the leaves of a tree into paragraphs."""

    def __init__(self, page: Page, ledger: Ledger) -> None:
        self._page = page
        self._ledger = ledger
        self._n_anchors = self._n_pictures = 0  # that are given out
        self._pieces: list[str] = []
        self._read: list[str] = []  # what of them is text of the document
        self._unit: _Unit | None = None
        self._tagged: tuple[ParagraphKind, int] | None = None  # by a tag in Markdown
        self._unread: list[str] = []  # elements in Markdown that are open, whose text is not read
        self._ends = {  # of those, their last ends
            leaf.spans[-1].value[1:]: leaf.start
            for leaf in page.document.leaves
            if leaf.kind == "tag" and leaf.spans[-1].value[1:] in UNREAD
        }
        self._link: Span | None = None  # that is markup of the service, and open
        self._end = 0  # of the last words

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks."""
        tree = self._page.document.blocks
        units = _units(tree)
        inner = -1
        for leaf in self._page.document.leaves:
            if leaf.block != inner:
                inner = leaf.block
                unit = units[inner] if inner >= 0 else _Unit(-1)
                if unit is None or self._unit is None or unit.number != self._unit.number:
                    yield from self._flush()
                    self._tagged = None
                    self._unit = unit
                    if inner >= 0 and tree[inner].kind == "rule":
                        yield from self._break(leaf.start)
                elif unit.is_row:
                    self._part()
            if leaf.kind == "tag":
                yield from self._tag(leaf)
            else:
                self._add(leaf)
        yield from self._flush()
        yield from self._pictures(len(self._page.document.text) + 1)

    def rest(self) -> tuple[str, ...]:
        """Return the anchors that are in no block."""
        return self._anchors(len(self._page.document.text) + 1)

    def _part(self) -> None:
        """Keep the cells of a row apart, and the paragraphs of a cell."""
        if self._pieces and self._pieces[-1] != _CELL:
            self._pieces.append(_CELL)

    def _add(self, leaf: Leaf) -> None:
        kind = leaf.kind
        if kind in SAID:
            text = leaf.text.text
            if reason := self._why_not(leaf, text.strip()):
                self._ledger.leave_out(text, reason)
                return
            self._read.append(text)
            self._follow_link(leaf)
            if (
                leaf.spans
                and leaf.spans[-1].kind == "superscript"
                and RAISED.fullmatch(text.strip())
            ):
                text = text.translate(SUPERSCRIPTS)
            self._pieces.append(f"${text}$" if kind == "formula" else text)
            self._end = leaf.end
        elif kind == "hard":
            self._pieces.append("\n")
        elif kind == "soft":
            self._pieces.append(" ")

    def _why_not(self, leaf: Leaf, text: str) -> Reason | None:
        """Return why words are not read, though they are words."""
        if leaf.kind == "number":  # of an item; the pause is enough
            return "not text"
        if self._unread:
            return UNREAD[self._unread[0]]
        if leaf.spans and leaf.spans[-1].kind == "superscript" and RAISED.fullmatch(text):
            before = "".join(self._pieces[-2:])[-_BEFORE:]
            return "note mark" if tidying.is_note_mark(before, text) else None
        return None

    def _follow_link(self, leaf: Leaf) -> None:
        """Keep links that are markup of the service."""
        link = next((one for one in leaf.spans if one.kind == "link" and one.value), None)
        if link is not None and not _SPOKEN_LINK.match(link.value):
            link = None
        if link is not self._link:
            self._close_link()
            if link is not None:
                self._pieces.append("[")
            self._link = link

    def _close_link(self) -> None:
        if self._link is not None:
            self._pieces.append(f"]({self._link.value})")
            self._link = None

    def _tag(self, leaf: Leaf) -> Iterator[Block]:
        """Take a tag of HTML in Markdown."""
        tag = leaf.spans[-1].value
        name = tag.removeprefix("/")
        broken = elements.BREAKS.get(name)
        if name in _READING_AIDS or (self._unread and name == "ruby"):
            self._unread = [one for one in self._unread if one not in _READING_AIDS]
            if tag in _READING_AIDS:
                self._unread.append(tag)
        elif tag in UNREAD and self._ends.get(tag, -1) > leaf.start:
            self._unread.append(tag)
        elif self._unread:
            if tag == f"/{self._unread[-1]}":
                self._unread.pop()
        elif name == "hr":
            yield from self._flush()
            yield from self._break(leaf.start)
        elif broken == "line":
            self._pieces.append("\n")
        elif broken == "cell":
            self._part()
        elif broken is not None:
            yield from self._flush()
            self._tagged = None
            if tag == name and broken == "row":
                self._tagged = "table", 0
            elif tag == name and broken == "heading":
                self._tagged = "heading", int(name[1]) if name[1].isdigit() else 1

    def _flush(self) -> Iterator[Block]:
        """Yield the paragraph that ends here."""
        self._close_link()
        self._unread = [one for one in self._unread if one not in _READING_AIDS]
        pieces, read = self._pieces, "".join(self._read)
        self._pieces, self._read = [], []
        if self._unit is None or not pieces:
            self._ledger.read(read)
            return
        kind, level = self._tagged or (self._unit.kind, self._unit.level)
        text = "".join(pieces)
        if self._unit.is_row or kind == "table":
            text = ", ".join(filter(None, (one.strip(" ,;\n") for one in text.split(_CELL))))
        elif kind not in ("verse", "code"):
            text = _unwrapped(text)
        marks: list[str] = []
        done = tidying.paragraph(text, kind, marks.append)
        self._ledger.read(read)
        if done is None or not done.text:
            self._ledger.strike(read, "ornament")
        for mark in marks:
            self._ledger.strike(mark, "note mark")
        if done is not None:
            yield from self._pictures(self._end)
            yield Block(done, level if kind == "heading" else 0, self._anchors(self._end))

    def _break(self, at: int) -> Iterator[Block]:
        yield from self._pictures(at)
        yield Block(Paragraph("", "break"), 0, self._anchors(at))

    def _pictures(self, end: int) -> Iterator[Block]:
        """Yield the pictures before an offset."""
        pictures = self._page.pictures
        while self._n_pictures < len(pictures) and pictures[self._n_pictures][0] <= end:
            at, picture = pictures[self._n_pictures]
            self._n_pictures += 1
            yield Block(Paragraph("", "picture", picture), 0, self._anchors(at))

    def _anchors(self, end: int) -> tuple[str, ...]:
        """Return the ids of elements that begin before an offset."""
        anchors, first = self._page.anchors, self._n_anchors
        while self._n_anchors < len(anchors) and anchors[self._n_anchors][0] <= end:
            self._n_anchors += 1
        return tuple(name for _, name in anchors[first : self._n_anchors])


def _units(tree: Sequence[TreeBlock]) -> list[_Unit | None]:
    """Return for each block the paragraph that its words are in; None if it has none."""
    units: list[_Unit | None] = []
    around: list[tuple[bool, bool, int]] = []  # in a note, in a quote, the row
    for index, block in enumerate(tree):
        in_note, in_quote, row = around[block.parent] if block.parent >= 0 else (False, False, -1)
        in_note = in_note or block.kind == "footnote"
        in_quote = in_quote or block.kind == "quote"
        row = index if block.kind == "row" else row
        around.append((in_note, in_quote, row))
        kind = _KINDS.get(block.kind, "quotation" if in_quote else "text")
        if row >= 0:
            kind = "table"
        if in_note:
            kind = "note"
        level = block.level if kind == "heading" else 0
        is_out = block.kind in ("rule", "metadata", "definition")
        units.append(None if is_out else _Unit(row if row >= 0 else index, kind, level, row >= 0))
    return units


def _unwrapped(text: str) -> str:
    """Return a text without the ends of lines that a program has wrapped."""
    lines = [line.strip() for line in text.split("\n")]
    if len(lines) < 2 or any(len(line) not in WRAPPED_LINE for line in lines[:-1]):
        return text
    is_prose = len(lines) == 2 or any(line[:1].islower() for line in lines)
    return " ".join(lines) if is_prose else text
