"""A book in pieces, as one process sends it to another.

Each piece is a pickle of a book's own classes and nothing else: the sender has read what anyone may
have written, so no piece may name other code. Pieces are small, so that unpickling one holds up
the other threads of the service for milliseconds only.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

from service.books import book as _book
from service.books.book import Book, Chapter, CueTimes, Paragraph
from service.books.ledger import Omission

_PIECE_CHARACTERS = 1 << 17
_PIECE_PARAGRAPHS = 1 << 10

_PATH = type(Path())

PARAGRAPH_BYTES = 200
"""Memory that a paragraph takes beside its text."""


class BookTooLargeError(Exception):
    """The pieces of a book take more bytes than they may. The message says what the book has."""


class DamagedPieceError(Exception):
    """Something is no piece of a book."""


def pieces_of(book: Book, max_bytes: int) -> Iterator[bytes]:
    """Yield the pieces of a book.

    Args:
        book: to send.
        max_bytes: that all pieces may have, with `PARAGRAPH_BYTES` for each paragraph.

    Raises:
        BookTooLargeError: they have more.
    """
    left = max_bytes
    for part in _parts_of(book):
        piece = pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
        left -= cost_of(piece, part)
        if left < 0:
            raise BookTooLargeError(_extent(book, max_bytes))
        yield piece


def _extent(book: Book, max_bytes: int) -> str:
    n_paragraphs = sum(len(chapter.paragraphs) for chapter in book.chapters)
    n_characters = sum(chapter.n_characters for chapter in book.chapters)
    cover = f" and a cover of {len(book.cover.content):,} bytes" if book.cover else ""
    return (
        f"has {n_paragraphs:,} paragraphs with {n_characters:,} characters{cover}, more than is "
        f"kept of a book: {max_bytes:,} bytes, {PARAGRAPH_BYTES} of them for each paragraph"
    )


def cost_of(piece: bytes, part: object) -> int:
    """Return how much of `max_bytes` a piece takes."""
    return len(piece) + (PARAGRAPH_BYTES * len(part) if isinstance(part, list) else 0)


def _parts_of(book: Book) -> Iterator[Book | Chapter | list[Paragraph]]:
    """Yield the book without chapters; each chapter without paragraphs, then these in lists."""
    yield replace(book, chapters=())
    for chapter in book.chapters:
        yield replace(chapter, paragraphs=())
        together: list[Paragraph] = []
        n_characters = 0
        for paragraph in chapter.paragraphs:
            together.append(paragraph)
            n_characters += len(paragraph.text)
            if n_characters >= _PIECE_CHARACTERS or len(together) >= _PIECE_PARAGRAPHS:
                yield together
                together, n_characters = [], 0
        if together:
            yield together


class Collector:
    """Puts a book together from its pieces.

    Args:
        max_bytes: see `pieces_of`.
    """

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes
        self._book: Book | None = None
        self._chapters: list[Chapter] = []
        self._paragraphs: list[Paragraph] = []

    def add(self, piece: bytes) -> None:
        """Take the next piece.

        Raises:
            BookTooLargeError: there are too many bytes.
            DamagedPieceError: it is none.
        """
        try:
            part = _Unpickler(io.BytesIO(piece)).load()
        except Exception as error:  # bytes that are no pickle raise almost anything
            raise DamagedPieceError from error
        self._left -= cost_of(piece, part)
        if self._left < 0:
            raise BookTooLargeError
        if isinstance(part, Book):
            self._book = part
        elif isinstance(part, Chapter):
            self._end_chapter()
            self._chapters.append(part)
        elif isinstance(part, list):
            self._paragraphs += part
        else:
            raise DamagedPieceError

    def book(self) -> Book | None:
        """Return the book; None if its beginning is missing."""
        self._end_chapter()
        return None if self._book is None else replace(self._book, chapters=tuple(self._chapters))

    def _end_chapter(self) -> None:
        if self._chapters:
            paragraphs = tuple(self._paragraphs)
            self._chapters[-1] = replace(self._chapters[-1], paragraphs=paragraphs)
        self._paragraphs = []


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class that books are made of, or that of paths; called by pickle."""
        if (module, name) == (_PATH.__module__, _PATH.__name__):
            return _PATH
        if module == _book.__name__ and is_dataclass(known := getattr(_book, name, None)):
            return known
        if (module, name) == (CueTimes.__module__, CueTimes.__name__):
            return CueTimes
        if (module, name) == (Omission.__module__, Omission.__name__):
            return Omission
        raise pickle.UnpicklingError(f"a book has no {module}.{name}")
