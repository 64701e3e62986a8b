"""What a tagged PDF says of its text: what is a heading, a paragraph, a note, an artifact."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ctypes import c_ulong, c_void_p, create_string_buffer
from typing import Any, Literal, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from service.books.document_budget import Budget

TagKind = Literal["paragraph", "heading", "footnote", "item", "cell", "artifact"]

_INLINE = frozenset({
    "Span", "Link", "Quote", "Reference", "Annot", "Code", "Em", "Strong", "Sub", "Ruby", "RB",
    "RT", "RP", "Warichu", "WT", "WP", "Lbl", "LBody", "NonStruct", "Private",
})  # fmt: skip
"""Structure types inside a line or a block: ISO 32000-2, 14.8.4."""

_WHOLE: dict[str, TagKind] = {
    "LI": "item", "TD": "cell", "TH": "cell", "Note": "footnote", "FENote": "footnote",
}  # fmt: skip
"""Those whose paragraphs belong together."""

_HEADING = re.compile(r"H([1-6])?\Z|Title\Z")
_DEEPEST = 100
_NAME_BYTES = 64


class Tag(NamedTuple):
    """A block of the structure of a page.

    Attributes:
        order: of the blocks of the page, in the order of reading; -1 of what is in none.
        kind: what it is.
        level: of a heading, 1 to 6; 0 for anything else.
    """

    order: int
    kind: TagKind
    level: int = 0

    @property
    def is_free(self) -> bool:
        """Tell whether it says no more of its text than that it is text."""
        return self.kind == "paragraph"


class TaggedPage:
    """The tags of the text of a page; there are none if the file has no structure.

    Args:
        page: the page.
        text_page: its text.
        budget: pays for its elements.
    """

    def __init__(
        self, page: pypdfium2.PdfPage, text_page: pypdfium2.PdfTextPage, budget: Budget
    ) -> None:
        self._text_page = text_page
        self._budget = budget
        self._tags: dict[int, Tag] = {}
        self._by_object: dict[int, Tag | None] = {}
        tree = pdfium.FPDF_StructTree_GetForPage(page)
        if tree:
            try:
                self._walk(tree)
            finally:
                pdfium.FPDF_StructTree_Close(tree)

    def of(self, index: int) -> Tag | None:
        """Return the tag of a character; None if it has none."""
        if not self._tags:
            return None
        drawn = pdfium.FPDFText_GetTextObject(self._text_page, index)
        if not drawn:
            return None
        place = int(_address(drawn))
        if place not in self._by_object:
            number = pdfium.FPDFPageObj_GetMarkedContentID(drawn)
            tag = self._tags.get(number)
            if tag is None and _is_artifact(drawn):
                tag = Tag(-1, "artifact")
            self._by_object[place] = tag
        return self._by_object[place]

    def parts(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the stretches of a line that have one tag each."""
        if self._tags:
            tag: Tag | None = None
            for at in range(first, end):
                own = self.of(at)
                if own is None or own == tag:
                    continue
                if tag is not None:
                    yield first, at
                    first = at
                tag = own
        yield first, end

    def _walk(self, tree: Any) -> None:
        """Note the tag of each piece of marked content."""
        waiting = _children(tree, pdfium.FPDF_StructTree_CountChildren,
                            pdfium.FPDF_StructTree_GetChildAtIndex)  # fmt: skip
        stack: list[tuple[Any, Tag | None, int]] = [(one, None, 0) for one in reversed(waiting)]
        n_elements = 0
        while stack:
            element, outer, depth = stack.pop()
            n_elements += 1
            self._budget.take_elements(1)
            tag = _tag_of(element, outer, n_elements)
            if tag is not None:
                for number in _numbers(element):
                    self._tags.setdefault(number, tag)
            if depth < _DEEPEST:
                below = _children(element, pdfium.FPDF_StructElement_CountChildren,
                                  pdfium.FPDF_StructElement_GetChildAtIndex)  # fmt: skip
                stack += [(one, tag, depth + 1) for one in reversed(below)]


def _tag_of(element: Any, outer: Tag | None, order: int) -> Tag | None:
    name = _name(element, pdfium.FPDF_StructElement_GetType)
    if name in _WHOLE:
        return Tag(order, _WHOLE[name])
    if name in _INLINE or (outer is not None and outer.kind in _WHOLE.values()):
        return outer
    if match := _HEADING.match(name):
        return Tag(order, "heading", int(match[1] or 1))
    return Tag(order, "paragraph")


def _numbers(element: Any) -> Iterator[int]:
    """Yield the numbers of the marked content on this page that is an element's own."""
    for index in range(max(pdfium.FPDF_StructElement_CountChildren(element), 0)):
        number = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index)
        if number >= 0:
            yield number


def _children(parent: Any, count: Callable[..., int], child: Callable[..., Any]) -> list[Any]:
    found = (child(parent, index) for index in range(max(count(parent), 0)))
    return [one for one in found if one]


def _name(of: Any, get: Callable[..., int]) -> str:
    buffer = create_string_buffer(_NAME_BYTES)
    size = get(of, buffer, _NAME_BYTES)
    return buffer.raw[: max(0, min(size, _NAME_BYTES) - 2)].decode("utf-16-le", "replace")


def _is_artifact(drawn: Any) -> bool:
    """Tell whether a mark around an object says that it is no part of the text."""
    for index in range(max(pdfium.FPDFPageObj_CountMarks(drawn), 0)):
        mark = pdfium.FPDFPageObj_GetMark(drawn, index)
        size = c_ulong()
        buffer = (pdfium.FPDF_WCHAR * _NAME_BYTES)()
        if pdfium.FPDFPageObjMark_GetName(mark, buffer, 2 * _NAME_BYTES, size):
            name = bytes(buffer)[: max(0, min(size.value, 2 * _NAME_BYTES) - 2)]
            if name.decode("utf-16-le", "replace") == "Artifact":
                return True
    return False


def _address(pointer: Any) -> int:
    return c_void_p.from_buffer(pointer).value or 0
