"""The paragraphs of an HTML document, as a reader would read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from service.books import tidying
from service.books.book import Illustration, Paragraph, ParagraphKind
from service.books.markup_trees import Element, attribute, descendants, local_name, text_of

_SILENT = frozenset(
    [
        "script",
        "style",
        "head",
        "template",
        "svg",
        "math",
        "audio",
        "video",
        "object",
        "iframe",
        "button",
        "input",
        "select",
        "textarea",
        "canvas",
        "noscript",
        "rp",
        "rt",
        "nav",
        "map",
        "form",
    ]
)
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "br",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
        "kbd",
        "label",
        "mark",
        "q",
        "ruby",
        "rb",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
_HEADING = re.compile(r"h[1-6]\Z")
_KINDS: dict[str, ParagraphKind] = {
    "pre": "code", "blockquote": "quotation", "figcaption": "caption", "caption": "caption",
}  # fmt: skip
_VERSE = re.compile(r"(?:^|[\s_-])(?:poem|poetry|verse|stanza|linegroup|lg)(?:$|[\s_-])", re.I)
_PAGE_NUMBER = re.compile(r"(?:^|\s)(?:x-)?page-?(?:num(?:ber)?|no|break|header)s?(?:$|\s)", re.I)
_RUNNING_HEAD = re.compile(r"(?:^|\s)run(?:ning)?-?head(?:er|s)?(?:$|\s)", re.I)
_BOILERPLATE = re.compile(r"(?:^|\s)pg-boilerplate(?:$|\s)")
_DROP_CAP = re.compile(r"drop-?_?cap|\bdrop\b|\binitial\b|first-?letter", re.I)
_SMALL_CAPS = re.compile(r"(?:^|\s)(?:small-?_?caps?|smcap|sc)(?:$|\s)", re.I)
_SILENT_TYPES = frozenset({"pagebreak", "doc-pagebreak", "toc", "doc-toc", "navigation"})
_NOTE_TYPES = frozenset(
    [
        "footnote",
        "footnotes",
        "endnote",
        "endnotes",
        "rearnote",
        "rearnotes",
        "doc-footnote",
        "doc-endnote",
        "doc-endnotes",
        "note",
    ]
)
_NOTE_CLASS = re.compile(r"(?:^|\s)(?:footnotes?|endnotes?)(?:$|\s)", re.I)
_NOTE_MARK = re.compile(r"[\[({]?\s*(?:\d{1,4}|[ivxl]{1,6}|[a-z]|[*†‡§¶]+)\s*[\])}]?\.?\Z", re.I)
_ONE_LETTER_WORDS = frozenset("AIO")
_SCENE_CLASS = re.compile(r"(?:^|\s)(?:scene-?break|section-?break|transition|tb)(?:$|\s)", re.I)


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


def blocks(root: Element, find_picture: FindPicture = lambda src, alt: None) -> Iterator[Block]:
    """Yield the paragraphs of a document, in order, and where its ids are.

    Page numbers, running heads, marks of notes and navigation are left out; a note has the kind
    `note`. A picture comes before the paragraph that it is in.

    Args:
        root: of the document.
        find_picture: finds its pictures; without it there are none.
    """
    walk = _Walk(find_picture)
    yield from walk.element(root, "text")
    yield from walk.end("text")
    if walk.anchors:
        yield Block(None, 0, tuple(walk.anchors))


class _Walk:
    """One pass over a document."""

    def __init__(self, find_picture: FindPicture) -> None:
        self.anchors: list[str] = []
        self._find_picture = find_picture
        self._pictures: list[Illustration] = []
        self._pieces: list[str] = []
        self._drop_cap = False

    def element(self, element: Element, kind: ParagraphKind) -> Iterator[Block]:
        """Yield the paragraphs that an element ends, with the text that is before it."""
        name = local_name(element)
        if not name or name in _SILENT or _is_hidden(element):
            self._anchor(element)
            return
        if name in _INLINE and not any(local_name(below) not in _INLINE for below in element):
            self._anchor(element)
            self._pieces.append(self._inline(element))
            return
        if name in _INLINE:  # an inline element around paragraphs
            yield from self._content(element, kind)
            return
        if _is_silent_block(element):
            yield from self.end(kind)
            self._anchor(element)
            return
        yield from self.end(kind)
        self._anchor(element)
        own = _kind(element, name, kind)
        if name == "hr" or _SCENE_CLASS.search(attribute(element, "class")):
            yield self._block(Paragraph("", "break"))
        elif name == "tr":
            yield from self._row(element, own)
        elif own == "code" and name == "pre":
            self._pieces.append("".join(element.itertext()))
            yield from self.end(own)
        else:
            yield from self._content(element, own)
            yield from self.end(own, int(name[1]) if _HEADING.match(name) else 0)

    def end(self, kind: ParagraphKind, level: int = 0) -> Iterator[Block]:
        """Yield the paragraph that ends here, if it has text, after the pictures in it."""
        for picture in self._pictures:
            yield self._block(Paragraph("", "picture", picture))
        self._pictures = []
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
        text = " ".join(f"|{text}|".split())[1:-1]  # folded, with a space at its ends if it had one
        if self._drop_cap and text.strip():
            text = text.lstrip() if self._pieces[-1] not in _ONE_LETTER_WORDS else text
            self._drop_cap = False
        self._pieces.append(text)

    def _inline(self, element: Element) -> str:
        """Return the text of an inline element."""
        name, style = local_name(element), attribute(element, "class")
        if name in _SILENT or _is_hidden(element) or _is_note_mark(element, name):
            return ""
        if name == "br":
            return "\n"
        is_drop_cap = bool(_DROP_CAP.search(style))
        if name == "img":
            alt = attribute(element, "alt").strip()
            self._drop_cap = len(alt) == 1 and alt.isalpha()
            if not self._drop_cap:
                self._picture(element)
            return alt if self._drop_cap else ""
        pieces = [" ".join(f"|{element.text or ''}|".split())[1:-1]]
        for child in element:
            self._anchor(child)
            pieces.append(self._inline(child))
            pieces.append(" ".join(f"|{child.tail or ''}|".split())[1:-1])
        text = "".join(pieces)
        if is_drop_cap and len(text.strip()) == 1:
            self._drop_cap, text = True, text.strip()
        elif _has_small_caps(element, style) and text.isupper() and len(text.strip()) > 1:
            text = tidying.capitalized(text)
        return text

    def _picture(self, element: Element) -> None:
        alt = " ".join(attribute(element, "alt").split())
        if picture := self._find_picture(attribute(element, "src"), alt):
            self._pictures.append(picture)

    def _row(self, row: Element, kind: ParagraphKind) -> Iterator[Block]:
        for picture in descendants(row, "img"):
            self._picture(picture)
        cells = [text_of(cell) for cell in row if local_name(cell) in ("td", "th")]
        self._pieces.append(", ".join(cell for cell in cells if cell))
        yield from self.end(kind)

    def _anchor(self, element: Element) -> None:
        for name in ("id", "name"):
            if element.get(name):
                self.anchors.append(element.get(name))

    def _block(self, paragraph: Paragraph, level: int = 0) -> Block:
        anchors, self.anchors = tuple(self.anchors), []
        return Block(paragraph, level, anchors)


def types_of(element: Element) -> set[str]:
    """Return what `epub:type` and `role` say of an element."""
    return {*attribute(element, "type").lower().split(), *attribute(element, "role").split()}


def _kind(element: Element, name: str, outer: ParagraphKind) -> ParagraphKind:
    style = attribute(element, "class")
    if outer == "note" or types_of(element) & _NOTE_TYPES or _NOTE_CLASS.search(style):
        return "note"
    if _HEADING.match(name):
        return "heading"
    if name in ("td", "th", "tr", "table"):
        return "table"
    if _VERSE.search(style):
        return "verse"
    return _KINDS.get(name, outer)


def _is_silent_block(element: Element) -> bool:
    style = attribute(element, "class")
    return bool(
        types_of(element) & _SILENT_TYPES
        or _PAGE_NUMBER.search(style)
        or _RUNNING_HEAD.search(style)
        or _BOILERPLATE.search(style)
    )


def _is_hidden(element: Element) -> bool:
    return (
        element.get("hidden") is not None
        or attribute(element, "aria-hidden") == "true"
        or "display:none" in attribute(element, "style").replace(" ", "")
    )


def _is_note_mark(element: Element, name: str) -> bool:
    """Tell whether an inline element is the mark of a note, or a page number."""
    types = types_of(element)
    if types & {"noteref", "doc-noteref", "pagebreak", "doc-pagebreak", "backlink", "doc-backlink"}:
        return True
    style = attribute(element, "class")
    if _PAGE_NUMBER.search(style) or re.search(r"noteref|fnanchor|footnote-?ref", style, re.I):
        return True
    text = text_of(element)
    if not _NOTE_MARK.match(text):
        return False
    links = [one for one in element.iter() if local_name(one) == "a"]
    if not any("#" in attribute(link, "href") for link in links):
        return False
    is_raised = name == "sup" or any(local_name(one) == "sup" for one in element.iter())
    # Not the number in `see page 5`.
    return is_raised or not text.isalnum() or (text.isdigit() and _is_attached(element))


def _is_attached(element: Element) -> bool:
    """Tell whether an inline element follows a character that is no space."""
    previous, parent = element.getprevious(), element.getparent()
    before = parent.text if previous is None and parent is not None else None
    before = before if previous is None else previous.tail
    return not (before or " ")[-1].isspace()


def _has_small_caps(element: Element, style: str) -> bool:
    declared = attribute(element, "style").replace(" ", "")
    return bool(_SMALL_CAPS.search(style)) or "font-variant:small-caps" in declared
