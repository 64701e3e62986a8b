"""Mails and memos in plain text: headers, quoted text, signatures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from service.text.document.lines.breaks import are_deliberate
from service.text.document.lines.labels import Label, label_at
from service.text.document.lines.page import (
    Block,
    Page,
    Row,
    ends_with_pause,
    is_structure,
    width,
)
from service.text.document.lines.words import HEADERS, WROTE

_ADDRESS = re.compile(r"<(?P<address>[^\s<>@]+@[^\s<>@]+)>")
_QUOTED = re.compile(r"(?:>[ \t]?)+")
_DASHES = "----"
_SEPARATOR = "--"
_MOST_SIGNED = 8
"""Rows of a signature; the netiquette of RFC 3676 and RFC 1855 asks for four."""
_LONGEST_SIGNED = 60


def claim_mail(page: Page) -> None:
    """Claim headers, quoted text below its introduction, and signatures.

    Two headers or more begin a block. Text is quoted in mail where a line such as "Anna wrote:"
    stands above it, or where the depth changes between two rows, which Markdown would join.
    """
    for block in page.blocks:
        if not block.is_markdown:
            _claim_headers(page, block)
    introduced = False
    for block in page.blocks:
        _claim_quotes(page, block, introduced)
        introduced = _introduces(block.rows[-1])
    _claim_signature(page)


def _claim_headers(page: Page, block: Block) -> None:
    top = block.rows[0]
    # As in "---- Forwarded message ----".
    start = int(top.bare.startswith(_DASHES) and top.bare.endswith(_DASHES))
    headers: list[tuple[Row, Label]] = []
    for row in block.rows[start:]:
        label = label_at(row.bare)
        if label and label.name.casefold() in HEADERS:
            headers.append((row, label))
        elif not (headers and row.indent):
            break
    n_names = len({label.name.casefold() for _, label in headers})
    if n_names < 2:
        return
    group = page.new_group()
    if start:
        words = top.bare.rstrip("-")
        page.claim(
            top,
            "header",
            [top.part("text", len(words) - len(words.lstrip("-")), len(words))],
            group,
        )
    known = {row.index: label for row, label in headers}
    last = headers[-1][0].index
    for row in block.rows[start:]:
        own = known.get(row.index)
        if own is None and (row.index < last or row.indent == 0):
            break
        _claim_header(page, row, own, group)


def _claim_header(page: Page, row: Row, label: Label | None, group: int) -> None:
    """Claim a header, or a row that goes on with the one above."""
    if label is None:
        page.claim(row, "header", [row.part("value")], group)
        return
    said = [row.part("name", label.start, label.end)]
    place = label.behind
    for address in _ADDRESS.finditer(row.bare, label.behind):
        said.append(row.part("value", place, address.start()))
        said.append(row.part("value", *address.span("address")))
        place = address.end()
    said.append(row.part("value", place))
    page.claim(row, "header", said, group)


def _introduces(row: Row) -> bool:
    """Tell whether a row says who wrote what is quoted below it."""
    words = row.bare
    if not words.endswith((":", "：")):
        return False
    return words[:-1].rstrip(" \xa0\u202f*_").casefold().endswith(WROTE)


def _claim_quotes(page: Page, block: Block, introduced: bool) -> None:
    """Claim quoted rows; the rows right below, which Markdown would add to them, stay its own."""
    rows = block.rows
    marks = [_QUOTED.match(row.bare) for row in rows]
    depths = [mark[0].count(">") if mark else 0 for mark in marks]
    first = next((place for place, depth in enumerate(depths) if depth), None)
    if first is None or not page.all_free(rows):
        return
    introduced = _introduces(rows[first - 1]) if first else introduced
    inner = [
        row.bare[mark.end() :] if mark else row.bare for row, mark in zip(rows, marks, strict=True)
    ]
    falls = any(
        a > b and a > 1 and inner[place + 1] for place, (a, b) in enumerate(pairwise(depths))
    )
    # Captions have marks for new speakers and new stories, two and three, but never one.
    if not introduced and not (falls and 1 in depths):
        return
    if any(mark and is_structure(words) for mark, words in zip(marks, inner, strict=True)):
        return
    end = first
    while end < len(rows):
        start = end
        while (
            end < len(rows)
            and depths[end] == depths[start]
            and bool(inner[end]) == bool(inner[start])
        ):
            end += 1
        if depths[start]:
            _claim_quoted(page, rows[start:end], inner[start:end])


def _claim_quoted(page: Page, rows: Sequence[Row], inner: Sequence[str]) -> None:
    """Claim a quoted paragraph."""
    group = page.new_group()
    stacked = are_deliberate(inner)
    for row, words in zip(rows, inner, strict=True):
        pause = stacked or row is rows[-1]
        said = row.part("text", len(row.bare) - len(words))
        page.claim(row, "quote", [said], group, pause)


def _claim_signature(page: Page) -> None:
    """Claim the last separator `-- ` and what stands below it, if that ends the text."""
    if not page.blocks:
        return
    rows = page.blocks[-1].rows
    place = next((row for row in rows if row.bare == _SEPARATOR), None)
    if place is None or place is rows[-1]:
        return
    below = rows[place.index - rows[0].index + 1 :]
    above = page.rows[place.index - 1].bare if place.index else ""
    is_exact = page.text[place.start : place.end].rstrip("\r\n") == _SEPARATOR + " "
    # Below words without a mark it is Markdown's underline of a heading.
    if above and not is_exact and not ends_with_pause(above):
        return
    if len(below) > _MOST_SIGNED or not page.all_free((place, *below)):
        return
    if any(width(row.bare) > _LONGEST_SIGNED or is_structure(row.bare) for row in below):
        return
    group = page.new_group()
    page.claim(place, "signature", (), group)
    for row in below:
        page.claim(row, "signature", [row.part("text")], group)
