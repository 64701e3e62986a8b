"""A book on its way from text to files, which goes on after any interruption."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

from service.audio.loudness import SILENCE_LUFS, USUAL_LUFS, Level
from service.books.book import Book, Chapter
from service.books.choice import Choice, left_out
from service.books.cue_times import as_prose, check_times, line_of
from service.books.journal import Journal, PlannedChunk
from service.books.narration import Made, Manner, Narration, Trouble
from service.books.outputs import Output, Recording, hours
from service.books.pace import Pace
from service.books.quotes import with_quotes
from service.books.read_along import Unit, write_read_along
from service.books.sections import LONGEST_PAUSE_S
from service.books.timings import TimestampFormat, write_timestamps
from service.errors import InvalidRequestError, SynthesisError
from service.speech import Cancellation, Synthesizer
from service.text import Ignored

LOUDNESSES_LUFS = (-40.0, -12.0)
"""Least and greatest: quieter is inaudible, and louder cannot be had with true peaks below -1 dBTP:
speech reached -12.4 LUFS with its peaks 11 dB into the limiter, and only -11.3 with 19 dB."""

_NEAR_LU = 0.5
"""A loudness that misses the one that is asked for by less is not told to people."""


class Watcher(Protocol):
    """Whoever is told how far a book is."""

    def tell(self, event: str, line: str, **fields: Any) -> None:
        """Take an event: a line for people, fields for programs."""

    def planning(self, share: float) -> None:
        """Take how much of the text is read."""

    def show(self, chapter: int, pace: Pace) -> None:
        """Take that a chunk of a chapter is made."""


@dataclass(frozen=True)
class Order:
    """What a book becomes.

    Attributes:
        choice: what of it is read.
        manner: how it is read.
        output: where it goes.
        target_lufs: loudness of the audio, -40 to -12.
        timestamps: files of times beside the audio.
        by: what an EPUB highlights.
    """

    choice: Choice
    manner: Manner
    output: Output
    target_lufs: float = USUAL_LUFS
    timestamps: tuple[TimestampFormat, ...] = ()
    by: Unit = "sentence"

    def check(self) -> None:
        """Raise InvalidRequestError if a value is out of range."""
        least, greatest = LOUDNESSES_LUFS
        if not least <= self.target_lufs <= greatest:
            raise InvalidRequestError(f"the loudness must be from {least:g} to {greatest:g} LUFS")
        pauses = self.manner.pauses
        for seconds in (pauses.scene, pauses.chapter):
            if not 0 <= seconds <= LONGEST_PAUSE_S:
                raise InvalidRequestError(
                    f"a pause must be from 0 to {LONGEST_PAUSE_S} seconds, not {seconds:g}"
                )


class Audiobook:
    """Plans, makes and writes the speech of a book.

    Args:
        book: its text.
        chapters: of the order's choice.
        order: what it becomes.
        journal: keeps the plan and the sounds.
        watcher: is told how far it is.
    """

    def __init__(
        self,
        book: Book,
        chapters: Sequence[Chapter],
        order: Order,
        journal: Journal,
        watcher: Watcher,
    ) -> None:
        self._book = book
        quotes = order.manner.cast.quotes
        if order.manner.fits:
            check_times(chapters)
        else:
            chapters = [as_prose(one) for one in chapters]
        self._chapters = [with_quotes(one, quotes) for one in chapters] if quotes else chapters
        self._order = order
        self._journal = journal
        self._watcher = watcher
        self._manner = order.manner
        self._notes: list[str] = []
        self._ignored: tuple[Ignored, ...] = ()
        self._left_out = left_out(book, order.choice)
        if self._left_out:
            watcher.tell("left_out", self._left_out, parts=self._left_out)
        for note in book.notes:
            self._note(note)

    def make(
        self,
        synthesizer: Synthesizer,
        must_plan: Callable[[Mapping[str, str]], bool],
        cancellation: Cancellation | None = None,
    ) -> None:
        """Make what the journal lacks.

        Args:
            synthesizer: says it.
            must_plan: tells from the identity of the plan whether the kept one is of something
                else.
            cancellation: stops it. If it is of background work, requests go before it.

        Raises:
            ServiceError: something cannot be said; or the reason of the cancellation.
            OSError: a sound cannot be kept.
        """
        manner = self._manner
        if manner.language is None:
            default = synthesizer.planner.resolve(None).parts[0][0].name
            cast, line = manner.cast.for_book(self._book.language, default)
            self._manner = manner = replace(manner, cast=cast)
            if line:
                self._note(line)
        for voice in manner.cast.voices:
            synthesizer.planner.resolve(voice)
        narration = Narration(synthesizer, self._chapters, manner, cancellation)
        identity = self._identity(synthesizer, narration)
        if must_plan(identity):
            self._plan(narration, identity)
            self._tell_ignored(narration)
        self._say(narration)
        self._tell_ignored(narration)

    def write(self, modified: datetime, wait: Callable[[], None] = lambda: None) -> list[Path]:
        """Write the files of a book whose speech is complete; return their paths.

        Args:
            modified: when the text was, in UTC; for the EPUB.
            wait: called again and again, before each chunk is read from the journal.

        Raises:
            ServiceError: what `wait` raised.
            OSError: they cannot be written.
            SynthesisError: a sound was damaged on the disk.
        """
        order, output = self._order, self._order.output
        self._watcher.tell("writing", f"writing {output.path}", path=str(output.path))
        recording = Recording(
            self._book, self._chapters, self._journal, order.target_lufs,
            len(order.choice.readable(self._book)), wait, self._note,
        )  # fmt: skip
        level = recording.level()
        self._tell_level(level)
        if cues := recording.fitted_cues():
            self._watcher.tell("fitted", "", cues=[asdict(cue) for cue in cues])
            self._note(line_of(cues))
        if output.kind == "epub":
            stamp = modified.strftime("%Y-%m-%dT%H:%M:%SZ")
            write_read_along(recording, level, output.path, order.by, stamp)
            written = [output.path]
        else:
            written = recording.write_audio(output, level)
        for form in order.timestamps:
            path = output.timestamps(form)
            write_timestamps(recording, path, form)
            written.append(path)
        length = sum(recording.lengths())
        for path in written:
            self._watcher.tell("written", f"{path}", path=str(path))
        told = filter(None, (self._left_out, *self._notes))
        line = "; ".join([f"{hours(length)} of speech", *told])
        self._watcher.tell("done", line, samples=length, notes=self._notes, left_out=self._left_out)
        return written

    def _note(self, line: str) -> None:
        """Tell, once, what is not as the book has it, though nobody asked for that."""
        if line not in self._notes:
            self._notes.append(line)
            self._watcher.tell("note", line, note=line)

    def _tell_ignored(self, narration: Narration) -> None:
        """Tell of the markup that has no effect, once."""
        if narration.ignored != self._ignored:
            self._ignored = narration.ignored
            places = ", ".join(f"{one.names} {one.line}:{one.column}" for one in self._ignored)
            told = [asdict(one) for one in self._ignored]
            self._watcher.tell("ignored", f"without effect: {places}", ignored=told)

    def _tell_level(self, level: Level) -> None:
        if level.lufs <= SILENCE_LUFS:
            return
        asked = self._order.target_lufs
        line = ""
        if asked - level.lufs >= _NEAR_LU:
            line = (
                f"the audio has {level.lufs:.1f} LUFS instead of {asked:g}: louder, its peaks "
                "would be distorted"
            )
        self._watcher.tell("levelled", line, lufs=round(level.lufs, 2), asked_lufs=asked)

    def _identity(self, synthesizer: Synthesizer, narration: Narration) -> dict[str, str]:
        choice, manner = self._order.choice, self._manner
        front_end = synthesizer.planner.front_end
        cast = manner.cast
        default = [
            (voice.name, weight) for voice, weight in synthesizer.planner.resolve(None).parts
        ]
        voices = [default, cast.narrator, cast.quotes,
                  sorted(cast.speakers.items(), key=itemgetter(0)),
                  sorted(cast.chapters.items())]  # fmt: skip
        chapters = [sorted(choice.skipped), [chapter.number for chapter in self._chapters]]
        options = [manner.speed, manner.language, manner.fits,
                   repr(manner.normalization), asdict(manner.pauses), repr(front_end.lexicon),
                   repr(manner.lexicon), front_end.named_emoji, front_end.strict]  # fmt: skip
        return {
            "book": self._book.sha256,
            "chapters": repr(chapters),
            "voices": repr(voices),
            "version": narration.engine,
            "options": hashlib.sha256(repr(options).encode()).hexdigest(),
        }

    def _plan(self, narration: Narration, identity: Mapping[str, str]) -> None:
        total = sum(chapter.n_characters for chapter in self._chapters)
        troubles: list[Trouble] = []
        done = 0

        def note(what: int | Trouble) -> None:
            nonlocal done
            if isinstance(what, Trouble):
                troubles.append(what)
            else:
                done += what
                self._watcher.planning(min(1.0, done / max(total, 1)))

        def chunks() -> Iterator[PlannedChunk]:
            yield from narration.plan(note)
            _refuse(troubles, "cannot be said; nothing was made")

        self._journal.plan(identity, chunks(), lambda: narration.n_dropped)
        lengths = self._journal.chapter_lengths()
        n_dropped = self._book.n_dropped + narration.n_dropped
        self._watcher.tell(
            "planned",
            f"{len(self._chapters)} chapter{'s'[: len(self._chapters) != 1]}, {total} characters"
            + (f", {n_dropped} of which are not said" if n_dropped else ""),
            chapters=[
                {"number": chapter.number, "title": chapter.title,
                 "characters": chapter.n_characters, "phonemes": lengths.get(n, 0)}
                for n, chapter in enumerate(self._chapters)
            ],
            characters=total, dropped=n_dropped,
        )  # fmt: skip

    def _say(self, narration: Narration) -> None:
        journal = self._journal
        n_phonemes = sum(journal.chapter_lengths().values())
        pace = Pace(journal.work_lengths(), journal.made_lengths(), n_phonemes)
        if not pace.totals:
            raise InvalidRequestError("nothing of the book can be pronounced")
        if pace.made:
            share = round(pace.share, 4)
            self._watcher.tell("resumed", f"{pace.share:.0%} is made already", share=share)
        troubles = []
        for event in narration.make(self._journal):
            if isinstance(event, Made):
                pace.add(event.chapter, event.n_phonemes, event.n_samples)
                self._watcher.show(event.chapter, pace)
            else:
                troubles.append(event)
                self._watcher.tell("failed", str(event), **asdict(event))
        _refuse(troubles, "failed, and everything else is kept; run the command again to try again")
        if self._journal.unmade_sections():
            raise SynthesisError(
                "the text is not read as it was planned; run it with --changed fresh"
            )


def _refuse(troubles: Sequence[Trouble], what: str) -> None:
    if troubles:
        listed = "; ".join(map(str, troubles[:5]))
        more = f"; and {len(troubles) - 5} more" if len(troubles) > 5 else ""
        raise SynthesisError(f"{len(troubles)} parts of the text {what}: {listed}{more}")
