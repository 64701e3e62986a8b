"""Turns of speakers, fields of forms, and screenplays: lines that begin with who or what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from service.text.document.lines.breaks import WIDEST
from service.text.document.lines.labels import Label, label_at, labelled, labels_of
from service.text.document.lines.line import Kind, Part, Role
from service.text.document.lines.page import (
    Block,
    Page,
    Row,
    ends_sentence,
    flows,
    is_shouted,
    width,
)

_DIRECTION = re.compile(r"\([^()]{1,200}\)|\[[^\[\]]{1,200}\]|（[^（）]{1,200}）")
_CAPTION = re.compile(r">{2,3}[ \t]*(?=[^\s>])")
_DASH = re.compile(r"[–—―][ \t\xa0]?(?=[^\s–—―-])")
_SLUG = re.compile(r"(?:INT|EXT|EST|I/E|INT\.?/EXT)[. ][^a-z]+")
_BETWEEN_PLACES = re.compile(r" [-–—] ")
_TRANSITION = re.compile(r"(?:FADE|CUT|DISSOLVE|SMASH CUT|MATCH CUT|WIPE)[ ][A-Z ]{2,20}[:.]")
_CHARACTER = re.compile(
    r"""[^\Wa-z\d_][^a-z()\[\]:;!?]{0,40}?
        (?P<extension>[ ]\((?:V\.?O|O\.?S|O\.?C|CONT['’]?D|PRE-LAP)\.?\))*""",
    re.VERBOSE,
)
_MOST_NAMES = 4


def claim_dialogue(page: Page) -> None:
    """Claim screenplays, captions, turns and fields."""
    _claim_screenplay(page)
    _claim_captions(page)
    blocks = [block for block in page.free_blocks if page.all_free(block.rows)]
    for block in blocks:
        if not (_claim_dashes(page, block) or _claim_labelled(page, block)):
            _claim_conversation(page, block)
    _claim_apart(page, [block for block in blocks if page.all_free(block.rows)])


def _claim_screenplay(page: Page) -> None:
    """Claim sluglines and what characters say.

    A slugline needs another row anywhere. A name in capitals above what is said needs a mark of the
    trade (`(V.O.)`, a parenthetical below), a slugline, or a second such name.
    """
    blocks = [block for block in page.blocks if block.is_deep or not block.is_markdown]
    blocks = [block for block in blocks if page.all_free(block.rows)]
    slugs = [row for block in blocks for row in block.rows[:1] if _SLUG.fullmatch(row.bare)]
    if sum(len(block.rows) for block in page.blocks) < 2:
        return
    for row in slugs:
        page.claim(row, "scene", _places(row), page.new_group())
    # What stands right below a slugline without a blank row.
    blocks = [
        Block(rows, is_deep=block.is_deep)
        for block in blocks
        if (rows := block.rows[1:] if not page.is_free(block.rows[0]) else block.rows)
    ]
    named = [(block, match) for block in blocks if (match := _named(block))]
    many = len(named) > 1
    for block, match in named:
        directed = len(block.rows) > 2 and _DIRECTION.fullmatch(block.rows[1].bare)
        if bool(slugs) or (not block.is_deep and (many or match["extension"] or directed)):
            _claim_speech(page, block)
    for block in blocks if slugs else ():
        if not page.all_free(block.rows):
            continue
        if block.is_deep or _TRANSITION.fullmatch(block.rows[0].bare):
            _claim_prose(page, block.rows, "scene")


def _places(row: Row) -> list[Part]:
    """Return the places and the time of a slugline."""
    parts, start = [], 0
    for dash in _BETWEEN_PLACES.finditer(row.bare):
        parts.append(row.part("cell", start, dash.start()))
        start = dash.end()
    return [*parts, row.part("cell", start)]


def _named(block: Block) -> re.Match[str] | None:
    """Return the match of a character's name in capitals above what is said."""
    rows = block.rows
    if len(rows) < 2 or is_shouted(rows[1].bare):
        return None
    match = _CHARACTER.fullmatch(rows[0].bare)
    name = match[0].split(" (")[0] if match else ""
    is_name = is_shouted(name) and name.count(" ") < _MOST_NAMES
    return match if is_name and not ends_sentence(name[3:]) else None


def _claim_speech(page: Page, block: Block) -> None:
    group = page.new_group()
    page.claim(block.rows[0], "turn", [block.rows[0].part("speaker")], group)
    _claim_prose(page, block.rows[1:], "turn", group)


def _claim_prose(page: Page, rows: Sequence[Row], kind: Kind, group: int | None = None) -> None:
    """Claim rows that go on with each other, but for stage directions."""
    group = page.new_group() if group is None else group
    for row, below in zip(rows, (*rows[1:], None), strict=True):
        directs = below is None or any(_DIRECTION.fullmatch(near.bare) for near in (row, below))
        goes_on = not directs and below is not None and flows(row.bare, below.bare)
        page.claim(row, kind, [row.part("text")], group, not goes_on)


def _claim_captions(page: Page) -> None:
    """Claim rows with `>>` for a new speaker and `>>>` for a new story.

    Two are needed, one of them `>>`, for Python's prompt is `>>>`, and no single mark, which is a
    mail's or a quotation's.
    """
    marked = [row for row in page.rows if row.bare.startswith(">") and page.is_free(row)]
    marks = [match[0].count(">") for row in marked if (match := _CAPTION.match(row.bare))]
    if len(marked) < 2 or len(marks) < len(marked) or 2 not in marks:
        return
    for block in page.blocks:
        group = None
        for row, below in zip(block.rows, (*block.rows[1:], None), strict=True):
            caption = _CAPTION.match(row.bare)
            if caption:
                group = page.new_group()
            if group is None or not page.is_free(row):
                continue
            start = caption.end() if caption else 0
            label = label_at(row.bare, start)
            if caption and label and label.is_shouted:
                said = labelled(row, label, "speaker", "text")
            else:
                said = [row.part("text", start)]
            ends = below is None or below.bare.startswith(">") or not flows(row.bare, below.bare)
            page.claim(row, "turn", said, group, ends)


def _claim_dashes(page: Page, block: Block) -> bool:
    """Claim a block of which every row begins with a dash, as dialogues do in many languages."""
    rows = block.rows
    dashes = [_DASH.match(row.bare) for row in rows]
    if len(rows) < 2 or not all(dashes):
        return False
    for row, dash in zip(rows, dashes, strict=True):
        if dash:
            page.claim(row, "turn", [row.part("text", dash.end())], page.new_group())
    return True


def _claim_labelled(page: Page, block: Block) -> bool:
    """Claim a block of which every row but a title begins with a label."""
    rows = block.rows
    labels = labels_of(rows)
    if len(rows) > 2 and labels[0] is None and _is_title(rows[0].bare):
        rows, labels = rows[1:], labels[1:]
    if labels[0] is None:
        return False
    # A value may go on in deeper rows.
    margin = rows[0].indent
    labels = [
        label if row.indent <= margin else None for row, label in zip(rows, labels, strict=True)
    ]
    known = [label for label in labels if label is not None]
    outer = [row for row in rows if row.indent <= margin]
    if len(outer) < 2 or len(known) < len(outer):
        return False
    if not all(label.is_capital or " " not in label.name for label in known):
        return False
    # Prose in two wide rows may have a colon early in both.
    wide = width(rows[0].bare[: WIDEST + 1]) > WIDEST and not ends_sentence(rows[0].bare)
    if len(rows) == 2 and wide and not all(label.is_shouted for label in known):
        return False
    speaks = _speaks(outer, known)
    roles: tuple[Role, Role] = ("speaker", "text") if speaks else ("name", "value")
    group = page.new_group()
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        group = page.new_group() if speaks and label else group
        said = labelled(row, label, *roles) if label else [row.part(roles[1])]
        below = rows[place + 1] if place + 1 < len(rows) and labels[place + 1] is None else None
        is_empty = label is not None and label.behind >= len(row.bare)
        goes_on = below is not None and not is_empty and flows(row.bare, below.bare)
        page.claim(row, "turn" if speaks else "field", said, group, not goes_on)
    return True


def _is_title(bare: str) -> bool:
    return width(bare[: WIDEST + 1]) <= WIDEST and (bare.endswith(":") or not ends_sentence(bare))


def _speaks(rows: Sequence[Row], labels: Sequence[Label]) -> bool:
    """Tell whether labels are of speakers rather than of fields."""
    # A form has no label twice, and a conversation has sentences.
    if all(label.is_speaker for label in labels):
        return True
    if len({label.name for label in labels}) < len(labels):
        return True
    sentences = sum(ends_sentence(row.bare) for row in rows)
    return all(label.is_shouted for label in labels) and 2 * sentences >= len(rows)


def _turns(rows: Sequence[Row]) -> Iterator[Label | None]:
    """Yield the label of each row that begins a turn, None for the others."""
    for label in labels_of(rows):
        yield label if label and (label.is_shouted or label.is_speaker) else None


def _claim_conversation(page: Page, block: Block) -> None:
    """Claim turns of more than one row, and turns among stage directions."""
    rows = block.rows
    turns = list(_turns(rows))
    directions = [_DIRECTION.fullmatch(row.bare) is not None for row in rows]
    first = turns[0] is not None or directions[0]
    n_turns = sum(turn is not None for turn in turns)
    if not first or n_turns == 0 or n_turns + sum(directions) < 2:
        return
    _claim_turns(page, rows, turns)


def _claim_turns(page: Page, rows: Sequence[Row], turns: Sequence[Label | None]) -> None:
    group = page.new_group()
    for place, (row, label) in enumerate(zip(rows, turns, strict=True)):
        below = rows[place + 1] if place + 1 < len(rows) else None
        ends = below is None or turns[place + 1] is not None
        ends = ends or any(near and _DIRECTION.fullmatch(near.bare) for near in (row, below))
        goes_on = not ends and below is not None and flows(row.bare, below.bare)
        if label is None:
            page.claim(row, "turn", [row.part("text")], group, not goes_on)
            continue
        group = page.new_group()
        said = labelled(row, label, "speaker", "text")
        page.claim(row, "turn", said, group, not goes_on)


def _claim_apart(page: Page, blocks: Sequence[Block]) -> None:
    """Claim turns in blocks of their own, if one speaker among several speaks again."""
    turns = [(block, list(_turns(block.rows))) for block in blocks]
    opening = [(block, labels, label) for block, labels in turns if (label := labels[0])]
    names = [label.name for _, _, label in opening]
    if 1 < len(set(names)) < len(names):
        for block, labels, _ in opening:
            _claim_turns(page, block.rows, labels)
