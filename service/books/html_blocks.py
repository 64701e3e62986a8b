"""The paragraphs of an HTML document, as a reader would read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from service.books import tidying
from service.books.book import Illustration, Paragraph, ParagraphKind
from service.books.furniture import (
    INLINE,
    NAVIGATION,
    WHOLE,
    Claim,
    brief,
    claims_of,
    has_picture,
    is_hidden,
    is_left_out,
    is_navigation,
    is_page,
    is_prose,
    is_raised_mark,
    types_of,
)
from service.books.markup_trees import Element, attributes, descendants, local_name, text_of

_SILENT = frozenset({
    "script", "style", "head", "template", "svg", "math", "audio", "video", "object", "iframe",
    "button", "input", "select", "textarea", "canvas", "noscript", "rp", "rt", "map",
})  # fmt: skip
_HEADING = re.compile(r"h[1-6]\Z")
_KINDS: dict[str, ParagraphKind] = {
    "pre": "code", "blockquote": "quotation", "figcaption": "caption", "caption": "caption",
}  # fmt: skip
_VERSE = re.compile(r"(?:^|[\s_-])(?:poem|poetry|verse|stanza|linegroup|lg)(?:$|[\s_-])", re.I)
_DROP_CAP = re.compile(r"drop-?_?cap|\bdrop\b|\binitial\b|first-?letter", re.I)
_SMALL_CAPS = re.compile(r"(?:^|\s)(?:small-?_?caps?|smcap|sc)(?:$|\s)", re.I)
_NOTE_TYPES = frozenset(
    ["footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "note"]
)
_NOTE_CLASS = re.compile(r"(?:^|\s)(?:footnotes?|endnotes?)(?:$|\s)", re.I)
_ONE_LETTER_WORDS = frozenset("AIO")
_MANY_PIECES = 1000
"""Of text; small capitals are no longer than that."""


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


FindPicture = Callable[[str, str], Illustration | None]
"""Returns the picture for what `src` and `alt` of an `img` say; None if there is none."""


def blocks(root: Element, find_picture: FindPicture = lambda src, alt: None) -> list[Block]:
    """Return the paragraphs of a document, in order, and where its ids are.

    Page numbers, running heads, marks of notes and navigation are left out; a note has the kind
    `note`. A picture comes before the paragraph that it is in. What is hidden is left out, unless
    there is nothing else.

    Args:
        root: of the document.
        find_picture: finds its pictures; without it there are none.
    """
    found = _walked(root, find_picture, False)
    if not any(block.paragraph and block.paragraph.text for block in found):
        hidden = _walked(root, find_picture, True)
        texts = (block.paragraph.text for block in hidden if block.paragraph)
        if any(map(is_prose, texts)):
            return hidden
    return found


def _walked(root: Element, find_picture: FindPicture, with_hidden: bool) -> list[Block]:
    walk = _Walk(find_picture, with_hidden)
    found = [*walk.element(root, "text"), *walk.end("text")]
    if walk.anchors:
        found.append(Block(None, 0, tuple(walk.anchors)))
    return found


class _Walk:
    """One pass over a document."""

    def __init__(self, find_picture: FindPicture, with_hidden: bool) -> None:
        self.anchors: list[str] = []
        self._find_picture = find_picture
        self._with_hidden = with_hidden
        self._in_navigation = False  # that has other text than links
        self._pictures: list[Illustration] = []
        self._pieces: list[str] = []
        self._drop_cap = False

    def element(self, element: Element, kind: ParagraphKind) -> Iterator[Block]:
        """Yield the paragraphs that an element ends, with the text that is before it."""
        name, own = local_name(element), attributes(element)
        if not name or name in _SILENT or self._is_hidden(name, own, element):
            self._anchor(own)
        elif name not in INLINE:
            yield from self._block_element(element, name, own, kind)
        elif not any(local_name(below) not in INLINE for below in element):
            self._anchor(own)
            self._inline(element, own, self._pieces)
        elif not is_left_out(element, claims_of(own)):  # an inline element around paragraphs
            yield from self._content(element, kind)

    def _block_element(
        self, element: Element, name: str, own: dict[str, str], kind: ParagraphKind
    ) -> Iterator[Block]:
        yield from self.end(kind)
        self._anchor(own)
        types = types_of(own)
        if name == "nav" or types & NAVIGATION:
            if not self._in_navigation and is_navigation(element):
                return
            was, self._in_navigation = self._in_navigation, True
            yield from self._content(element, kind)
            yield from self.end(kind)
            self._in_navigation = was
            return
        claims = claims_of(own)
        is_out = is_left_out(element, claims)
        if claims and _begins_anew(element, name, own, claims):
            yield self._block(Paragraph("", "break"))
            text = brief(element)
            is_out = is_out or (text is not None and not any(map(str.isalnum, text)))
            is_out = is_out and not has_picture(element)
        if is_out:
            return
        own_kind = _kind(own, name, types, kind)
        if name == "hr":
            yield self._block(Paragraph("", "break"))
        elif name == "tr":
            yield from self._row(element, own_kind)
        elif own_kind == "code" and name == "pre":
            self._pieces.append("".join(element.itertext()))
            yield from self.end(own_kind)
        else:
            yield from self._content(element, own_kind)
            yield from self.end(own_kind, int(name[1]) if _HEADING.match(name) else 0)

    def end(self, kind: ParagraphKind, level: int = 0) -> Iterator[Block]:
        """Yield the paragraph that ends here, if it has text, after the pictures in it."""
        for picture in self._pictures:
            yield self._block(Paragraph("", "picture", picture))
        self._pictures = []
        if not self._pieces:
            return
        text = "".join(self._pieces)
        self._pieces, self._drop_cap = [], False
        done = tidying.paragraph(text, kind)
        if done is not None:
            yield self._block(done, level)

    def _content(self, element: Element, kind: ParagraphKind) -> Iterator[Block]:
        self._text(element.text, kind)
        for child in element:
            yield from self.element(child, kind)
            self._text(child.tail, kind)

    def _text(self, text: str | None, kind: ParagraphKind) -> None:
        if not text:
            return
        text = _folded(text)
        if self._drop_cap and text.strip():
            text = text.lstrip() if self._pieces[-1] not in _ONE_LETTER_WORDS else text
            self._drop_cap = False
        self._pieces.append(text)

    def _inline(self, element: Element, own: dict[str, str], pieces: list[str]) -> None:
        """Add the text of an inline element."""
        name = local_name(element)
        if (
            name in _SILENT
            or self._is_hidden(name, own, element)
            or is_left_out(element, claims_of(own))
            or is_raised_mark(element)
        ):
            return
        if name == "br":
            pieces.append("\n")
            return
        if name == "img":
            alt = own.get("alt", "").strip()
            self._drop_cap = len(alt) == 1 and alt.isalpha()
            if self._drop_cap:
                pieces.append(alt)
            else:
                self._picture(own)
            return
        start = len(pieces)
        _add(element.text, pieces)
        for child in element:
            attributes_of_child = attributes(child)
            self._anchor(attributes_of_child)
            self._inline(child, attributes_of_child, pieces)
            _add(child.tail, pieces)
        if not own or len(pieces) - start > _MANY_PIECES:
            return
        text = "".join(pieces[start:])
        if _DROP_CAP.search(own.get("class", "")) and len(text.strip()) == 1:
            self._drop_cap = True
            pieces[start:] = [text.strip()]
        elif _has_small_caps(own) and text.isupper() and len(text.strip()) > 1:
            pieces[start:] = [tidying.capitalized(text)]

    def _picture(self, own: dict[str, str]) -> None:
        alt = " ".join(own.get("alt", "").split())
        if picture := self._find_picture(own.get("src", ""), alt):
            self._pictures.append(picture)

    def _row(self, row: Element, kind: ParagraphKind) -> Iterator[Block]:
        for picture in descendants(row, "img"):
            self._picture(attributes(picture))
        cells = [text_of(cell) for cell in row if local_name(cell) in ("td", "th")]
        self._pieces.append(", ".join(cell for cell in cells if cell))
        yield from self.end(kind)

    def _anchor(self, own: dict[str, str]) -> None:
        self.anchors += [own[name] for name in ("id", "name") if own.get(name)]

    def _is_hidden(self, name: str, own: dict[str, str], element: Element) -> bool:
        return not self._with_hidden and is_hidden(name, own, element)

    def _block(self, paragraph: Paragraph, level: int = 0) -> Block:
        anchors, self.anchors = tuple(self.anchors), []
        return Block(paragraph, level, anchors)


def _kind(own: dict[str, str], name: str, types: set[str], outer: ParagraphKind) -> ParagraphKind:
    style = own.get("class", "")
    if outer == "note" or types & _NOTE_TYPES or (style and _NOTE_CLASS.search(style)):
        return "note"
    if _HEADING.match(name):
        return "heading"
    if name in ("td", "th", "tr", "table"):
        return "table"
    if style and _VERSE.search(style):
        return "verse"
    return _KINDS.get(name, outer)


def _begins_anew(
    element: Element, name: str, own: dict[str, str], claims: frozenset[Claim]
) -> bool:
    """Tell whether there is a change of scene before an element, or in its place."""
    if name in WHOLE:
        return False
    if "scene" in claims:
        return True
    # Not the end of a printed page, which may be inside a sentence.
    is_of_print = "page_number" in claims or any(own.get(one) for one in ("id", "title"))
    return "page_break" in claims and not is_of_print and not is_page(brief(element) or "")


def _has_small_caps(own: dict[str, str]) -> bool:
    declared = own.get("style", "").replace(" ", "")
    return bool(_SMALL_CAPS.search(own.get("class", ""))) or "font-variant:small-caps" in declared


def _folded(text: str) -> str:
    """Return a text with white space folded, and with a space at its ends if it had one."""
    return " ".join(f"|{text}|".split())[1:-1]


def _add(text: str | None, pieces: list[str]) -> None:
    if text:
        pieces.append(_folded(text))
