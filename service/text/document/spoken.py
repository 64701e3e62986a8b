"""Write the words of a tree in order, for readers that know nothing of its structure.

Signs are gone, and where a block, an item, a cell or a line ends there is a mark that pauses,
unless the writer has put one there. So what follows sees plain sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from service.text.characters import CLOSING, PAUSING, WRAPPED_LINE
from service.text.document import elements
from service.text.document.tree import SAID, Block, Document, Leaf, Region, Span
from service.text.offset_mapping import TracedText, concatenate
from service.text.scripts import is_ideographic


class Pause(NamedTuple):
    """How the words before and after a place are kept apart.

    Attributes:
        mark: what a listener hears: a full stop is some 0.4 s and lets the voice fall, a comma is
            half as long and keeps it up. Nothing if it is empty.
        space: what is written behind the mark: a paragraph ends with a blank line.
    """

    mark: Literal["", ",", ":", "."]
    space: Literal[" ", "\n", "\n\n"]


PAUSES: dict[str, Pause] = {
    # A heading is a sentence without a full stop, and the text begins anew after it.
    "heading": Pause(".", "\n\n"),
    "paragraph": Pause(".", "\n\n"),
    "caption": Pause(".", "\n\n"),
    # Items are read like sentences: an enumeration with commas would never come to rest.
    "item": Pause(".", "\n"),
    # The cells of a row belong together like the parts of an enumeration; a row is complete.
    "cell": Pause(",", " "),
    "row": Pause(".", "\n"),
    "table": Pause(".", "\n\n"),
    "quote": Pause(".", "\n\n"),
    "code": Pause(".", "\n\n"),
    "html": Pause(".", "\n\n"),
    "footnote": Pause(".", "\n\n"),
    "definition": Pause("", " "),
    "rule": Pause(".", "\n\n"),
    "metadata": Pause("", " "),
    # A line of verse often ends inside a sentence, so the voice stays up.
    "verse": Pause(",", "\n"),
    # A cue is cut where the picture wants it, but what follows is seconds later.
    "cue": Pause(".", "\n"),
    "turn": Pause(".", "\n"),
    "log": Pause(".", "\n"),
    "header": Pause(".", "\n"),
    "scene": Pause(".", "\n"),
    "signature": Pause(".", "\n"),
    "field": Pause(".", "\n"),
    "stack": Pause(".", "\n"),
    # The words go on in the next line.
    "wrapped": Pause("", " "),
    # What a colon separates in print is heard as what it introduces.
    "speaker": Pause(":", " "),
    "label": Pause(":", " "),
    "time": Pause(",", " "),
    # As it would be written: `1. Eggs`.
    "number": Pause(".", " "),
    # `*sighs* fine` tells what is done, and then what is said.
    "direction": Pause(",", " "),
    # A short line in plain text: a title, an item, an address.
    "line": Pause(".", "\n"),
    # The writer ends the line inside a paragraph, as in addresses and verse.
    "hard": Pause(",", "\n"),
}
"""The pauses behind blocks and lines, by kind. Where several end, the longest counts."""

_SPACE = Pause("", " ")
_OF_TAGS: dict[elements.Break, Pause] = {
    "block": PAUSES["paragraph"],
    "heading": PAUSES["heading"],
    "item": PAUSES["item"],
    "row": PAUSES["row"],
    "cell": PAUSES["cell"],
    "line": PAUSES["hard"],
}
_WEIGHTS = {"": 0, ",": 1, ":": 2, ".": 3}

_BEHIND = f"{CLOSING} \t\n"
_SOLID = ("、", "：", "。")
_OF_IDEOGRAPHS = {",": "、", ":": "：", ".": "。", "": ""}

RAISED = re.compile(r"[-+−]?[0-9]{1,4}")
SUPERSCRIPTS = dict(zip(map(ord, "0123456789+-−"), "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻", strict=True))
"""How a superscript of the kind `RAISED` is written, so that it is read as a power."""

_DIRECTION = re.compile(
    r"(?!(?:always|as|does|has|his|is|its|perhaps|plus|this|thus|us|was|yes)\b)[a-z]+[^s\W]s\b"
)
"""How a chat's stage direction begins: with what somebody does, as in `*hides under the desk*`."""

_ENDING = frozenset((
    "verse", "cue", "turn", "log", "header", "scene", "signature", "field", "stack", "wrapped",
    "speaker", "label", "time", "number",
))  # fmt: skip
"""Blocks that are kept apart from what follows them alone."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What is read of a text.

    Attributes:
        code: whether fenced code is read.
        reasoning: whether that is read which an assistant thinks before it answers.
    """

    code: Literal["read", "skip"] = "read"
    reasoning: Literal["read", "skip"] = "skip"


USUAL = Choices()

Blocks = Sequence[Block] | Mapping[int, Block]


class Spoken(NamedTuple):
    """The words of a text.

    Attributes:
        text: with an offset mapping to the caller's text.
        dropped: the spans of the caller's text that are left out by choice, in order.
    """

    text: TracedText
    dropped: tuple[tuple[int, int], ...]


def flatten(document: Document, choices: Choices = USUAL) -> Spoken:
    """Return the words of a document in order."""
    writer = Writer(choices)
    writer.write(document.leaves, document.blocks, document.regions)
    return writer.take()


class Writer:
    """Writes the words of leaves, which may come in parts.

    Args:
        choices: what is read.
    """

    def __init__(self, choices: Choices = USUAL) -> None:
        self._choices = choices
        self._parts: list[TracedText] = []
        self._dropped: list[tuple[int, int]] = []
        self._pause: Pause | None = None
        self._is_soft = False
        self._n_spaces = 0  # white space that was written last
        self._last = ""  # the last character that is no closing mark
        self._last_kind = ""
        self._end = 0  # of the last words, in the caller's text
        self._line_length = 0
        self._line_first = ""  # the first character of the line
        self._last_word = ""
        self._direction: Span | None = None  # that the line has begun with
        self._block = -1
        self._path: dict[tuple[int, int], Block] = {}

    def take(self) -> Spoken:
        """Return what was written since the last time, without white space around it.

        The pause between two parts is theirs who join them.
        """
        self._cut_spaces()
        spoken = Spoken(concatenate(self._parts), tuple(self._dropped))
        self._parts, self._dropped = [], []
        self._n_spaces = 0
        return spoken

    def write(self, leaves: Sequence[Leaf], blocks: Blocks, regions: Sequence[Region] = ()) -> None:
        """Write the words of leaves that follow those before.

        Args:
            leaves: in the order of the text.
            blocks: those that the leaves are in, with all around them, by their indexes.
            regions: those that the leaves may be in, in order.
        """
        for leaf, is_left_out in zip(leaves, self.left_out(leaves, blocks, regions), strict=True):
            kind = leaf.kind
            if is_left_out:
                self._drop(leaf.start, leaf.end)
            elif kind in SAID:
                self._say(leaf, blocks)
            elif kind == "soft":
                self._is_soft = True
            elif kind == "hard":
                self._add_pause(PAUSES["hard"])
            elif kind == "tag":
                broken = elements.BREAKS.get(leaf.spans[-1].value.removeprefix("/"))
                if broken is not None:
                    self._add_pause(_OF_TAGS[broken])
            elif leaf.block >= 0 and blocks[leaf.block].kind == "metadata":
                self._drop(leaf.start, leaf.end)

    def end_line(self) -> None:
        """Write the pause of a line that ends a heading, a row or, if it is not wrapped, an item.

        Of other lines only the next one tells whether the words go on.
        """
        kinds = {block.kind for block in self._path.values()}
        if not self._parts or kinds.isdisjoint(("heading", "row", "item")):
            return
        if kinds.isdisjoint(("heading", "row")) and self._line_length in WRAPPED_LINE:
            return
        if self._last and self._last not in PAUSING:
            mark = _OF_IDEOGRAPHS["."] if is_ideographic(self._last) else "."
            self._cut_spaces()
            self._parts.append(TracedText(mark, [self._end - 1], [self._end]))

    def left_out(
        self, leaves: Sequence[Leaf], blocks: Blocks, regions: Sequence[Region]
    ) -> Iterator[bool]:
        """Tell of each leaf whether it is left out by choice; arguments as of `write`."""
        is_code_skipped = self._choices.code == "skip"
        skipped = [
            (region.start, region.end)
            for region in regions
            if region.kind == "reasoning" and self._choices.reasoning == "skip"
        ]
        for leaf in leaves:
            index = bisect_right(skipped, leaf.start, key=lambda span: span[0]) - 1
            if index >= 0 and leaf.start < skipped[index][1]:
                yield True
            elif is_code_skipped and leaf.kind == "code" and leaf.block >= 0:
                block = blocks[leaf.block]
                yield block.kind == "code" and block.value is not None
            else:
                yield False

    def _drop(self, start: int, end: int) -> None:
        if self._dropped and self._dropped[-1][1] == start:
            start = self._dropped.pop()[0]
        self._dropped.append((start, end))

    def _add_pause(self, pause: Pause) -> None:
        if self._pause is not None:
            mark = max(pause.mark, self._pause.mark, key=_WEIGHTS.__getitem__)
            pause = Pause(mark, max(pause.space, self._pause.space, key=_spaces))
        self._pause = pause

    def _say(self, leaf: Leaf, blocks: Blocks) -> None:
        text = leaf.text
        if leaf.kind == "formula":  # the rules of each language know it by these signs
            start, end = leaf.start, leaf.end
            opening = TracedText("$", [start], [start + 1])
            text = concatenate((opening, text, TracedText("$", [end - 1], [end])))
        written = text.text
        if leaf.block != self._block:
            self._enter(leaf, blocks)
        words = written.strip()
        if not words:
            if self._last and self._parts and self._pause is None and not self._is_soft:
                self._parts.append(text)
                self._n_spaces += len(text)
            return
        n_before = 0 if words[0] == written[0] else written.index(words[0])
        if self._direction is not None and self._direction not in leaf.spans:
            self._direction = None
            if words[0] not in PAUSING and (n_before or self._n_spaces):
                self._add_pause(PAUSES["direction"])
        if self._is_soft or self._pause is not None or self._last_kind == "number":
            self._part(leaf, words[0])
        if n_before and (not self._last or not self._parts or self._n_spaces):
            text = text[n_before:]
            n_before = 0
        if leaf.spans and leaf.spans[-1].kind == "superscript" and RAISED.fullmatch(words):
            text = text.translate(SUPERSCRIPTS)
        if not self._line_length:
            self._line_first = words[0]
            if leaf.spans and leaf.spans[0].kind == "emphasis" and _DIRECTION.match(words):
                self._direction = leaf.spans[0]
        self._last_word = words.rsplit(maxsplit=1)[-1]
        self._parts.append(text)
        self._n_spaces = len(text) - n_before - len(words)
        self._line_length += len(text)
        if words[-1] in _BEHIND:
            words = words.rstrip(_BEHIND)
        if words:
            self._last = words[-1]
        self._last_kind = leaf.kind
        self._end = leaf.end

    def _enter(self, leaf: Leaf, blocks: Blocks) -> None:
        """Pause for the blocks that end before a leaf, and for those that begin there."""
        ended, begun = self._path, _path(leaf.block, blocks)
        self._block, self._path = leaf.block, begun
        if not self._last or (self._last_kind == "number" and leaf.kind != "number"):
            return
        for key, block in ended.items():
            if key not in begun:
                self._add_pause(PAUSES[block.kind])
        for key, block in begun.items():
            if key not in ended and block.kind not in _ENDING:
                self._add_pause(PAUSES[block.kind])

    def _part(self, leaf: Leaf, first: str) -> None:
        """Write what keeps the last words and the next apart."""
        pause, is_soft = self._pause, self._is_soft
        self._pause, self._is_soft = None, False
        if not self._last:
            return
        if pause is None:
            pause = _SPACE
            if is_soft:
                is_wrapped = self._goes_on(first) or self._line_length in WRAPPED_LINE
                pause = _SPACE if is_wrapped else PAUSES["line"]
                self._line_length = 0
        self._cut_spaces()
        mark: str = "" if self._last in PAUSING else pause.mark
        if is_ideographic(self._last):
            mark = _OF_IDEOGRAPHS[mark]
        if pause.space != " ":
            self._line_length = 0
        if not self._parts:
            return
        # A word that takes the mark with it, such as `min.`, must not reach up to the next one.
        end = min(self._end, leaf.start)
        space = "" if mark in _SOLID and pause.space == " " else pause.space
        starts = [end - 1] * len(mark) + [end] * len(space)
        ends = [end] * len(mark) + [leaf.start] * len(space)
        self._parts.append(TracedText(mark + space, starts, ends))
        self._n_spaces = len(space)

    def _goes_on(self, first: str) -> bool:
        """Tell whether a line goes on in the next: `born in`, `1984`, but no list of amounts."""
        return first.islower() or (
            first.isdecimal() and self._last_word.islower() and not self._line_first.isdecimal()
        )

    def _cut_spaces(self) -> None:
        """Take back the white space that was written last."""
        while self._n_spaces and self._parts:
            last = self._parts.pop()
            n_kept = max(0, len(last) - self._n_spaces)
            self._n_spaces -= len(last) - n_kept
            if n_kept:
                self._parts.append(last[:n_kept])


def _path(block: int, blocks: Blocks) -> dict[tuple[int, int], Block]:
    """Return a block and those around it, by what they keep when a text goes on.

    That is how many blocks are around them, and where they begin.
    """
    around: list[Block] = []
    while block >= 0:
        around.append(blocks[block])
        block = blocks[block].parent
    return {(depth, one.start): one for depth, one in enumerate(reversed(around))}


def _spaces(space: str) -> int:
    return space.count("\n")
