"""The command `read`: read a book aloud into files, and go on after any interruption."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from service.books.book import PARTS, USUALLY_SKIPPED, Book, Chapter, Part, without
from service.books.book_files import read_book
from service.books.casting import Cast
from service.books.displays import Display, DisplayKind, Pace, complain
from service.books.journal import Journal, PlannedChunk
from service.books.narration import Made, Manner, Narration, Trouble
from service.books.outputs import Output, Recording, hours, remove_state
from service.books.read_along import Unit, write_read_along
from service.books.sections import Pauses, text_of_chapter
from service.books.timings import TIMESTAMP_FORMATS, TimestampFormat, write_timestamps
from service.errors import InvalidRequestError, OtherBookError, SynthesisError
from service.loading import load_synthesizer, load_voices
from service.settings import Settings
from service.speech import Synthesizer

Changed = Literal["ask", "update", "fresh"]
"""What to do if the kept speech is of another book, voice or version."""

MAX_TEXT_LENGTH = 10_000_000
"""Characters of a paragraph: what is read from a file is bounded by the file."""

LOUDNESSES_LUFS = (-40.0, -8.0)
"""Least and greatest: quieter is inaudible, and louder would only be distorted by the limiter."""

_ASKED_ABOUT = {"book": "the book's text", "voices": "the voice", "version": "the version"}
"""Parts of a plan's identity that nobody changes between two calls without meaning it."""


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
        """Return the chapters that are read.

        Raises:
            InvalidRequestError: there are none, or `chapters` is wrong.
        """
        read = [one for chapter in book.chapters if (one := without(chapter, self.skipped))]
        if not read:
            raise InvalidRequestError("nothing of the book is left to read; see --keep")
        if self.chapters is None:
            return read
        return [read[number - 1] for number in numbers_of(self.chapters, len(read))]


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
        raise InvalidRequestError(f"--timestamps {unknown[0]}: write some of {known}")
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
            raise InvalidRequestError(f"--chapters {ranges}: write numbers such as 3-7,9")
        start, end = int(first), int(last or count) if dash else int(first)
        if not 1 <= start <= end <= count:
            raise InvalidRequestError(f"--chapters {ranges}: the chapters are 1 to {count}")
        numbers.update(range(start, end + 1))
    return sorted(numbers)


def list_chapters(settings: Settings, path: Path, choice: Choice, manner: Manner) -> str:
    """Return a table of a book's chapters, with the lengths that their speech will have."""
    book = read_book(path)
    pace = load_voices(settings).resolve(manner.cast.narrator or settings.voice).pace
    lines = [f"{book.title}{f', by {book.author}' if book.author else ''}"]
    total = 0.0
    for number, chapter in enumerate(replace(choice, chapters=None).of(book), start=1):
        n_characters = len(text_of_chapter(chapter))
        seconds = n_characters / pace / manner.speed
        total += seconds
        lines.append(f"{number:4}  {hours(seconds * 24_000)}  {n_characters:8}  {chapter.title}")
    lines.append(f"      {hours(total * 24_000)}  in all, about")
    if left_out := _left_out(book, choice):
        lines.append(left_out)
    return "\n".join(lines)


def _left_out(book: Book, choice: Choice) -> str:
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


@dataclass(frozen=True)
class Reading:
    """All that decides what a book becomes.

    Attributes:
        book: its file.
        output: where it goes.
        choice: what of it is read.
        manner: how it is read.
        target_lufs: loudness of the audio.
        timestamps: files of times beside the audio.
        by: what an EPUB highlights.
        changed: what to do if the kept speech is of another book.
        display: how progress is shown.
        keeps_state: whether the state stays when all is written.
    """

    book: Path
    output: Output
    choice: Choice
    manner: Manner
    target_lufs: float
    timestamps: tuple[TimestampFormat, ...]
    by: Unit
    changed: Changed
    display: DisplayKind
    keeps_state: bool


def read_aloud(settings: Settings, reading: Reading) -> list[Path]:
    """Read a book aloud; return the files that were written.

    Raises:
        ServiceError: the book cannot be read or said; the message says what to do.
        OSError: something cannot be written. What is made so far is kept.
    """
    least, greatest = LOUDNESSES_LUFS
    if not least <= reading.target_lufs <= greatest:
        raise InvalidRequestError(f"the loudness must be from {least:g} to {greatest:g} LUFS")
    book = read_book(reading.book)
    chapters = reading.choice.of(book)
    settings = settings.model_copy(update={"max_text_length": MAX_TEXT_LENGTH})
    display = Display(reading.display, chapters)
    with Journal(reading.output.state) as journal, display:
        if reading.changed == "fresh":
            journal.clear()
        if left_out := _left_out(book, reading.choice):
            display.tell("left_out", left_out, parts=left_out)
        synthesizer = load_synthesizer(settings, complain)
        try:
            for voice in reading.manner.cast.voices:
                synthesizer.planner.resolve(voice)
            narration = Narration(synthesizer, chapters, reading.manner)
            identity = _identity(settings, synthesizer, narration, book, reading)
            if _must_plan(journal.identity, identity, reading.changed):
                _plan(journal, narration, identity, chapters, display)
            _make(journal, narration, display)
        finally:
            synthesizer.close()  # its memory is for the encoders
        recording = Recording(book, chapters, journal, reading.target_lufs)
        written = _write(recording, reading)
        length = sum(recording.lengths())
        for path in written:
            display.tell("written", f"{path}", path=str(path))
        display.tell("done", f"{hours(length)} of speech", samples=length)
    if not reading.keeps_state:
        remove_state(reading.output)
    return written


def _write(recording: Recording, reading: Reading) -> list[Path]:
    """Write the files of a book whose speech is complete."""
    output = reading.output
    if output.kind == "epub":
        changed = datetime.fromtimestamp(int(reading.book.stat().st_mtime), timezone.utc)
        write_read_along(recording, output.path, reading.by, changed.strftime("%Y-%m-%dT%H:%M:%SZ"))
        written = [output.path]
    else:
        written = recording.write_audio(output)
    for form in reading.timestamps:
        inside = output.path / "book" if output.kind == "folder" else output.path
        path = inside.with_suffix(f".{form}")
        write_timestamps(recording, path, form)
        written.append(path)
    return written


def _identity(
    settings: Settings, synthesizer: Synthesizer, narration: Narration, book: Book, reading: Reading
) -> dict[str, str]:
    manner, cast = reading.manner, reading.manner.cast
    lexicon = synthesizer.planner.front_end.lexicon
    voices = [settings.voice, cast.narrator, sorted(cast.speakers.items()),
              sorted(cast.chapters.items())]  # fmt: skip
    options = [sorted(reading.choice.skipped), reading.choice.chapters, manner.speed,
               manner.language, manner.normalized, asdict(manner.pauses), repr(lexicon),
               settings.emoji]  # fmt: skip
    return {
        "book": book.sha256,
        "voices": repr(voices),
        "version": narration.engine,
        "options": hashlib.sha256(repr(options).encode()).hexdigest(),
    }


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


def _plan(
    journal: Journal,
    narration: Narration,
    identity: Mapping[str, str],
    chapters: Sequence[Chapter],
    display: Display,
) -> None:
    total = sum(chapter.n_characters for chapter in chapters)
    troubles: list[Trouble] = []
    done = 0

    def note(what: int | Trouble) -> None:
        nonlocal done
        if isinstance(what, Trouble):
            troubles.append(what)
        else:
            done += what
            display.planning(min(1.0, done / max(total, 1)))

    def chunks() -> Iterator[PlannedChunk]:
        yield from narration.plan(note)
        _refuse(troubles, "cannot be said; nothing was made")

    journal.plan(identity, chunks())
    lengths = journal.chapter_lengths()
    display.tell(
        "planned",
        f"{len(chapters)} chapters, {total} characters",
        chapters=[
            {"number": n + 1, "title": chapter.title, "characters": chapter.n_characters,
             "phonemes": lengths.get(n, 0)}
            for n, chapter in enumerate(chapters)
        ],
        characters=total,
    )  # fmt: skip


def _make(journal: Journal, narration: Narration, display: Display) -> None:
    pace = Pace(journal.chapter_lengths(), journal.made_lengths())
    if not pace.totals:
        raise InvalidRequestError("nothing of the book can be pronounced")
    if pace.made:
        display.tell("resumed", f"{pace.share:.0%} is made already", share=round(pace.share, 4))
    troubles = []
    for event in narration.make(journal):
        if isinstance(event, Made):
            pace.add(event.chapter, event.n_phonemes, event.n_samples)
            display.show(event.chapter, pace)
        else:
            troubles.append(event)
            display.tell("failed", str(event), **asdict(event))
    _refuse(troubles, "failed, and everything else is kept; run the command again to try again")
    if journal.unmade_sections():
        raise SynthesisError("the text is not read as it was planned; run it with --changed fresh")


def _refuse(troubles: Sequence[Trouble], what: str) -> None:
    if troubles:
        listed = "; ".join(map(str, troubles[:5]))
        more = f"; and {len(troubles) - 5} more" if len(troubles) > 5 else ""
        raise SynthesisError(f"{len(troubles)} parts of the text {what}: {listed}{more}")


def manner_of(
    cast_file: Path | None,
    speed: float,
    language: str | None,
    pauses: Pauses,
    normalized: bool,
) -> Manner:
    """Return how a book is read.

    Raises:
        InvalidRequestError: the cast file or a pause is wrong.
    """
    for seconds in (pauses.scene, pauses.chapter):
        if not 0 <= seconds <= 60:
            raise InvalidRequestError(f"a pause must be from 0 to 60 seconds, not {seconds:g}")
    cast = Cast() if cast_file is None else Cast.load(cast_file)
    return Manner(cast, speed, language, pauses, normalized)
