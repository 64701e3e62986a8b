"""What of a book is read, and which files of times are written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.books.book import PARTS, USUALLY_SKIPPED, Book, Chapter, Part, without
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


def left_out(book: Book, choice: Choice) -> str:
    """Return a line about what is not read; empty if everything is."""
    counts: dict[str, int] = {}
    for chapter in book.chapters:
        if chapter.role != "body" and chapter.role in choice.skipped:
            counts[chapter.role] = counts.get(chapter.role, 0) + 1
            continue
        for paragraph in chapter.paragraphs:
            if paragraph.part in choice.skipped and chapter.role != "notes":
                counts[str(paragraph.part)] = counts.get(str(paragraph.part), 0) + 1
    if not counts:
        return ""
    listed = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
    return f"left out: {listed}; --keep reads them"
