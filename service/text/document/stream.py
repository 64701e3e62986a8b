"""The tree of a text that arrives in pieces, whose leaves are given out as soon as they are final.

Only what the text says is final, not what stands around it: a paragraph may still become a heading,
and a number at the start of a line an item's. Neither changes words or their places. What does, and
cannot be waited for: a name that a later definition makes a link (`[a][b]` is two words before `b`
is defined), an end tag that tells that a word in angle brackets was a tag, a sign that is closed
after more than `PATIENCE` characters, and `</think>` without a beginning, behind text that was
given out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from service.text.document import elements, shields
from service.text.document.markdown import Context, Parsed, read
from service.text.document.source import TEXT, plain
from service.text.document.tree import NOTHING, SAID, Block, Leaf, Region, Span

PATIENCE = 400
"""Characters after which a sign that nothing closed is taken for what it is without a partner. Some
25 s of speech, and more than most that is emphasised or linked."""

_LONG = 2_000
_PARTS = 16
"""A text of which so much may still change is parsed again when it has grown by one of so many
parts, so that the work stays in proportion to the text."""
_MAX_KNOWN = 4_000
"""Characters of definitions that are kept for what follows."""

# White space at the end of a text may end a line, and the next line may change what a line is, so
# neither is final.
_END = re.compile(
    r"[.!?…:;,][\"'”’»)\]*_~`]{0,9}(?=\s)|[。！？、，]|(?<!\\)(?=\n[ \t>]{0,99}[^\s>])"
)
_DUE = re.compile(r"[.!?…:;,][\"'”’»)\]*_~`]{0,9}\s|[。！？、，]|\n[ \t>]{0,9}[^\s>]")
_REACH = 10
"""Length of the longest of them but one."""
# A line that is nothing but this may be the mark of a block, or a rule below what is before it.
_MARKER = re.compile(r"(?=.)[ \t>]{0,99}(?:(?:[0-9]{1,9}[.)]?|[-+*#=|:_~`]+)[ \t]{0,9})?")
# Lines whose first sign means what those around it make of it.
_HELD = re.compile(
    r"(?m)^[ \t>]*(?:[–—☐☑☒✓✔✗✘]|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivxIVX]{2,5})[.)][ \t]|\[[ xX]\]"
    r"|[0-9]\ufe0f?\u20e3|\[[^\[\]\n]{1,400}\]:)|^[ \t]*>[ \t]*[=$€£0-9.]|[|\t]"
)
_QUANTITY = re.compile(r"\s*(?:[-+#>][ \t]*(?:[0-9][^\n]*)?)?\n?\Z")
_METADATA = re.compile(
    r"(?:-{1,3}|\+{1,3})\Z|(?:---|\+\+\+)[ \t]*\n(?!\n)"
    r"(?:(?!---|\+\+\+)(?:[\w\"'][\w\"'.-]*[ \t]*[:=].*|[ \t#\]}-].*|)\n){0,200}[^\n]{0,80}\Z"
)
_OPENER = re.compile(rf"\[|\]|[*_]+|~~|==|`|<|\w[*{TEXT}]{{2,}}")
_DOLLAR = re.compile(r"\$")
_SIGNS = frozenset("`*_~=")


class Part(NamedTuple):
    """Leaves that are final.

    Attributes:
        leaves: in the order of the text, behind those of the part before. One may be the rest of a
            leaf that was given out in part.
        blocks: those that the leaves are in, with all around them, by their indexes.
        regions: those that the leaves are in, in order. One that goes on ends with the leaves.
    """

    leaves: Sequence[Leaf]
    blocks: Mapping[int, Block]
    regions: Sequence[Region]


class Stream:
    """Feed it pieces of a text; it returns what is final, with offsets into the whole text.

    Args:
        patience: characters after which a sign that nothing closed is taken for text.
    """

    def __init__(self, patience: int = PATIENCE) -> None:
        self._patience = patience
        # What is parsed: definitions from before, and the text from the block on that may go on.
        self._text = ""
        self._n_known = 0  # length of these definitions
        self._shift = 0  # from offsets in it to those in the whole plain text
        self._parsed_length = self._searched = 0
        self._is_due = False  # whether words have ended since
        self._return = ""  # the first half of what may be a line's end
        self._returns: list[int] = []  # where `\n` stands for `\r\n` in the whole plain text
        self._given = 0  # up to where leaves were given out, in the whole plain text
        self._n_blocks = 0  # how many blocks are before the text that is parsed
        self._is_start = True
        self._is_inside = False
        self._numbers: set[int] = set()
        self._names: set[str] = set()
        self._region: tuple[str, Literal["reasoning", "details"], int] | None = None

    def feed(self, piece: str) -> Part:
        """Add a piece and return the leaves that became final."""
        text = self._return + piece
        self._return = "\r" if text.endswith("\r") else ""
        self._add(text[: len(text) - len(self._return)])
        return self._take(is_end=False) if self._is_worth_it() else Part((), {}, ())

    def close(self) -> Part:
        """Return the leaves that are left: nothing follows."""
        self._add(self._return)
        self._return = ""
        return self._take(is_end=True)

    def _add(self, text: str) -> None:
        unified, returns = plain(text)
        length = len(self._text) + self._shift
        self._returns += (length + at for at in returns)
        self._text += unified

    def _is_worth_it(self) -> bool:
        """Tell whether something may be final that was not before."""
        text, searched = self._text, self._searched
        self._searched = len(text)
        ends = _DUE.finditer(text, max(searched - _REACH, self._n_known))
        self._is_due = self._is_due or any(found.end() > searched for found in ends)
        if not self._is_due:
            return False
        if len(text) > _LONG and (len(text) - self._parsed_length) * _PARTS < len(text):
            return False
        if _MARKER.fullmatch(text, text.rfind("\n") + 1) is not None:
            return False
        if not self._is_start:
            return True
        return _METADATA.match(text) is None and _QUANTITY.match(text) is None

    def _take(self, *, is_end: bool) -> Part:
        text = self._text
        self._parsed_length, self._is_due = len(text), False
        context = Context(
            definitions=self._n_known,
            is_start=self._is_start,
            is_inside=self._is_inside,
            numbers=frozenset(self._numbers),
            names=frozenset(self._names),
        )
        parsed = read(text, context)
        line = len(text) if is_end else text.rfind("\n") + 1
        starts = [start for start in parsed.starts if self._n_known <= start < line]
        last = max(text.rfind("\n", 0, starts[-1]) + 1, self._n_known) if starts else self._n_known
        open_ = _Open(parsed, last, line, self._patience)
        limit = max(len(text) if is_end else open_.limit(), self._given - self._shift)
        part = self._part(parsed, limit)
        if open_.may_be_cut(limit):
            self._forget(parsed, limit, is_inside=True)
        elif last > self._n_known:
            self._forget(parsed, last, is_inside=False)
        return part

    def _part(self, parsed: Parsed, limit: int) -> Part:
        """Return the leaves between what was given out and an offset of the parsed text."""
        document = parsed.document
        shift = self._n_blocks - self._n_known_blocks(parsed)
        given = self._given - self._shift
        leaves: list[Leaf] = []
        blocks: dict[int, Block] = {}
        memo: dict[int, tuple[Span, ...]] = {}
        first = bisect_left(document.leaves, given + 1, key=lambda leaf: leaf.end)
        for leaf in document.leaves[first:]:
            if leaf.start >= limit:
                break
            leaves.append(_cut(leaf, given, limit))
            block = leaf.block
            while block >= 0 and block + shift not in blocks:
                one = document.blocks[block]
                blocks[block + shift] = one._replace(
                    start=self._place(one.start),
                    end=self._place(one.end),
                    parent=one.parent + shift if one.parent >= 0 else -1,
                )
                block = one.parent
        regions = list(self._regions(leaves))
        self._given = limit + self._shift
        return Part([self._moved(leaf, shift, memo) for leaf in leaves], blocks, regions)

    def _n_known_blocks(self, parsed: Parsed) -> int:
        """Return how many blocks the definitions from before make."""
        blocks = parsed.document.blocks
        return bisect_left(blocks, self._n_known, key=lambda block: block.start)

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
        self._n_blocks += n_final - first
        self._shift += end - len(known)
        self._text = known + self._text[end:]
        self._n_known = len(known)
        self._parsed_length = self._searched = len(self._text)
        self._is_start, self._is_inside = False, is_inside

    def _place(self, at: int) -> int:
        """Return the offset in the caller's text for one in what is parsed."""
        at += self._shift
        return at + bisect_left(self._returns, at) if self._returns else at

    def _moved(self, leaf: Leaf, n_blocks: int, memo: dict[int, tuple[Span, ...]]) -> Leaf:
        spans = memo.get(id(leaf.spans))
        if spans is None:
            spans = memo[id(leaf.spans)] = tuple(
                span._replace(start=self._place(span.start), end=self._place(span.end))
                for span in leaf.spans
            )
        start, end = self._place(leaf.start), self._place(leaf.end)
        text = leaf.text.moved(self._place) if leaf.text else NOTHING
        block = leaf.block + n_blocks if leaf.block >= 0 else -1
        return Leaf(leaf.kind, start, end, text, spans, block)

    def _regions(self, leaves: Sequence[Leaf]) -> Iterator[Region]:
        """Yield the regions that leaves are in, and remember the one that is open behind them."""
        for leaf in leaves:
            name = leaf.spans[-1].value if leaf.kind == "tag" else ""
            if self._region is not None and name == f"/{self._region[0]}":
                yield Region(*self._region[1:], self._place(leaf.end))
                self._region = None
            elif self._region is None and name in elements.PUT_APART:
                kind = elements.beginning(self._text, name, leaf.start, leaf.end)
                if kind is not None:
                    self._region = name, kind, self._place(leaf.start)
        if self._region is not None and leaves:
            yield Region(*self._region[1:], self._place(leaves[-1].end))


def _cut(leaf: Leaf, first: int, end: int) -> Leaf:
    """Return the part of a leaf between two offsets, of which it has some."""
    if first <= leaf.start and leaf.end <= end:
        return leaf
    start, stop = max(leaf.start, first), min(leaf.end, end)
    text = leaf.text[slice(*leaf.text.within(start, stop))] if leaf.text else NOTHING
    kind = leaf.kind if text or leaf.kind not in SAID else "mark"
    return leaf._replace(kind=kind, start=start, end=stop, text=text or NOTHING)


class _Open:
    """What may go on of a text: its last outermost block.

    Args:
        parsed: what there is of the text.
        last: where the last outermost block begins that a whole line belongs to.
        line: where the last line begins, which is not whole.
        patience: as of the stream.
    """

    def __init__(self, parsed: Parsed, last: int, line: int, patience: int) -> None:
        self._parsed = parsed
        self._document = parsed.document
        self._text = parsed.document.text
        self._last = last
        self._line = line
        self._patience = patience
        self._is_closed = True  # whether nothing in the last lines was left open

    def limit(self) -> int:
        """Return up to where nothing can change any more, however the text goes on."""
        limit = self._last
        if not self._parsed.is_certain:
            return limit
        runs = self._runs()
        leaves = self._document.leaves
        for index, (first, stop) in enumerate(runs):
            start, end = leaves[first].start, leaves[stop - 1].end
            block = self._document.blocks[leaves[first].block]
            is_fenced = block.kind == "code" and block.value is not None
            if block.kind == "html" or (block.kind == "code" and not is_fenced):
                return limit
            if index + 1 < len(runs) and self._is_whole(end, leaves[runs[index + 1][0]].start):
                limit = end
            elif is_fenced or block.kind == "cell":
                return max(limit, min(end, self._line - 1)) if start < self._line else limit
            else:
                stop_at = len(self._text) if index + 1 == len(runs) else end
                return max(limit, self._sentence(leaves[min(first, block.first) : stop], stop_at))
        return limit

    def _is_whole(self, end: int, next_start: int) -> bool:
        """Tell whether nothing can change some lines, because others have begun behind them."""
        return next_start < self._line or self._text.count("\n", end, next_start) > 1

    def may_be_cut(self, limit: int) -> bool:
        """Tell whether a long paragraph may be parsed from an offset on as if it began there."""
        if limit - self._last < self._patience or not self._is_closed:
            return False
        if limit >= len(self._text) or self._text[limit - 1] == "\n":
            return False
        leaves = self._document.leaves
        leaf = leaves[bisect_left(leaves, limit, key=lambda leaf: leaf.end)]
        if leaf.kind != "text" or leaf.spans or leaf.block < 0:
            return False
        block = self._document.blocks[leaf.block]
        return block.kind == "paragraph" and block.parent < 0 and block.start <= self._last + 3

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

    def _sentence(self, leaves: Sequence[Leaf], end: int) -> int:
        """Return the last end of a sentence or a part of one, in lines of which nothing is open.

        Args:
            leaves: of the lines.
            end: where they end.
        """
        text, start = self._text, leaves[0].start
        if not any(leaf.kind == "number" for leaf in leaves):
            start = max(self._last, text.rfind("\n", 0, start) + 1)
        if _HELD.search(text, start, end) is not None:
            return self._last
        for opener in self._openers(leaves):
            self._is_closed = False
            if len(text) - opener < self._patience:
                end = min(end, opener)
        limit = self._last
        for found in _END.finditer(text, start, end):
            limit = found.end()
        return limit

    def _open_signs(self, leaves: Sequence[Leaf], index: int) -> Iterator[int]:
        """Yield where something begins with a mark, or ends with it only for want of more text."""
        leaf, text = leaves[index], self._text
        if text[leaf.end - 1] == "\\" and text[leaf.end : leaf.end + 1] in ("(", "["):
            yield leaf.start  # a formula of LaTeX
        elif leaf.spans:
            # `**a **b` is a pair unless another sign follows.
            if text[leaf.start - 1 : leaf.start].isspace():
                yield from (span.start for span in leaf.spans if span.end == leaf.end)
        elif _SIGNS.issuperset(text[leaf.start : leaf.end]):
            before = leaves[index - 1].spans if index else ()
            after = leaves[index + 1].spans if index + 1 < len(leaves) else ()
            is_closing = any(leaf.start < span.end <= leaf.end for span in before)
            if not (is_closing or any(leaf.start <= span.start < leaf.end for span in after)):
                yield leaf.start

    def _may_be_link(self, at: int, end: int) -> bool:
        """Tell whether what follows a bracket may still become the target of a link."""
        if at == len(self._text):
            return True
        return self._text[at] == "(" and self._text.find(")", at, end) < 0

    def _opens(self, sign: re.Match[str], end: int) -> bool:
        """Tell whether a sign in text may begin something whose end is yet to come.

        Args:
            sign: in the text as the parser sees it.
            end: of the text that it is in.
        """
        text, at = self._text, sign.start()
        before = text[at - 1] if at else " "
        after = text[sign.end()] if sign.end() < len(text) else "a"
        first = sign[0][0]
        if first == "`":
            return True
        if first == "<":
            closing = "-->" if text.startswith("<!--", at) else ">"
            return (after.isalpha() or after in "/!?") and text.find(closing, at, end) < 0
        if first not in "*_~=":
            return after.isalnum()  # stars inside a word
        if after.isspace():
            is_loose = sign[0] in ("**", "__") and before.isspace()
            return is_loose and text.find("\n", at) < 0
        if first == "_" and before.isalnum():
            return False
        return not before.isalnum() or after.isalnum()

    def _openers(self, leaves: Sequence[Leaf]) -> Iterator[int]:
        """Yield the signs in text that may be those of something which is not yet closed."""
        shown, text = self._parsed.shown, self._text
        brackets: list[int] = []
        for index, leaf in enumerate(leaves):
            if leaf.kind == "mark":
                yield from self._open_signs(leaves, index)
            if leaf.kind != "text":
                continue
            for sign in _OPENER.finditer(shown, leaf.start, leaf.end):
                at = sign.start()
                if sign[0] == "[":
                    brackets.append(at)
                elif sign[0] != "]":
                    if self._opens(sign, leaf.end):
                        yield at
                elif brackets and not self._may_be_link(at + 1, leaf.end):
                    brackets.pop()
            for dollar in _DOLLAR.finditer(text, leaf.start, leaf.end):
                at = dollar.end()
                if not text[at : at + 1].isspace() and not shields.is_amount(text, at):
                    yield at - 1
        yield from brackets
