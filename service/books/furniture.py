"""What of a document is for the eye only: page numbers, running heads, navigation, marks of notes.

Classes, types and roles only claim it, because books use the same names for other things: a
`pagebreak` may be a whole chapter. What they claim must look like it too, or it is text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Literal

from lxml import etree

from service.books.ledger import Reason
from service.books.markup_trees import Element, attribute, local_name
from service.books.tidying import roman
from service.text.document.elements import BREAKS

Claim = Literal[
    "page_break", "page_number", "running_head", "scene", "note_mark", "way_back", "boilerplate"
]

CLASSES: dict[Claim, frozenset[str]] = {
    "page_break": frozenset({"pagebreak"}),
    "page_number": frozenset({"pagenum", "pagenumber", "pageno"}),
    "running_head": frozenset(
        {"pageheader", "runhead", "runheader", "runninghead", "runningheader"}
    ),
    "scene": frozenset({"scenebreak", "sectionbreak", "transition", "tb"}),
    "note_mark": frozenset({"noteref", "fnanchor", "footnoteref"}),
    "way_back": frozenset({"backlink"}),
    "boilerplate": frozenset({"pgboilerplate"}),
}  # fmt: skip
"""What the classes of an element claim that it is: in small letters, without hyphens, underscores,
an `x-` before and an `s` after them."""

TYPES: dict[str, Claim] = {
    "pagebreak": "page_number", "noteref": "note_mark", "backlink": "way_back",
}  # fmt: skip
"""What `epub:type` claims, and `role` with `doc-` before it."""

NAVIGATION = frozenset({"toc", "navigation", "landmarks", "page-list"})

_BLOCKS = (frozenset(BREAKS) - {"br"}) | frozenset({
    "book", "bodymatter", "bridgehead", "byline", "docauthor", "doctitle", "dtbook",
    "foreignobject", "frameset", "frontmatter", "hd", "hr", "imggroup", "level", "level1",
    "level2", "level3",
    "level4", "level5", "level6", "listing", "noframes", "plaintext", "rearmatter", "search",
    "sidebar", "text", "xmp",
})  # fmt: skip
"""Elements that are no part of a line, of HTML and of DAISY's books."""

_CLAIMS = {name: claim for claim, names in CLASSES.items() for name in names}
_FEW_WORDS = 5
_BRIEF_CHARACTERS = 60
_BRIEF_ELEMENTS = 24
_PIECES = 400
"""Of text in which the boilerplate of Project Gutenberg names it."""

_PAGE = re.compile(
    r"\W{0,8}(?:(?:page|pages|pg|pp?|seite|s|página|pagina|pág|pag|стр|с)(?:\b|(?=\d))\W{0,8})?"
    r"(?P<number>\d{1,5}|[ivxlcdm]{1,9})"
    r"(?:\W{0,8}(?:/|of|von|de|di|sur|из|-|–)\W{0,8}\d{1,5})?\W{0,8}\Z",
    re.I,
)
_MAX_ROMAN_PAGE = 300
"""A larger one is more likely a word, such as `mix`."""

_END_OF_SENTENCE = re.compile(r"[.!?…:;,。！？]\W{0,8}\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
_NOTE_WORDS = frozenset({
    "fn", "nr", "note", "notes", "footnote", "endnote", "nota", "anm",
})  # fmt: skip
_NOTE_MARK = re.compile(r"[\[({]?\s*(?:\d{1,4}|[ivxl]{1,6}|[a-z]|[*†‡§¶]+)\s*[\])}]?\.?\Z", re.I)
_ENDS = frozenset(".,;:!?…”’\"'»)")
_ABBREVIATION = re.compile(r"(?<!\w)\w{1,3}\.\Z")
"""Before a number that is attached: `p.5`."""
_HEADING = re.compile(r"h[1-6]\Z")
WHOLE = frozenset({"html", "body", "main"})
"""Elements that are the document itself, whatever they claim."""


def is_inline(name: str) -> bool:
    """Tell whether an element is part of a line, as those are that nobody knows."""
    return name not in _BLOCKS


def claims_of(own: Mapping[str, str]) -> frozenset[Claim]:
    """Return what the attributes of an element claim that it is."""
    found: set[Claim] = set()
    for name in own.get("class", "").lower().split():
        plain = name.removeprefix("x-").replace("-", "").replace("_", "")
        claim = _CLAIMS.get(plain) or _CLAIMS.get(plain.removesuffix("s"))
        if claim is None and any(one in plain for one in CLASSES["note_mark"]):
            claim = "note_mark"
        if claim is not None:
            found.add(claim)
    found.update(TYPES[one] for one in types_of(own) if one in TYPES)
    return frozenset(found)


def types_of(own: Mapping[str, str]) -> set[str]:
    """Return what `epub:type` says of an element, and `role` where it says the same as that."""
    if "type" not in own and "role" not in own:
        return set()
    roles = own.get("role", "").lower().split()
    return {
        *(one.removeprefix("doc-") for one in own.get("type", "").lower().split()),
        *(one.removeprefix("doc-") for one in roles if one.startswith("doc-")),
        *(one for one in roles if one in NAVIGATION),
    }


def why_left_out(element: Element, claims: frozenset[Claim]) -> Reason | None:
    """Return why an element is nothing to be read, if it is what it claims to be."""
    name = local_name(element)
    if not claims or name in WHOLE:
        return None
    if "boilerplate" in claims and _names_gutenberg(element):
        return "boilerplate"
    text = brief(element)
    if text is None or has_picture(element):
        return None
    if claims & {"page_break", "page_number", "running_head"} and (not text or is_page(text)):
        return "page number"
    if "note_mark" in claims and is_mark(text):
        return "note mark"
    if "way_back" in claims and not is_prose(text):
        return "back link"
    is_line = not _HEADING.match(name) and not _has_blocks(element)
    is_head = "running_head" in claims and is_line and not is_prose(text)
    return "running head" if is_head else None


def is_hidden(name: str, own: Mapping[str, str], element: Element) -> bool:
    """Tell whether nobody sees an element, or only short text that is said elsewhere."""
    if name == "dialog":
        return "open" not in own
    if not own or name in WHOLE:
        return False
    style = own.get("style", "").replace(" ", "").lower()
    if "hidden" in own or "display:none" in style or "visibility:hidden" in style:
        return True
    if own.get("aria-hidden") != "true":
        return False
    text = brief(element)
    return text is not None and not is_prose(text)


def is_navigation(element: Element) -> bool:
    """Tell whether an element is mostly links, or has only a few words."""
    text = brief(element)
    if text is not None and not is_prose(text):
        return True
    n_linked = n_characters = depth = 0
    for event, one in etree.iterwalk(element, events=("start", "end")):
        is_start = event == "start"
        is_link = local_name(one) == "a" and one.get("href") is not None
        depth += is_link if is_start else -is_link
        text = one.text if is_start else one.tail if one is not element else ""
        length = sum(map(len, (text or "").split()))
        n_characters += length
        n_linked += length if depth else 0
    return 2 * n_linked >= n_characters


def is_linked_mark(element: Element, before: str) -> bool:
    """Tell whether an inline element is the mark of a note, though nothing says so.

    Args:
        element: it.
        before: the end of the text before it.
    """
    text = brief(element)
    if text is None or not _NOTE_MARK.match(text):
        return False
    if not any("#" in attribute(one, "href") for one in element.iter() if local_name(one) == "a"):
        return False
    if any(local_name(one) == "sup" for one in element.iter()):
        return True
    # Not the numbers in `see page 5` and `equation (12)`.
    is_attached = bool(before) and not before[-1].isspace()
    if text[0] in "*†‡§¶":
        return True
    if text[0] in "[{":
        return is_attached or before.rstrip()[-1:] in _ENDS
    is_word = is_attached and (before[-1].isalpha() or before[-1] in _ENDS)
    return is_word and (text.isdigit() or text[0] == "(") and not _ABBREVIATION.search(before)


def brief(element: Element) -> str | None:
    """Return the text of an element with white space folded; None if it is not short.

    It takes as long for any element: an element around others asks for the text of all of them.
    """
    if sum(1 for _ in islice(element.iter(), _BRIEF_ELEMENTS + 1)) > _BRIEF_ELEMENTS:
        return None
    pieces: list[str] = []
    length = 0
    for piece in element.itertext():
        length += len(piece)
        if length > 10 * _BRIEF_CHARACTERS:
            return None
        pieces.append(piece)
    text = " ".join("".join(pieces).split())
    return text if len(text) <= _BRIEF_CHARACTERS else None


def is_prose(text: str) -> bool:
    """Tell whether a short text is a sentence, or more than a few words."""
    return len(text.split()) > _FEW_WORDS or bool(_END_OF_SENTENCE.search(text))


def is_page(text: str) -> bool:
    """Tell whether a short text is the number of a page."""
    match = _PAGE.match(text)
    if match is None:
        return False
    number = match["number"]
    return number.isdigit() or 0 < (roman(number.upper()) or 0) <= _MAX_ROMAN_PAGE


def is_mark(text: str) -> bool:
    """Tell whether a short text is the mark of a note, or the way back to it, and no word."""
    return all(
        len(word) == 1
        or word.lower() in _NOTE_WORDS
        or 0 < (roman(word.upper()) or 0) <= _MAX_ROMAN_PAGE
        for word in _LETTERS.findall(text)
    )


def has_picture(element: Element) -> bool:
    """Tell whether there is a picture in an element that is short."""
    return any(local_name(one) == "img" for one in islice(element.iter(), _BRIEF_ELEMENTS))


def _has_blocks(element: Element) -> bool:
    below = islice(element.iter(), 1, _BRIEF_ELEMENTS)
    return any(not is_inline(local_name(one)) for one in below if local_name(one))


def _names_gutenberg(element: Element) -> bool:
    text = "".join(islice(element.itertext(), _PIECES))
    return "project gutenberg" in " ".join(text.lower().split())
