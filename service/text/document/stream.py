"""The tree of a text that arrives in pieces: what it says so far, and how much of that is certain.

Certain is what the text says, not what stands around it: a paragraph may still become a heading,
and a number at the start of a line an item's. Neither changes words or their places. The tree is
made of all that the last block has, also of what was taken, so a sign that closes is known as one
however far away it was opened.

What is open, and what becomes of it:

- A sign of emphasis before a word (`*He nods.`) is silent at once. Nothing says it without a
  partner either, so nothing waits for the partner.
- After a bracket, a formula's dollar sign, a backtick or a sign inside a word the same characters
  may be said in another way, so what follows is not certain until it is closed. Whoever takes the
  words decides how long to wait.
- The target of a link and the inside of a tag are not even shown before they are closed, or longer
  than `LONGEST_HIDDEN`.
- What cannot be waited for: a name that a later definition makes a link (`[a][b]` is two words
  before `b` is defined), an end tag that tells that a word in angle brackets was a tag, and
  `</think>` without a beginning, behind words that were taken.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from service.text.document import elements, emphasis, shields
from service.text.document.markdown import Context, Parsed, one_leaf, read
from service.text.document.source import TEXT
from service.text.document.tree import NOTHING, SAID, Block, Leaf, Region, Span

LONGEST_HIDDEN = 2_000
"""Characters of a target or a tag that is not closed. Longer are only files inside an address."""

_SHORT = 300
"""Characters of a paragraph after which it is parsed as if it began further on."""
_PATIENCE = 1_000
"""The same if something is open. It is forgotten then: a sign that closes is silent without a
partner too."""
_LONG = 2 * _PATIENCE
_PARTS = 16
"""A text of which so much may still change is parsed again when it has grown by one of so many
parts, so that the work stays in proportion to the text."""
_MAX_KNOWN = 4_000
"""Characters of definitions that are kept for what follows."""

# Behind these a clause may end, or what is open may be closed.
_DUE = re.compile(
    r"[.!?…؟۔‽:;,،؛–\"'”’»›)\]}>`$*_~=|]\s|[。！？।॥、，；：—”’»›)\]}」』】》〕）].|\n", re.DOTALL
)
# A line that is nothing but this may be the mark of a block, or a rule below what is before it.
_MARKER = re.compile(r"(?=.)[ \t>]{0,99}(?:[-+*#=|:_~`]+[ \t]{0,9})?")
# Lines of which the next one tells how they are read: boxes, definitions, comparisons, rows.
_HELD = re.compile(
    r"(?m)^[ \t>]*(?:\[[ xX]\]|\[[^\[\]\n]{1,400}\]:)"
    r"|^[ \t]*>[ \t]*[=$€£0-9.]|\||(?<=\S)\t(?=\S)"
)
_QUANTITY = re.compile(r"\s*(?:[-+#>][ \t]*(?:[0-9][^\n]*)?)?\n?\Z")
_METADATA = re.compile(
    r"(?:-{1,3}|\+{1,3})\Z|(?:---|\+\+\+)[ \t]*\n(?!\n)"
    r"(?:(?!---|\+\+\+)(?:[\w\"'][\w\"'.-]*[ \t]*[:=].*|[ \t#\]}-].*|)\n){0,200}[^\n]{0,80}\Z"
)
_SIGN = re.compile(r"[\\`*_~=\[\]<>|$&]")
_OPENER = re.compile(rf"\[|\]|[*_]+|~~|==|`+|<|\w[*{TEXT}]{{2,}}")
_DOLLAR = re.compile(r"\$")
_TARGET = re.compile(
    r"\(\s*(?:<[^<>\n]*(?:>\s*(?:[\"'(][^\n]*)?)?|[^\s<]\S*(?:\s+(?:[\"'(][^\n]*)?)?)?\Z"
)
_TAG = re.compile(
    r"<(?:!--.*|[!?][^<>]*|/?([A-Za-z][A-Za-z0-9-]*)?(\s[^<>]*|[:@/][^\s<>]*)?)\Z", re.DOTALL
)


class Look(NamedTuple):
    """What a text says behind what was taken of it.

    Attributes:
        leaves: in the order of the text. The first may be the rest of one that was taken in part.
        blocks: those that the leaves are in, with all around them, by their indexes.
        regions: those that the leaves are in, in order. One that goes on ends with the leaves.
        certain: offset up to which nothing changes how words are said that white space follows,
            however the text goes on.
    """

    leaves: Sequence[Leaf]
    blocks: Mapping[int, Block]
    regions: Sequence[Region]
    certain: int


class _Region(NamedTuple):
    """A region that is open: the name of its tag, its kind, and where it begins."""

    name: str
    kind: Literal["reasoning", "details"]
    start: int


class Stream:
    """Feed it pieces of a text, look at what it says, and take what is wanted from its beginning.

    All offsets are of the whole text, whose lines end with `\\n`.

    Args:
        markdown: whether the text is Markdown. If not, it is one leaf.

    Attributes:
        is_markdown: as above.
    """

    def __init__(self, *, markdown: bool = True) -> None:
        self.is_markdown = markdown
        # What is parsed: definitions from before, and the text from the block on that may go on.
        self._text = ""
        self._n_known = 0  # length of these definitions
        self._shift = 0  # from offsets in it to those in the whole text
        self._parsed: Parsed | None = None
        self._parsed_length = self._searched = 0
        self._starts: Sequence[int] = ()  # of the outermost blocks that are there in any case
        self._is_closed = True
        self._is_due = False  # whether a clause may have ended since
        self._taken = 0
        self._leaves: Sequence[Leaf] = ()
        self._n_blocks = 0  # how many blocks are before the text that is parsed
        self._is_start = True
        self._is_inside = False
        self._numbers = {0}  # before `1.`, which is an item without waiting for `2.`
        self._names: set[str] = set()
        self._region: _Region | None = None

    def feed(self, piece: str) -> None:
        """Add a piece."""
        self._text += piece

    def is_worth_it(self, is_due: bool) -> bool:
        """Tell whether a look may show more than the last one.

        Args:
            is_due: whether there is a reason to look even if no clause has ended since.
        """
        text, searched = self._text, self._searched
        self._searched = length = len(text)
        self._is_due = is_due or self._is_due or _DUE.search(text, max(searched - 1, 0)) is not None
        if length > _LONG and (length - self._parsed_length) * _PARTS < length:
            return False
        return self._is_due

    def look(self, *, is_end: bool = False) -> Look:
        """Return what the text says, behind what was taken.

        Args:
            is_end: whether nothing follows.
        """
        self._forget_taken()
        text = self._text
        self._parsed_length, self._is_due = len(text), False
        parsed = self._parsed = self._read()
        line = len(text) if is_end else text.rfind("\n") + 1
        self._starts = [start for start in parsed.starts if self._n_known <= start < line]
        last = self._line_of(self._starts[-1]) if self._starts else self._n_known
        taken = self._taken - self._shift
        open_ = _Open(parsed, taken, last, line)
        if self.is_markdown and not is_end:
            open_.examine(is_start=self._is_start)
        self._is_closed = open_.opener < max(self._n_known, taken - _PATIENCE)
        return self._look(parsed, taken, open_)

    def take(self, end: int) -> None:
        """Leave out what is before an offset from now on."""
        self._taken = end
        taken = end - self._shift
        _, self._region = self._regions([leaf for leaf in self._leaves if leaf.end <= taken])

    def _read(self) -> Parsed:
        if not self.is_markdown:
            return Parsed(one_leaf(self._text), self._text, (), True)
        context = Context(
            definitions=self._n_known,
            is_start=self._is_start,
            is_inside=self._is_inside,
            numbers=frozenset(self._numbers),
            names=frozenset(self._names),
        )
        return read(self._text, context)

    def _look(self, parsed: Parsed, taken: int, open_: _Open) -> Look:
        """Return the leaves between what was taken and what is hidden."""
        document = parsed.document
        shift = self._n_blocks - self._n_known_blocks(parsed)
        leaves: list[Leaf] = []
        blocks: dict[int, Block] = {}
        memo: dict[int, tuple[Span, ...]] = {}
        first = bisect_left(document.leaves, taken + 1, key=lambda leaf: leaf.end)
        for whole in document.leaves[first:]:
            if whole.start >= open_.hidden:
                break
            leaves += _without(whole.cut(taken, open_.hidden), open_.silent)
            block = whole.block
            while block >= 0 and block + shift not in blocks:
                one = document.blocks[block]
                kind = one.kind
                if kind == "heading" and "\n" in self._text[one.start : one.end].strip():
                    kind = "paragraph"  # as it was before the line below it came
                blocks[block + shift] = one._replace(
                    kind=kind,
                    start=one.start + self._shift,
                    end=one.end + self._shift,
                    parent=one.parent + shift if one.parent >= 0 else -1,
                )
                block = one.parent
        self._leaves = leaves
        regions, _ = self._regions(leaves)
        moved = [self._moved(leaf, shift, memo) for leaf in leaves]
        return Look(moved, blocks, regions, open_.certain + self._shift)

    def _n_known_blocks(self, parsed: Parsed) -> int:
        """Return how many blocks the definitions from before make."""
        blocks = parsed.document.blocks
        return bisect_left(blocks, self._n_known, key=lambda block: block.start)

    def _line_of(self, at: int) -> int:
        return max(self._text.rfind("\n", 0, at) + 1, self._n_known)

    def _forget_taken(self) -> None:
        """Parse from where no more of what was taken matters."""
        parsed, taken = self._parsed, self._taken - self._shift
        if parsed is None:
            return
        starts = [start for start in map(self._line_of, self._starts) if start <= taken]
        if starts and starts[-1] > self._n_known:
            self._forget(parsed, starts[-1], is_inside=False)
        elif not self.is_markdown or self._may_be_cut(parsed, taken):
            self._forget(parsed, taken, is_inside=True)

    def _may_be_cut(self, parsed: Parsed, taken: int) -> bool:
        """Tell whether a long paragraph may be parsed from an offset on as if it began there."""
        text = self._text
        if taken - self._n_known < _SHORT or not self._is_closed:
            return False
        if text[taken - 1] == "\n":
            return False
        leaves = parsed.document.leaves
        leaf = leaves[bisect_left(leaves, taken, key=lambda leaf: leaf.end)]
        if leaf.kind != "text" or leaf.spans or leaf.block < 0:
            return False
        block = parsed.document.blocks[leaf.block]
        return block.kind == "paragraph" and block.parent < 0 and block.start <= self._n_known + 3

    def _forget(self, parsed: Parsed, end: int, *, is_inside: bool) -> None:
        """Parse from an offset on in future, with what those before it should know."""
        blocks = parsed.document.blocks
        first = self._n_known_blocks(parsed)
        n_final = bisect_left(blocks, end, key=lambda block: block.start) - is_inside
        known = self._text[: self._n_known]
        for block in blocks[first:n_final]:
            if block.kind == "definition" and len(known) + block.end - block.start < _MAX_KNOWN:
                known += f"{self._text[block.start : block.end]}\n\n"
        final = self._text[self._n_known : end]
        self._numbers.update(shields.line_numbers(final))
        self._names.update(elements.names(final))
        self._n_blocks += max(n_final, first) - first
        self._shift += end - len(known)
        self._text = known + self._text[end:]
        self._n_known = len(known)
        self._searched = len(self._text)
        self._is_start, self._is_inside = False, is_inside

    def _moved(self, leaf: Leaf, n_blocks: int, memo: dict[int, tuple[Span, ...]]) -> Leaf:
        shift = self._shift
        spans = memo.get(id(leaf.spans))
        if spans is None:
            spans = memo[id(leaf.spans)] = tuple(
                span._replace(start=span.start + shift, end=span.end + shift) for span in leaf.spans
            )
        text = leaf.text.moved(lambda at: at + shift) if leaf.text else NOTHING
        block = leaf.block + n_blocks if leaf.block >= 0 else -1
        return Leaf(leaf.kind, leaf.start + shift, leaf.end + shift, text, spans, block)

    def _regions(self, leaves: Sequence[Leaf]) -> tuple[list[Region], _Region | None]:
        """Return the regions that leaves are in, and the one that is open behind them."""
        found: list[Region] = []
        open_ = self._region
        for leaf in leaves:
            name = leaf.spans[-1].value if leaf.kind == "tag" else ""
            if open_ is not None and name == f"/{open_.name}":
                found.append(Region(open_.kind, open_.start, leaf.end + self._shift))
                open_ = None
            elif open_ is None and name in elements.PUT_APART:
                kind = elements.beginning(self._text, name, leaf.start, leaf.end)
                if kind is not None:
                    open_ = _Region(name, kind, leaf.start + self._shift)
        if open_ is not None and leaves:
            found.append(Region(open_.kind, open_.start, leaves[-1].end + self._shift))
        return found, open_


def _without(leaf: Leaf, silent: Sequence[tuple[int, int]]) -> Iterator[Leaf]:
    """Yield the parts of a leaf, with marks in place of signs in it."""
    at = leaf.start
    for start, end in silent:
        if leaf.start <= start and end <= leaf.end:
            if at < start:
                yield leaf.cut(at, start)
            yield Leaf("mark", start, end, NOTHING, leaf.spans, leaf.block)
            at = end
    if at < leaf.end:
        yield leaf.cut(at, leaf.end)


class _Open:
    """What is open at the end of a text.

    Args:
        parsed: what there is of the text.
        taken: up to where words were taken: what was opened before makes no difference to them.
        last: where the last outermost block begins that a whole line belongs to.
        line: where the last line begins, which is not whole.

    Attributes:
        certain: up to where no word can change, as in `Look`.
        hidden: from where on nothing is shown yet.
        silent: the signs behind `taken` that are silent although nothing closes them yet.
        opener: the last sign that nothing closes, -1 if there is none.
    """

    def __init__(self, parsed: Parsed, taken: int, last: int, line: int) -> None:
        self._document = parsed.document
        self._text = parsed.document.text
        self._shown = parsed.shown
        self._is_clear = parsed.is_certain
        self._taken = taken
        self._last = last
        self._line = line
        self.certain = self.hidden = len(self._text)
        self.silent: list[tuple[int, int]] = []
        self.opener = -1

    def examine(self, *, is_start: bool) -> None:
        """Find what is open.

        Args:
            is_start: whether the text begins with what is parsed.
        """
        if _MARKER.fullmatch(self._text, self._line) is not None:
            self.hidden = self._line
        if is_start and _METADATA.match(self._text) is not None:
            self.hidden = 0 if len(self._text) < LONGEST_HIDDEN else self.hidden
        elif is_start and _QUANTITY.match(self._text) is not None:
            self.certain = 0
        self.certain = min(self.certain, max(self._fixed(), self._taken), self.hidden)

    def _fixed(self) -> int:
        """Return up to where the blocks and what is open in their lines leave no doubt."""
        fixed = self._last
        if not self._is_clear:
            return self._before_sign(fixed)
        runs = self._runs()
        leaves = self._document.leaves
        for index, (first, stop) in enumerate(runs):
            start, end = leaves[first].start, leaves[stop - 1].end
            block = self._document.blocks[leaves[first].block]
            is_fenced = block.kind == "code" and block.value is not None
            is_last = index + 1 == len(runs)
            if block.kind == "html" or (block.kind == "code" and not is_fenced):
                return self._before_sign(fixed)
            if not is_last and self._is_whole(end, leaves[runs[index + 1][0]].start):
                fixed = end
            elif is_fenced or block.kind == "cell":
                return max(fixed, min(end, self._line - 1)) if start < self._line else fixed
            else:
                stop_at = len(self._text) if is_last else end
                return max(fixed, self._closed(leaves[min(first, block.first) : stop], stop_at))
        return fixed

    def _before_sign(self, at: int) -> int:
        """Return where the first sign from an offset on stands that is read in several ways."""
        found = _SIGN.search(self._text, max(at, self._taken))
        return found.start() if found is not None else len(self._text)

    def _is_whole(self, end: int, next_start: int) -> bool:
        """Tell whether nothing can change some lines, because others have begun behind them."""
        return next_start < self._line or self._text.count("\n", end, next_start) > 1

    def _runs(self) -> list[tuple[int, int]]:
        """Return the ranges of leaves with words that are in one block each."""
        leaves = self._document.leaves
        runs: list[tuple[int, int]] = []
        block = -1
        for at in range(bisect_left(leaves, self._last, key=lambda leaf: leaf.start), len(leaves)):
            leaf = leaves[at]
            if leaf.kind not in SAID or leaf.block < 0:
                continue
            if leaf.block == block:
                runs[-1] = runs[-1][0], at + 1
            else:
                runs.append((at, at + 1))
                block = leaf.block
        return runs

    def _closed(self, leaves: Sequence[Leaf], end: int) -> int:
        """Return up to where nothing is open in some lines.

        Args:
            leaves: of the lines.
            end: where they end.
        """
        text, start = self._text, leaves[0].start
        if not any(leaf.kind == "number" for leaf in leaves):
            start = max(self._last, text.rfind("\n", 0, start) + 1)
        # A line is read as it will be once the next one is there.
        before = text.rfind("\n", 0, max(self._line - 1, 0)) + 1
        held = _HELD.search(text, max(start, before), end)
        if held is not None:
            end = min(end, max(text.rfind("\n", 0, held.end() - 1) + 1, start))
        for opener, certain in self._openers(leaves):
            self.opener = max(self.opener, opener)
            if opener >= self._taken:
                end = min(end, certain)
        return end

    def _openers(self, leaves: Sequence[Leaf]) -> Iterator[tuple[int, int]]:
        """Yield the signs that are not closed, each with the offset up to which it changes nothing.

        Notes the signs that are silent, and hides what is not to be shown.
        """
        shown, text = self._shown, self._text
        brackets: list[int] = []
        for index, leaf in enumerate(leaves):
            if leaf.kind == "mark":
                yield from self._in_mark(leaves, index)
            if leaf.kind != "text":
                continue
            for sign in _OPENER.finditer(shown, leaf.start, leaf.end):
                at, first = sign.start(), sign[0][0]
                if first == "[":
                    brackets.append(at)
                elif first == "]":
                    if brackets and not self._may_be_link(sign.end()):
                        brackets.pop()
                elif first == "`":
                    yield at, self._before_sign(sign.end())
                elif first == "<":
                    if self._may_be_tag(at):
                        self._hide(at)
                        yield at, at
                elif first in "*_~=":
                    yield from self._emphasis(sign)
                elif sign.end() == len(text) or text[sign.end()].isalnum():
                    yield at, at  # stars inside a word
            for dollar in _DOLLAR.finditer(text, leaf.start, leaf.end):
                at = dollar.end()
                if not text[at : at + 1].isspace() and not shields.is_amount(text, at):
                    yield at - 1, at - 1
        yield from zip(brackets, brackets, strict=True)

    def _emphasis(self, sign: re.Match[str]) -> Iterator[tuple[int, int]]:
        """Yield a sign of emphasis in text if it may be closed yet."""
        text, (at, end) = self._text, sign.span()
        before = text[at - 1] if at else " "
        after = text[end] if end < len(text) else " "
        if after.isspace():
            is_loose = sign[0] in ("**", "__") and before.isspace()
            if is_loose and text.find("\n", at) < 0:
                yield at, at
        elif before.isalnum():
            if sign[0][0] != "_" and after.isalnum():
                yield at, at
        elif not emphasis.is_operator(text, at, end):
            yield at, len(text)
            if at >= self._taken and after.isalnum():
                self.silent.append((at, end))

    def _in_mark(self, leaves: Sequence[Leaf], index: int) -> Iterator[tuple[int, int]]:
        """Yield the sign that a mark is, if it has no partner yet."""
        leaf, text = leaves[index], self._text
        if text[leaf.end - 1] == "\\" and text[leaf.end : leaf.end + 1] in ("(", "["):
            yield leaf.start, leaf.start  # a formula of LaTeX
        elif not text[leaf.start : leaf.end].strip("`"):
            before = leaves[index - 1].spans if index else ()
            after = leaves[index + 1].spans if index + 1 < len(leaves) else ()
            is_closing = any(leaf.start < span.end <= leaf.end for span in before)
            if not (is_closing or any(leaf.start <= span.start < leaf.end for span in after)):
                yield leaf.start, self._before_sign(leaf.end)

    def _may_be_link(self, at: int) -> bool:
        """Tell whether what follows a bracket may still become the target of a link."""
        text = self._text
        if at == len(text):
            return True
        if text[at] != "(" or text.find(")", at) >= 0 or _TARGET.match(text, at) is None:
            return False
        self._hide(at)
        return True

    def _may_be_tag(self, at: int) -> bool:
        """Tell whether a sign in text may still begin a tag, a comment or an address."""
        found = _TAG.match(self._text, at) if at >= self._taken else None
        if found is None:
            return False
        if found[0].startswith("<!--"):
            return "-->" not in found[0]
        return found[2] is None or found[2][0] in ":@/" or elements.is_known(found[1], found[2])

    def _hide(self, at: int) -> None:
        if at >= self._taken and len(self._text) - at < LONGEST_HIDDEN:
            self.hidden = min(self.hidden, at)
