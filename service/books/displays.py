"""Show how far a book is: bars on a terminal, lines elsewhere, or JSON lines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from service.audio import SOURCE_RATE_HZ
from service.books.book import Chapter

DisplayKind = Literal["auto", "json", "none"]


@dataclass
class Pace:
    """How far a book is, and how long the rest takes, by the phonemes of its plan.

    Attributes:
        totals: phonemes of each chapter, by its number.
        made: those whose sounds are kept.
    """

    totals: Mapping[int, int]
    made: dict[int, int]
    _started_s: float = field(default_factory=time.monotonic)
    _made_before: int = field(init=False)
    _made_now: int = 0
    n_samples: int = 0

    def __post_init__(self) -> None:
        self._made_before = sum(self.made.values())

    def add(self, chapter: int, n_phonemes: int, n_samples: int) -> None:
        """Count a chunk that is now kept."""
        self.made[chapter] = self.made.get(chapter, 0) + n_phonemes
        self._made_now += n_phonemes
        self.n_samples += n_samples

    @property
    def share(self) -> float:
        """Return how much of the book is made, 0 to 1."""
        total = sum(self.totals.values())
        return min(1.0, sum(self.made.values()) / total) if total else 1.0

    def share_of(self, chapter: int) -> float:
        """Return how much of a chapter is made, 0 to 1."""
        total = self.totals.get(chapter, 0)
        return min(1.0, self.made.get(chapter, 0) / total) if total else 1.0

    @property
    def left_s(self) -> float | None:
        """Return the seconds that the rest takes; None before the first chunk."""
        if not self._made_now:
            return None
        rest = sum(self.totals.values()) * (1 - self.share)
        return rest * (time.monotonic() - self._started_s) / self._made_now

    @property
    def foretold_s(self) -> float | None:
        """Return the likely length of the audio in seconds; None before the first chunk."""
        if not self._made_now:
            return None
        total = sum(self.totals.values())
        return self.n_samples / SOURCE_RATE_HZ * total / self._made_now


class Display:
    """Shows the progress of a book. A context manager.

    Args:
        kind: `auto` for bars on a terminal and a line for each chapter elsewhere, on standard
            error; `json` for JSON lines on standard output; `none` for nothing.
        chapters: that are read.
    """

    def __init__(self, kind: DisplayKind, chapters: Sequence[Chapter]) -> None:
        self._kind = kind
        self._chapters = chapters
        self._console = Console(stderr=True)
        self._bars: Progress | None = None
        self._tasks: list[TaskID] = []
        self._chapter: int | None = None
        if kind == "auto" and self._console.is_terminal:
            self._bars = Progress(
                TextColumn("{task.description:<32.32}"), BarColumn(), TaskProgressColumn(),
                TimeRemainingColumn(), console=self._console, transient=True,
            )  # fmt: skip

    def __enter__(self) -> Display:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the bars away."""
        if self._bars is not None:
            self._bars.stop()

    def tell(self, event: str, line: str, **fields: Any) -> None:
        """Tell an event: a line for people, fields for programs."""
        if self._kind == "json":
            print(json.dumps({"event": event, **fields}, ensure_ascii=False), flush=True)
        elif self._kind == "auto" and line:
            self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def planning(self, share: float) -> None:
        """Show how much of the text is read."""
        if self._bars is not None:
            if not self._tasks:
                self._tasks = [self._bars.add_task("planning", total=1.0)]
            self._bars.update(self._tasks[0], completed=share)

    def show(self, chapter: int, pace: Pace) -> None:
        """Show that a chunk of a chapter is made."""
        title = self._chapters[chapter].title
        if self._kind == "json":
            self.tell(
                "progress", "", chapter=chapter + 1, chapters=len(self._chapters), title=title,
                chapter_share=round(pace.share_of(chapter), 4), share=round(pace.share, 4),
                left_s=_rounded(pace.left_s), foretold_s=_rounded(pace.foretold_s),
            )  # fmt: skip
        elif self._bars is not None:
            if self._chapter is None:
                for task in self._tasks:
                    self._bars.remove_task(task)
                self._tasks = [self._bars.add_task(name, total=1.0) for name in ("book", title)]
            elif chapter != self._chapter:
                self._bars.reset(self._tasks[1], description=title, total=1.0)
            self._bars.update(self._tasks[0], completed=pace.share)
            self._bars.update(self._tasks[1], completed=pace.share_of(chapter))
        elif chapter != self._chapter:
            left = "" if pace.left_s is None else f", {round(pace.left_s / 60)} min left"
            self.tell("", f"chapter {chapter + 1} of {len(self._chapters)}: {title}, "
                          f"{pace.share:.0%} done{left}")  # fmt: skip
        self._chapter = chapter


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def complain(line: str) -> None:
    """Print a line on standard error, whatever the display is."""
    print(line, file=sys.stderr, flush=True)
