"""Lines that begin with a time or a severity: chats, logs, timed transcripts, timetables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.text.document.lines.labels import label_at
from service.text.document.lines.line import Kind, Part, Role
from service.text.document.lines.page import Block, Page, Row, ends_with_pause, flows, is_structure
from service.text.document.lines.words import LEVELS

_LEVEL = "|".join(sorted(LEVELS, key=len, reverse=True))
_MONTH = r"[A-Z][a-zé]{2}\.?"
_DATE = rf"""(?:[0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}
    | [0-9]{{1,2}}[-/.][0-9]{{1,2}}[-/.][0-9]{{2,4}}
    | {_MONTH}[ ]{{1,2}}[0-9]{{1,2}}(?:,?[ ][0-9]{{4}})?
    | [0-9]{{1,2}}[ ]{_MONTH}(?:[ ][0-9]{{4}})?
    | [0-9]{{4}}年[0-9]{{1,2}}月[0-9]{{1,2}}日)"""
_TIME = r"""[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]{1,6})?
    (?:(?:[ \xa0\u202f]?[AaPp]\.?[Mm]\.?|[ap])(?!\w))?"""
_STAMP = re.compile(
    rf"""(?:\[?(?P<severity>{_LEVEL})\]?:?[ \t]{{1,8}})?
        (?P<open>[\[(【])?
        (?P<stamp>(?:(?P<date>{_DATE})(?:T|,?[ ]))?
            {_TIME} (?:[ ]?[-–—][ ]?{_TIME})? (?:Z|[ ]?[+-][0-9]{{2}}:?[0-9]{{2}}|[ ]UTC)?)
        (?P<close>[\])】])?
        (?P<dash>[ \t]{{0,8}}[-–—|](?=\s)|:(?=\s))?
        (?:[ \t]+(?=\S)|$)""",
    re.VERBOSE,
)
_NICK = re.compile(r"<[@+%~&]?(?P<name>[^\s<>][^<>]{0,30})>[ \t]+")
_SEVERITY = re.compile(rf"[\[(]?(?P<level>{_LEVEL})[\])]?[ \t]{{0,8}}[:|-]?(?:\s+|$)")
_COMPONENT = re.compile(
    r"\[?(?P<name>[\w.$/-]{1,60}(?:[ ][\w.$/-]{1,60})?(?:\[[0-9]{1,10}\])?)\]?:\s+"
)
_ACCESS = re.compile(r"\S{2,60} \S{1,60} \S{1,60} \[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:")
_TRACE = re.compile(
    r"""Traceback[ ]\(most | File[ ]"[^"]*",[ ]line[ ] | Caused[ ]by:[ ]
      | at[ ][\w.$<>/]{1,200}[ ]?\( | \.{3}[ ][0-9]{1,6}[ ]more
    """,
    re.VERBOSE,
)
_FEWEST_TRACES = 2


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row that begins with a time.

    Attributes:
        stamp: where the time stands in the bare row.
        shape: what rows of one source have in common: bracket, date, dash.
        level: where the severity stands, if anywhere.
        name: where the sender, speaker or component stands, if anywhere.
        is_nick: whether the name stands in angle brackets.
        has_seconds: whether the time has seconds.
        behind: where the text begins.
    """

    stamp: tuple[int, int]
    shape: tuple[str, bool, bool]
    level: tuple[int, int] | None
    name: tuple[int, int] | None
    is_nick: bool
    has_seconds: bool
    behind: int

    @property
    def is_strong(self) -> bool:
        """Whether more than a bare time marks it: prose may have one at the start of a row."""
        return any((*self.shape, self.level, self.name))


def claim_records(page: Page) -> None:
    """Claim entries of chats, logs, transcripts and timetables, and stack traces.

    Two entries of the same shape are needed, and a bare time needs a block of nothing else.
    """
    if page.has_digits:
        _claim_stamped(page)
    _claim_severities(page)
    _claim_traces(page)


def _claim_stamped(page: Page) -> None:
    entries = {
        row.index: entry for row in page.rows if page.is_free(row) and (entry := _entry(row))
    }
    by_shape: dict[tuple[str, bool, bool], list[_Entry]] = defaultdict(list)
    for entry in entries.values():
        by_shape[entry.shape].append(entry)
    kinds = {shape: _kind(shape, alike) for shape, alike in by_shape.items() if len(alike) > 1}
    for block in page.blocks:
        for rows in _runs(block, entries):
            found = [entries.get(row.index) for row in rows]
            kind = kinds.get(found[0].shape) if found[0] else None
            weak = not any(entry and entry.is_strong for entry in found)
            if kind is None or (weak and (None in found or len(found) < 2)):
                continue
            _claim_entries(page, kind, rows, found)


def _runs(block: Block, entries: dict[int, _Entry]) -> Iterator[Sequence[Row]]:
    """Yield the rows of a block from its first entry on, if what stands above it is complete."""
    rows = block.rows
    first = next((place for place, row in enumerate(rows) if row.index in entries), None)
    if first is not None and (first == 0 or ends_with_pause(rows[first - 1].bare)):
        end = first + 1
        while end < len(rows) and not is_structure(rows[end].bare):
            end += 1
        yield rows[first:end]


def _entry(row: Row) -> _Entry | None:
    match = _STAMP.match(row.bare)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    behind = match.end()
    level = match.span("severity") if match["severity"] else None
    name = None
    nick = _NICK.match(row.bare, behind)
    if nick:
        name, behind = nick.span("name"), nick.end()
    else:
        severity = None if level else _SEVERITY.match(row.bare, behind)
        if severity:
            level, behind = severity.span("level"), severity.end()
        component = _COMPONENT.match(row.bare, behind) if level else None
        label = None if component else label_at(row.bare, behind)
        if component:
            name, behind = component.span("name"), component.end()
        elif label:
            name, behind = (label.start, label.end), label.behind
    shape = (match["open"] or "", bool(match["date"]), bool(match["dash"]))
    has_seconds = match["stamp"].count(":") > 1
    return _Entry(match.span("stamp"), shape, level, name, nick is not None, has_seconds, behind)


def _kind(shape: tuple[str, bool, bool], entries: Sequence[_Entry]) -> Kind:
    """Return what entries of one shape are."""
    bracket, has_date, has_dash = shape
    if any(entry.level for entry in entries):
        return "log"
    if any(entry.is_nick for entry in entries):
        return "message"
    if 2 * sum(entry.name is not None for entry in entries) < len(entries):
        return "log"
    if bracket and not has_date:
        return "turn"
    by_program = all(entry.has_seconds for entry in entries) and not bracket and not has_dash
    return "log" if by_program else "message"


def _claim_entries(
    page: Page, kind: Kind, rows: Sequence[Row], entries: Sequence[_Entry | None]
) -> None:
    group = page.new_group()
    for place, (row, entry) in enumerate(zip(rows, entries, strict=True)):
        above_next = place + 1 < len(rows) and entries[place + 1] is None
        goes_on = above_next and kind != "log" and flows(row.bare, rows[place + 1].bare)
        if entry is None:
            page.claim(row, kind, [row.part("text")], group, not goes_on)
            continue
        group = page.new_group()
        page.claim(row, kind, _parts(row, kind, entry), group, not goes_on)


def _parts(row: Row, kind: Kind, entry: _Entry) -> list[Part]:
    named: Role = "name" if kind == "log" else "speaker"
    parts = [row.part("time", *entry.stamp)]
    if entry.level:
        parts.append(row.part("level", *entry.level))
    if entry.name:
        parts.append(row.part(named, *entry.name))
    parts.append(row.part("text", entry.behind))
    return sorted(parts, key=lambda part: part.start)


def _claim_severities(page: Page) -> None:
    """Claim blocks of which every row begins with a severity, or has the form of an access log."""
    for block in page.free_blocks:
        rows = block.rows
        if len(rows) < 2 or not page.all_free(rows):
            continue
        matches = [_SEVERITY.match(row.bare) for row in rows]
        if all(matches):
            for row, match in zip(rows, matches, strict=True):
                if match:
                    parts = [row.part("level", *match.span("level"))]
                    parts.append(row.part("text", match.end()))
                    page.claim(row, "log", parts, page.new_group())
        elif all(_ACCESS.match(row.bare) for row in rows):
            for row in rows:
                page.claim(row, "log", [row.part("text")], page.new_group())


def _claim_traces(page: Page) -> None:
    """Claim blocks with rows of a stack trace, one line for each row."""
    for block in page.blocks:
        rows = [row for row in block.rows if page.is_free(row)]
        if sum(_TRACE.match(row.bare) is not None for row in rows) >= _FEWEST_TRACES:
            group = page.new_group()
            for row in rows:
                page.claim(row, "log", [row.part("text")], group)
