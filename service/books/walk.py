"""Walk the elements of HTML and make a tree of what a reader would read.

FB2 and DOCX are translated into elements of HTML before, so there is one walk for them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from service.books import tidying
from service.books.book import Illustration
from service.books.furniture import (
    NAVIGATION,
    WHOLE,
    Claim,
    brief,
    claims_of,
    has_picture,
    is_hidden,
    is_inline,
    is_linked_mark,
    is_navigation,
    is_page,
    is_prose,
    types_of,
    why_left_out,
)
from service.books.ledger import Reason
from service.books.markup_trees import Element, attributes, local_name
from service.text.document import elements
from service.text.document.tree import (
    MAX_SPANS,
    BlockKind,
    Document,
    LeafKind,
    Span,
    TreeBuilder,
)
from service.text.offset_mapping import TracedText

UNREAD: dict[str, Reason] = {
    **dict.fromkeys(("script", "style", "head", "title", "template"), "not text"),
    **dict.fromkeys(("audio", "video", "canvas", "iframe"), "not text"),
    **dict.fromkeys(("button", "datalist", "input", "select", "textarea"), "control"),
    **dict.fromkeys(("rp", "rt", "rtc"), "reading aid"),
    "svg": "label in a picture",
}  # fmt: skip
"""Elements whose text nobody reads. What is in `audio` and the like is shown to those only whose
program has none."""

_HIDDEN: dict[str, Reason] = {"deleted": "deleted", "contents": "navigation"}
"""Why what is translated from Word is hidden, by its class."""
_VERBATIM = frozenset({"pre", "xmp", "listing", "plaintext"})
_HEADING = re.compile(r"h[1-6]\Z")
_LEVELS = frozenset("123456")
_VERSE = re.compile(r"(?:^|[\s_-])(?:poem|poetry|verse|stanza|linegroup|lg)(?:$|[\s_-])", re.I)
_PLACED = re.compile(r"position\s{0,9}:\s{0,9}(?:absolute|fixed)", re.I)
"""What is put at a place of the page touches nothing that is before it."""
_DROP_CAP = re.compile(r"drop-?_?cap|\bdrop\b|\binitial\b|first-?letter", re.I)
_SMALL_CAPS = re.compile(r"(?:^|\s)(?:small-?_?caps?|smcap|sc)(?:$|\s)", re.I)
_NOTE_TYPES = frozenset(
    ["footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "note"]
)
_NOTE_CLASS = re.compile(r"(?:^|\s)(?:footnotes?|endnotes?)(?:$|\s)", re.I)
_ONE_LETTER_WORDS = frozenset("AIO")
_MANY_PIECES = 1000
"""Of text; small capitals are no longer than that."""

_LAID_OUT = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "table", "hr", "blockquote", "pre"})
"""In a table that has one of these, cells are places on a page and no values."""
_LONG_CELL = 400
"""Characters of a cell that is no value but a page's text."""

_BEFORE = 40
"""Characters before a raised number that tell what it is."""
_RAISED = re.compile(r"[-+−–]?\d[\d\s,]{0,30}|[*†‡§¶]{1,4}")
_TEX = re.compile(r"[\\^_{}]")
_POWER = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
_OPERATORS = frozenset("=+-−±×·÷<>≤≥≠≈→∈,")

FindPicture = Callable[[str, str], Illustration | None]
"""Returns the picture for what `src` and `alt` of an `img` say; None if there is none."""


class Gap(NamedTuple):
    """Text of a page that is not read.

    Attributes:
        start: offset in the page's text, in code points.
        end: likewise, of its end.
        reason: why.
    """

    start: int
    end: int
    reason: Reason


class Page(NamedTuple):
    """A document of a book as a tree.

    Attributes:
        document: the tree. Its text is all that the document has, read or not, with a line feed
            behind each block; what is not read is a mark.
        gaps: what is not read, in order.
        anchors: where the ids of elements are: offsets in the text.
        pictures: where pictures are, likewise.
        added: what is read though it is no text of the document: of formulas, and of large letters
            that are pictures.
    """

    document: Document
    gaps: tuple[Gap, ...] = ()
    anchors: tuple[tuple[int, str], ...] = ()
    pictures: tuple[tuple[int, Illustration], ...] = ()
    added: tuple[str, ...] = ()


def page_of(root: Element, find_picture: FindPicture = lambda src, alt: None) -> Page:
    """Return the tree of a document.

    Page numbers, running heads, marks of notes and navigation are gaps. What is hidden is one too,
    and so are the labels in drawings, unless there is nothing else: pages with a fixed layout are
    drawings.

    Args:
        root: of the document, in elements of HTML.
        find_picture: finds its pictures; without it there are none.
    """
    found = _Walk(find_picture).page(root)
    if not any(leaf.text.text.strip() for leaf in found.document.leaves):
        hidden = _Walk(find_picture, with_hidden=True).page(root)
        if any(is_prose(leaf.text.text) for leaf in hidden.document.leaves):
            return hidden
        drawn = _Walk(find_picture, with_drawings=True).page(root)
        if is_prose(" ".join(leaf.text.text for leaf in drawn.document.leaves)):
            return drawn
    return found


class _Walk:
    """One pass over a document."""

    def __init__(
        self, find_picture: FindPicture, *, with_hidden: bool = False, with_drawings: bool = False
    ) -> None:
        self._find_picture = find_picture
        self._with_hidden = with_hidden
        self._with_drawings = with_drawings
        self._is_drawing = False
        self._builder = TreeBuilder("")
        self._pieces: list[str] = []
        self._at = 0
        self._gaps: list[Gap] = []
        self._anchors: list[tuple[int, str]] = []
        self._pictures: list[tuple[int, Illustration]] = []
        self._spans: tuple[Span, ...] = ()
        self._run: tuple[BlockKind, int] = ("paragraph", 0)
        """Kind and level of what text begins here."""
        self._is_open = False
        self._is_break_pending = False
        self._in_navigation = False  # that has other text than links
        self._is_verbatim = self._is_small_caps = self._drop_cap = False
        self._tail = ""  # the last characters of the open block
        self._added: list[str] = []
        self._in_data: list[bool] = []  # of the open tables: whether their cells are values

    def page(self, root: Element) -> Page:
        self._element(root)
        self._end()
        document = self._builder.finish()._replace(text="".join(self._pieces))
        return Page(
            document,
            tuple(self._gaps),
            tuple(self._anchors),
            tuple(self._pictures),
            tuple(self._added),
        )

    # Text

    def _say(self, text: str, kind: LeafKind = "text") -> None:
        """Add text that is read, if it is not in a drawing."""
        if self._is_drawing:
            self._add_gap(text, "label in a picture")
            return
        if not self._is_verbatim and kind == "text":
            text = _folded(text)
        if self._drop_cap and text.strip():
            text = text if self._tail[-1:] in _ONE_LETTER_WORDS else text.lstrip()
            self._drop_cap = False
        if not text or (not self._is_open and text.isspace()):
            return
        if self._is_break_pending and not text.isspace():
            self._write_break()
        if not self._is_open:
            self._builder.open(self._run[0], self._at, level=self._run[1])
            self._is_open = True
            self._is_break_pending = False
            self._tail = ""
        if self._is_small_caps and text.isupper():
            smaller = tidying.capitalized(text)
            text = smaller if len(smaller) == len(text) else text
        start = self._add(text)
        end = self._at
        traced = TracedText(text, range(start, end), range(start + 1, end + 1))
        self._builder.leaf(kind, start, end, traced, self._spans)
        self._tail = (self._tail + text)[-_BEFORE:]

    def _add(self, text: str) -> int:
        """Add text; return where it begins."""
        start = self._at
        self._pieces.append(text)
        self._at += len(text)
        return start

    def _write_break(self) -> None:
        """Add the end of a line that was found before."""
        self._is_break_pending = False
        if self._is_open:
            start = self._add("\n")
            self._builder.leaf("hard", start, self._at)
            self._tail += "\n"

    def _line_break(self) -> None:
        """Take the end of a line; two of them end a paragraph."""
        if not self._is_break_pending:
            self._is_break_pending = True
        elif not self._is_verbatim and self._run[0] != "verse":
            self._end()
        else:
            self._write_break()
            self._is_break_pending = True

    def _end(self) -> None:
        """End the paragraph that is open."""
        self._is_break_pending = self._drop_cap = False
        if self._is_open:
            self._add("\n")
            self._builder.close(self._at)
            self._is_open = False
            self._tail = ""

    def _leave_out(self, element: Element, reason: Reason) -> None:
        """Add the text of an element that is not read."""
        for one in element.iter():
            self._anchor(attributes(one))
        self._add_gap("".join(element.itertext()), reason)

    def _add_gap(self, text: str, reason: Reason) -> None:
        """Add text that is not read."""
        if text.strip():
            start = self._add(text)
            self._gaps.append(Gap(start, self._at, reason))
            self._builder.fill(self._at)

    def _scene(self) -> None:
        """Add a change of scene."""
        self._end()
        self._builder.open("rule", self._at)
        self._add("\n")
        self._builder.close(self._at)

    def _anchor(self, own: dict[str, str]) -> None:
        self._anchors += [(self._at, own[name]) for name in ("id", "name") if own.get(name)]

    # Elements

    def _content(self, element: Element) -> None:
        if element.text:
            self._say(element.text)
        for child in element:
            self._element(child)
            if child.tail:
                self._say(child.tail)

    def _element(self, element: Element) -> None:
        name, own = local_name(element), attributes(element)
        if not name:
            return
        in_line = is_inline(name) and own.get("display") != "block"
        claims = claims_of(own) if own else frozenset[Claim]()
        reason = self._why_not(element, name, own, claims, in_line)
        if name in ("svg", "foreignobject") and reason in (None, UNREAD["svg"]):
            self._drawing(element, name)
            return
        if not in_line and name not in UNREAD:
            self._end()
            if claims and _begins_anew(element, name, own, claims):
                self._scene()
                text = brief(element)
                is_empty = text is not None and not any(map(str.isalnum, text))
                if reason is None and is_empty and not has_picture(element):
                    reason = "ornament"
        if reason is not None:
            self._leave_out(element, reason)
            return
        self._anchor(own)
        if name in ("br", "img", "hr"):
            if name == "br":
                self._line_break()
            elif name == "img":
                self._image(own)
            else:
                self._scene()
            self._content(element)  # of a first tag that lacks its slash
        elif name == "math":
            self._formula(element, own)
        elif in_line:
            self._inline(element, name, own)
        else:
            self._block(element, name, own)

    def _why_not(
        self,
        element: Element,
        name: str,
        own: dict[str, str],
        claims: frozenset[Claim],
        in_line: bool,
    ) -> Reason | None:
        """Return why an element is not read."""
        if name in UNREAD:
            return UNREAD[name]
        if name == "desc" and self._with_drawings:
            return "not text"
        if not self._with_hidden and is_hidden(name, own, element):
            return _HIDDEN.get(own.get("class", ""), "hidden")
        is_list = name == "nav" or bool(own and types_of(own) & NAVIGATION)
        if (
            is_list
            and not in_line
            and name not in WHOLE
            and not self._in_navigation
            and is_navigation(element)
        ):
            return "navigation"
        if claims and (reason := why_left_out(element, claims)):
            return reason
        if in_line and is_linked_mark(element, self._tail):
            return "note mark"
        if name == "sup":
            raised = brief(element)
            if raised and _RAISED.fullmatch(raised):
                return "note mark" if tidying.is_note_mark(self._tail, raised) else None
        return None

    def _drawing(self, element: Element, name: str) -> None:
        """Read what of a drawing is a page of its own."""
        was_drawing = self._is_drawing
        self._is_drawing = name == "svg" and not self._with_drawings
        if not self._is_drawing:
            self._end()
        self._content(element)
        if not self._is_drawing:
            self._end()
        self._is_drawing = was_drawing

    def _inline(self, element: Element, name: str, own: dict[str, str]) -> None:
        kept, was_small = self._spans, self._is_small_caps
        kind = elements.SPANS.get(name)
        if own and _PLACED.search(own.get("style", "")):
            self._say(" ")
        if kind is not None and len(kept) < MAX_SPANS:
            self._spans = (*kept, Span(kind, self._at, self._at))
        if own and not was_small:
            style = own.get("class", "")
            text = "".join(islice(element.itertext(), _MANY_PIECES)) if style or own else ""
            if _DROP_CAP.search(style) and len(text.strip()) == 1:
                self._say(text.strip())
                self._drop_cap = True
                self._spans = kept
                return
            self._is_small_caps = _has_small_caps(own) and text.isupper() and len(text.strip()) > 1
        self._content(element)
        self._spans, self._is_small_caps = kept, was_small

    def _block(self, element: Element, name: str, own: dict[str, str]) -> None:
        outer_run, was_verbatim = self._run, self._is_verbatim
        was_in_navigation, spans = self._in_navigation, self._spans
        types, style = types_of(own) if own else set(), own.get("class", "")
        self._in_navigation = was_in_navigation or name == "nav" or bool(types & NAVIGATION)
        if _HEADING.match(name):
            self._run = "heading", int(name[1])
        elif own.get("role") == "heading":
            level = own.get("aria-level", "")
            self._run = "heading", int(level) if level in _LEVELS else 0
        elif name in _VERBATIM:
            self._run, self._is_verbatim = ("code", 0), True
        elif name in ("figcaption", "caption"):
            self._run = "caption", 0
        elif style and _VERSE.search(style):
            self._run = "verse", 0
        container: BlockKind | None = None
        value = None
        is_note = bool(types & _NOTE_TYPES) or bool(style and _NOTE_CLASS.search(style))
        if name == "table":
            self._in_data.append(_holds_values(element, own))
        if is_note and name not in WHOLE:
            container = "footnote"
        elif name == "blockquote":
            container = "quote"
        elif name == "li":
            container = "item"
        elif name in ("tr", "td", "th", "table") and (not self._in_data or self._in_data[-1]):
            container = "table" if name == "table" else "row" if name == "tr" else "cell"
        if container is not None:
            self._builder.open(container, self._at, value=value)
        self._content(element)
        self._end()
        if container is not None:
            self._add("\n")
            self._builder.close(self._at)
        if name == "table":
            self._in_data.pop()
        self._run, self._is_verbatim = outer_run, was_verbatim
        self._in_navigation, self._spans = was_in_navigation, spans

    def _image(self, own: dict[str, str]) -> None:
        alt = " ".join(own.get("alt", "").split())
        if len(alt) == 1 and alt.isalpha():  # a large letter that begins a chapter
            self._add_words(alt)
            self._drop_cap = True
        elif picture := self._find_picture(own.get("src", "") or own.get("href", ""), alt):
            self._pictures.append((self._at, picture))

    def _formula(self, element: Element, own: dict[str, str]) -> None:
        """Read a formula of MathML, by its text alternative if it has one."""
        said = own.get("alttext", "")
        for one in element.iter():
            if not said and local_name(one) == "annotation":
                encoding = attributes(one).get("encoding", "").lower()
                said = one.text or "" if "tex" in encoding else ""
        said = " ".join(said.split())
        if said:
            said = f"${said}$" if _TEX.search(said) else said
        else:
            said = " ".join(_math(element).split())
        self._add_words(f" {said} ")
        self._leave_out(element, "formula")

    def _add_words(self, words: str) -> None:
        """Say what is no text of the document."""
        self._added.append(words)
        self._say(words)


def _math(element: Element) -> str:
    """Return a formula of MathML on one line."""
    name = local_name(element)
    if name in ("annotation", "annotation-xml"):
        return ""
    parts = [_math(child) for child in element if local_name(child)]
    if not parts:
        text = " ".join((element.text or "").split())
        return f" {text} " if text in _OPERATORS else text
    if name in ("msup", "msub", "mfrac", "mroot") and len(parts) == 2:
        first, second = (part.strip() for part in parts)
        if name == "msup":
            is_digits = all(one in "0123456789+-−n" for one in second)
            return first + (second.translate(_POWER) if is_digits else f"^{second}")
        if name == "mfrac":
            return f"{_together(first)}/{_together(second)}"
        return f"{first}√{second}" if name == "mroot" else first + second
    if name == "msqrt":
        return f"√{_together(''.join(parts).strip())}"
    own = " ".join((element.text or "").split())
    tails = [" ".join((child.tail or "").split()) for child in element if local_name(child)]
    between = " " if name in ("mtr", "mtable") else ""
    return own + between.join(p + t for p, t in zip(parts, tails, strict=True))


def _together(part: str) -> str:
    return f"({part})" if " " in part else part


def _holds_values(table: Element, own: dict[str, str]) -> bool:
    """Tell whether the cells of a table are values, and no places on a page."""
    if own.get("role", "") in ("presentation", "none"):
        return False
    n_cells = n_rows = length = 0
    for one in islice(table.iter(), 1, None):
        name = local_name(one)
        if name in _LAID_OUT:
            return False
        if name in ("td", "th"):
            n_cells += 1
            length = 0
        n_rows += name == "tr"
        length += len(one.text or "") + len(one.tail or "")
        if length > _LONG_CELL:
            return False
    return n_cells > n_rows or n_cells <= 1


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
