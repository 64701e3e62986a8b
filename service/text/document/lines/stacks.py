"""Items with bullets or numbers that Markdown does not know, verse, and stacked short lines."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from service.text.document.lines.breaks import WIDEST, are_deliberate, evidence, prior
from service.text.document.lines.labels import label_at, labelled
from service.text.document.lines.page import (
    Block,
    Page,
    Row,
    flows,
    is_shouted,
    is_solid,
    looks_like_code,
    width,
)

_BULLET = re.compile(
    r"[•◦‣⁃∙▪▫■□●○◆◇▶►▸▹➤➢➔→⇒❖★☆✦✧✱❥·・‧\uf0a7\uf0b7\uf0d8\uf076\uf0fc][ \t\xa0\u3000]*(?=\S)"
)
_KEYCAP = re.compile(r"[0-9#*]\ufe0f?\u20e3")
_BOX = re.compile(r"\[[ xX]?\][ \t\xa0]+(?=\S)")
_FIRST_SIGN = "\u2190"
"""Signs below stand before words too, as in © and °."""
_CHINESE = "一二三四五六七八九十"
_MARKER = re.compile(
    rf"""(?P<open>[(\[（【]?)
        (?P<value>\d{{1,3}}(?:[./]\d{{1,3}})* | [IVXLC]{{1,7}} | [ivxlc]{{1,7}} | [A-Za-z]
            | [{_CHINESE}]{{1,3}} | [①-⑳] | [क-ह])
        (?P<close>[.)\]）】、．]?)
        (?:(?<=[、．）】①-⑳])|[ \t\xa0\u3000]+|$)
    """,
    re.VERBOSE,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_LABEL_EVIDENCE = 1.5
"""What a row in brackets above speaks for, such as `[Chorus]`; see the module `breaks`."""
_PRIOR_OF_STANZAS = -3.5
"""That of one stanza: the others come with it."""
_FEWEST_FOR_STANZA = 2.0
"""What a stanza has to say for itself if others are to speak for it."""
_LARGEST_GAP = 3
"""Rows from the last one of a stanza to the first one of the next, which may be numbered."""
_FEWEST_WORDS = 3
"""Words of an average line of verse; fewer are a list or an address."""


def claim_stacks(page: Page) -> None:
    """Claim items, numbered stanzas, verse and stacked short lines, in blocks that are left."""
    blocks = [block for block in page.free_blocks if page.all_free(block.rows)]
    for block in blocks:
        _claim_items(page, block.rows)
    blocks = list(_below_numbers(page, [block for block in blocks if page.all_free(block.rows)]))
    for run in _runs(blocks):
        _claim_run(page, run)
    for block in page.deep_blocks:
        rows = [row.bare for row in block.rows]
        if page.all_free(block.rows) and _is_verse(rows) and are_deliberate(rows):
            _claim_short_rows(page, block.rows)


class _Mark(NamedTuple):
    """What an item begins with.

    Attributes:
        frame: what the marks of one list have in common: the bullet, or the brackets of a number.
        value: the number or letter; empty for a bullet.
        name: where the number stands in the bare row, if it is said.
        behind: where the text begins.
    """

    frame: str
    value: str
    name: tuple[int, int]
    behind: int


def _mark(bare: str) -> _Mark | None:
    bullet = _BULLET.match(bare)
    if bullet:
        return _Mark(bullet[0].strip(), "", (0, 0), bullet.end())
    # A sign may mean something, as a tick does: it stays in the text.
    is_sign = bare[0] > _FIRST_SIGN and unicodedata.category(bare[0]) == "So"
    if is_sign or _KEYCAP.match(bare):
        return _Mark("sign", "", (0, 0), 0)
    box = _BOX.match(bare)
    if box:
        return _Mark("box", "", (0, 0), box.end())
    number = _MARKER.match(bare)
    if number is None or not (number["open"] or number["close"] or "." in number["value"]):
        return None
    return _Mark(
        number["open"] + number["close"], number["value"], number.span("value"), number.end()
    )


def _follows(above: _Mark, below: _Mark) -> bool:
    """Tell whether two marks may be neighbours in one list."""
    if above.frame != below.frame:
        return False
    if not above.value or not below.value:
        return above.value == below.value
    return any(
        a is not None and a + 1 == b for a, b in zip(*map(_numbers, (above, below)), strict=True)
    )


def _numbers(mark: _Mark) -> tuple[int | None, ...]:
    """Return what a mark is worth as a number, as a letter, as a Roman and as a Chinese number."""
    value = mark.value
    last = re.split("[./]", value)[-1] if "/" not in value else value.partition("/")[0]
    number = int(last) if last.isdecimal() else None
    letter = ord(value) if len(value) == 1 and not value.isdecimal() else None
    roman = _roman(value.lower()) if set(value.lower()) <= _ROMAN.keys() else None
    chinese = _chinese(value) if set(value) <= set(_CHINESE) else None
    return number, letter, roman, chinese


def _roman(value: str) -> int:
    digits = [_ROMAN[character] for character in value]
    return sum(-a if a < b else a for a, b in zip(digits, (*digits[1:], 0), strict=True))


def _chinese(value: str) -> int:
    """Return the value of a Chinese number below a hundred."""
    tens, ten, ones = value.rpartition("十")
    count = _CHINESE.index(tens) + 1 if tens else 1
    return (10 * count if ten else 0) + (_CHINESE.index(ones) + 1 if ones else 0)


def _claim_items(page: Page, rows: Sequence[Row]) -> None:
    """Claim runs of two items and more with the same bullets, or with numbers one after another."""
    marks = [_mark(row.bare) for row in rows]
    start = 0
    while start < len(rows):
        last, n_items, end = marks[start], 1, start + 1
        while last and end < len(rows):
            mark = marks[end]
            if mark and _follows(last, mark):
                last, n_items = mark, n_items + 1
            elif mark or not (rows[end].indent or flows(rows[end - 1].bare, rows[end].bare)):
                break
            end += 1
        if n_items > 1:
            _claim_item_rows(page, rows[start:end], marks[start:end])
        start = end


def _claim_item_rows(page: Page, rows: Sequence[Row], marks: Sequence[_Mark | None]) -> None:
    group = page.new_group()
    for place, (row, mark) in enumerate(zip(rows, marks, strict=True)):
        goes_on = place + 1 < len(rows) and marks[place + 1] is None
        if mark is None:
            page.claim(row, "item", [row.part("text")], group, not goes_on)
            continue
        said = [row.part("name", *mark.name), row.part("text", mark.behind)]
        page.claim(row, "item", said, group, not goes_on)


def _below_numbers(page: Page, blocks: Sequence[Block]) -> Iterator[Block]:
    """Claim rows that number stanzas one after another, and yield all blocks without them."""
    numbers = [_stanza_number(block) for block in blocks]
    for place, (block, number) in enumerate(zip(blocks, numbers, strict=True)):
        above = numbers[place - 1] if place else None
        below = numbers[place + 1] if place + 1 < len(blocks) else None
        pairs = ((above, number), (number, below))
        if any(a and b and _follows(a, b) for a, b in pairs) and number:
            row = block.rows[0]
            page.claim(row, "stack", [row.part("name", *number.name)], page.new_group())
            yield Block(block.rows[1:])
        else:
            yield block


def _stanza_number(block: Block) -> _Mark | None:
    """Return the Roman number that stands alone above other rows."""
    bare = block.rows[0].bare
    value = bare.rstrip(".")
    if len(block.rows) < 2 or len(bare) - len(value) > 1 or not set(value.lower()) <= _ROMAN.keys():
        return None
    return _Mark(bare[len(value) :], value, (0, len(value)), len(bare)) if value else None


def _runs(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Yield blocks that may be stanzas of one poem: narrow ones, one below the other."""
    run: list[Block] = []
    for block in blocks:
        row = block.rows[0]
        near = not run or row.index - run[-1].rows[-1].index <= _LARGEST_GAP
        narrow = all(len(row.bare) <= WIDEST for row in block.rows)
        if run and not (near and narrow):
            yield run
            run = []
        if narrow:
            run.append(block)
    if run:
        yield run


def _claim_run(page: Page, run: Sequence[Block]) -> None:
    """Claim the blocks that are verse or stacked lines: by themselves, or because others are."""
    found = []
    for above, block in zip((None, *run[:-1]), run, strict=True):
        rows = [row.bare for row in block.rows]
        labelled_above = above is not None and above.is_label
        found.append(evidence(rows) + _LABEL_EVIDENCE * labelled_above)
    total = _PRIOR_OF_STANZAS + sum(value for value in found if value > -math.inf)
    for block, value in zip(run, found, strict=True):
        alone = value + prior([row.bare for row in block.rows]) > 0
        if alone or (value > _FEWEST_FOR_STANZA and total > 0):
            _claim_short_rows(page, block.rows)
        elif block.is_label:
            row = block.rows[0]
            page.claim(row, "stack", [row.part("text")], page.new_group())


def _is_verse(rows: Sequence[str]) -> bool:
    """Tell whether rows with deliberate breaks are a poem's rather than a list's or a program's."""
    words = sum(map(_n_words, rows))
    numbers = sum(any(map(str.isdigit, row)) for row in rows)
    if words < _FEWEST_WORDS * len(rows) or 3 * numbers >= len(rows):
        return False
    return not (any(map(looks_like_code, rows)) or all(map(is_shouted, rows)))


def _n_words(row: str) -> int:
    """Return the number of words; scripts without spaces take a word for three columns."""
    return width(row) // 3 if is_solid(row) else len(row.split())


def _claim_short_rows(page: Page, rows: Sequence[Row]) -> None:
    is_verse = _is_verse([row.bare for row in rows])
    group = page.new_group()
    for row in rows:
        label = None if is_verse else label_at(row.bare)
        if label:
            page.claim(row, "field", labelled(row, label, "name", "value"), group)
        else:
            page.claim(row, "verse" if is_verse else "stack", [row.part("text")], group)
