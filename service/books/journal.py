"""What is kept of a book's speech while it is made: the plan and the sounds, in SQLite."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, TypeVar

from service.errors import DamagedJournalError, InvalidRequestError, SynthesisError
from service.folder_lock import lock_folder

_SCHEMA = """
create table if not exists identity (name text primary key, value text not null);
create table if not exists omission (n_characters integer not null);
create table if not exists chunk (
    position integer primary key,
    chapter integer not null,
    section integer not null,
    key text not null,
    n_phonemes integer not null,
    words text not null
);
create table if not exists sound (
    key text primary key,
    flac blob not null,
    sha256 text not null,
    n_samples integer not null,
    times text not null
);
create table if not exists quickening (key text primary key, quicker real not null);
create table if not exists mark (key text primary key, marks text not null);
create index if not exists chunk_of_section on chunk (chapter, section);
"""
_FILE = "speech.sqlite"
_FIRST = "select chapter, key, n_phonemes, min(position) from chunk group by key"
"""The first chunk of each key. SQLite gives the other columns those of the row with the minimum."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PlannedChunk:
    """A chunk of the plan.

    Attributes:
        chapter: number of its chapter among those that are read, from 0.
        section: number of its section in the chapter, from 0.
        key: of its sound: the same for chunks that sound the same.
        n_phonemes: its length.
        words: start and end of each word, as offsets in the chapter's text.
    """

    chapter: int
    section: int
    key: str
    n_phonemes: int
    words: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class KeptSound:
    """The sound of a chunk.

    Attributes:
        flac: 16-bit mono at 24 kHz, with the silence after it.
        n_samples: its length.
        times: start and end of each word, in seconds from its beginning.
        quicker: how many times as quick as usual it is said, to fit a cue.
        marks: of SSML, each with its name and its time in seconds from the beginning.
    """

    flac: bytes
    n_samples: int
    times: tuple[tuple[float, float], ...]
    quicker: float = 1.0
    marks: tuple[tuple[str, float], ...] = ()


class Journal:
    """The state of a book in a folder of its own. A context manager; one process at a time.

    Whatever stops the process, a sound is either kept whole or not at all, and what is kept is
    there after a loss of power.

    Args:
        folder: made if it is missing.

    Raises:
        InvalidRequestError: another process works on it.
        DamagedJournalError: it is damaged.
        OSError: it cannot be written, for example because the disk is full.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = _lock(folder)
        with ExitStack() as opened:
            opened.callback(self._lock.close)
            database = self._guarded(lambda: sqlite3.connect(folder / _FILE))
            self._database = opened.enter_context(closing(database))
            self._guarded(self._open)
            opened.pop_all()

    def _open(self) -> None:
        self._database.isolation_level = None
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = full")
        self._database.executescript(_SCHEMA)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the files."""
        self._database.close()
        self._lock.close()

    @property
    def identity(self) -> dict[str, str]:
        """Return what the plan was made of; empty if there is no plan."""
        return dict(self._rows("select name, value from identity"))

    @property
    def n_dropped(self) -> int:
        """Return how many characters the plan leaves out; 0 if there is no plan."""
        ((n_characters,),) = self._rows("select coalesce(sum(n_characters), 0) from omission")
        return int(n_characters)

    def plan(
        self,
        identity: Mapping[str, str],
        chunks: Iterable[PlannedChunk],
        count_dropped: Callable[[], int] = lambda: 0,
    ) -> None:
        """Keep a plan in the place of the one before. Sounds that it does not need are dropped.

        Args:
            identity: what it was made of.
            chunks: of the plan.
            count_dropped: returns how many characters it leaves out, after the last chunk.
        """

        def write() -> None:
            with self._database:
                self._database.execute("begin immediate")
                self._database.execute("delete from identity")
                self._database.execute("delete from omission")
                self._database.execute("delete from chunk")
                self._database.executemany(
                    "insert into chunk (chapter, section, key, n_phonemes, words) "
                    "values (?, ?, ?, ?, ?)",
                    (
                        (one.chapter, one.section, one.key, one.n_phonemes, json.dumps(one.words))
                        for one in chunks
                    ),
                )
                self._database.execute("insert into omission values (?)", (count_dropped(),))
                self._database.execute("delete from sound where key not in (select key from chunk)")
                self._database.executemany("insert into identity values (?, ?)", identity.items())

        self._guarded(write)

    def clear(self) -> None:
        """Forget the plan and all sounds."""

        def write() -> None:
            with self._database:
                self._database.execute("begin immediate")
                for table in ("identity", "omission", "chunk", "sound", "quickening", "mark"):
                    self._database.execute(f"delete from {table}")

        self._guarded(write)

    def chunks(self, chapter: int) -> Iterator[PlannedChunk]:
        """Yield the chunks of a chapter, in order."""
        for number, section, key, n_phonemes, words in self._rows(
            "select chapter, section, key, n_phonemes, words from chunk where chapter = ? "
            "order by position",
            chapter,
        ):
            spans = tuple((start, end) for start, end in json.loads(words))
            yield PlannedChunk(number, section, key, n_phonemes, spans)

    def chapter_lengths(self) -> dict[int, int]:
        """Return the phonemes of each chapter."""
        return dict(self._rows("select chapter, sum(n_phonemes) from chunk group by chapter"))

    def work_lengths(self) -> dict[int, int]:
        """Return the phonemes of each chapter that are made there: a chunk that is there twice, or
        was in a chapter before, is made once."""
        return dict(self._rows(f"select chapter, sum(n_phonemes) from ({_FIRST}) group by chapter"))

    def made_lengths(self) -> dict[int, int]:
        """Return those of `work_lengths` that have sounds."""
        return dict(
            self._rows(
                f"select chapter, sum(n_phonemes) from ({_FIRST}) "
                "where key in (select key from sound) group by chapter"
            )
        )

    def unmade_sections(self) -> list[tuple[int, int]]:
        """Return chapter and section of each section that lacks a sound, in order."""
        rows = self._rows(
            "select chapter, section from chunk where key not in (select key from sound) "
            "group by chapter, section order by min(position)"
        )
        return [(chapter, section) for chapter, section in rows]

    def has(self, key: str) -> bool:
        """Tell whether a sound is kept."""
        return bool(self._rows("select 1 from sound where key = ?", key))

    def keep(self, key: str, sound: KeptSound) -> None:
        """Keep a sound; it is on the disk when this returns."""
        digest = hashlib.sha256(sound.flac).hexdigest()
        row = (key, sound.flac, digest, sound.n_samples, json.dumps(sound.times))

        def write() -> None:
            if sound.quicker != 1.0:  # before the sound, without which it does not count
                self._database.execute(
                    "insert or replace into quickening values (?, ?)", (key, sound.quicker)
                )
            if sound.marks:
                marks = json.dumps(sound.marks)
                self._database.execute("insert or replace into mark values (?, ?)", (key, marks))
            self._database.execute("insert or replace into sound values (?,?,?,?,?)", row)

        self._guarded(write)

    def sound(self, key: str) -> KeptSound:
        """Return a sound.

        Raises:
            SynthesisError: it is missing, or its bytes have changed; it is made again by the next
                call of `read`.
        """
        rows = self._rows("select flac, sha256, n_samples, times from sound where key = ?", key)
        if not rows:
            raise SynthesisError("the sound of a chunk is missing; run the command again")
        flac, digest, n_samples, times = rows[0]
        if hashlib.sha256(flac).hexdigest() != digest:
            self._guarded(lambda: self._database.execute("delete from sound where key = ?", (key,)))
            raise SynthesisError(
                "the sound of a chunk has changed on the disk, so it was dropped; run the command "
                "again to have it made again"
            )
        return KeptSound(flac, n_samples, tuple((start, end) for start, end in json.loads(times)))

    def quicker(self, key: str) -> float:
        """Return how many times as quick as usual a sound is said."""
        rows = self._rows("select quicker from quickening where key = ?", key)
        return float(rows[0][0]) if rows else 1.0

    def marks(self, key: str) -> tuple[tuple[str, float], ...]:
        """Return the marks of a sound; see `KeptSound`."""
        rows = self._rows("select marks from mark where key = ?", key)
        return tuple((name, time_s) for name, time_s in json.loads(rows[0][0])) if rows else ()

    def times(self, key: str) -> tuple[int, tuple[tuple[float, float], ...]]:
        """Return the length of a sound in samples, and the times of its words."""
        ((n_samples, times),) = self._rows("select n_samples, times from sound where key = ?", key)
        return n_samples, tuple((start, end) for start, end in json.loads(times))

    def _rows(self, query: str, *values: object) -> list[tuple]:  # type: ignore[type-arg]
        def fetch() -> list[tuple]:  # type: ignore[type-arg]
            with closing(self._database.execute(query, values)) as cursor:
                return cursor.fetchall()

        return self._guarded(fetch)

    def _guarded(self, action: Callable[[], T]) -> T:
        """Run an action; say what to do about what SQLite cannot do."""
        try:
            return action()
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise OSError(
                    f"the disk of {self.folder} is full; what is made so far is kept: free some "
                    "space and run the command again"
                ) from error
            raise OSError(f"{self.folder / _FILE}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise DamagedJournalError(
                f"{self.folder / _FILE} is damaged: {error}; remove the folder to begin again"
            ) from error


def _lock(folder: Path) -> IO[bytes]:
    try:
        return lock_folder(folder)
    except BlockingIOError as error:
        raise InvalidRequestError(f"another process is at work in {folder}") from error
