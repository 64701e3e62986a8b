"""The tree of any text that a caller sends: lines that have structure of their own, and Markdown.

The line grammar comes first, because Markdown would take a subtitle's number for an item and a
mail's headers for a paragraph. What it leaves, and the words of its lines, is Markdown.
"""

from __future__ import annotations

import re

from service.text.document import markdown
from service.text.document.lines import Line, recognise
from service.text.document.tree import (
    NOTHING,
    Block,
    BlockKind,
    Document,
    Leaf,
    LeafKind,
    Region,
)
from service.text.offset_mapping import TracedText

_KINDS: dict[str, BlockKind] = {
    "cue": "cue",
    "turn": "turn",
    "scene": "scene",
    "message": "turn",
    "log": "log",
    "header": "header",
    "quote": "quote",
    "signature": "signature",
    "field": "field",
    "item": "item",
    "row": "row",
    "verse": "verse",
    "stack": "stack",
}
"""The block of each kind of line."""

_APART: dict[str, BlockKind] = {
    "speaker": "speaker",
    "time": "time",
    "level": "time",
    "name": "label",
    "cell": "cell",
}
"""The block of each role of a part that is kept apart from what follows it in its line."""


def parse(text: str) -> Document:
    """Return the tree of a text. Takes time in proportion to its length, whatever it holds.

    Args:
        text: any text; halves of surrogate pairs and control characters too.
    """
    lines = recognise(text)
    if not lines:
        return markdown.parse(text)
    joined = _Joined(text)
    for line in lines:
        if line.kind == "plain":
            joined.add(markdown.parse(text[line.start : line.end]), line.start)
        elif line.kind == "blank":
            joined.mark(line.start, line.end, -1)
        else:
            joined.add_line(line)
    return joined.document()


_COLONS = ":："
_SHOUTED = re.compile(
    r"\b(?=[^\W\d_]*[AEIOUYÀ-ÏÒ-ÖÙ-Ý])(?![^\W\d_]*[B-DF-HJ-NP-TV-XZ]{4})[A-ZÀ-ÖØ-Þ]{4,}\b"
)
"""A name in capitals: shorter ones, and those that nobody can say, may be acronyms."""


class _Joined:
    """Joins trees of parts of a text, which tile it.

    Args:
        text: the whole text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._traced = TracedText(text)
        self._leaves: list[Leaf] = []
        self._blocks: list[Block] = []
        self._regions: list[Region] = []

    def document(self) -> Document:
        """Return the tree of the whole text."""
        return Document(self._text, tuple(self._leaves), tuple(self._blocks), tuple(self._regions))

    def mark(self, start: int, end: int, block: int) -> None:
        """Add a part that nobody says."""
        self._leaves.append(Leaf("mark", start, end, NOTHING, (), block))

    def add(self, part: Document, start: int, *, block: int | None = None) -> None:
        """Add the tree of a part that begins at an offset.

        Args:
            part: the tree; offsets are of the part.
            start: offset of the part in the text.
            block: in which its words stand, as if they were one line; None to keep its blocks.
        """
        moved = part.moved(self._text, lambda at: at + start)
        if block is not None:
            self._leaves += [
                leaf._replace(block=block, kind=_inline(leaf.kind)) for leaf in moved.leaves
            ]
            return
        n_blocks, n_leaves = len(self._blocks), len(self._leaves)
        self._leaves += [
            leaf._replace(block=leaf.block + n_blocks if leaf.block >= 0 else -1)
            for leaf in moved.leaves
        ]
        self._blocks += [
            one._replace(
                parent=one.parent + n_blocks if one.parent >= 0 else -1,
                first=one.first + n_leaves,
                last=one.last + n_leaves,
            )
            for one in moved.blocks
        ]
        self._regions += moved.regions

    def add_line(self, line: Line) -> None:
        """Add a line that the grammar has recognised."""
        kind: BlockKind = _KINDS[line.kind] if line.pause else "wrapped"
        index = self._open(kind, line.start, line.end, -1)
        colon, inner = -1, index
        for role, start, end in line.parts:
            if role == "mark":
                if start == colon and self._text[start] in _COLONS:  # it is heard as it is written
                    said = TracedText(self._text[start], [start], [start + 1])
                    self._leaves.append(Leaf("text", start, start + 1, said, (), inner))
                    start += 1
                    self._blocks[inner] = self._blocks[inner]._replace(end=start)
                self._close(inner)
                if start < end:
                    self.mark(start, end, index)
                continue
            colon = end if role in ("speaker", "name") else -1
            is_number = line.kind == "item" and role == "name"
            apart = "number" if is_number else _APART.get(role)
            inner = index if apart is None else self._open(apart, start, end, index)
            if markdown.PLAIN.fullmatch(self._text, start, end) is not None:
                self._leaves.append(Leaf("text", start, end, self._traced[start:end], (), inner))
            else:
                self.add(markdown.parse(self._text[start:end]), start, block=inner)
            if role == "speaker":
                self._name(self._blocks[inner].first)
            self._close(inner)
        self._close(index)

    def _name(self, first: int) -> None:
        """Write what is said from a leaf on as a name: `OKONKWO` is no acronym."""
        for index in range(first, len(self._leaves)):
            leaf = self._leaves[index]
            words = _SHOUTED.sub(lambda match: match[0].capitalize(), leaf.text.text)
            self._leaves[index] = leaf._replace(text=leaf.text.respelled(list(words)))

    def _open(self, kind: BlockKind, start: int, end: int, parent: int) -> int:
        n_leaves = len(self._leaves)
        self._blocks.append(Block(kind, start, end, parent, n_leaves, n_leaves))
        return len(self._blocks) - 1

    def _close(self, index: int) -> None:
        block = self._blocks[index]
        self._blocks[index] = Block(*block[:5], len(self._leaves))


def _inline(kind: LeafKind) -> LeafKind:
    """Return what a leaf is in a line: the number of an item is text there."""
    return "text" if kind == "number" else kind
