"""A text in rows and blocks, and which of its rows have been recognised."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import pyromark

from service.text.characters import CLOSING, PAUSING, SENTENCE_ENDS
from service.text.document import shields
from service.text.document.elements import RAW
from service.text.document.lines.line import Kind, Line, Part, Role, tiled
from service.text.document.lines.words import STOPS
from service.text.document.source import Source, plain
from service.text.scripts import HAN, KANA

_LINE_END = re.compile("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
_CLOSED = re.compile(rf"```|~~~|<(?:[!?]|(?:{'|'.join(sorted(RAW))})\b)", re.IGNORECASE)
"""What fenced code, and the blocks of HTML that may hold blank lines, begin with."""
_DIGIT = re.compile(r"\d")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_BRACKETED = re.compile(r"\[[^\[\]]{2,60}\]|【[^【】]{1,60}】")
_DEFINITION = re.compile(r"(\[[^\]]{1,200}\]):")
_LIST_MARK = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_STRUCTURE = re.compile(
    r"""[-*+](?:[ \t]|$)            # item
      | [0-9]{1,9}[.)](?:[ \t]|$)
      | \#{1,6}(?:[ \t]|$)          # heading
      | >                           # quotation
      | (?:=+|-{2,}|_{3,}|\*{3,})[ \t]*$
      | \|?[ \t]*:?-+:?[ \t]*\|     # second row of a table
      | \[[^\]]{1,200}\]:           # definition of a link or a footnote
      | </?[A-Za-uw-z!]             # HTML, but for the voices of subtitles
      | \$\$ | \\\[ | \\begin\b     # formula
    """,
    re.VERBOSE,
)
_CODE_INDENT = 4
_CODE_SIGN = re.compile(r"[{}=<>\\_|$@#]|\w\(|[^\W\d]/|::|\.\w|^\W+$")
FIRST_PERSON = re.compile(r"I\b")
"""A word that has a capital inside a sentence too."""
_SOLID = re.compile(f"[{HAN}{KANA}]")
_CLOSERS = f"{CLOSING}*_~`"
_SENTENCE_ENDS = (*SENTENCE_ENDS, "♪")
_PAUSES = (*PAUSING, *"♪–-")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the source.

    Attributes:
        index: its place among the rows.
        start: offset into the text, in code points.
        end: likewise, of its end, behind its line end.
        bare: without white space around it.
        left: offset of `bare` into the text.
        is_tabbed: whether a tab stands before `bare`.
    """

    index: int
    start: int
    end: int
    bare: str
    left: int
    is_tabbed: bool = False

    @property
    def indent(self) -> int:
        """Number of characters before `bare`."""
        return self.left - self.start

    @property
    def right(self) -> int:
        """Offset of the end of `bare` into the text."""
        return self.left + len(self.bare)

    def part(self, role: Role, start: int = 0, end: int | None = None) -> Part:
        """Return a part of this row, without white space around it.

        Args:
            role: what it is.
            start: offset into `bare`.
            end: likewise; None for the end of `bare`.
        """
        words = self.bare[start:end]
        start += len(words) - len(words.lstrip())
        return Part(role, self.left + start, self.left + start + len(words.strip()))


@dataclass(frozen=True, slots=True)
class Block:
    """Rows between blank ones.

    Attributes:
        rows: at least one, none is blank.
        is_markdown: whether one of them has a form that only Markdown gives a meaning, or stands
            inside an item of a list. Then Markdown reads them all, unless a row is unmistakable.
        is_label: whether this is a row in brackets with other rows right below it.
        is_deep: whether all rows are as far from the margin as Markdown's indented code, which a
            screenplay's and a poem's are too. Then `is_markdown` is true.
    """

    rows: Sequence[Row]
    is_markdown: bool = False
    is_label: bool = False
    is_deep: bool = False


class Page:
    """A text in rows and blocks, and the lines that grammars have claimed so far.

    Attributes:
        text: the whole text.
        rows: its rows, which tile it.
        blocks: the blocks outside of fenced code, of comments and the like, and of headings.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.rows = tuple(_rows(text))
        self._closed = _closed(text, self.rows)
        self._defined = {match[1] for row in self.rows if (match := _DEFINITION.match(row.bare))}
        self.blocks = tuple(self._blocks())
        self._lines: list[Line | None] = [None] * len(self.rows)
        self._groups = count()

    @cached_property
    def has_digits(self) -> bool:
        """Whether the text has any, without which it has no times."""
        return _DIGIT.search(self.text) is not None

    @cached_property
    def free_blocks(self) -> list[Block]:
        """Blocks that Markdown gives no form."""
        return [block for block in self.blocks if not block.is_markdown]

    @cached_property
    def deep_blocks(self) -> list[Block]:
        """Blocks that are code to Markdown only because they are indented."""
        return [block for block in self.blocks if block.is_deep]

    def is_free(self, row: Row) -> bool:
        """Tell whether a grammar may claim this row."""
        return self._lines[row.index] is None and not self._closed[row.index]

    def all_free(self, rows: Iterable[Row]) -> bool:
        """Tell whether a grammar may claim all these rows."""
        return all(self.is_free(row) for row in rows)

    def new_group(self) -> int:
        """Return a number for lines that belong together."""
        return next(self._groups)

    def claim(
        self, row: Row, kind: Kind, said: Sequence[Part], group: int, pause: bool = True
    ) -> None:
        """Take a row out of Markdown's hands.

        Args:
            row: a free row.
            kind: what it is.
            said: the parts that are not marks, in order; empty ones are left out.
            group: what lines that belong together share.
            pause: whether a pause follows.
        """
        parts = tiled(said, row.start, row.end)
        self._lines[row.index] = Line(kind, row.start, row.end, parts, group, pause)

    def lines(self) -> Iterator[Line]:
        """Yield lines that tile the text; none if no row was claimed."""
        if not any(self._lines):
            return
        start = 0
        kind: Kind = "plain"
        for row in self.rows:
            line = self._lines[row.index]
            blank = not row.bare and kind == "blank"
            if line is None and (blank or kind == "plain"):
                continue
            if row.start > start:
                yield self._unclaimed(kind, start, row.start)
            if line is None:
                start, kind = row.start, "plain"
            else:
                yield line
                start, kind = row.end, "blank"
        if start < len(self.text):
            yield self._unclaimed(kind, start, len(self.text))

    def _unclaimed(self, kind: Kind, start: int, end: int) -> Line:
        role: Role = "text" if kind == "plain" else "mark"
        return Line(kind, start, end, (Part(role, start, end),), self.new_group())

    def _blocks(self) -> Iterator[Block]:
        rows: list[Row] = []
        in_list = False
        for row in (*self.rows, None):
            if row is not None and row.bare and not self._closed[row.index]:
                if not _HEADING.match(row.bare):
                    rows.append(row)
                    continue
                in_list = False
            if not rows:
                continue
            lists = any(_LIST_MARK.match(line.bare) for line in rows)
            nested = in_list and rows[0].indent > 0
            in_list = lists or nested
            is_deep = all(row.indent >= _CODE_INDENT or row.is_tabbed for row in rows)
            is_markdown = nested or is_deep or _is_markdown(self.text, rows)
            while len(rows) > 1 and not is_markdown and self._is_label(rows[0].bare):
                yield Block(rows[:1], is_label=True)
                rows = rows[1:]
            yield Block(rows, is_markdown, is_deep=is_deep and not nested)
            rows = []

    def _is_label(self, bare: str) -> bool:
        return _BRACKETED.fullmatch(bare) is not None and bare not in self._defined


def _rows(text: str) -> Iterator[Row]:
    start = 0
    ends = [match.span() for match in _LINE_END.finditer(text)]
    if not ends or ends[-1][1] < len(text):
        ends.append((len(text), len(text)))
    for index, (stop, end) in enumerate(ends):
        # Some editors begin a file with a byte order mark.
        left = start + text.startswith("\ufeff", start, stop)
        line = text[left:stop]
        white = len(line) - len(line.lstrip())
        yield Row(index, start, end, line.strip(), left + white, "\t" in line[:white])
        start = end


def _closed(text: str, rows: Sequence[Row]) -> list[bool]:
    """Tell of each row whether it is in fenced code, or in HTML that a blank line does not end."""
    closed = [False] * len(rows)
    if _CLOSED.search(text) is None:
        return closed
    unified, crs = plain(text)
    source = Source(unified, shields.edits(unified))
    starts = [row.start for row in rows]
    events: Iterable[tuple[Any, Any]] = pyromark.events_with_range(source.parsed)
    for event, range_ in events:
        value = event.get("Start") if isinstance(event, dict) else None
        is_fenced = isinstance(value, dict) and "Fenced" in str(value.get("CodeBlock"))
        if is_fenced or value == "HtmlBlock":
            start, end = source.place(range_["start"]), source.place(range_["end"])
            first, last = (
                bisect_right(starts, at + bisect_left(crs, at)) - 1 for at in (start, end - 1)
            )
            closed[first : last + 1] = [True] * (last + 1 - first)
    return closed


def _is_markdown(text: str, rows: Sequence[Row]) -> bool:
    for row in rows:
        if is_structure(row.bare):
            return True
        # A hard line break.
        broken = row.bare.endswith("\\") or text.startswith("  ", row.right)
        if broken and row is not rows[-1]:
            return True
    return False


def is_structure(bare: str) -> bool:
    """Tell whether a row, without white space around it, has a form of Markdown's."""
    return _STRUCTURE.match(bare) is not None


def looks_like_code(bare: str) -> bool:
    """Tell whether a row has signs that hardly stand in prose or verse."""
    return _CODE_SIGN.search(bare) is not None


def width(text: str) -> int:
    """Return the columns that a text takes in a fixed-width font."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 1 + (unicodedata.east_asian_width(character) in "WF")


def is_solid(text: str) -> bool:
    """Tell whether a text is of a script without spaces between words."""
    return _SOLID.search(text) is not None


def ends_sentence(text: str) -> bool:
    """Tell whether a text ends with a mark that ends a sentence."""
    return text.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def ends_with_pause(text: str) -> bool:
    """Tell whether a text ends with a mark at which a voice pauses."""
    return text.rstrip(_CLOSERS).endswith(_PAUSES)


def ends_openly(text: str) -> bool:
    """Tell whether the last word is one that no clause ends with, such as an article."""
    return text[-20:].rpartition(" ")[2] in STOPS


def first_letter(text: str) -> str:
    """Return the first letter of a text, or an empty text."""
    return next((character for character in text[:40] if character.isalpha()), "")


def is_shouted(text: str) -> bool:
    """Tell whether a text is in capitals, with two letters at least; other scripts have none."""
    letters = [character for character in text if character.isalpha()]
    return len(letters) > 1 and all(map(str.isupper, letters))


def flows(above: str, below: str) -> bool:
    """Tell whether a row goes on with the sentence of the row above it."""
    if ends_sentence(above):
        return False
    return ends_openly(above) or not first_letter(below).isupper()
