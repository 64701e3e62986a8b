"""What of a book is read, and which files of times are written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.books.book import PARTS, USUALLY_SKIPPED, Book, Chapter, Part, without
from service.books.ledger import line_of
from service.books.timings import TIMESTAMP_FORMATS, TimestampFormat
from service.errors import InvalidRequestError


@dataclass(frozen=True)
class Choice:
    """What of a book is read.

    Attributes:
        keep: parts that are read though usually left out.
        skip: parts that are left out though usually read.
        chapters: such as `3-7,9`, by the numbers of `--list`; None for all.
    """

    keep: frozenset[Part] = frozenset()
    skip: frozenset[Part] = frozenset()
    chapters: str | None = None

    @property
    def skipped(self) -> frozenset[Part]:
        """Return all parts that are left out."""
        return (USUALLY_SKIPPED - self.keep) | self.skip

    def of(self, book: Book) -> list[Chapter]:
        """Return the chapters that are read, with their numbers.

        Raises:
            InvalidRequestError: there are none, or `chapters` is wrong.
        """
        read = self.readable(book)
        if not read:
            raise InvalidRequestError("nothing of the book is left to read; see keep")
        if self.chapters is None:
            return read
        return [read[number - 1] for number in numbers_of(self.chapters, len(read))]

    def readable(self, book: Book) -> list[Chapter]:
        """Return all chapters with something to read, whatever `chapters` says."""
        kept = filter(None, (without(chapter, self.skipped) for chapter in book.chapters))
        return [replace(chapter, number=number) for number, chapter in enumerate(kept, start=1)]


def parts_of(names: str | None) -> frozenset[Part]:
    """Return the parts of a list such as `notes,front`.

    Raises:
        InvalidRequestError: one is unknown.
    """
    found: set[Part] = set()
    for name in filter(None, (names or "").replace(" ", "").split(",")):
        known = next((part for part in PARTS if part == name), None)
        if known is None:
            raise InvalidRequestError(f"{name} is no part of a book; known: {', '.join(PARTS)}")
        found.add(known)
    return frozenset(found)


def timestamps_of(names: str | None) -> tuple[TimestampFormat, ...]:
    """Return the formats of a list such as `vtt,json`.

    Raises:
        InvalidRequestError: one is unknown.
    """
    wanted = [name for name in (names or "").replace(" ", "").split(",") if name]
    unknown = [name for name in wanted if name not in TIMESTAMP_FORMATS]
    if unknown:
        known = ", ".join(TIMESTAMP_FORMATS)
        raise InvalidRequestError(f"timestamps: {unknown[0]} is unknown; write some of {known}")
    return tuple(form for form in TIMESTAMP_FORMATS if form in wanted)


def numbers_of(ranges: str, count: int) -> list[int]:
    """Return the numbers of `3-7,9`, in order.

    Raises:
        InvalidRequestError: it is malformed, or a number is not from 1 to `count`.
    """
    numbers: set[int] = set()
    for part in ranges.replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and last and not last.isdecimal()):
            raise InvalidRequestError(f"chapters: {ranges} is no list of numbers such as 3-7,9")
        start, end = int(first), int(last or count) if dash else int(first)
        if not 1 <= start <= end <= count:
            raise InvalidRequestError(f"chapters: {ranges} is not from 1 to {count}")
        numbers.update(range(start, end + 1))
    return sorted(numbers)


_NAMES_OF_PARTS: dict[Part, tuple[str, str]] = {
    "notes": ("note", "notes"),
    "tables": ("row of a table", "rows of tables"),
    "code": ("block of code", "blocks of code"),
    "captions": ("caption", "captions"),
    "front": ("word of front matter", "words of front matter"),
    "back": ("word of back matter", "words of back matter"),
}


def left_out(book: Book, choice: Choice) -> str:
    """Return a line about what is not read: by choice, and what is only for the eye.

    Empty if everything is read.
    """
    counts: dict[Part, int] = {}
    for chapter in book.chapters:
        is_out = chapter.role in choice.skipped
        for paragraph in chapter.paragraphs:
            if is_out and chapter.role != "body" and chapter.role != "notes":
                counts[chapter.role] = counts.get(chapter.role, 0) + len(paragraph.text.split())
            elif is_out and chapter.role == "notes":
                counts["notes"] = counts.get("notes", 0) + bool(paragraph.text)
            elif paragraph.part in choice.skipped and chapter.role != "notes":
                counts[paragraph.part] = counts.get(paragraph.part, 0) + 1
    parts = [
        f"{counts[part]:,} {_NAMES_OF_PARTS[part][counts[part] != 1]}"
        for part in PARTS
        if counts.get(part)
    ]
    chosen = f"{', '.join(parts)} (--keep reads them)" if parts else ""
    listed = ", ".join(filter(None, (chosen, line_of(book.omissions))))
    return f"left out: {listed}" if listed else ""
