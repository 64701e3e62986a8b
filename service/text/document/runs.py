"""What the parser leaves to do in the lines of one paragraph, heading, item or cell.

A run is the pieces of such lines. Signs of emphasis that CommonMark refused are paired in it, tags
of HTML become spans, and lines that are rows of a table or items of a list are found, whose writers
did not know Markdown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from service.text.document import elements, emphasis
from service.text.document.source import Source
from service.text.document.tree import MAX_SPANS, LeafKind, Span
from service.text.offset_mapping import TracedText


class Piece:
    """A leaf of a run, before it is known in which block it ends up.

    Attributes:
        kind: as of a leaf.
        start: offset in the plain text.
        end: likewise, of its end.
        text: what is said; None if it is the plain text as it stands.
        spans: as of a leaf.
    """

    __slots__ = ("end", "kind", "spans", "start", "text")

    def __init__(
        self,
        kind: LeafKind,
        start: int,
        end: int,
        text: TracedText | None = None,
        spans: tuple[Span, ...] = (),
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.text = text
        self.spans = spans

    def cut(self, start: int, end: int, kind: LeafKind | None = None) -> Piece:
        """Return a part of a piece that is said as it stands."""
        return Piece(kind or self.kind, start, end, None, self.spans)


class Lines(NamedTuple):
    """Lines that are what their block is."""

    pieces: Sequence[Piece]


class Item(NamedTuple):
    """Lines that are an item of a list.

    Attributes:
        start: offset of its bullet or number in the plain text.
        sign: the bullet or number, as it is written.
        number: the range that is said of a number, None for a bullet.
        is_done: whether its box is ticked, None without a box.
        pieces: what follows.
    """

    start: int
    sign: str
    number: tuple[int, int] | None
    is_done: bool | None
    pieces: Sequence[Piece]


class Row(NamedTuple):
    """A line that is a row of a table.

    Attributes:
        start: offset of the line in the plain text.
        cells: the pieces of each cell.
        is_first: whether its table begins.
    """

    start: int
    cells: Sequence[Sequence[Piece]]
    is_first: bool


Part = Lines | Item | Row

_TROUBLE = re.compile(r"[*~=_]{2}|\*[\"'“”„‘«‹「『（《【]|\[\^|\[[0-9]|`")
_NOTE = re.compile(r"\[\^([^\s\[\]^]{1,64})\]")
# `four[1][3]`, but `a[1]` and `rows[0]` are parts of programs. None begins behind a bracket, so a
# row of them is tried once.
_CITATION = re.compile(
    r"(?:(?<=\w\w)|(?<=\w\w[*_~`])|(?<=\w\w[*_~]{2})|(?<=[.,;:!?)\"”’»%]))"
    r"(?:\[[1-9][0-9]{0,3}(?:\s?[-–,]\s?[0-9]{1,4}){0,8}\])+(?![\w(\[]|\s*=)"
)
_TICKS = re.compile(r"`+")
_ALERT = re.compile(r"\[!([A-Za-z]{3,16})\]")

_BULLETS = "•‣⁃◦∙▪▫●○■□◆◇▶►▸➤➔➢❖\ue000-\uf8ff"
_MARKER = re.compile(
    rf"(?P<bullet>[{_BULLETS}]\ufe0f?[ \t]*|[–—][ \t]+)"
    r"|(?P<box>[☐☑☒✓✔✗✘]\ufe0f?[ \t]*|\[[ xX]\][ \t]*)"
    r"|(?P<key>[0-9])\ufe0f?\u20e3[ \t]*"
    r"|(?P<open>\(?)(?P<label>[0-9]{1,3}|[A-Za-z]|[ivxIVX]{2,5})(?P<close>[.)])[ \t]+(?=\S)"
)
_ALONE = frozenset(f"{_BULLETS}[☐☑☒✓✔✗✘")
"""Signs that one line by itself may begin with."""
_LEFT_FRAMES = frozenset(("| ", "|\t"))
_RIGHT_FRAMES = frozenset((" |", "\t|"))
_DONE = frozenset("☑✓✔xX")
_NOT_DONE = frozenset("☐ ")
_RULER = re.compile(r"(?=[^-]*-)[|:\- \t]+")
_ROMANS = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")


def refine(source: Source, tags: elements.Tags, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a run with what the parser left of emphasis, tags and notes."""
    shown = source.shown
    has_tags = has_trouble = False
    for piece in pieces:
        if piece.kind == "text":
            if piece.text is None and _TROUBLE.search(shown, piece.start, piece.end) is not None:
                has_trouble = True
        elif piece.kind == "tag":
            has_tags = True
    if not (has_tags or has_trouble):
        return pieces
    cuts: list[tuple[int, int]] = []
    wraps: list[Span] = []
    if has_tags:
        wraps += _tag_spans(pieces)
    if has_trouble:
        cuts, found = _leftovers(source, pieces)
        wraps += found
    return _wrapped(_cut(pieces, cuts), wraps) if cuts or wraps else pieces


def _tag_spans(pieces: Sequence[Piece]) -> Iterator[Span]:
    """Yield what the tags of a run mean to the words between them."""
    opened: dict[str, list[Piece]] = {}
    for piece in pieces:
        if piece.kind != "tag":
            continue
        name = piece.spans[-1].value
        element = name.removeprefix("/")
        kind = elements.SPANS.get(element)
        if kind is None:
            continue
        if name == element:
            opened.setdefault(element, []).append(piece)
        elif opened.get(element):
            start = opened[element].pop()
            yield Span(kind, start.start, piece.end)
    for element, starts in opened.items():
        for start in starts:
            yield Span(elements.SPANS[element], start.start, pieces[-1].end)


def _leftovers(source: Source, pieces: Sequence[Piece]) -> tuple[list[tuple[int, int]], list[Span]]:
    """Return the signs in the text of a run that are marks, and the spans that they make."""
    shown = source.shown
    left: list[emphasis.Left] = []
    cuts: list[tuple[int, int]] = []
    spans: list[Span] = []
    line = end = 0
    for index, piece in enumerate(pieces):
        if piece.kind in ("soft", "hard"):
            line += 1
        if piece.kind != "text" or piece.text is not None:
            end = piece.end
            continue
        is_escaped = piece.start > end and shown[piece.start - 1] == "\\"
        first = piece.start + is_escaped
        # The parser may have taken a part of the run of signs.
        for sign in emphasis.LEFT.finditer(shown[first : piece.end]):
            start, stop = first + sign.start(), first + sign.end()
            is_first = start == piece.start and (not index or _is_apart(pieces[index - 1]))
            is_last = stop == piece.end and (
                index + 1 == len(pieces) or _is_apart(pieces[index + 1])
            )
            before = "\n" if is_first else shown[start - 1]
            after = "\n" if is_last else shown[stop]
            if stop - start < len("****"):
                left.append(emphasis.Left(start, stop, before, after, line))
            elif not (before.isspace() and after.isspace()):
                half = start + len("**")
                left.append(emphasis.Left(start, half, before, after, line, is_part=True))
                left.append(emphasis.Left(half, stop, before, after, line, is_part=True))
        for note in _NOTE.finditer(shown, first, piece.end):
            cuts.append(note.span())
            spans.append(Span("note", *note.span(), note[1]))
        for citation in _CITATION.finditer(source.text, first, piece.end):
            cuts.append(citation.span())
            spans.append(Span("citation", *citation.span()))
        for ticks in _TICKS.finditer(shown, first, piece.end):
            near = shown[ticks.start() - 1 : ticks.start()], shown[ticks.end() : ticks.end() + 1]
            if not all(map(str.isalnum, near)):
                cuts.append(ticks.span())
        end = piece.end
    if left:
        found, silent = emphasis.pairs(shown, left)
        for pair in found:
            spans.append(Span(pair.kind, pair.opening.start, pair.closing.end))
            cuts.append((pair.opening.start, pair.opening.end))
            cuts.append((pair.closing.start, pair.closing.end))
        cuts += ((sign.start, sign.end) for sign in silent)
    cuts.sort()
    return cuts, spans


def _is_apart(piece: Piece) -> bool:
    """Tell whether words before and after a piece do not touch."""
    if piece.kind == "tag":
        return elements.breaks(piece.spans[-1].value)
    return piece.kind in ("soft", "hard")


def _cut(pieces: Sequence[Piece], cuts: Sequence[tuple[int, int]]) -> list[Piece]:
    """Return pieces without the ranges that are marks, which lie in texts and do not overlap."""
    if not cuts:
        return list(pieces)
    kept: list[Piece] = []
    index = 0
    for piece in pieces:
        while index < len(cuts) and cuts[index][1] <= piece.start:
            index += 1
        at = piece.start
        if piece.kind == "text" and piece.text is None:
            while index < len(cuts) and cuts[index][1] <= piece.end:
                start, end = cuts[index]
                if start > at:
                    kept.append(piece.cut(at, start))
                kept.append(piece.cut(start, end, "mark"))
                at = end
                index += 1
        if at == piece.start:
            kept.append(piece)
        elif at < piece.end:
            kept.append(piece.cut(at, piece.end))
    return kept


def _wrapped(pieces: Sequence[Piece], wraps: Sequence[Span]) -> list[Piece]:
    """Return the pieces with more spans around them; texts are cut where a span begins or ends."""
    wraps = sorted(wraps, key=lambda span: (span.start, -span.end))
    edges = sorted({edge for span in wraps for edge in (span.start, span.end)})
    done: list[Piece] = []
    active: list[Span] = []
    combined: dict[int, tuple[Span, ...]] = {}
    next_wrap = next_edge = 0
    for piece in pieces:
        for part in _divided(piece, edges, next_edge):
            next_edge = bisect_left(edges, part.end, next_edge)
            n_active = len(active)
            if active:
                active = [span for span in active if span.end > part.start]
            is_other = len(active) != n_active
            while next_wrap < len(wraps) and wraps[next_wrap].start <= part.start:
                if wraps[next_wrap].end > part.start and len(active) < MAX_SPANS:
                    active.append(wraps[next_wrap])
                    is_other = True
                next_wrap += 1
            if is_other:
                combined.clear()
            if active:
                spans = combined.get(id(part.spans))
                if spans is None:
                    spans = _merged(part.spans, active)
                    if part.kind != "tag":
                        combined[id(part.spans)] = spans
                part = Piece(part.kind, part.start, part.end, part.text, spans)
            done.append(part)
    return done


def _divided(piece: Piece, edges: Sequence[int], first: int) -> Iterator[Piece]:
    at = piece.start
    if piece.kind == "text" and piece.text is None:
        index = bisect_left(edges, at + 1, first)
        while index < len(edges) and edges[index] < piece.end:
            yield piece.cut(at, edges[index])
            at = edges[index]
            index += 1
    yield piece if at == piece.start else piece.cut(at, piece.end)


def _merged(spans: tuple[Span, ...], active: Sequence[Span]) -> tuple[Span, ...]:
    if spans and spans[-1].kind == "tag":
        return (*_merged(spans[:-1], active), spans[-1])
    return tuple(sorted((*active, *spans), key=lambda span: (span.start, -span.end)))[:MAX_SPANS]


class _Line:
    """A line of a run.

    Attributes:
        before: the end of the line before, None for the first.
        pieces: never empty.
        marker: its bullet or number, if it begins with one.
        table: what its cells are divided by, and by how many; None if by nothing.
    """

    __slots__ = ("before", "marker", "pieces", "table")

    def __init__(self, shown: str, before: Piece | None, pieces: list[Piece]) -> None:
        first, last = pieces[0], pieces[-1]
        self.before = before
        self.pieces = pieces
        self.marker: re.Match[str] | None = None
        if first.kind == "text" and first.text is None:
            self.marker = _MARKER.match(shown, first.start, first.end)
        self.table: tuple[str, int] | None = None
        start, end = first.start, last.end
        n_bars = shown.count("|", start, end)
        if n_bars > len("||") and shown[start : start + 2] in _LEFT_FRAMES:
            if shown[end - 2 : end] in _RIGHT_FRAMES:
                self.table = "frame", 0
        elif n_bars and (n_cells := shown.count(" | ", start, end)):
            self.table = "bar", n_cells
        elif "\t" in shown[start:end].strip():
            self.table = "tab", shown.count("\t", start, end)


def _lines(shown: str, pieces: Sequence[Piece]) -> list[_Line]:
    lines: list[_Line] = []
    before: Piece | None = None
    line: list[Piece] = []
    for piece in pieces:
        if piece.kind not in ("soft", "hard"):
            line.append(piece)
        elif line:
            lines.append(_Line(shown, before, line))
            before, line = piece, []
    if line:
        lines.append(_Line(shown, before, line))
    return lines


def parts(source: Source, pieces: list[Piece], *, is_quoted: bool, is_item: bool) -> list[Part]:
    """Return the parts of a run: lines, items and rows, in order.

    An item needs a second one in the same run, with the same bullet or the next number; bullets
    that are no words need none. A row of a table needs a second one with as many cells: framed by
    bars, or with bars between spaces, or with tabs.

    Args:
        source: where the pieces come from.
        pieces: of the run.
        is_quoted: whether a quote begins with it; `[!TIP]` on its first line is a line of its own.
        is_item: whether an item begins with it, which may have a box.
    """
    first, shown = pieces[0], source.shown
    is_one_line = all(piece.kind not in ("soft", "hard") for piece in pieces)
    if is_one_line and not (first.kind == "text" and shown[first.start] in _ALONE):
        return [Lines(pieces)]
    lines = _lines(shown, pieces)
    parts: list[Part] = []
    if is_quoted and lines:
        alert = _ALERT.fullmatch(shown, first.start, lines[0].pieces[-1].end)
        if alert is not None:
            start, end = alert.span(1)
            word = TracedText(source.text)[start:end]
            word = word.respelled([word.text[0].upper(), *word.text[1:].lower()])
            parts.append(Lines([Piece("text", start, end, word, first.spans)]))
            lines = lines[1:]
    items = _items(lines)
    if is_item and lines and lines[0].marker is not None and lines[0].marker["box"]:
        items.add(0)
    owner: list[Piece] | None = None
    for index, line in enumerate(lines):
        if index in items and line.marker is not None:
            owner = []
            parts.append(_item(line, line.marker, owner))
        elif _is_row(lines, index):
            owner = None
            if not _RULER.fullmatch(shown, line.pieces[0].start, line.pieces[-1].end):
                is_first = not (parts and isinstance(parts[-1], Row))
                is_first = is_first or lines[index - 1].table != line.table
                parts.append(Row(line.pieces[0].start, _cells(shown, line), is_first))
        else:
            if owner is None:
                owner = []
                parts.append(Lines(owner))
            elif line.before is not None:
                owner.append(line.before)
            owner += line.pieces
    return parts


def _is_row(lines: Sequence[_Line], index: int) -> bool:
    table = lines[index].table
    if table is None:
        return False
    near = (index - 1, index + 1)
    return any(0 <= other < len(lines) and lines[other].table == table for other in near)


def _cells(shown: str, line: _Line) -> list[list[Piece]]:
    """Return the pieces of each cell of a row, without white space around them; none is empty."""
    sign = "\t" if line.table is not None and line.table[0] == "tab" else "|"
    cells: list[list[Piece]] = [[]]
    for piece in line.pieces:
        if piece.kind != "text" or piece.text is not None:
            cells[-1].append(piece)
            continue
        at = piece.start
        is_escaped = at > 0 and shown[at - 1] == "\\"
        while at < piece.end:
            end = shown.find(sign, at + is_escaped, piece.end)
            end = piece.end if end < 0 else end
            words = shown[at:end]
            start = at + len(words) - len(words.lstrip())
            stop = start + len(words.strip())
            is_edge = end < piece.end
            if start < stop:
                first = start if not cells[-1] else at
                cells[-1].append(piece.cut(first, stop if is_edge else end))
            if is_edge:
                cells.append([])
            at = end + 1
            is_escaped = False
    return [cell for cell in cells if cell]


def _item(line: _Line, marker: re.Match[str], owner: list[Piece]) -> Item:
    first = line.pieces[0]
    if marker.end() < first.end:
        owner.append(first.cut(marker.end(), first.end))
    owner += line.pieces[1:]
    number: tuple[int, int] | None = None
    is_done: bool | None = None
    if marker["label"] is not None:
        number = marker.start(), marker.end("close")
    elif marker["key"] is not None:
        number = marker.span("key")
    elif marker["box"] is not None:
        sign = marker["box"].strip("[] \t\ufe0f") or " "
        is_done = True if sign in _DONE else False if sign in _NOT_DONE else None
    return Item(first.start, marker[0].strip(), number, is_done, owner)


def _items(lines: Sequence[_Line]) -> set[int]:
    """Return the indexes of lines that are items."""
    found: set[int] = set()
    alike: dict[str, int] = {}
    last: tuple[int, re.Match[str]] | None = None
    for index, line in enumerate(lines):
        marker = line.marker
        if marker is None:
            continue
        if marker["label"] is not None:
            if last is not None and _follows(last[1], marker):
                found |= {last[0], index}
            last = index, marker
        elif marker["bullet"] is not None and marker[0][0] in _BULLETS:
            found.add(index)
        else:
            kind = "box" if marker["box"] else "key" if marker["key"] else marker[0][0]
            if kind in alike:
                found |= {alike[kind], index}
            alike[kind] = index
    return found


def _follows(before: re.Match[str], after: re.Match[str]) -> bool:
    """Tell whether a number or letter is the next one, between the same signs."""
    if before["open"] != after["open"] or before["close"] != after["close"]:
        return False
    first, second = before["label"], after["label"]
    if first.isdigit() or second.isdigit():
        return first.isdigit() and second.isdigit() and int(second) == int(first) + 1
    if first.isupper() != second.isupper():
        return False
    if second.lower() in _ROMANS and first.lower() == _ROMANS[_ROMANS.index(second.lower()) - 1]:
        return True
    return len(first) == len(second) == 1 and ord(second) == ord(first) + 1
