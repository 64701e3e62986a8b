"""Parse the XML and HTML of books: offline, without entities of their own, bounded."""

from __future__ import annotations

import html.entities
import re
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from service.errors import InvalidBookError

Element = Any
"""lxml has no types of its own."""

_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_OF_XML = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_MAX_DEPTH = 200
"""Elements inside each other; the walk over a tree calls itself."""


def parse_xml(content: bytes, name: str) -> Element:
    """Return the root of an XML document, with the named characters of HTML.

    Raises:
        InvalidBookError: it is not well-formed; the message has `name` and the line.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
        remove_pis=True, huge_tree=False,
    )  # fmt: skip
    try:
        root = etree.fromstring(_NAMED.sub(_character, content), parser)
    except etree.XMLSyntaxError as error:
        raise InvalidBookError(f"{name} is not well-formed XML: {error.msg}") from error
    if root is None:
        raise InvalidBookError(f"{name} is empty")
    return _shallow(root, name)


def parse_html(content: bytes, name: str, encoding: str | None = None) -> Element:
    """Return the root of an HTML document, which may be malformed.

    Raises:
        InvalidBookError: there is no element in it.
    """
    parser = lxml_html.HTMLParser(encoding=encoding, no_network=True, remove_comments=True)
    try:
        root = lxml_html.document_fromstring(content, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise InvalidBookError(f"{name} has no text: {error}") from error
    return _shallow(root, name)


def parse_xhtml(content: bytes, name: str) -> Element:
    """Return the root of a document of an EPUB: XHTML, or HTML if it is not well-formed."""
    try:
        return parse_xml(content, name)
    except InvalidBookError:
        return parse_html(content, name, "utf-8")


def local_name(element: Element) -> str:
    """Return an element's name without its namespace; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """Return an attribute by its name without namespace; empty if it is missing."""
    value = element.get(name)
    if value is None:
        ends = (f"}}{name}", f":{name}")
        value = next((value for key, value in element.items() if key.endswith(ends)), "")
    return str(value)


def children(element: Element, *names: str) -> list[Element]:
    """Return the children with one of the names."""
    return [child for child in element if local_name(child) in names]


def descendants(element: Element, *names: str) -> list[Element]:
    """Return the elements below with one of the names, in order."""
    return [child for child in element.iter() if local_name(child) in names]


def text_of(element: Element | None) -> str:
    """Return all text of an element with white space folded; empty for None."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _character(match: re.Match[bytes]) -> bytes:
    if match[1] in _OF_XML:
        return match[0]
    known = html.entities.html5.get(f"{match[1].decode()};")
    return match[0] if known is None else "".join(f"&#{ord(c)};" for c in known).encode()


def _shallow(root: Element, name: str) -> Element:
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            raise InvalidBookError(f"{name} has elements more than {_MAX_DEPTH} deep")
        level = [child for element in level for child in element]
    return root
