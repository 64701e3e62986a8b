"""The tree of a text: blocks, the spans inside their lines, and leaves that tile the text.

The tree is flat: blocks are in the order of their beginnings and name their parents, leaves are in
the order of the text and name their innermost blocks. So nothing that walks it recurses, however
deep a text is nested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from service.text.offset_mapping import TracedText

BlockKind = Literal[
    "heading", "paragraph", "item", "table", "row", "cell", "quote", "code", "html", "footnote",
    "definition", "rule", "metadata", "verse", "cue", "turn", "log", "header", "scene", "signature",
    "field", "stack", "wrapped", "speaker", "time", "label", "number", "caption",
]  # fmt: skip
"""`html` is a comment, a script or preformatted text. `verse` is a line of verse, `cue` one of a
subtitle, `turn` what one speaker says, `log` a line of a log, `header` one of a mail."""

SpanKind = Literal[
    "emphasis", "strong", "strike", "highlight", "code", "key", "link", "image", "formula",
    "citation", "note", "superscript", "subscript", "tag",
]  # fmt: skip
"""`citation` is `[1]` behind a word, `note` a footnote's mark, `key` one of a keyboard."""

LeafKind = Literal["text", "code", "formula", "number", "soft", "hard", "tag", "mark"]
"""`text`, `code`, `formula` and `number` (of an item) are said. `soft` is the end of a line inside
a paragraph, `hard` one that the writer wants to be seen; `tag` is a tag of HTML, and `mark` all
else that is no words: signs of emphasis, bullets, fences, targets, white space between blocks."""

SAID = frozenset(("text", "code", "formula", "number"))
"""The kinds of leaves that have words."""

NOTHING = TracedText("")
"""What is said of a leaf without words."""


class Span(NamedTuple):
    """An element inside a line, with its signs.

    Attributes:
        kind: what it is.
        start: offset in the caller's text, in code points.
        end: likewise, of its end.
        value: the target of a link or an image, the label of a note, `inline` or `display` for a
            formula, the name of a tag in small letters, with a slash before that of an end tag.
    """

    kind: SpanKind
    start: int
    end: int
    value: str = ""


class Leaf(NamedTuple):
    """A piece of the text. The leaves of a document tile it.

    Attributes:
        kind: what it is.
        start: offset in the caller's text, in code points.
        end: likewise, of its end; greater than `start`.
        text: as it is read: entities and escapes are resolved, and every character knows its place
            between `start` and `end`. Empty if the leaf has no words.
        spans: the elements around it inside its block, the outermost first; at most `MAX_SPANS`.
            Leaves with the same elements share the tuple. The last span of a tag is its own.
        block: index of the innermost block in `Document.blocks`, -1 outside of all.
    """

    kind: LeafKind
    start: int
    end: int
    text: TracedText
    spans: tuple[Span, ...]
    block: int

    def cut(self, first: int, end: int) -> Leaf:
        """Return the part of it between two offsets, of which it has some."""
        if first <= self.start and self.end <= end:
            return self
        start, stop = max(self.start, first), min(self.end, end)
        text = self.text[slice(*self.text.within(start, stop))] if self.text else NOTHING
        kind = self.kind if text or self.kind not in SAID else "mark"
        return self._replace(kind=kind, start=start, end=stop, text=text or NOTHING)


class Block(NamedTuple):
    """A block. Its leaves are `Document.leaves[first:last]`, those of the blocks in it included.

    Attributes:
        kind: what it is.
        start: offset in the caller's text, in code points.
        end: likewise, of its end.
        parent: index of the block around it, -1 if there is none.
        first: index of its first leaf.
        last: index after its last leaf.
        level: 1 to 6 of a heading; depth of an item, 1 for the outermost; number of the quotes
            around a quote's words; otherwise 0.
        value: the number or bullet of an item as it is written; the info string of fenced code,
            None for other code; the label of a footnote; `head` for a row of names.
        is_done: whether an item's box is ticked, None without a box.
    """

    kind: BlockKind
    start: int
    end: int
    parent: int
    first: int
    last: int
    level: int = 0
    value: str | None = None
    is_done: bool | None = None


class Region(NamedTuple):
    """A stretch of any number of blocks that the writer has put apart.

    Attributes:
        kind: `reasoning` for what an assistant thinks before it answers, `details` for what a page
            shows on demand.
        start: offset in the caller's text, in code points, of its first tag.
        end: likewise, of the end of its last tag, or of the text if it is never closed.
    """

    kind: Literal["reasoning", "details"]
    start: int
    end: int


class Document(NamedTuple):
    """A text as a tree.

    Attributes:
        text: the caller's text.
        leaves: in the order of the text, which they tile.
        blocks: in the order of their beginnings; a parent comes before its children.
        regions: in the order of their beginnings.
    """

    text: str
    leaves: tuple[Leaf, ...]
    blocks: tuple[Block, ...]
    regions: tuple[Region, ...] = ()

    def ancestors(self, block: int) -> Iterator[int]:
        """Yield the index of a block and of those around it, the innermost first."""
        while block >= 0:
            yield block
            block = self.blocks[block].parent

    def moved(self, text: str, place: Callable[[int], int]) -> Document:
        """Return the document of another text.

        Args:
            text: the other text.
            place: for an offset in this text that in the other one; never goes backwards.
        """
        memo: dict[int, tuple[Span, ...]] = {}

        def move(spans: tuple[Span, ...]) -> tuple[Span, ...]:
            moved = memo.get(id(spans))
            if moved is None:
                moved = tuple(s._replace(start=place(s.start), end=place(s.end)) for s in spans)
                memo[id(spans)] = moved
            return moved

        leaves = [
            Leaf(
                leaf.kind,
                place(leaf.start),
                place(leaf.end),
                leaf.text.moved(place) if leaf.text else NOTHING,
                move(leaf.spans) if leaf.spans else (),
                leaf.block,
            )
            for leaf in self.leaves
        ]
        blocks = [b._replace(start=place(b.start), end=place(b.end)) for b in self.blocks]
        regions = [r._replace(start=place(r.start), end=place(r.end)) for r in self.regions]
        return Document(text, tuple(leaves), tuple(blocks), tuple(regions))


MAX_SPANS = 16
"""Elements around a leaf that are kept. Nobody hears more, and hostile texts have thousands."""


class TreeBuilder:
    """Makes a tree from its parts, in the order of the text.

    Whatever lies between two leaves becomes a mark of the block that is open there, so the leaves
    tile the text by construction.

    Args:
        text: the caller's text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._leaves: list[Leaf] = []
        self._blocks: list[Block] = []
        self._open: list[int] = []
        self._at = 0

    @property
    def at(self) -> int:
        """Where the last leaf ends."""
        return self._at

    @property
    def is_open(self) -> bool:
        """Whether a block is open."""
        return bool(self._open)

    def depth(self, kind: BlockKind) -> int:
        """Return how many open blocks are of a kind."""
        return sum(self._blocks[index].kind == kind for index in self._open)

    def open(
        self, kind: BlockKind, start: int, *, level: int = 0, value: str | None = None
    ) -> None:
        """Begin a block; offsets before the end of the last leaf are raised to it."""
        self.fill(start)
        parent = self._open[-1] if self._open else -1
        first = len(self._leaves)
        self._open.append(len(self._blocks))
        self._blocks.append(Block(kind, self._at, self._at, parent, first, first, level, value))

    def tick(self, is_done: bool) -> None:
        """Set the box of the innermost open item."""
        for index in reversed(self._open):
            if self._blocks[index].kind == "item":
                self._blocks[index] = self._blocks[index]._replace(is_done=is_done)
                return

    def close(self, end: int) -> None:
        """End the block that was opened last; what is left of it is a mark."""
        self.fill(end)
        index = self._open.pop()
        block = self._blocks[index]
        self._blocks[index] = block._replace(end=self._at, last=len(self._leaves))

    def leaf(
        self,
        kind: LeafKind,
        start: int,
        end: int,
        text: TracedText = NOTHING,
        spans: tuple[Span, ...] = (),
    ) -> None:
        """Add a leaf behind the last one."""
        self.fill(start)
        block = self._open[-1] if self._open else -1
        self._leaves.append(Leaf(kind, start, end, text, spans, block))
        self._at = end

    def fill(self, end: int) -> None:
        """Make a mark of what lies between the last leaf and an offset."""
        if end > self._at:
            block = self._open[-1] if self._open else -1
            self._leaves.append(Leaf("mark", self._at, end, NOTHING, (), block))
            self._at = end

    def finish(self, regions: tuple[Region, ...] = ()) -> Document:
        """Return the tree; what is left of the text is a mark."""
        self.fill(len(self._text))
        return Document(self._text, tuple(self._leaves), tuple(self._blocks), regions)
