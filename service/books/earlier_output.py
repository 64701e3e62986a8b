"""What is there already where a book is to be written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from service.audio.chaptered_file import BOOK_TAG, read_contents
from service.books.archive import Archive
from service.books.audiobook import Order
from service.books.book import Book, Chapter
from service.books.document_budget import Budget
from service.books.markup_trees import attribute, descendants, parse_xml, text_of
from service.errors import InvalidBookError, OutputExistsError


@dataclass(frozen=True)
class _Reading:
    """What is read aloud.

    Attributes:
        title: of the book.
        chapters: their titles.
        fingerprints: of the book; none of what an earlier version wrote.
    """

    title: str
    chapters: Sequence[str]
    fingerprints: frozenset[str] = frozenset()

    def is_same(self, other: _Reading) -> bool:
        """Tell whether another is of the same chapters of the same book."""
        # A file without fingerprints is of a version that wrote none, and has its titles only.
        are_known = self.fingerprints and other.fingerprints
        is_other = are_known and self.fingerprints.isdisjoint(other.fingerprints)
        return not is_other and self._titles == other._titles

    @property
    def _titles(self) -> list[str]:
        return [" ".join(title.split()) for title in (self.title, *self.chapters)]


def check_replaced(order: Order, book: Book, chapters: Sequence[Chapter]) -> None:
    """Refuse to replace anything but an earlier reading of the same chapters of the same book.

    In a folder, files of other chapters stay, so only the files with the same names count.

    Raises:
        OutputExistsError: a file would be lost.
    """
    output = order.output
    fingerprints = frozenset(book.fingerprints)
    wanted = _Reading(book.title, [chapter.title for chapter in chapters], fingerprints)
    timestamps = [output.timestamps(form) for form in order.timestamps]
    if output.kind == "folder":
        n_chapters = len(order.choice.readable(book))
        paths = [output.file_of(chapter, n_chapters) for chapter in chapters]
        for path, chapter in zip(paths, chapters, strict=True):
            part = _Reading(book.title, [chapter.title], fingerprints)
            _check(path, _found(path, is_part=True), part)
        there_are = set(output.path.glob(f"[0-9][0-9]*.{output.book_format}"))
        is_same = there_are == set(paths)
    else:
        _check(output.path, _found(output.path), wanted)
        is_same = output.path.exists()
    for path in timestamps:
        # Subtitles do not say what they belong to.
        found = _found(path) if path.suffix == ".json" else wanted if is_same else None
        _check(path, found, wanted)


def _check(path: Path, found: _Reading | None, wanted: _Reading) -> None:
    if not path.exists():
        return
    if found is None or not found.is_same(wanted):
        raise OutputExistsError(
            f"{path} exists, and is not known to be of the same book and chapters; write to "
            "another place, or replace it with --overwrite"
        )


def _found(path: Path, is_part: bool = False) -> _Reading | None:
    """Return what a file, perhaps of one chapter, says that it is of; None if it does not say."""
    if not path.is_file():
        return None
    try:
        if path.suffix == ".json":
            return _found_in_timestamps(path)
        if path.suffix.lower() == ".epub":
            return _found_in_epub(path)
        contents = read_contents(path)
    except (ValueError, KeyError, TypeError, RecursionError, InvalidBookError):
        return None  # somebody else's
    titles = [contents.title] if is_part else contents.chapters
    return _Reading(contents.album, titles, _separate(contents.book))


def _found_in_timestamps(path: Path) -> _Reading:
    said = json.loads(path.read_text(encoding="utf-8"))
    titles = [str(chapter["title"]) for chapter in said["chapters"]]
    return _Reading(str(said["title"]), titles, _separate(str(said.get(BOOK_TAG, ""))))


def _found_in_epub(path: Path) -> _Reading:
    budget = Budget(path.name)
    with Archive(path, budget) as archive:
        contents = parse_xml(archive.read("EPUB/nav.xhtml"), path.name, budget)
        package = parse_xml(archive.read("EPUB/book.opf"), path.name, budget)
    title = next(iter(descendants(contents, "h1")), None)
    named = (one for one in descendants(package, "meta") if attribute(one, "name") == BOOK_TAG)
    return _Reading(
        text_of(title),
        [text_of(link) for link in descendants(contents, "a")],
        _separate(next((attribute(one, "content") for one in named), "")),
    )


def _separate(fingerprints: str) -> frozenset[str]:
    return frozenset(filter(None, fingerprints.split("-")))
