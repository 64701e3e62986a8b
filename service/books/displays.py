"""Show how far a book is: bars on a terminal, lines elsewhere, or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
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

from service.books.book import Chapter
from service.books.pace import Pace

DisplayKind = Literal["auto", "json", "none"]


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
        title, number = self._chapters[chapter].title, self._chapters[chapter].number
        if self._kind == "json":
            self.tell(
                "progress", "", chapter=number, chapters=len(self._chapters), title=title,
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
            place = f"{chapter + 1} of {len(self._chapters)}"
            which = place if number == chapter + 1 else f"{number}, {place}"
            self.tell("", f"chapter {which}: {title}, "
                          f"{pace.share:.0%} done{left}")  # fmt: skip
        self._chapter = chapter


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)


def complain(line: str) -> None:
    """Print a line on standard error, whatever the display is."""
    print(line, file=sys.stderr, flush=True)
