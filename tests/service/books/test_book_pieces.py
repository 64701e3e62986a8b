"""A book goes in pieces from one process to another."""

import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from service.books.book import Book, Chapter, Illustration, Paragraph, Picture
from service.books.book_pieces import BookTooLargeError, Collector, DamagedPieceError, pieces_of
from tests.profiles import given

MAX_BYTES = 1 << 20

texts = st.text(max_size=20)
illustrations = st.builds(Illustration, st.builds(Path, st.just("a/b.epub")), st.none() | texts, texts, texts)
paragraphs = st.builds(Paragraph, texts, st.sampled_from(["text", "heading", "picture"]), st.none() | illustrations)
chapters = st.builds(Chapter, texts, st.lists(paragraphs, max_size=5).map(tuple), st.sampled_from(["body", "notes"]))
books = st.builds(
    Book, texts, st.lists(texts, max_size=3).map(tuple), st.none() | texts,
    st.none() | st.builds(Picture, st.binary(max_size=9), texts),
    st.lists(chapters, max_size=5).map(tuple), texts,
)  # fmt: skip


def joined(pieces, max_bytes=MAX_BYTES):
    collector = Collector(max_bytes)
    for piece in pieces:
        collector.add(piece)
    return collector.book()


@given(books)
def test_a_book_arrives_as_it_was(book):
    arrived = joined([*pieces_of(book, MAX_BYTES)])
    assert arrived == book
    assert repr(arrived) == repr(book)  # equality leaves out what pictures show


def test_a_long_chapter_goes_in_pieces_that_are_not_long():
    book = Book("A", (), None, None, (
        Chapter("Many", tuple(Paragraph(f"{n}") for n in range(4000))),
        Chapter("Long", tuple(Paragraph("x" * 10_000) for n in range(50))),
    ))  # fmt: skip
    pieces = [*pieces_of(book, 1 << 22)]
    assert joined(pieces, 1 << 22) == book
    assert max(map(len, pieces)) < 1 << 18


def test_bytes_and_paragraphs_are_bounded_on_both_sides():
    chapter = Chapter("One", (Paragraph(""),) * 5000)
    book = Book("A", (), None, None, (chapter,))
    for large in (book, replace(book, title="x" * 1_000_000)):
        pieces = [*pieces_of(large, 1 << 30)]
        with pytest.raises(BookTooLargeError):
            list(pieces_of(large, 900_000))
        with pytest.raises(BookTooLargeError):
            joined(pieces, 900_000)


class _Code:
    def __reduce__(self):
        return os.system, ("touch written",)


def test_nothing_but_a_book_is_accepted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    part = pickle.dumps([Paragraph("A")])
    for piece in (
        pickle.dumps(_Code()), pickle.dumps([_Code()]), pickle.dumps({"a": 1}), pickle.dumps(eval),
        b"", b"no pickle", part[:-3], part[:5] + b"\xff" + part[5:],
    ):  # fmt: skip
        with pytest.raises(DamagedPieceError):
            Collector(MAX_BYTES).add(piece)
    assert not list(tmp_path.iterdir())
    assert joined([]) is None
    assert joined([part]) is None
