"""Parse the XML and HTML of books: offline, without entities of their own, within a budget."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from service.books.document_budget import Budget
from service.books.encodings import utf_8_of_markup
from service.books.odd_characters import without_odd_in_html, without_odd_in_xml
from service.errors import InvalidBookError

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

_MAX_DEPTH = 200
"""Elements inside each other; the walk over a tree calls itself."""


def parse_xml(content: bytes, name: str, budget: Budget) -> Element:
    """Return the root of an XML document, with the named characters of HTML.

    Raises:
        InvalidBookError: it is not well-formed, or too large; the message has `name` and the line.
    """
    text = without_odd_in_xml(utf_8_of_markup(content, name), budget)
    _take_tags(text, budget)
    return _xml(text, name)


def parse_html(content: bytes, name: str, budget: Budget) -> Element:
    """Return the root of an HTML document, which may be malformed.

    Raises:
        InvalidBookError: there is no element in it, or it is too large.
    """
    text = without_odd_in_html(utf_8_of_markup(content, name), budget)
    _take_tags(text, budget)
    return _html(text, name)


def parse_xhtml(content: bytes, name: str, budget: Budget) -> Element:
    """Return the root of a document of an EPUB: XHTML, or HTML if it is not well-formed."""
    text = without_odd_in_xml(utf_8_of_markup(content, name), budget)
    _take_tags(text, budget)
    try:
        return _xml(text, name)
    except InvalidBookError:
        return _html(text, name)


def _take_tags(text: bytes, budget: Budget) -> None:
    """Pay for the elements before a parser makes them; there are no more than start tags."""
    budget.take_elements(text.count(b"<") - text.count(b"</"))
    work = 0
    for tag in _START_TAG.finditer(text):
        if tag.end() - tag.start() > _SHORT_TAG:
            work += len(_ATTRIBUTES_END.findall(tag[0])) ** 2
            if work > _ATTRIBUTES_WORK:
                raise InvalidBookError(f"{budget.name} has elements with too many attributes")


def _xml(text: bytes, name: str) -> Element:
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
    return _shallow(root, name)


def _html(text: bytes, name: str) -> Element:
    # HTML has no entities that could grow. Without `huge_tree` the parser ends at the first ten
    # million characters without a tag, or inside 256 elements, and does not say so.
    parser = lxml_html.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, huge_tree=True
    )
    try:
        root = lxml_html.document_fromstring(text, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, LookupError, ValueError) as error:
        raise InvalidBookError(f"{name} has no text: {_reason(error)}") from error
    return _shallow(root, name)


def local_name(element: Element) -> str:
    """Return an element's name without its namespace; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def attributes(element: Element) -> dict[str, str]:
    """Return the attributes by their names without namespaces; those that have none go first."""
    found: dict[str, str] = {}
    for key, value in element.items():
        own = key.rpartition("}")[2].rpartition(":")[2]
        if own == key:
            found[own] = str(value)
        else:
            found.setdefault(own, str(value))
    return found


def attribute(element: Element, name: str) -> str:
    """Return an attribute by its name without namespace; empty if it is missing."""
    return attributes(element).get(name, "")


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


def _shallow(root: Element, name: str) -> Element:
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
