"""Read a book in one HTML file."""

from __future__ import annotations

from functools import lru_cache, partial

from service.books.blocks import blocks_of
from service.books.book import Book
from service.books.chaptering import by_headings
from service.books.document_budget import Budget, Document
from service.books.illustrations import picture_beside
from service.books.markup_trees import Element, attribute, descendants, parse_html, text_of


def read_html(document: Document) -> Book:
    """Read a book from an HTML file. Chapters begin at its headings.

    Raises:
        InvalidBookError: it has no text, or is larger than its budget.
    """
    budget = Budget(document.name, ledger=document.ledger)
    root = parse_html(budget.read(document.path), document.name, budget)
    find_picture = lru_cache(None)(partial(picture_beside, document.path))
    blocks = blocks_of(root, document.ledger, find_picture)
    heads = (b.paragraph.text for b in blocks if b.paragraph and b.level == 1)
    titles = (text_of(one) for one in descendants(root, "title"))
    title = next(filter(None, titles), "") or next(heads, document.stem)
    authors = tuple(filter(None, (_meta(root, name) for name in ("author", "dc.creator"))))
    language = attribute(root, "lang") or _meta(root, "dc.language") or None
    chapters = by_headings(blocks)
    return Book(title, authors[:1], language, None, chapters, n_dropped=budget.n_dropped)


def _meta(root: Element, name: str) -> str:
    for one in descendants(root, "meta"):
        if attribute(one, "name").lower() == name:
            return " ".join(attribute(one, "content").split())
    return ""
