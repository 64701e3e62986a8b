"""Read a document of Word, DOCX, strict or not."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from service.books.archive import Archive
from service.books.blocks import blocks_of
from service.books.book import Book
from service.books.chaptering import by_headings
from service.books.document_budget import (
    MAX_BYTES_OF_DOCX,
    MAX_ELEMENTS_OF_DOCX,
    Budget,
    Document,
)
from service.books.ledger import Reason
from service.books.markup_trees import (
    Element,
    attribute,
    children,
    descendants,
    local_name,
    parse_xml,
    text_of,
)
from service.errors import InvalidBookError

_OLE = b"\xd0\xcf\x11\xe0"
"""The head of a document with a password, or of one of Word before 2007."""

_HEADING = re.compile(r"heading (\d)")
_TAGS = {
    "quote": "blockquote", "intense quote": "blockquote", "caption": "caption",
    "html preformatted": "pre", "macro text": "pre",
}  # fmt: skip
"""Elements of HTML for paragraphs in styles of these names."""

_TITLES = frozenset({"title", "subtitle"})
_NOTES = frozenset({"footnote text", "endnote text"})
_MAX_LEVEL = 6

_DELETED = frozenset({"del", "movefrom"})
_FOR_PROGRAMS = frozenset({"instrtext", "delinstrtext"})
_TEXT = frozenset({"t", "deltext", *_FOR_PROGRAMS})
_GREEK = dict(zip(
    "ABGDEZHQIKLMNXOPRSTUFCYWabgdezhqiklmnxoprstufcyw",
    "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψω", strict=True,
))  # fmt: skip
"""Letters of the font Symbol."""
_SEPARATORS = frozenset({"separator", "continuationseparator", "continuationnotice"})
_CONTENTS = re.compile(r"toc \d\Z")

_SIGNS = {"tab": " ", "ptab": " ", "nobreakhyphen": "-"}
_OF_FORMULAS = {
    "omath": "math", "ssup": "msup", "ssub": "msub", "f": "mfrac", "r": "mrow", "t": "mi",
}  # fmt: skip
_OTHER_PARTS: dict[str, Reason] = {
    "header": "running head", "footer": "running head", "comments": "comment",
}  # fmt: skip
"""Parts that nobody reads, by the types of the relationships that name them."""

_BYTE = re.compile(r"[0-9a-fA-F]{2}\Z")

_MOST_BASES = 50
"""Styles that a style is based on, one on another: they may go round in a circle."""


@dataclass(frozen=True, slots=True)
class _Style:
    """A style, as far as it tells what a paragraph or a run is.

    Attributes:
        name: in small letters.
        base: id of the style that it is based on.
        level: of a heading, from 1; 0 for body text; None if it says nothing.
        is_hidden: whether its text is hidden; None if it says nothing.
    """

    name: str = ""
    base: str = ""
    level: int | None = None
    is_hidden: bool | None = None


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
    budget = Budget(document.name, MAX_BYTES_OF_DOCX, MAX_ELEMENTS_OF_DOCX, ledger=document.ledger)
    with Archive(document.path, budget) as archive:
        return _Package(archive, budget).book(document)


class _Package:
    """The parts of a document, which name each other by relationships."""

    def __init__(self, archive: Archive, budget: Budget) -> None:
        self._archive = archive
        self._budget = budget
        parts = dict(reversed(self._related("")))
        self._document = parts.get("officedocument", "word/document.xml")
        self._properties = parts.get("core-properties", "docprops/core.xml")
        self._others = self._related(self._document)
        self._parts = dict(reversed(self._others))

    def book(self, document: Document) -> Book:
        """Read the whole document."""
        if self._document not in self._archive:
            raise InvalidBookError(f"{document.name} is no DOCX, or is damaged: it has no document")
        body = next(iter(children(self._parsed(self._document), "body")), None)
        if body is None:
            raise InvalidBookError(f"{document.name} is no document of Word")
        n_embedded = len(list(descendants(body, "altchunk")))
        if n_embedded:
            document.ledger.miss(f"documents inside that are not read: {n_embedded}")
        notes = self._notes()
        translator = _Translator(self._styles(), notes)
        translator.part(body)
        for note in notes.values():  # that nothing refers to
            body.append(note)
            translator.part(note)
        found = blocks_of(body, document.ledger)
        self._leave_out_others(document)
        title, author, language = self._named_properties()
        authors = (one.strip() for one in re.split(r"[;&]", author))
        return Book(
            title or next(iter(translator.titles), document.stem),
            tuple(one for one in authors if one and one != "python-docx"),
            language or None,
            None,
            by_headings(found),
            n_dropped=self._budget.n_dropped,
        )

    def _parsed(self, part: str) -> Element:
        return parse_xml(self._archive.read(part), part, self._budget)

    def _related(self, part: str) -> list[tuple[str, str]]:
        """Return the parts that a part names, by the last words of the types of relationships."""
        folder, name = posixpath.split(part)
        relationships = posixpath.join(folder, "_rels", f"{name}.rels")
        if relationships not in self._archive:
            return []
        found = []
        for one in children(self._parsed(relationships), "relationship"):
            if attribute(one, "TargetMode").lower() != "external":
                target = posixpath.normpath(posixpath.join("/", folder, attribute(one, "Target")))
                kind = attribute(one, "Type").lower().rpartition("/")[2]
                found.append((kind, target.lstrip("/")))
        return found

    def _styles(self) -> dict[str, _Style]:
        """Return the styles by their ids; the default of paragraphs by ""."""
        part = self._parts.get("styles", "word/styles.xml")
        styles: dict[str, _Style] = {}
        if part in self._archive:
            for style in children(self._parsed(part), "style"):
                found = _Style(
                    _value(style, "name").lower(),
                    _value(style, "basedon"),
                    _outline_level(style),
                    _hiding(style),
                )
                styles.setdefault(attribute(style, "styleId"), found)
                is_default = attribute(style, "default") in ("1", "true", "on")
                if is_default and attribute(style, "type") == "paragraph":
                    styles[""] = found
        return styles

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

    def _notes(self) -> dict[str, Element]:
        """Return the notes by what refers to them: kind and id."""
        notes: dict[str, Element] = {}
        for kind in ("footnote", "endnote"):
            part = self._parts.get(f"{kind}s", f"word/{kind}s.xml")
            if part in self._archive:
                for number, note in enumerate(children(self._parsed(part), kind)):
                    notes[f"{kind} {attribute(note, 'id') or -number}"] = note
        return notes

    def _leave_out_others(self, document: Document) -> None:
        for kind, part in dict.fromkeys(self._others):
            if kind in _OTHER_PARTS and part in self._archive:
                for one in self._parsed(part).iter():
                    if local_name(one) == "t" and one.text:
                        document.ledger.find([one.text])
                        document.ledger.leave_out(one.text, _OTHER_PARTS[kind])


class _Translator:
    """Makes elements of HTML of those of Word, in their places.

    What nobody knows is followed too, so no text is lost in new elements.

    Args:
        styles: by their ids.
        notes: by what refers to them; those that are put where they belong are taken out.

    Attributes:
        titles: the texts of paragraphs in the style of a title.
    """

    def __init__(self, styles: dict[str, _Style], notes: dict[str, Element]) -> None:
        self.titles: list[str] = []
        self._styles = styles
        self._notes = notes

    def part(self, part: Element) -> None:
        """Translate all of a part: the body, a note, a box of text."""
        _clear(part)
        is_note = local_name(part) in ("footnote", "endnote")
        is_separator = is_note and attribute(part, "type").lower() in _SEPARATORS
        _set_instructions_apart(part)
        part.attrib.clear()
        if is_separator:
            part.tag = "template"
            return
        part.tag = "aside" if is_note else "div"
        if is_note:
            part.set("class", "footnote")
        self._content(part)

    def _content(self, element: Element) -> None:
        for child in list(element):
            name = local_name(child)
            _clear(child)
            if not name or name.endswith("pr"):
                element.remove(child)
            elif name == "p":
                self._paragraph(child)
            elif name == "alternatecontent":
                _choose(child)
                child.tag = "div"
                self._content(child)
            elif name in ("omath", "omathpara"):
                _translate_formula(child)
            else:
                child.attrib.clear()
                child.tag = {"tbl": "table", "tr": "tr", "tc": "td"}.get(name, "div")
                if name == "fallback":  # the same for older programs
                    child.tag = "template"
                    continue
                if name in _DELETED or (name == "tr" and _is_deleted(child)):
                    _hide(child, "deleted")
                self._content(child)

    def _paragraph(self, paragraph: Element) -> None:
        properties = next(iter(children(paragraph[:1], "ppr")), None)
        style = self._styles.get(_value(properties, "pstyle")) or self._styles.get("", _Style())
        chain = list(self._chain(style))
        level = _outline_level(paragraph[:1])
        if level is None:
            levels = (_level_of(one) for one in chain)
            level = next((one for one in levels if one is not None), 0)
        names = {one.name for one in chain}
        tag = next((_TAGS[one.name] for one in chain if one.name in _TAGS), "p")
        is_hidden = next((one.is_hidden for one in chain if one.is_hidden is not None), False)
        is_item = properties is not None and bool(children(properties, "numpr"))
        paragraph.attrib.clear()
        boxes: list[Element] = []
        if properties is not None:
            paragraph.remove(properties)
        self._runs(paragraph, boxes, is_hidden)
        if _is_drop_cap(properties) and (following := _following_paragraph(paragraph)) is not None:
            paragraph.tag = "span"
            following.insert(len(children(following[:1], "ppr")), paragraph)
        elif any(_CONTENTS.match(name) for name in names):
            paragraph.tag = "p"
            _hide(paragraph, "contents")
        elif 0 < level <= _MAX_LEVEL:
            paragraph.tag = f"h{level}"
        elif names & _TITLES:
            paragraph.tag = "p"
            paragraph.set("role", "heading")
            if "title" in names and (title := text_of(paragraph)):
                self.titles.append(title)
        else:
            paragraph.tag = "li" if is_item and tag == "p" else tag
            if names & _NOTES:
                paragraph.set("class", "footnote")
        for box in reversed(boxes):
            paragraph.addnext(box)
            self.part(box)

    def _runs(self, element: Element, boxes: list[Element], is_hidden: bool) -> None:
        """Translate what is in a paragraph.

        Args:
            element: in it.
            boxes: gets the boxes of text and the notes, which come after the paragraph.
            is_hidden: whether the style of the paragraph hides its text.
        """
        for child in list(element):
            name = local_name(child)
            _clear(child)
            if not name or name.endswith("pr"):
                element.remove(child)
            elif name == "txbxcontent":
                element.remove(child)
                boxes.append(child)
            elif name in ("footnotereference", "endnotereference"):
                kind = name.removesuffix("reference")
                note = self._notes.pop(f"{kind} {attribute(child, 'id')}", None)
                if note is not None:
                    boxes.append(note)
                element.remove(child)
            elif name in ("omath", "omathpara"):
                _translate_formula(child)
            elif name in ("br", "cr"):
                # The end of a page or a column may be inside a sentence, but not inside a word.
                is_line = name == "cr" or attribute(child, "type") in ("", "textWrapping")
                child.attrib.clear()
                child.tag = "br" if is_line else "span"
                child.text = None if is_line else " "
            elif name == "sym":
                code = attribute(child, "char")[-2:]
                is_greek = attribute(child, "font").lower() == "symbol" and _BYTE.match(code)
                child.attrib.clear()
                child.tag, child.text = "span", _GREEK.get(chr(int(code, 16))) if is_greek else None
            elif name in _SIGNS:
                child.attrib.clear()
                child.tag, child.text = "span", _SIGNS[name]
            elif name == "tbl":
                element.remove(child)
                boxes.append(child)
            else:
                if name == "alternatecontent":
                    _choose(child)
                tag = {"rt": "rt"}.get(name, "span")
                hides = is_hidden
                if name == "r":
                    tag, hides = self._run(child, is_hidden)
                child.attrib.clear()
                child.tag = tag
                if name == "fallback" or name in _FOR_PROGRAMS:
                    child.tag = "template"
                    continue
                inner = boxes
                if name in _DELETED or (name == "r" and hides):
                    _hide(child, "deleted" if name in _DELETED else "")
                    inner = []
                self._runs(child, inner, is_hidden)
                if inner is not boxes:
                    child.extend(inner)

    def _run(self, run: Element, is_hidden: bool) -> tuple[str, bool]:
        """Return the element of HTML for a run, and whether its text is hidden."""
        properties = next(iter(children(run[:1], "rpr")), None)
        if properties is None:
            return "span", is_hidden
        hiding = _hiding(run[:1])
        if hiding is None:
            chain = self._chain(self._styles.get(_value(properties, "rstyle"), _Style()))
            hiding = next((one.is_hidden for one in chain if one.is_hidden is not None), is_hidden)
        raised = _value(properties, "vertalign")
        return {"superscript": "sup", "subscript": "sub"}.get(raised, "span"), hiding

    def _chain(self, style: _Style) -> Iterator[_Style]:
        """Yield a style and those that it is based on."""
        for _ in range(_MOST_BASES):
            yield style
            base = self._styles.get(style.base) if style.base else None
            if base is None:
                return
            style = base


def _clear(element: Element) -> None:
    """Take white space away that is only for those who look at the XML."""
    if element.tail is not None and not element.tail.strip():
        element.tail = None
    if element.text is not None and not element.text.strip() and local_name(element) not in _TEXT:
        element.text = None


def _set_instructions_apart(part: Element) -> None:
    """Make instructions of the text in fields before their results, such as `IF` and its fields."""
    fields: list[list[Element] | None] = []  # of the open ones, the text of their instructions
    for one in list(part.iter()):
        name = local_name(one)
        kind = attribute(one, "fldCharType").lower() if name == "fldchar" else ""
        if name == "t":
            for field in fields:
                if field is not None:
                    field.append(one)
        elif kind == "begin":
            fields.append([])
        elif kind in ("separate", "end") and fields:
            for text in fields[-1] or ():
                text.tag = "instrText"
            fields[-1] = None
            if kind == "end":
                fields.pop()


def _is_deleted(row: Element) -> bool:
    return any(children(one, "del") for one in children(row, "trpr"))


def _is_drop_cap(properties: Element | None) -> bool:
    frames = [] if properties is None else children(properties, "framepr")
    return any(attribute(one, "dropCap") in ("drop", "margin") for one in frames)


def _following_paragraph(paragraph: Element) -> Element | None:
    following = paragraph.getnext()
    return following if following is not None and local_name(following) == "p" else None


def _hide(element: Element, kind: str) -> None:
    element.set("hidden", "")
    if kind:
        element.set("class", kind)


def _choose(alternatives: Element) -> None:
    """Make what is for newer programs the only choice, unless it has no text."""
    choices = children(alternatives, "choice")
    if not any(text_of(one) for one in choices):
        for one in choices:
            alternatives.remove(one)
        for one in children(alternatives, "fallback"):
            one.tag = "choice"


def _translate_formula(formula: Element) -> None:
    """Make MathML of a formula."""
    for one in list(formula.iter()):
        name = local_name(one)
        _clear(one)
        if not name or name.endswith("pr"):
            parent = one.getparent()
            if parent is not None:
                parent.remove(one)
            continue
        is_root = name == "rad"
        if is_root:
            degrees = children(one, "deg")
            if degrees and text_of(degrees[0]):
                one.tag = "mroot"
                continue
            for degree in degrees:
                one.remove(degree)
        one.tag = "msqrt" if is_root else _OF_FORMULAS.get(name, "mrow")
        one.attrib.clear()
    if local_name(formula) != "math":
        formula.tag = "span"


def _value(element: Element | None, name: str) -> str:
    """Return the value of a property; empty if it is not there."""
    if element is None:
        return ""
    return next((attribute(one, "val") for one in children(element, name)), "")


def _hiding(element: Element) -> bool | None:
    """Return whether the properties of a run or a style hide its text; None if nothing is said."""
    for properties in children(element, "rpr"):
        for one in children(properties, "vanish"):
            return attribute(one, "val").lower() not in ("0", "false", "off")
    return None


def _outline_level(element: Element) -> int | None:
    """Return the level of a paragraph or a style, from 1; 0 for body text; None for nothing."""
    for properties in children(element, "ppr"):
        written = _value(properties, "outlinelvl")
        if written.isdigit():
            level = int(written) + 1
            return level if level <= _MAX_LEVEL else 0
    return None


def _level_of(style: _Style) -> int | None:
    if style.level is not None:
        return style.level
    heading = _HEADING.match(style.name)
    return int(heading[1]) if heading else None
