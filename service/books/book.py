"""A book: chapters of paragraphs, with what a player shows of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from service.books.labels import label
from service.books.ledger import Omission
from service.covers import CoverType

ParagraphKind = Literal[
    "text", "heading", "verse", "quotation", "code", "table", "note", "caption", "break", "picture"
]
"""What a paragraph is. A `break` is a change of scene: silence, and no text. Of a `picture`, which
has no text either, nothing is heard."""

ChapterRole = Literal["body", "front", "back", "notes"]
"""Where a chapter belongs. `front` and `back` are what a narrator leaves out: title page, imprint,
contents; index, advertisements, licence. A preface or an epilogue is `body`."""

Part = Literal["front", "back", "notes", "tables", "code", "captions"]
PARTS: tuple[Part, ...] = get_args(Part)
"""What of a book may be kept or skipped."""

USUALLY_SKIPPED: frozenset[Part] = frozenset({"front", "back", "notes"})

UNTITLED: dict[ChapterRole, str] = {
    "body": "Beginning", "front": "Front matter", "back": "Back matter", "notes": "Notes",
}  # fmt: skip
"""Titles of chapters that have none; what comes before the first chapter is often so."""

_UNTITLED = "Untitled"
_MAX_AUTHORS = 100
_MAX_LANGUAGE_LENGTH = 35
"""Enough for any tag in use: RFC 5646, 4.4.1."""

_PARTS_OF_KINDS: dict[ParagraphKind, Part] = {
    "note": "notes",
    "table": "tables",
    "code": "code",
    "caption": "captions",
}


@dataclass(frozen=True, slots=True)
class Illustration:
    """A picture in the text, which stays in its file until it is needed. The same file is equal.

    Attributes:
        source: file of the picture, or of the EPUB that it is in.
        member: its path in the EPUB; None if `source` is the picture.
        media_type: `image/jpeg`, `image/png` or `image/gif`, as its first bytes say.
        alt: what it shows, for those who do not see it; may be empty.
    """

    source: Path
    member: str | None
    media_type: str
    alt: str = field(compare=False)


class CueTimes(NamedTuple):
    """When a cue of subtitles is shown, in seconds from the beginning of the film."""

    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, tidied for reading aloud.

    Attributes:
        text: without line breaks, but for verse; empty for a `break` and a `picture` only. It may
            have the inline markup of docs/markup.md.
        kind: what it is.
        illustration: of a `picture`; None for anything else.
        times: of a cue; None for what is in no subtitles.
        is_ssml: whether its text is an SSML document, as it was sent.
    """

    text: str
    kind: ParagraphKind = "text"
    illustration: Illustration | None = None
    times: CueTimes | None = None
    is_ssml: bool = False

    @property
    def part(self) -> Part | None:
        """Return the part of the book that keeps or skips it; None for what is always read."""
        return _PARTS_OF_KINDS.get(self.kind)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture file: `image/jpeg` or `image/png`."""

    content: bytes
    media_type: CoverType


@dataclass(frozen=True)
class Chapter:
    """A chapter.

    Attributes:
        title: as players show it, a label; never empty.
        paragraphs: in order, the heading among them.
        role: where it belongs.
        number: among the chapters of its book that can be read, from 1; 0 until that is known. A
            chapter that is read alone keeps it.
    """

    title: str
    paragraphs: tuple[Paragraph, ...]
    role: ChapterRole = "body"
    number: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", label(self.title) or UNTITLED[self.role])

    @property
    def n_characters(self) -> int:
        """Return the characters of its text."""
        return sum(len(paragraph.text) for paragraph in self.paragraphs)


@dataclass(frozen=True)
class Book:
    """A book as it was read.

    Attributes:
        title: a label, never empty; the file's name if the file has no title.
        authors: labels in the file's order, 100 at most; may be empty.
        language: as the file has it, such as `en` or `pt-BR`; None if it says nothing.
        cover: None if there is none.
        chapters: in reading order; at least one has text.
        sha256: of the file, in hexadecimal.
        notes: what readers should know, such as that a cover is left out.
        n_dropped: characters of the file that no text has; they are in none of the chapters.
        identifier: a label, such as an ISBN or a UUID; empty if the file has none.
        omissions: what of the file is read in no chapter, and why.
        missing: which text the file should have and has not.
        fingerprints: short digests that tell the book from others. Books that share one are the
            same, though perhaps of another edition.

    Title, authors, language and identifier are made labels here, whoever gives them.
    """

    title: str
    authors: tuple[str, ...]
    language: str | None
    cover: Picture | None
    chapters: tuple[Chapter, ...]
    sha256: str = ""
    notes: tuple[str, ...] = ()
    n_dropped: int = 0
    identifier: str = ""
    omissions: tuple[Omission, ...] = ()
    missing: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        authors = filter(None, map(label, self.authors[:_MAX_AUTHORS]))
        language = label(self.language or "", _MAX_LANGUAGE_LENGTH)
        object.__setattr__(self, "title", label(self.title) or _UNTITLED)
        object.__setattr__(self, "authors", tuple(authors))
        object.__setattr__(self, "language", language or None)
        object.__setattr__(self, "identifier", label(self.identifier))

    @property
    def author(self) -> str:
        """Return the authors in a line; may be empty."""
        return ", ".join(self.authors)


def without(chapter: Chapter, skipped: frozenset[Part]) -> Chapter | None:
    """Return what is read of a chapter; None if nothing of it is.

    Args:
        chapter: as it is in the book.
        skipped: the parts that are left out.
    """
    if chapter.role != "body" and chapter.role in skipped:
        return None
    is_notes = chapter.role == "notes"
    kept = tuple(
        paragraph for paragraph in chapter.paragraphs if is_notes or paragraph.part not in skipped
    )
    if not any(paragraph.text for paragraph in kept):
        return None
    return Chapter(chapter.title, kept, chapter.role)
