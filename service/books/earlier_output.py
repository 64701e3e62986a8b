"""What is there already where a book is to be written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from service.audio.chaptered_file import read_contents
from service.books.archive import Archive
from service.books.audiobook import Order
from service.books.book import Book, Chapter
from service.books.document_budget import Budget
from service.books.markup_trees import descendants, parse_xml, text_of
from service.errors import InvalidBookError, OutputExistsError

_Titles = tuple[str, Sequence[str]]
"""The title of a book, and those of its chapters."""


def check_replaced(order: Order, book: Book, chapters: Sequence[Chapter]) -> None:
    """Refuse to replace anything but an earlier reading of the same chapters of the same book.

    In a folder, files of other chapters stay, so only the files with the same names count.

    Raises:
        OutputExistsError: a file would be lost.
    """
    output = order.output
    wanted = book.title, [chapter.title for chapter in chapters]
    timestamps = [output.timestamps(form) for form in order.timestamps]
    if output.kind == "folder":
        n_chapters = len(order.choice.readable(book))
        paths = [output.file_of(chapter, n_chapters) for chapter in chapters]
        for path, chapter in zip(paths, chapters, strict=True):
            _check(path, _titles_of_part(path), (book.title, [chapter.title]))
        there_are = set(output.path.glob(f"[0-9][0-9]*.{output.book_format}"))
        is_same = there_are == set(paths)
    else:
        _check(output.path, _titles(output.path), wanted)
        is_same = output.path.exists()
    for path in timestamps:
        # Subtitles do not say what they belong to.
        titles = _titles(path) if path.suffix == ".json" else wanted if is_same else None
        _check(path, titles, wanted)


def _check(path: Path, found: _Titles | None, wanted: _Titles) -> None:
    if not path.exists():
        return
    if found is None or _comparable(found) != _comparable(wanted):
        raise OutputExistsError(
            f"{path} exists, and is not known to be of the same book and chapters; write to "
            "another place, or replace it with --overwrite"
        )


def _comparable(titles: _Titles) -> list[str]:
    return [" ".join(title.split()) for title in (titles[0], *titles[1])]


def _titles_of_part(path: Path) -> _Titles | None:
    """Return what a file of one chapter says that it is of; None if it does not say."""
    if not path.is_file():
        return None
    try:
        contents = read_contents(path)
    except ValueError:
        return None
    return contents.album, [contents.title]


def _titles(path: Path) -> _Titles | None:
    """Return what a file says that it is of; None if it does not say."""
    if not path.is_file():
        return None
    try:
        if path.suffix == ".json":
            said = json.loads(path.read_text(encoding="utf-8"))
            return str(said["title"]), [str(chapter["title"]) for chapter in said["chapters"]]
        if path.suffix.lower() == ".epub":
            budget = Budget(path.name)
            with Archive(path, budget) as archive:
                contents = parse_xml(archive.read("EPUB/nav.xhtml"), path.name, budget)
            title = next(iter(descendants(contents, "h1")), None)
            return text_of(title), [text_of(link) for link in descendants(contents, "a")]
        contents_of_sound = read_contents(path)
        return contents_of_sound.album, contents_of_sound.chapters
    except (ValueError, KeyError, TypeError, RecursionError, InvalidBookError):
        return None  # somebody else's
