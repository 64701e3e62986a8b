"""Read subtitles, SubRip and WebVTT: a paragraph for each cue, which knows its times."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from service.books import tidying
from service.books.book import Book, Chapter, CueTimes, Paragraph
from service.books.document_budget import Budget, Document
from service.books.encodings import utf_8
from service.books.ledger import Ledger
from service.books.odd_characters import without_odd
from service.errors import LanguageUnavailableError
from service.text import find_language

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?"
_TIMING = re.compile(rf"\s{{0,9}}{_TIME}\s{{0,9}}-{{1,2}}>\s{{0,9}}{_TIME}(?!\S)")
_COUNTER = re.compile(r"\s*\d+\s*\Z")
_LANGUAGE = re.compile(r"(?im)^language:[ \t]*([\w-]{2,35})[ \t]*$")
_HEADER_LENGTH = 1000
_MARKUP = re.compile(
    r"</?(?:[bisuc]|v|lang|font|ruby|rt|rp|span|br)(?:[\s./][^<>]{0,300})?>"
    r"|<[\d:.]{1,12}>|\{\\[^{}\n]{1,100}\}",
    re.I,
)
"""Signs of players. Any other `<` is text, as in `2 < 3`."""
_READING_AID = re.compile(r"<(rt|rp)>([^<>]{0,100})</\1>", re.I)
_SPEAKERS = re.compile(r"\s{0,9}[-–—]")


def read_subtitles(document: Document) -> Book:
    """Read subtitles as a book of one chapter. Its language is what the file says or its name.

    Raises:
        InvalidBookError: they are no text.
    """
    budget = Budget(document.name, ledger=document.ledger)
    content = utf_8(budget.read(document.path), document.name, budget)
    text = without_odd(content, budget).decode().replace("\r\n", "\n").replace("\r", "\n")
    budget.take_lines(text)
    stem, _, tag = document.stem.rpartition(".")
    is_tagged = bool(stem) and _is_language(tag)
    title = stem if is_tagged else document.stem
    says = _LANGUAGE.search(text[:_HEADER_LENGTH]) if text.startswith("WEBVTT") else None
    paragraphs = sorted(_paragraphs(text, document.ledger), key=_start)
    return Book(
        title,
        (),
        says[1] if says else tag if is_tagged else None,
        None,
        (Chapter(title, tuple(paragraphs)),),
        n_dropped=budget.n_dropped,
    )


def _is_language(tag: str) -> bool:
    with suppress(LanguageUnavailableError):
        return bool(find_language(tag))
    return False


def _start(paragraph: Paragraph) -> float:
    return paragraph.times.start_s if paragraph.times is not None else 0.0


def _paragraphs(text: str, ledger: Ledger) -> Iterator[Paragraph]:
    for times, shown in _cues(text, is_vtt=text.startswith("WEBVTT")):
        for aid in _READING_AID.finditer(shown):
            ledger.find([aid[2]])
            ledger.leave_out(aid[2], "reading aid")
        said = html.unescape(_MARKUP.sub("", _READING_AID.sub("", shown))).strip()
        ledger.find([said])
        ledger.read(said)
        lines = said.split("\n")
        is_verse = any(_SPEAKERS.match(line) for line in lines[1:])
        joined = (
            "\n".join(_SPEAKERS.sub("", line) for line in lines) if is_verse else _joined(lines)
        )
        marks: list[str] = []
        done = tidying.paragraph(joined, "verse" if is_verse else "text", marks.append)
        if done is None or not done.text:
            ledger.strike(said, "ornament")
            continue
        for mark in marks:
            ledger.strike(mark, "note mark")
        yield replace(done, times=times)


def _joined(lines: list[str]) -> str:
    """Return the lines of a cue as one. A hyphen at a line's end is there to stay."""
    joined = ""
    for line in filter(None, map(str.strip, lines)):
        is_open = joined[-1:] in ("-", "‐") and joined[-2:-1].isalnum()
        is_wide = bool(joined) and min(joined[-1], line[0]) >= "\u2e80"
        joined += line if is_open or is_wide or not joined else f" {line}"
    return joined


def _cues(text: str, *, is_vtt: bool) -> Iterator[tuple[CueTimes, str]]:
    """Yield the times and the text of each cue, in the order of the file.

    A blank line ends a cue of WebVTT, and what is in no cue, such as `NOTE`, is not shown. In
    SubRip's files they are inside cues too, which last until the counter and the times of the next.
    """
    times: CueTimes | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        if is_vtt and not line.strip():
            if times is not None:
                yield times, "\n".join(lines)
            times, lines = None, []
        elif match := _TIMING.match(line):
            if times is not None:
                yield times, "\n".join(_without_counter(lines))
            times, lines = CueTimes(_seconds(match, 1), _seconds(match, 5)), []
        elif times is not None:
            lines.append(line)
    if times is not None:
        yield times, "\n".join(lines)


def _without_counter(lines: list[str]) -> list[str]:
    """Return the lines of a cue without the number of the next one."""
    is_counter = bool(lines) and _COUNTER.match(lines[-1]) is not None
    is_apart = len(lines) < 2 or not lines[-2].strip()
    return lines[:-1] if is_counter and is_apart else lines


def _seconds(match: re.Match[str], group: int) -> float:
    hours, minutes, seconds, part = (match[group + n] or "" for n in range(4))
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + int(part.ljust(3, "0") or 0) / 1000
