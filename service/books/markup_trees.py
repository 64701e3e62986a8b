"""Parse the XML and HTML of books: offline, without entities of their own, within a budget.

What is well-formed is parsed as XML, all else as browsers parse HTML, so that no text is lost
whatever a document looks like. Either way it becomes a tree of lxml, with names in small letters
where HTML gave them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Container
from typing import Any

import turbohtml
from lxml import etree

from service.books.document_budget import Budget
from service.books.encodings import utf_8_of_markup
from service.books.labels import valid_xml
from service.books.odd_characters import without_odd_in_html, without_odd_in_xml
from service.errors import InvalidBookError
from service.text.document.elements import BREAKS, KNOWN

Element = Any
"""lxml has no types of its own."""

# A quote opens a value after `=` only. What is like a tag in a script is one here too.
_START_TAG = re.compile(rb"""<[A-Za-z][^>"'=]*(?:(?:=\s*(?:"[^"]*"|'[^']*')|["'=])[^>"'=]*)*""")
_ATTRIBUTES_END = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')|[\s/]+""")
_SHORT_TAG = 200
"""Bytes. A tag of so many has 100 attributes at most."""

_ATTRIBUTES_WORK = 400_000_000
"""Of all tags that are longer, the sum of the squares of the numbers of their attributes: 20,000 in
one tag, or 100 in each of 40,000. lxml compares each attribute with all before it, and each look at
all of them is as dear: a second for 20,000."""

_HEAD = 2000
"""Characters in which a document type begins."""

_MAX_DEPTH = 200
"""Elements inside each other; the walk over a tree calls itself. What is deeper stays in order
where it is as deep as that."""

_TAG = re.compile(r"<(/?)([A-Za-z_][\w:.-]*)((?:[^\w:.<>-][^<>]*)?)>|<(?=[A-Za-z_])")
_END_TAG = re.compile(r"</([A-Za-z_][\w:.-]*)")
_NO_TEXT = re.compile(
    r"(?is)<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    r"|<(script|style)\b(?:[^<>]*[^<>/])?>.*?(?:</\1\s*>|\Z)"
)
_NAME = re.compile(r"[a-z_][a-z0-9_.-]*\Z")
_PLAIN = "x-"
"""Before the names of elements that must not mean what they do in HTML."""

_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
})  # fmt: skip
_MUTE = frozenset({"script", "style", "template"})
_ATTRIBUTES = frozenset({
    "algorithm", "alt", "alttext", "aria-hidden", "aria-level", "class", "content", "default",
    "display", "encoding", "full-path", "hidden", "href", "id", "idref", "lang", "linear",
    "media-type", "name", "open", "properties", "role", "src", "style", "styleid", "target",
    "targetmode", "title", "toc", "type", "unique-identifier", "val",
})  # fmt: skip
"""Those that a reader looks at. Others may be many, and have names that XML does not know."""


def parse_xml(content: bytes, name: str, budget: Budget) -> Element:
    """Return the root of an XML document, with the named characters of HTML.

    One that is not well-formed is read as well as it can be, which is told.

    Raises:
        InvalidBookError: there is no element in it, or it is too large.
    """
    text = without_odd_in_xml(utf_8_of_markup(content, name, budget), budget)
    _take_elements(text, budget)
    try:
        return _xml(text, name, budget)
    except InvalidBookError as error:
        root = _loose_xml(text.decode(), budget)
        if root is None:
            raise
        budget.ledger.note(f"{error}; it is read as well as it can be")
        return root


def parse_html(content: bytes, name: str, budget: Budget) -> Element:
    """Return the root of an HTML document, which may be malformed.

    Raises:
        InvalidBookError: it is too large.
    """
    text = without_odd_in_html(utf_8_of_markup(content, name, budget), budget)
    _take_elements(text, budget)
    return _html(text.decode(), name, budget)


def parse_xhtml(content: bytes, name: str, budget: Budget) -> Element:
    """Return the root of a document of an EPUB: XHTML, or HTML if it is not well-formed."""
    utf_8 = utf_8_of_markup(content, name, budget)
    text = without_odd_in_xml(utf_8, budget)
    _take_elements(text, budget)
    try:
        return _xml(text, name, budget)
    except InvalidBookError:
        return _html(_without_sections(text.decode()), name, budget)


def _take_elements(text: bytes, budget: Budget) -> None:
    """Pay for the elements before a parser makes them; there are no more than start tags."""
    budget.take_elements(text.count(b"<") - text.count(b"</"))


def _check_attributes(text: bytes, budget: Budget) -> None:
    work = 0
    for tag in _START_TAG.finditer(text):
        if tag.end() - tag.start() > _SHORT_TAG:
            work += len(_ATTRIBUTES_END.findall(tag[0])) ** 2
            if work > _ATTRIBUTES_WORK:
                raise InvalidBookError(f"{budget.name} has elements with too many attributes")


def _xml(text: bytes, name: str, budget: Budget) -> Element:
    """Return the root of a well-formed document. Raises InvalidBookError if it is none."""
    _check_attributes(text, budget)
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False,
        remove_comments=True, remove_pis=True, huge_tree=False,
    )  # fmt: skip
    try:
        root = etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, LookupError, ValueError) as error:
        raise InvalidBookError(f"{name} is not well-formed XML: {_reason(error)}") from error
    if root is None:
        raise InvalidBookError(f"{name} is empty")
    return _checked_depth(root, name)


def _html(text: str, name: str, budget: Budget) -> Element:
    tree = turbohtml.parse(_tagged(text, KNOWN, ""), positions=False)
    return _converted(tree, text.count("<"), budget)


def _loose_xml(text: str, budget: Budget) -> Element | None:
    """Return the root of XML that is not well-formed; None if it has no element.

    It is parsed as HTML of elements that HTML does not know, so none of them is special.
    """
    tree = turbohtml.parse(_tagged(_without_sections(text), _OF_XML, _PLAIN), positions=False)
    root = _converted(tree, text.count("<"), budget)
    for inner in root:
        if local_name(inner) == "body" and len(inner) and not (inner.text or "").strip():
            found: Element = inner[0]
            if len(inner) == 1 and not (found.tail or "").strip():
                return found
            # What follows the root belongs to it.
            for other in inner[1:]:
                found.append(other)
            return found
    return None


_OF_XML = frozenset({
    "fictionbook", "description", "title-info", "document-info", "publish-info",
    "src-title-info", "custom-info", "genre", "author", "first-name", "middle-name",
    "last-name", "nickname", "home-page", "email", "book-title", "annotation", "keywords",
    "date", "coverpage", "image", "lang", "src-lang", "translator", "sequence", "program-used",
    "src-url", "src-ocr", "id", "version", "history", "publisher", "city", "year", "isbn",
    "body", "title", "section", "p", "empty-line", "subtitle", "epigraph", "poem", "stanza",
    "v", "cite", "text-author", "table", "tr", "th", "td", "strong", "emphasis", "style", "a",
    "strikethrough", "sub", "sup", "code", "binary", "package", "metadata", "manifest", "item",
    "spine", "itemref", "guide", "reference", "ncx", "navmap", "navpoint", "navlabel", "text",
    "content", "container", "rootfiles", "rootfile", "html", "head", "link", "meta", "div",
    "span", "br",
})  # fmt: skip
"""Elements of FB2 and of what an EPUB has beside its documents."""


def _without_sections(text: str) -> str:
    """Return XML with characters in the place of its CDATA sections, which HTML has not."""

    def written(match: re.Match[str]) -> str:
        section = match[0]
        if section[2:3] != "[":
            return section
        return html.escape(section[9:].removesuffix("]]>"), quote=False)

    return _NO_TEXT.sub(written, text) if "<![CDATA[" in text else text


def _without_declarations(text: str) -> str:
    """Return a document without a document type that has declarations, which HTML has not."""
    start = text[:_HEAD].upper().find("<!DOCTYPE")
    opening, end = text.find("[", start), text.find(">", start)
    if start < 0 or not 0 <= opening < end:
        return text
    end = text.find(">", text.find("]", opening))
    return text[:start] + text[end + 1 :] if text.find("]", opening) > 0 and end > 0 else text


def _tagged(text: str, known: Container[str], prefix: str) -> str:
    """Return a document with tags that mean to a parser of HTML what their writer meant.

    An element that ends with its first tag has a last one. What only looks like a tag, as
    `<Mission failed>` does, is text: its name is unknown, and nothing ends it.

    Args:
        text: the document.
        known: names of elements that may lack a last tag.
        prefix: put before all names.
    """
    text = _without_declarations(text)
    ended = {name.lower() for name in _END_TAG.findall(text)}

    def written(match: re.Match[str]) -> str:
        slash, name, rest = match[1], match[2], match[3]
        if name is None:  # no `>` ends it before the next `<`
            return "&lt;" if prefix else match[0]
        end = rest[-1:] if rest.endswith("/") else ""
        rest = rest.removesuffix("/")
        lower = name.lower()
        if slash:
            return f"</{prefix}{name}{rest}>"
        is_empty = bool(end) and (not rest or rest[-1] in "\"' \t\r\n" or lower in _MUTE)
        if not is_empty and lower not in known and lower not in ended:
            return f"&lt;{match[0][1:]}"
        if is_empty and (prefix or lower not in _VOID):
            return f"<{prefix}{name}{rest}></{prefix}{name}>"
        return f"<{prefix}{name}{rest}{end}>"

    pieces: list[str] = []
    done = 0
    for verbatim in _NO_TEXT.finditer(text):
        pieces += [_TAG.sub(written, text[done : verbatim.start()]), verbatim[0]]
        done = verbatim.end()
    return "".join([*pieces, _TAG.sub(written, text[done:])])


def _converted(tree: turbohtml.Document, n_elements: int, budget: Budget) -> Element:
    """Return a tree as one of lxml.

    Args:
        tree: as the parser gave it.
        n_elements: that are paid for. Misnested markup has more.
        budget: of the document.
    """
    root = etree.Element("html")
    open_elements = [(iter(tree.children), root, False)]
    while open_elements:
        nodes, parent, ends_block = open_elements[-1]
        node = next(nodes, None)
        if node is None:
            open_elements.pop()
            if ends_block:
                etree.SubElement(parent, "div")
        elif isinstance(node, turbohtml.Element):
            n_elements -= 1
            if n_elements < 0:
                budget.take_elements(1)
            name = _plain_name(node.tag)
            if name == "html":
                own = root
            elif len(open_elements) < _MAX_DEPTH or name in _MUTE:
                own = etree.SubElement(parent, name)
            else:
                etree.SubElement(parent, name)
                own = parent
            if own is not parent or name == "html":
                _set_attributes(own, node)
            ends_block = own is parent and name in BREAKS and name != "html"
            open_elements.append((iter(node.children), own, ends_block))
        elif isinstance(node, turbohtml.DocumentFragment):
            open_elements.append((iter(node.children), parent, False))
        elif isinstance(node, (turbohtml.Text, turbohtml.CData)):
            _append(parent, node.data)
    return root


def _plain_name(tag: str) -> str:
    name = tag.lower().removeprefix(_PLAIN).rpartition(":")[2]
    return name if _NAME.match(name) else "x"


def _set_attributes(element: Element, node: turbohtml.Element) -> None:
    for key, value in node.attrs.items():
        name = key.lower().rpartition(":")[2]
        if name in _ATTRIBUTES and (name == key or element.get(name) is None):
            written = " ".join(value) if isinstance(value, list) else value or ""
            element.set(name, valid_xml(written))


def _append(parent: Element, text: str) -> None:
    text = valid_xml(text)
    if len(parent):
        last = parent[-1]
        last.tail = (last.tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def local_name(element: Element) -> str:
    """Return an element's name without its namespace; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def attributes(element: Element) -> dict[str, str]:
    """Return the attributes by their names in small letters, without namespaces.

    Those that have none go first.
    """
    found: dict[str, str] = {}
    for key, value in element.items():
        own = key.rpartition("}")[2].rpartition(":")[2]
        if own == key:
            found[own.lower()] = str(value)
        else:
            found.setdefault(own.lower(), str(value))
    return found


def attribute(element: Element, name: str) -> str:
    """Return an attribute by its name without namespace; empty if it is missing."""
    return attributes(element).get(name.lower(), "")


def children(element: Element, *names: str) -> list[Element]:
    """Return the children with one of the names."""
    return [child for child in element if local_name(child) in names]


def descendants(element: Element, *names: str) -> list[Element]:
    """Return the elements below with one of the names, in order."""
    return [child for child in element.iter() if local_name(child) in names]


def text_of(element: Element | None) -> str:
    """Return all text of an element with white space folded; empty for None."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _reason(error: Exception) -> str:
    return str(getattr(error, "msg", None) or error)


def _checked_depth(root: Element, name: str) -> Element:
    open_elements = [iter(root)]
    while open_elements:
        child = next(open_elements[-1], None)
        if child is None:
            open_elements.pop()
            continue
        if len(open_elements) == _MAX_DEPTH:
            raise InvalidBookError(f"{name} has elements more than {_MAX_DEPTH} deep")
        if len(child):
            open_elements.append(iter(child))
    return root
