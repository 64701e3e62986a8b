"""Speech that keeps the times of subtitles, and what is told of cues that are too short for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from service.audio import SOURCE_RATE_HZ
from service.books.book import Chapter, CueTimes, Paragraph
from service.books.journal import PlannedChunk
from service.errors import InvalidRequestError

MOST_QUICKER = 1.3
"""How many times as quick as usual a cue is said at most."""

_LATEST_S = 24 * 3600
"""When a cue begins at the latest: its time is a few bytes, and the silence before it many."""

_LEAST_LATE_S = 0.05
"""A cue that begins less late is not told."""
_LEAST_QUICKER = 1.005
_TOLD = 20
"""Cues that a line for people names."""
_SENTENCE_END = re.compile(r"[.!?:…。！？♪][”’\"')\]»」』]*\s*\Z")


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A chunk in the audio of its chapter.

    Attributes:
        chunk: of the plan.
        start: the sample of the chapter with which it begins.
        n_silent: samples of silence before it.
        n_samples: of it.
    """

    chunk: PlannedChunk
    start: int
    n_silent: int
    n_samples: int


@dataclass(frozen=True, slots=True)
class FittedCue:
    """How a cue is said.

    Attributes:
        number: of the cue, from 1.
        start_s: when it is shown.
        quicker: how many times as quick as usual it is said, 1 to `MOST_QUICKER`.
        late_s: seconds by which it begins late, because what is before it is too long.
    """

    number: int
    start_s: float
    quicker: float
    late_s: float

    def __str__(self) -> str:
        """Return it for people: `cue 3 at 0:01:05 is 1.2 times as quick`."""
        minutes, seconds = divmod(int(self.start_s), 60)
        told = []
        if self.quicker >= _LEAST_QUICKER:
            told.append(f"is {self.quicker:.2f} times as quick")
        if self.late_s >= _LEAST_LATE_S:
            told.append(f"begins {self.late_s:.1f} s late")
        place = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        return f"cue {self.number} at {place} {' and '.join(told)}"


def check_times(chapters: Sequence[Chapter]) -> None:
    """Raise InvalidRequestError if chapters have no times that speech could keep."""
    found = [one for chapter in chapters for one in times_of(chapter) if one is not None]
    if not found:
        raise InvalidRequestError("only subtitles, .srt and .vtt, have times to fit")
    if max(found).start_s > _LATEST_S:
        raise InvalidRequestError(f"a cue begins after {_LATEST_S // 3600} hours")


def as_prose(chapter: Chapter) -> Chapter:
    """Return a chapter whose cues are paragraphs without times, which end where sentences do."""
    kept: list[Paragraph] = []
    is_open = False
    for paragraph in chapter.paragraphs:
        one = replace(paragraph, times=None)
        if is_open and kept and paragraph.times is not None and one.kind == kept[-1].kind:
            kept[-1] = replace(kept[-1], text=f"{kept[-1].text} {one.text}")
        else:
            kept.append(one)
        is_open = paragraph.times is not None and not _SENTENCE_END.search(paragraph.text)
    return replace(chapter, paragraphs=tuple(kept))


def times_of(chapter: Chapter) -> list[CueTimes | None]:
    """Return the times of the sections of a chapter, of which each cue is one."""
    texts = [one for one in chapter.paragraphs if one.text]
    return [one.times for one in texts] if any(one.times is not None for one in texts) else []


def rooms_s(times: Sequence[CueTimes | None]) -> list[float | None]:
    """Return the seconds that each cue has: until its end, or until the next one begins."""
    found: list[float | None] = []
    for own, following in zip(times, [*times[1:], None], strict=False):
        if own is None:
            found.append(None)
            continue
        end_s = own.end_s
        if following is not None and own.start_s < following.start_s:
            end_s = min(end_s, following.start_s)
        found.append(max(0.0, end_s - own.start_s))
    return found


def placed(
    chunks: Iterable[tuple[PlannedChunk, int]], times: Sequence[CueTimes | None]
) -> Iterator[PlacedChunk]:
    """Yield chunks where they are heard: each cue at its time, or as soon as the one before ends.

    Args:
        chunks: of a chapter, with their samples.
        times: of its sections; empty if they follow each other.
    """
    at = 0
    section = -1
    for chunk, n_samples in chunks:
        n_silent = 0
        if chunk.section != section:
            section = chunk.section
            own = times[section] if section < len(times) else None
            if own is not None:
                n_silent = max(0, round(own.start_s * SOURCE_RATE_HZ) - at)
        at += n_silent
        yield PlacedChunk(chunk, at, n_silent, n_samples)
        at += n_samples


def fitted_cues(
    chunks: Iterable[tuple[PlacedChunk, float]], times: Sequence[CueTimes | None]
) -> list[FittedCue]:
    """Return the cues that are said more quickly than usual, or begin late.

    Args:
        chunks: of a chapter, each with how many times as quick it is.
        times: of its sections.
    """
    found: dict[int, FittedCue] = {}
    for one, quicker in chunks:
        section = one.chunk.section
        own = times[section]
        if own is None:
            continue
        late_s = one.start / SOURCE_RATE_HZ - own.start_s
        cue = found.setdefault(section, FittedCue(section + 1, own.start_s, 1.0, late_s))
        found[section] = replace(cue, quicker=max(cue.quicker, quicker))
    return [
        one
        for one in found.values()
        if one.quicker >= _LEAST_QUICKER or one.late_s >= _LEAST_LATE_S
    ]


def line_of(cues: Sequence[FittedCue]) -> str:
    """Return a line about cues that did not fit; empty if all did."""
    more = f"; and {len(cues) - _TOLD} more" if len(cues) > _TOLD else ""
    return "; ".join(map(str, cues[:_TOLD])) + more
