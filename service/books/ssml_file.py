"""Read a document in SSML: one chapter, which is said as the document says.

The document stays as it is, for its voices, pauses and marks are found when its speech is planned.
Here it is checked that something of it is said.
"""

from __future__ import annotations

from service.books.book import Book, Chapter, Paragraph
from service.books.document_budget import Budget, Document
from service.books.encodings import utf_8_of_markup
from service.errors import InvalidBookError
from service.text import Notes, parse, shown

MOST_CHARACTERS = 1_000_000
"""Of a document, a day of speech. It is parsed as a whole, which takes four seconds."""


def read_ssml(document: Document) -> Book:
    """Read a document in SSML.

    Its title is the name of the document.

    Raises:
        InvalidBookError: it is no text, or too long.
        MarkupError: it is malformed or unsafe. The message has the position.
    """
    budget = Budget(document.name, ledger=document.ledger)
    content = utf_8_of_markup(budget.read(document.path), document.name, budget)
    source = content.decode("utf-8", "replace")
    if len(source) > MOST_CHARACTERS:
        raise InvalidBookError(
            f"{document.name} has {len(source):,} characters of SSML; the limit is "
            f"{MOST_CHARACTERS:,}"
        )
    text, _ = shown(parse(source, is_ssml=True, notes=Notes(source)))
    document.ledger.find([text])
    document.ledger.read(text)
    if not any(map(str.isalnum, text)):
        raise InvalidBookError(f"{document.name} has no text")
    chapter = Chapter(document.stem, (Paragraph(source, is_ssml=True),))
    return Book(document.stem, (), None, None, (chapter,), n_dropped=budget.n_dropped)
