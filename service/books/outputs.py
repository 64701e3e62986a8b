"""What a book becomes: where it goes, its audio from the journal, and its files."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from service.audio import SOURCE_RATE_HZ
from service.audio.chaptered_file import (
    BOOK_FORMATS,
    BOOK_TAG,
    AudioChapter,
    BookFormat,
    CoverError,
    write_chaptered,
)
from service.audio.loudness import Level, level_for, levelled
from service.audio.overshoots import write_below_peak
from service.audio.sound_file import read_samples
from service.books.book import Book, Chapter
from service.books.cue_times import FittedCue, PlacedChunk, fitted_cues, placed, times_of
from service.books.journal import Journal
from service.complete_files import completed
from service.covers import Cover
from service.errors import InvalidRequestError

OutputKind = Literal["audio", "folder", "epub"]

FOLDER_FORMAT: BookFormat = "mp3"
"""Of the files in a folder, if none is asked for."""


_SILENCE = 10 * SOURCE_RATE_HZ
"""Samples of silence that are made at once."""

_FORMATS = {"m4a": "m4b", "mp4": "m4b", "ogg": "opus", "oga": "opus"}
"""Of other endings that files in a format may have."""


@dataclass(frozen=True)
class Output:
    """Where a book goes.

    Attributes:
        path: of the file or folder.
        kind: what it is.
        book_format: of its audio.
    """

    path: Path
    kind: OutputKind
    book_format: BookFormat

    @property
    def state(self) -> Path:
        """Return the folder of what is kept while the book is made."""
        return self.path.with_name(f"{self.path.name}.state")

    def file_of(self, chapter: Chapter, n_chapters: int) -> Path:
        """Return the path of a chapter's file in a folder; `n_chapters` has the whole book."""
        name = file_name(chapter.number, chapter.title, n_chapters)
        return self.path / f"{name}.{self.book_format}"

    def timestamps(self, form: str) -> Path:
        """Return the path of a file of times: `vtt`, `srt` or `json`."""
        return (self.path / "book" if self.kind == "folder" else self.path).with_suffix(f".{form}")

    @classmethod
    def of(cls, path: Path, folder_format: BookFormat | None) -> Output:
        """Return where a path leads, by its ending; a folder has none.

        Raises:
            InvalidRequestError: the ending is unknown, or the place cannot be written.
        """
        path = path.absolute()
        ending = path.suffix.lower().removeprefix(".")
        if not path.parent.is_dir():
            raise InvalidRequestError(f"{path}: there is no folder {path.parent}")
        if not os.access(path.parent, os.W_OK):
            raise InvalidRequestError(f"{path}: the folder {path.parent} cannot be written")
        if path.is_dir() or not ending:
            return cls(path, "folder", folder_format or FOLDER_FORMAT)
        if folder_format is not None:
            raise InvalidRequestError(f"{path} is no folder, so its ending is its format")
        if ending == "epub":
            return cls(path, "epub", "m4b")
        name = _FORMATS.get(ending, ending)
        for known in BOOK_FORMATS:
            if known == name:
                return cls(path, "audio", known)
        endings = ", ".join(f".{one}" for one in (*BOOK_FORMATS, "epub"))
        raise InvalidRequestError(f"{path}: the name must end in {endings}, or be a folder's")


@dataclass(frozen=True)
class Recording:
    """The speech of a book, complete in its journal.

    Attributes:
        book: its file.
        chapters: that are read.
        journal: with a sound for each chunk.
        target_lufs: loudness of what is written.
        n_chapters: of the book, all that could be read.
        wait: called before each chunk is read.
        note: called with what is left out of the files though the book has it.
    """

    book: Book
    chapters: Sequence[Chapter]
    journal: Journal
    target_lufs: float
    n_chapters: int
    wait: Callable[[], None] = lambda: None
    note: Callable[[str], None] = lambda line: None

    def samples(self, chapters: Sequence[int]) -> Iterator[npt.NDArray[np.float32]]:
        """Yield the samples of chapters, by their numbers from 0, chunk by chunk."""
        for number in chapters:
            for one in self.placed(number):
                self.wait()
                for start in range(0, one.n_silent, _SILENCE):
                    yield np.zeros(min(_SILENCE, one.n_silent - start), np.float32)
                yield read_samples(self.journal.sound(one.chunk.key).flac)

    def placed(self, number: int) -> Iterator[PlacedChunk]:
        """Yield the chunks of a chapter, by its number from 0, where they are heard."""
        chunks = self.journal.chunks(number)
        lengths = ((chunk, self.journal.times(chunk.key)[0]) for chunk in chunks)
        return placed(lengths, times_of(self.chapters[number]))

    def fitted_cues(self) -> list[FittedCue]:
        """Return the cues of subtitles that are quicker than usual, or late."""
        return [
            cue
            for number, chapter in enumerate(self.chapters)
            if (times := times_of(chapter))
            for cue in fitted_cues(
                ((one, self.journal.quicker(one.chunk.key)) for one in self.placed(number)), times
            )
        ]

    def lengths(self) -> list[int]:
        """Return the samples of each chapter."""
        return [
            sum(one.n_silent + one.n_samples for one in self.placed(number))
            for number in range(len(self.chapters))
        ]

    @property
    def tags(self) -> dict[str, str]:
        """Return what players show, in FFmpeg's terms, and which book it is."""
        tags = {"title": self.book.title, "album": self.book.title, "genre": "Audiobook"}
        if self.book.author:
            tags |= {"artist": self.book.author, "album_artist": self.book.author}
        if self.book.language:
            tags["language"] = self.book.language
        if self.fingerprints:
            tags[BOOK_TAG] = self.fingerprints
        return tags

    @property
    def fingerprints(self) -> str:
        """Return the fingerprints of the book as its files have them; empty if it has none."""
        return "-".join(self.book.fingerprints)

    @property
    def cover(self) -> Cover | None:
        """Return the book's cover."""
        cover = self.book.cover
        return None if cover is None else Cover(cover.content, cover.media_type)

    def chapter_marks(self) -> list[AudioChapter]:
        """Return the chapters as parts of one file."""
        marks, start = [], 0
        for chapter, length in zip(self.chapters, self.lengths(), strict=True):
            marks.append(AudioChapter(chapter.title, start, start + length))
            start += length
        return marks

    def level(self) -> Level:
        """Find the level of the whole book, so that all its files get the same gain."""
        everything = range(len(self.chapters))
        return level_for(lambda: self.samples(everything), self.target_lufs)

    def write_audio(self, output: Output, level: Level) -> list[Path]:
        """Write the sound files of an output, each complete or not at all; return their paths.

        Raises:
            OSError: they cannot be written.
            SynthesisError: a sound was damaged on the disk.
        """
        if output.kind == "audio":
            with completed(output.path) as partial:
                marks = self.chapter_marks()
                everything = range(len(marks))
                self._write(
                    partial, output.book_format, level, everything, marks, self.tags, self.cover
                )
            return [output.path]
        output.path.mkdir(exist_ok=True)
        written = []
        for number, chapter in enumerate(self.chapters):
            path = output.file_of(chapter, self.n_chapters)
            track = f"{chapter.number}/{self.n_chapters}"
            tags = {**self.tags, "title": chapter.title, "track": track}
            with completed(path) as partial:
                self._write(partial, output.book_format, level, [number], [], tags, self.cover)
            written.append(path)
        return written

    def write_chapter(self, path: Path, number: int, level: Level) -> None:
        """Write the sound of a chapter in AAC, without tags; raises as `write_audio` does."""
        self._write(path, "m4b", level, [number], [], {}, None)

    def _write(
        self,
        path: Path,
        book_format: BookFormat,
        level: Level,
        chapters: Sequence[int],
        marks: Sequence[AudioChapter],
        tags: dict[str, str],
        cover: Cover | None,
    ) -> None:
        embedded = cover

        def write(parts: Iterable[npt.NDArray[np.float32]]) -> None:
            nonlocal embedded
            try:
                write_chaptered(path, book_format, parts, marks, tags, embedded)
            except CoverError as error:
                # Hours of speech are worth more than their cover.
                embedded = None
                self.note(f"{error}, so it is left out")
                write_chaptered(path, book_format, parts, marks, tags)

        write_below_peak(path, lambda: levelled(self.samples(chapters), level), write, self.wait)


def file_name(number: int, title: str, count: int) -> str:
    """Return the name of a chapter's file, without its ending: `03 The Storm`."""
    return f"{number:0{max(2, len(str(count)))}} {plain_name(title)}".strip(" .")


def plain_name(title: str) -> str:
    """Return a title as a file can have it, without its ending; empty if nothing of it is left.

    It has letters, with their marks, digits and some punctuation, 80 characters and 200 bytes at
    most: a name may have 255 bytes.
    """
    kept = "".join(
        character if _is_plain(character) else " "
        for character in unicodedata.normalize("NFC", title)
    )
    short = " ".join(kept.split())[:80]
    return short.encode()[:200].decode(errors="ignore").strip(" .")


def _is_plain(character: str) -> bool:
    is_mark = unicodedata.category(character)[0] == "M"  # vowels of Hindi
    return is_mark or character.isalnum() or character in " -_'’,."


def remove_state(output: Output) -> None:
    """Remove what was kept while a book was made."""
    shutil.rmtree(output.state, ignore_errors=True)


def hours(n_samples: float) -> str:
    """Return a length as `1:02:03`."""
    seconds = round(n_samples / SOURCE_RATE_HZ)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
