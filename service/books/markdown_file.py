"""Read a book in Markdown, with the inline markup of docs/markup.md."""

from __future__ import annotations

import re

from service.books.blocks import blocks
from service.books.book import Book
from service.books.chaptering import by_headings
from service.books.document_budget import Budget, Document
from service.books.encodings import utf_8
from service.books.odd_characters import without_odd
from service.books.walk import Page
from service.text.document import markdown
from service.text.document.tree import SAID

_FRONT_MATTER = re.compile(
    r"\A(?:---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*\n|\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*\n)", re.S
)
_FIELD = re.compile(r"(?m)^(title|author|lang(?:uage)?)[ \t]*[:=](.*)$")


def read_markdown(document: Document) -> Book:
    """Read a book from a Markdown file. Chapters begin at its headings.

    A front matter, of YAML or TOML, may give `title`, `author` and `lang`.

    Raises:
        InvalidBookError: it is no text.
    """
    budget = Budget(document.name, ledger=document.ledger)
    content = utf_8(budget.read(document.path), document.name, budget)
    text = without_odd(content, budget).decode().replace("\r\n", "\n").replace("\r", "\n")
    budget.take_lines(text)
    fields: dict[str, str] = {}
    if match := _FRONT_MATTER.match(text):
        written = match[1] or match[2] or ""
        fields = {name[:4]: _unquoted(value) for name, value in _FIELD.findall(written)}
        text = text[match.end() :]
    tree = markdown.parse(text)
    document.ledger.find(leaf.text.text for leaf in tree.leaves if leaf.kind in SAID)
    found = blocks(Page(tree), document.ledger)
    heads = (b.paragraph.text for b in found if b.paragraph and b.level == 1)
    title = fields.get("titl") or next(heads, document.stem)
    authors = tuple(filter(None, (fields.get("auth", ""),)))
    language = fields.get("lang") or None
    chapters = by_headings(found)
    return Book(title, authors, language, None, chapters, n_dropped=budget.n_dropped)


def _unquoted(value: str) -> str:
    """Return a value of the front matter without the quotes around it."""
    value = value.strip(" \t")
    value = value[1:] if value[:1] in ("'", '"') else value
    return value[:-1] if value[-1:] in ("'", '"') else value
