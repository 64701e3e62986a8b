"""Parse Markdown into a tree.

The parser is pyromark (pulldown-cmark), which keeps to CommonMark and gives the place of
everything. What a reader wants otherwise is decided in three places only: `shields` before the
parser, `runs` behind it, and here for blocks: four spaces do not make code, and a rule below
several lines, or below a sentence, is no heading's.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyromark
from pyromark import Options

from service.text.characters import CLOSING, SENTENCE_ENDS, WRAPPED_LINE
from service.text.document import code, elements, shields
from service.text.document.runs import Item, Lines, Piece, Row, parts, refine
from service.text.document.source import TEXT, Edit, Source, plain
from service.text.document.tree import (
    MAX_SPANS,
    NOTHING,
    SAID,
    Block,
    BlockKind,
    Document,
    Leaf,
    LeafKind,
    Span,
    SpanKind,
    TreeBuilder,
)
from service.text.offset_mapping import TracedText

OPTIONS = (
    Options.ENABLE_TABLES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_MATH
)
"""Metadata are not among them, because the parser finds them between any two rules."""

MAX_ROUNDS = 3
"""How often a text is parsed. After the first time it is known which indented lines are no code,
and after the second what definitions these had hidden; the third is the last in any case."""

PLAIN = re.compile(r"[^\W\d_](?:[^\W_]|[ ,.;:?!\"'’“”‘()/%—–…-])*(?<! )")
"""One line that has no sign of Markdown, nor one that a line may begin or end with."""
_SENTENCE = re.compile(rf"[{SENTENCE_ENDS}][{re.escape(CLOSING)}]*\s*\Z")
_SETEXT = re.compile(r"[ \t]*\n[ \t>]*(=+|-+)[ \t]*\n?")
_DEFINITION = re.compile(r"\[(?!\^)[^\[\]]{1,400}\]:")
_TAGS = re.compile(r"<[!/?]?[A-Za-z\[-]")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_ESCAPED = re.compile(
    r"(?:amp;|#0{0,6}38;){0,9}(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"
)
_LINE_END = re.compile(r"\n[ \t>]*")
_LINE_START = re.compile(r"[ \t>]*")
_SIGN = re.compile(r"[ \t]*([0-9]{1,9}[.)]|[-+*])[ \t]*")

_INLINE: dict[str, SpanKind] = {
    "Emphasis": "emphasis", "Strong": "strong", "Strikethrough": "strike", "Link": "link",
    "Image": "image",
}  # fmt: skip
_OF_LINES: dict[str, BlockKind] = {
    "Paragraph": "paragraph", "Heading": "heading", "TableCell": "cell",
}  # fmt: skip
_CONTAINERS: dict[str, BlockKind] = {
    "Table": "table", "TableRow": "row", "HtmlBlock": "html", "FootnoteDefinition": "footnote",
}  # fmt: skip
_CLOSINGS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", "?>"))
_UNTIL = {
    end: re.compile(re.escape(end), re.IGNORECASE)
    for end in (*(closing for _, closing in _CLOSINGS), *(f"</{name}>" for name in elements.MUTE))
}


def parse(text: str) -> Document:
    """Return the tree of a text. Takes time in proportion to its length, whatever it holds.

    Args:
        text: any text; halves of surrogate pairs and control characters too.
    """
    if not text:
        return Document("", (), ())
    if PLAIN.fullmatch(text) is not None:
        return one_leaf(text)
    unified, crs = plain(text)
    document = read(unified).document
    if crs:
        return document.moved(text, lambda at: at + bisect_left(crs, at))
    return document


def one_leaf(text: str) -> Document:
    """Return the tree of a text, which is not empty, as a paragraph that has no markup."""
    leaf = Leaf("text", 0, len(text), TracedText(text), (), 0)
    return Document(text, (leaf,), (Block("paragraph", 0, len(text), -1, 0, 1),))


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of a text that is a part of another.

    Attributes:
        definitions: length of what stands before the part: definitions of links from before it.
        is_start: whether the text begins with the part.
        is_inside: whether a paragraph goes on with it.
        numbers: those at the starts of lines before it.
        names: elements that have tags before it, in small letters, with a slash for end tags.
    """

    definitions: int = 0
    is_start: bool = True
    is_inside: bool = False
    numbers: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()


WHOLE = Context()


class Parsed(NamedTuple):
    """A plain text as a tree, with what is needed to go on when more of it comes.

    Attributes:
        document: the tree.
        shown: the text as the parser sees it, without what is text in any case.
        starts: where the outermost blocks and items begin, in order.
        is_certain: whether it was clear from the first what is code.
    """

    document: Document
    shown: str
    starts: Sequence[int]
    is_certain: bool


def read(text: str, context: Context = WHOLE) -> Parsed:
    """Return the tree of a plain text, or of a part of one."""
    start = shields.metadata_end(text) if context.is_start else 0
    edits = shields.edits(text, is_whole=context.is_start)
    if context.is_inside:
        edits.append(Edit(context.definitions, context.definitions, TEXT))
    definitions = shields.Definitions(text)
    numbers = shields.item_numbers(text, context.numbers)
    tags = elements.Tags(text, context.names)
    attempt = 0
    while True:
        source = Source(text, edits, start)
        parser = _Parser(source, tags, definitions, numbers, is_last=attempt == MAX_ROUNDS - 1)
        document = parser.parse()
        if not parser.vetoes:
            return Parsed(document, source.shown, parser.starts, attempt == 0)
        edits = [*parser.vetoes, *edits]
        attempt += 1


class _Parser:
    """One pass over the parser's events."""

    def __init__(
        self,
        source: Source,
        tags: elements.Tags,
        definitions: shields.Definitions,
        numbers: Container[int],
        *,
        is_last: bool,
    ) -> None:
        self.vetoes: list[Edit] = []
        """What the parser should not see in the next round."""
        self.starts: list[int] = []
        """Where the outermost blocks and items begin."""
        self._source = source
        self._text = source.text
        self._shown = source.shown
        self._tags = tags
        self._definitions = definitions
        self._is_last = is_last
        self._builder = TreeBuilder(source.text)
        self._run: list[Piece] = []
        self._block: tuple[BlockKind, int, int] | None = None  # of the run: kind, start and level
        self._begins: BlockKind | None = None  # the quote or item in which the run is the first
        self._spans: tuple[Span, ...] = ()
        self._around: list[tuple[tuple[Span, ...], int]] = []
        self._n_lists = self._depth = 0
        self._numbers = numbers
        self._items: list[bool] = []  # whether those that are open are items to us too
        self._is_numbered = False  # whether the run so far is a number that begins a paragraph
        self._labels: set[str] = set()
        self._code_lines: list[tuple[int, int]] | None = None
        self._is_fenced = False
        self._is_html = False
        self._until = ""  # what ends the part of an HTML block that is not read
        self._muted = ""  # the element whose text is not read
        self._skipped = 0  # text before this was read already
        self._tagged: list[tuple[str, int, int]] = []

    def parse(self) -> Document:
        source, builder = self._source, self._builder
        if source.start:
            builder.open("metadata", 0)
            builder.close(source.start)
        place: Callable[[int], int] = _same if source.is_plain else source.place
        events: Iterable[tuple[Any, Any]] = pyromark.events_with_range(
            source.parsed, options=OPTIONS
        )
        for event, range_ in events:
            start, end = place(range_["start"]), place(range_["end"])
            if isinstance(event, str):
                if event == "Rule":
                    if not self._depth:
                        self.starts.append(start)
                    self._flush(start)
                    self._rule(start, end)
                else:
                    self._line_end(event, start, end)
                continue
            ((name, value),) = event.items()
            if name == "Text":
                self._add(value, start, end)
            elif name == "Start":
                self._start(value, start, end)
            elif name == "End":
                self._end(value, end)
            elif name == "Code":
                self._code(value, start, end)
            elif name == "InlineHtml":
                self._tag(start, end)
            elif name == "InlineMath" or name == "DisplayMath":
                self._formula(start, end)
            elif name == "FootnoteReference":
                span = Span("note", start, end, value)
                self._run.append(Piece("mark", start, end, None, self._more(span)))
            elif name == "TaskListMarker":
                builder.tick(value)
            elif name == "Html":
                self._html(start, end)
        self._flush(len(self._text))
        self._define(len(self._text))
        if self._definitions and not self._is_last:
            self.vetoes += self._definitions.unused(self._labels)
        return builder.finish(tuple(elements.regions(self._text, self._tagged)))

    # Blocks

    def _start(self, value: str | Mapping[str, Any], start: int, end: int) -> None:
        detail: Any = None
        if isinstance(value, str):
            name = value
        else:
            ((name, detail),) = value.items()
        inline = _INLINE.get(name)
        if inline is not None:
            self._around.append((self._spans, len(self._run)))
            target = ""
            if detail is not None:
                target = self._unshielded(detail["dest_url"], start)
                self._labels.add(shields.fold(self._unshielded(detail["id"], start)))
            self._spans = self._more(Span(inline, start, end, target))
            return
        if self._depth <= (name == "Item"):
            self.starts.append(start)
        self._depth += 1
        builder = self._builder
        if name == "Paragraph" and self._is_numbered:
            self._block, self._is_numbered = ("paragraph", self._run[0].start, 0), False
            return
        self._flush(start)
        self._define(start)
        if name in _OF_LINES:
            level = int(detail["level"][1]) if name == "Heading" else 0
            self._block = _OF_LINES[name], start, level
        elif name == "List":
            self._n_lists += 1
        elif name == "Item":
            self._item(start)
            return
        elif name == "BlockQuote":
            builder.open("quote", start, level=builder.depth("quote") + 1)
            self._begins = "quote"
        elif name == "CodeBlock":
            self._is_fenced = not isinstance(detail, str)
            info = self._unshielded(detail["Fenced"], start) if self._is_fenced else None
            builder.open("code", start, value=info)
            self._code_lines = []
        elif name == "TableHead":
            builder.open("row", start, value="head")
        elif name in _CONTAINERS:
            label = detail if name == "FootnoteDefinition" else None
            builder.open(_CONTAINERS[name], start, value=label)
            self._is_html = name == "HtmlBlock"

    def _end(self, value: str | Mapping[str, Any], end: int) -> None:
        name = value if isinstance(value, str) else next(iter(value))
        inline = _INLINE.get(name)
        if inline is not None:
            span = self._spans[-1] if self._spans else None
            self._spans, n_before = self._around.pop()
            if inline == "link" and span is not None and span.kind == inline and span.value:
                inside = self._run[n_before:]
                if all(piece.kind in ("mark", "soft") for piece in inside):
                    self._target(span)
            return
        self._depth -= 1
        self._flush(end)
        if name == "List":
            self._n_lists -= 1
        elif name == "CodeBlock":
            self._code_block(end)
        elif name == "Item" and not self._items.pop():
            self._begins = None
        elif name not in _OF_LINES:
            self._begins = None
            self._is_html = False
            self._until = ""
            self._builder.close(end)

    def _item(self, start: int) -> None:
        sign = _SIGN.match(self._shown, start)
        at, end = sign.span(1) if sign is not None else (start, start)
        written = self._text[at:end]
        is_number = written[:1].isalnum()
        if sign is not None and written[:1].isdigit() and int(written[:-1]) not in self._numbers:
            # `1986. A great year.` is a paragraph.
            self._items.append(False)
            self._add_plain(at, sign.end())
            self._is_numbered = True
            return
        self._items.append(True)
        self._builder.open("item", start, level=self._n_lists, value=written)
        if is_number:
            self._builder.leaf("number", at, end, self._traced(at, end))
        self._begins = "item"

    def _rule(self, start: int, end: int) -> None:
        self._define(start)
        self._builder.open("rule", start)
        self._builder.close(end)

    def _define(self, end: int) -> None:
        """Make a block of the definitions before an offset, for which the parser has no event."""
        at = self._builder.at
        if self._text.find("]:", at, end) >= 0:
            found = _DEFINITION.search(self._text, at, end)
            if found is not None:
                self._builder.open("definition", found.start())
                self._builder.close(found.start() + len(self._text[found.start() : end].rstrip()))

    def _code_block(self, end: int) -> None:
        """End a block of code, or refuse one that is only indented and holds no code."""
        builder, lines = self._builder, self._code_lines
        self._code_lines = None
        if lines is None:
            return
        if not self._is_fenced and not self._is_last and not code.is_code(self._text, lines):
            self.vetoes += code.indents(self._text, lines)
        for index, (start, stop) in enumerate(lines):
            if index == len(lines) - 1:
                stop = start + len(self._text[start:stop].rstrip("\n"))
            if start < stop:
                builder.leaf("code", start, stop, self._traced(start, stop))
        builder.close(end)

    def _flush(self, end: int) -> None:
        """Give the run to the builder, in the block that it is all of, or in the one around."""
        block, begins, builder = self._block, self._begins, self._builder
        if block is None and self._run and (self._is_numbered or not builder.is_open):
            block = "paragraph", self._run[0].start, 0
        self._block, self._is_numbered = None, False
        if not self._run:
            if block is not None:
                builder.open(block[0], block[1], level=block[2])
                builder.close(end)
            return
        run, self._run = self._run, []
        self._begins = None
        self._muted = ""
        pieces = refine(self._source, self._tags, run)
        kind, start, level = block or (None, pieces[0].start, 0)
        underline = 0
        if kind == "heading":
            underline = self._underline(pieces, end)
            if underline:
                kind, level = "paragraph", 0
        if kind in (None, "paragraph") and not self._is_html:
            self._add_parts(pieces, kind, start, underline or end, begins)
        else:
            if kind is not None:
                builder.open(kind, start, level=level)
            self._add_leaves(pieces)
            if kind is not None:
                builder.close(end)
        if underline:
            self._rule(underline, end)

    def _underline(self, pieces: list[Piece], end: int) -> int:
        """Return where the rule below some lines begins, 0 if the lines are a heading.

        A rule below several lines, or below a sentence, divides a text. CommonMark makes both
        headings.
        """
        last = pieces[-1].end
        found = _SETEXT.match(self._text, last, end)
        if found is None:
            return 0
        is_heading = all(piece.kind not in ("soft", "hard") for piece in pieces)
        is_heading = is_heading and not _SENTENCE.search(self._text, max(0, last - 20), last)
        return 0 if is_heading else found.start(1)

    def _add_parts(
        self, pieces: list[Piece], kind: BlockKind | None, start: int, end: int, begins: str | None
    ) -> None:
        builder = self._builder
        found = parts(self._source, pieces, is_quoted=begins == "quote", is_item=begins == "item")
        if len(found) > 1:
            kind = "paragraph"
        elif begins == "item":
            kind = None  # as if there were no blank lines between the items
        in_table = False
        for index, part in enumerate(found):
            if in_table and (not isinstance(part, Row) or part.is_first):
                builder.close(builder.at)
                in_table = False
            if isinstance(part, Lines):
                if kind is not None:
                    builder.open(kind, part.pieces[0].start if index else start)
                self._add_leaves(part.pieces)
                if kind is not None:
                    builder.close(end if index == len(found) - 1 else builder.at)
            elif isinstance(part, Item):
                builder.open("item", part.start, level=self._n_lists + 1, value=part.sign)
                if part.is_done is not None:
                    builder.tick(part.is_done)
                if part.number is not None:
                    builder.leaf("number", *part.number, self._traced(*part.number))
                self._add_leaves(part.pieces)
                builder.close(builder.at)
            else:
                if not in_table:
                    builder.open("table", part.start)
                    in_table = True
                builder.open("row", part.start)
                for cell in part.cells:
                    builder.open("cell", cell[0].start)
                    self._add_leaves(cell)
                    builder.close(builder.at)
                builder.close(builder.at)
        if in_table:
            builder.close(end)

    def _add_leaves(self, pieces: Sequence[Piece]) -> None:
        add = self._builder.leaf
        for piece in pieces:
            kind, start, end = piece.kind, piece.start, piece.end
            if kind in SAID:
                add(kind, start, end, piece.text or self._traced(start, end), piece.spans)
            else:
                add(kind, start, end, NOTHING, piece.spans)

    # Lines

    def _add(self, said: str, start: int, end: int) -> None:
        """Add text to the run, or to a block of code."""
        if start == end:
            return
        if self._code_lines is not None:
            lines = self._code_lines
            if lines and lines[-1][1] == start:
                lines[-1] = lines[-1][0], end
            else:
                lines.append((start, end))
            return
        n_more = len(said) - (end - start)
        if n_more and not (n_more == 1 and TEXT in said):
            if start >= self._skipped:
                self._entity(said, start, end)
            return
        start = max(start, self._skipped)
        if start < end:
            self._add_plain(start, end)

    def _add_plain(self, start: int, end: int) -> None:
        """Add text that is said as it stands."""
        run = self._run
        if self._muted:
            run.append(Piece("mark", start, end))
            return
        if run:
            last = run[-1]
            if (
                last.end == start
                and last.kind == "text"
                and last.text is None
                and last.spans is self._spans
            ):
                last.end = end
                return
        run.append(Piece("text", start, end, None, self._spans))

    def _entity(self, said: str, start: int, end: int) -> None:
        """Add a character that is written as a name or number, once or several times over."""
        if "\x7f" <= said < "\xa0":  # `&#146;` is the quotation mark of Windows
            said = html.unescape(self._text[start:end])
        if said == "&" and (more := _ESCAPED.match(self._text, end)) is not None:
            chain = html.unescape(f"&{more[0]}")
            while chain != (said := html.unescape(chain)):
                chain = said
            self._skipped = end = more.end()
        text = TracedText(said, [start] * len(said), [end] * len(said))
        kind: LeafKind = "mark" if self._muted else "text"
        self._run.append(Piece(kind, start, end, text, self._spans))

    def _line_end(self, event: str, start: int, end: int) -> None:
        is_hard = event == "HardBreak"
        cuts = self._source.cuts
        if not is_hard and cuts:
            # The lines of what looks like code and is none stay, unless they are wrapped prose.
            first = self._text.rfind("\n", 0, start) + 1
            is_hard = len(self._text[first:start].strip()) not in WRAPPED_LINE
            next_line = _LINE_START.match(self._shown, start + 1)
            is_hard = (
                is_hard
                and next_line is not None
                and not cuts.isdisjoint(range(start + 1, next_line.end() + 1))
            )
        self._run.append(Piece("hard" if is_hard else "soft", start, end))

    def _code(self, said: str, start: int, end: int) -> None:
        shown, span = self._shown, Span("code", start, end)
        n_ticks = 1
        while shown[start + n_ticks] == "`":
            n_ticks += 1
        first, last = start + n_ticks, end - n_ticks
        text = None
        if shown[first + 1 : last - 1] == said and last - first == len(said) + len("  "):
            first, last = first + 1, last - 1
        elif shown[first:last] != said:
            text = code.aligned(said, shown, self._text, first, last)
        self._run.append(Piece("code", first, last, text, self._more(span)))

    def _formula(self, start: int, end: int) -> None:
        signs = self._text[start : start + 2]
        n_signs = 2 if self._shown[start : start + 2] == "$$" else 1
        kind = "display" if signs in ("$$", "\\[") else "inline"
        inside = self._text[start + n_signs : end - n_signs]
        first = start + n_signs + len(inside) - len(inside.lstrip())
        last = first + len(inside.strip())
        text = None
        if "\n" in inside:
            text = self._traced(first, last).sub(_LINE_END, lambda match: " ")
        span = Span("formula", start, end, kind)
        if first < last:
            self._run.append(Piece("formula", first, last, text, self._more(span)))

    def _target(self, span: Span) -> None:
        """Say the target of a link that has no words."""
        at = self._text.rfind(span.value, span.start, span.end)
        if at >= 0:
            piece = Piece("text", at, at + len(span.value), None, self._more(span))
        else:
            text = TracedText(
                span.value, [span.start] * len(span.value), [span.end] * len(span.value)
            )
            piece = Piece("text", span.start, span.end, text, self._more(span))
        self._run.append(piece)

    # HTML

    def _tag(self, start: int, end: int) -> None:
        text = self._text
        tag = text[start:end]
        if not self._tags.is_tag(tag, text[start - 1 : start], text[end : end + 1]):
            while (stop := text.find("\n", start, end)) >= 0:
                self._add_plain(start, stop)
                start = _LINE_END.match(text, stop).end()  # type: ignore[union-attr]
                self._run.append(Piece("soft", stop, start))
            self._add_plain(start, end)
            return
        name = elements.name(tag)
        if self._muted and name != f"/{self._muted}":
            self._run.append(Piece("mark", start, end))
            return
        if not name:
            self._run.append(Piece("mark", start, end))
            return
        self._muted = name if name in elements.MUTE and not tag.endswith("/>") else ""
        if name.removeprefix("/") in elements.PUT_APART:
            self._tagged.append((name, start, end))
        spans = (*self._spans, Span("tag", start, end, name))
        said = elements.alternative(tag) if name == "img" else None
        if said is None or said[0] == said[1]:
            self._run.append(Piece("tag", start, end, None, spans))
            return
        first, last = start + said[0], start + said[1]
        self._run.append(Piece("tag", start, first, None, spans))
        self._entities(first, last, self._more(Span("image", start, end)))
        self._run.append(Piece("mark", last, end))

    def _entities(self, start: int, end: int, spans: tuple[Span, ...]) -> None:
        """Add text of HTML to the run."""
        for entity in _ENTITY.finditer(self._text, start, end):
            said = html.unescape(entity[0])
            if said == entity[0]:
                continue
            if entity.start() > start:
                self._run.append(Piece("text", start, entity.start(), None, spans))
            start, stop = entity.end(), entity.start()
            text = TracedText(said, [stop] * len(said), [start] * len(said))
            self._run.append(Piece("text", stop, start, text, spans))
        if start < end:
            self._run.append(Piece("text", start, end, None, spans))

    def _html(self, start: int, end: int) -> None:
        """Add a line of HTML that is no Markdown: of a comment, a script or preformatted text."""
        text, run = self._text, self._run
        line_end = end - text[start:end].endswith("\n")
        at = start
        while at < line_end:
            if self._until:
                found = _UNTIL[self._until].search(text, at, line_end)
                stop = line_end if found is None else found.end()
                if found is not None:
                    self._until = ""
                run.append(Piece("mark", at, stop))
                at = stop
                continue
            found = _TAGS.search(text, at, line_end)
            stop = line_end if found is None else found.start()
            if at < stop:
                self._entities(at, stop, ())
            at = stop
            if found is not None:
                at = self._html_tag(at, line_end)
        if line_end < end:
            run.append(Piece("mark" if self._until else "hard", line_end, end))

    def _html_tag(self, start: int, line_end: int) -> int:
        """Add a tag, or the beginning of one, and return where it ends."""
        text = self._text
        for opening, closing in _CLOSINGS:
            if text.startswith(opening, start):
                self._until = closing
                return start
        end = text.find(">", start, line_end) + 1
        if not end:
            element = elements.name(text[start:line_end])
            self._until = f"</{element}>" if element in elements.MUTE else ">"
            return start
        self._tag(start, end)
        if self._muted:
            self._until, self._muted = f"</{self._muted}>", ""
        return end

    # Helpers

    def _more(self, span: Span) -> tuple[Span, ...]:
        return (*self._spans, span) if len(self._spans) < MAX_SPANS else self._spans

    def _traced(self, start: int, end: int) -> TracedText:
        return TracedText(self._text[start:end], range(start, end), range(start + 1, end + 1))

    def _unshielded(self, value: str, start: int) -> str:
        """Return what the parser says about an element as the caller has written it."""
        if TEXT not in value:
            return value
        at = self._shown.find(value, start)
        return self._text[at : at + len(value)] if at >= 0 else value.replace(TEXT, "")


def _same(at: int) -> int:
    return at
