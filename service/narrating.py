"""The command `read`: read a book aloud into files, and go on after any interruption."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from service.books.audiobook import Audiobook, Order
from service.books.book import Book
from service.books.casting import Cast
from service.books.choice import Choice, left_out
from service.books.displays import Display, DisplayKind, complain
from service.books.document_reader import DocumentReader
from service.books.earlier_output import check_replaced
from service.books.journal import Journal
from service.books.narration import Manner
from service.books.ongoing_reading import ReadingLimits
from service.books.outputs import hours, remove_state
from service.books.sections import Pauses, text_of_chapter
from service.errors import InvalidBookError, InvalidRequestError, OtherBookError
from service.loading import load_synthesizer, load_voices, usual_voice
from service.settings import Settings
from service.text import USUAL

Changed = Literal["ask", "update", "fresh"]
"""What to do if the kept speech is of another book, voice or version."""

_ASKED_ABOUT = {
    "book": "the book's text",
    "chapters": "the choice of chapters and parts",
    "voices": "the voice",
    "version": "the version",
}
"""Parts of a plan's identity that nobody changes between two calls without meaning it."""


def list_chapters(settings: Settings, path: Path, choice: Choice, manner: Manner) -> str:
    """Return a table of a book's chapters, with the lengths that their speech will have."""
    book = _read(settings, path)
    cast, line = manner.cast, ""
    if manner.language is None:
        cast, line = cast.for_book(book.language, usual_voice(settings))
    pace = load_voices(settings).resolve(cast.narrator or usual_voice(settings)).pace
    lines = [f"{book.title}{f', by {book.author}' if book.author else ''}"]
    total = 0.0
    for chapter in replace(choice, chapters=None).of(book):
        n_characters = len(text_of_chapter(chapter))
        seconds = n_characters / pace / manner.speed
        total += seconds
        lines.append(
            f"{chapter.number:4}  {hours(seconds * 24_000)}  {n_characters:8}  {chapter.title}"
        )
    lines.append(f"      {hours(total * 24_000)}  in all, about")
    if line := left_out(book, choice):
        lines.append(line)
    return "\n".join([*lines, *filter(None, [line]), *book.notes])


def read_aloud(
    settings: Settings,
    path: Path,
    order: Order,
    *,
    changed: Changed,
    overwrites: bool,
    strict: bool,
    display: DisplayKind,
    keeps_state: bool,
) -> list[Path]:
    """Read a book aloud; return the files that were written.

    Args:
        settings: of the service.
        path: of the book.
        order: what it becomes.
        changed: what to do if the kept speech is of another book.
        overwrites: whether files that are there already are replaced, whatever they are.
        strict: whether a book is refused of which text is missing.
        display: how progress is shown.
        keeps_state: whether the state stays when all is written.

    Raises:
        ServiceError: the book cannot be read or said; the message says what to do.
        OSError: something cannot be written. What is made so far is kept.
    """
    order.check()
    for form in order.timestamps:
        times = order.output.timestamps(form)
        if times.exists() and times.samefile(path):
            raise InvalidRequestError(f"{times} is the book itself; write to another place")
    book = _read(settings, path)
    if strict and book.missing:
        raise InvalidBookError("; ".join(book.missing))
    chapters = order.choice.of(book)
    if not overwrites:
        check_replaced(order, book, chapters)
    shown = Display(display, chapters)
    with Journal(order.output.state) as journal, shown:
        if changed == "fresh":
            journal.clear()
        audiobook = Audiobook(book, chapters, order, journal, shown)
        synthesizer = load_synthesizer(settings, complain)
        try:
            audiobook.make(
                synthesizer, lambda identity: _must_plan(journal.identity, identity, changed)
            )
        finally:
            synthesizer.close()  # its memory is for the encoders
        modified = datetime.fromtimestamp(int(path.stat().st_mtime), timezone.utc)
        written = audiobook.write(modified)
    if not keeps_state:
        remove_state(order.output)
    return written


def _read(settings: Settings, path: Path) -> Book:
    with DocumentReader(ReadingLimits.of(settings)) as documents:
        return documents.read(path)


def _must_plan(kept: Mapping[str, str], wanted: Mapping[str, str], changed: Changed) -> bool:
    """Tell whether the plan that is kept is missing or of something else.

    Raises:
        OtherBookError: it is of something else, and nobody said that this is meant.
    """
    if not kept:
        return True
    different = [why for name, why in _ASKED_ABOUT.items() if kept.get(name) != wanted[name]]
    if different and changed == "ask":
        told = f"since the last call {' and '.join(different)} changed"
        question = f"{told}. Say anew what differs, and keep what does not? [y/N] "
        if not sys.stdin.isatty() or input(question).strip().lower() not in ("y", "yes"):
            raise OtherBookError(
                f"{told}; --changed update says anew what differs and keeps the rest, --changed "
                "fresh begins again"
            )
    return kept != dict(wanted)


def manner_of(
    cast_file: Path | None,
    speed: float,
    language: str | None,
    pauses: Pauses,
    normalized: bool,
    voice: str | None,
    quotes_voice: str | None,
    fits: bool,
) -> Manner:
    """Return how a book is read: by voices, if some are chosen.

    Raises:
        InvalidRequestError: the cast file is wrong.
    """
    cast = Cast() if cast_file is None else Cast.load(cast_file)
    cast = replace(cast, narrator=cast.narrator or voice, quotes=quotes_voice or cast.quotes)
    normalization = USUAL if normalized else None
    return Manner(cast, speed, language, pauses, normalization, fits=fits)
