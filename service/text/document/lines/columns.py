"""Tables without Markdown's marks: columns by tabs, runs of spaces, bars, or rows of dots."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from service.text.document.lines.page import Page, Row

Cells = Sequence[tuple[int, int]]
"""Start and end of each cell, as offsets into the bare row."""

_TAB = re.compile(r"\t")
_TABS = re.compile(r"\t+")
_GAP = re.compile(r"  +")
_NUMBER = re.compile(r"[-+−(]?[$€£¥₹]?[-+−]?[0-9]")
_BAR = re.compile(r"\|")
_LEADER = re.compile(r"\.{4,}|…{2,}|·{4,}|_{4,}|(?:\. ){3,}\.?")
_RULE = re.compile(r"[-=+|_ \t─━═│┼]{3,}")
_AFTER_SENTENCE = tuple(".!?:;")
_FEWEST_ALIGNED = 3
_LONGEST_CELL = 40


def claim_tables(page: Page) -> None:
    """Claim runs of two or more rows with as many tabs, bars or leaders, of three with columns.

    Bars without Markdown's second row below the first one are no table to Markdown.
    """
    forms = [form for form in _FORMS if form[0].search(page.text) is not None]
    for block in page.free_blocks if forms else ():
        for _, cells_of, is_table in forms:
            _claim_runs(page, block.rows, cells_of, is_table)


def _claim_runs(
    page: Page,
    rows: Sequence[Row],
    cells_of: Callable[[str], Cells],
    is_table: Callable[[Sequence[Row], Sequence[Cells]], bool],
) -> None:
    run: list[tuple[Row, Cells]] = []
    for row in (*rows, None):
        cells: Cells = ()
        if row is not None and page.is_free(row):
            is_rule = _RULE.fullmatch(row.bare) is not None
            cells = () if is_rule else cells_of(row.bare)
            said = sum(any(map(str.isalnum, row.bare[start:end])) for start, end in cells)
            if said > 1 or (is_rule and run):
                run.append((row, cells))
                continue
        data = [(line, found) for line, found in run if found]
        if len(data) > 1 and is_table(*zip(*data, strict=True)):
            group = page.new_group()
            for line, found in run:
                said_cells = [line.part("cell", start, end) for start, end in found]
                page.claim(line, "row", said_cells, group)
        run = []


def _split(mark: re.Pattern[str]) -> Callable[[str], Cells]:
    def cells_of(bare: str) -> Cells:
        found, start = [], 0
        for match in mark.finditer(bare):
            found.append((start, match.start()))
            start = match.end()
        return [*found, (start, len(bare))]

    return cells_of


def _by_tabs(rows: Sequence[Row], cells: Sequence[Cells]) -> bool:
    return _are_alike(cells) and (len(cells[0]) > 2 or _are_short(cells))


def _by_bars(rows: Sequence[Row], cells: Sequence[Cells]) -> bool:
    return _are_alike(cells) and (len(cells[0]) > 2 or len(cells) > 2)


def _by_leaders(rows: Sequence[Row], cells: Sequence[Cells]) -> bool:
    return _are_alike(cells)


def _are_alike(cells: Sequence[Cells]) -> bool:
    return len({len(found) for found in cells}) == 1


def _are_short(cells: Sequence[Cells]) -> bool:
    return all(end - start <= _LONGEST_CELL for found in cells for start, end in found)


def _by_spaces(rows: Sequence[Row], cells: Sequence[Cells]) -> bool:
    """Tell whether cells begin, or numbers end, in columns that all rows share.

    Prose has runs of spaces where it is justified, but not at the same columns in three rows. Its
    rows all end in one column then, so only numbers, and their names in the first row, may be
    aligned by their ends.
    """
    if len(cells) < _FEWEST_ALIGNED:
        return False
    places = [
        [
            (
                row.indent + start,
                row.indent + end if row is rows[0] or _NUMBER.match(row.bare, start) else None,
            )
            for start, end in found[1:]
        ]
        for row, found in zip(rows, cells, strict=True)
    ]
    starts = set.intersection(*({start for start, _ in found} for found in places))
    ends = set.intersection(*({end for _, end in found if end is not None} for found in places))
    return all(start in starts or end in ends for found in places for start, end in found)


def _by_gaps(bare: str) -> Cells:
    """Split at runs of spaces, but for two behind a sentence, which typists put there."""
    found, start = [], 0
    for gap in _GAP.finditer(bare):
        if gap.end() - gap.start() > 2 or not bare.endswith(_AFTER_SENTENCE, 0, gap.start()):
            found.append((start, gap.start()))
            start = gap.end()
    return [*found, (start, len(bare))]


_FORMS: Sequence[
    tuple[
        re.Pattern[str],
        Callable[[str], Cells],
        Callable[[Sequence[Row], Sequence[Cells]], bool],
    ]
]
_FORMS = (
    (_TAB, _split(_TAB), _by_tabs),
    (_TABS, _split(_TABS), _by_tabs),
    (_BAR, _split(_BAR), _by_bars),
    (_LEADER, _split(_LEADER), _by_leaders),
    (_GAP, _by_gaps, _by_spaces),
)
"""What divides cells, how it divides a row into them, and what shows that rows are a table."""
