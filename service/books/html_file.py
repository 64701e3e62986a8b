"""Read a book in one HTML file."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

from service.books import html_blocks
from service.books.book import Book
from service.books.chaptering import by_headings
from service.books.document_budget import Budget
from service.books.encodings import decoded
from service.books.illustrations import picture_beside
from service.books.markup_trees import Element, attribute, descendants, parse_html, text_of


def read_html(path: Path) -> Book:
    """Read a book from an HTML file. Chapters begin at its headings.

    Raises:
        InvalidBookError: it has no text, or no encoding that makes sense of it.
    """
    budget = Budget(path.name)
    content = _as_utf_8(budget.read(path), path.name)
    root = parse_html(content, path.name, budget, "utf-8")
    blocks = html_blocks.blocks(root, lru_cache(None)(partial(picture_beside, path)))
    heads = (b.paragraph.text for b in blocks if b.paragraph and b.level == 1)
    titles = (text_of(one) for one in descendants(root, "title"))
    title = next(filter(None, titles), "") or next(heads, path.stem)
    authors = tuple(filter(None, (_meta(root, name) for name in ("author", "dc.creator"))))
    language = attribute(root, "lang") or _meta(root, "dc.language") or None
    return Book(title, authors[:1], language, None, by_headings(blocks))


def _as_utf_8(content: bytes, name: str) -> bytes:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        encoding = parse_html(content, name, Budget(name)).getroottree().docinfo.encoding
        if b"charset" in content[:2048].lower() and encoding:
            with suppress(LookupError):  # a declaration that nobody knows
                return content.decode(encoding, "replace").encode("utf-8", "replace")
        return decoded(content, name).encode("utf-8", "replace")
    return content


def _meta(root: Element, name: str) -> str:
    for one in descendants(root, "meta"):
        if attribute(one, "name").lower() == name:
            return " ".join(attribute(one, "content").split())
    return ""
