"""Cut streamed text into clauses, each as soon as its end is certain."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from service.text.characters import CLOSING, is_blank, replaced
from service.text.document import elements
from service.text.document.source import plain
from service.text.document.spoken import USUAL, Choices, Writer
from service.text.document.stream import LONGEST_HIDDEN, Look, Stream
from service.text.document.tree import SAID, Leaf
from service.text.markup.inline import without_markup
from service.text.offset_mapping import TracedText, concatenate
from service.text.punctuation import ends_sentence

FIRST_LENGTH = 25
"""Characters after which a comma may end the first clause: some 1.5 s of speech, which starts
soon."""

MIN_LENGTH = 60
"""Characters after which a comma may end a later clause. Shorter clauses lose the sentence's
melody."""

MAX_LENGTH = 250
"""Characters of the longest clause: as many as `service.text.espeak.slices` reads at once."""

_CLOSING = re.escape(CLOSING[2:])

# A run of marks, with the quotes and brackets that close after it. `solid` marks end a clause
# whatever follows. The others do so only before white space: not in 3.14, 19:30 or example.com.
_BREAK = re.compile(
    rf"""
    (?P<line>[\n\r\x0b\x0c\x85\u2028\u2029])
  | (?P<sentence>[.!?…؟۔‽]+)[{_CLOSING}"']*
  | (?P<solid_sentence>[。！？।॥]+)[{_CLOSING}]*
  | (?P<phrase>[,;:،؛–]+)[{_CLOSING}"']*
  | (?P<solid_phrase>[、，；：]+[{_CLOSING}]*|—+)
    """,
    re.VERBOSE,
)
# Markup that is, or may be, still open: `[pause:1.5s` or `[Kokoro](/kˈOkə`.
_OPEN_MARKUP = re.compile(r"\[[^\[\]\n]*(?:\]\([^()\n]*)?\Z")
# The same, and what the next character may make markup: `[Kokoro]`.
_UNFINISHED_MARKUP = re.compile(r"\[[^\[\]\n]*(?:\](?:\([^()\n]*)?)?\Z")
# `1.` alone is the number of a list item and belongs to that item.
_ITEM_NUMBER = re.compile(r"\s*[(\[]?\d{1,3}\.")
_LINE = re.compile(r"[^\r\n]+|\r\n?|\n")
_LINE_END = re.compile(r"[\n\r\x0b\x0c\x85\u2028\u2029]")
_SPACE_AFTER_WORD = re.compile(r"(?<=\S)\s")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a text that can be spoken before the rest is known.

    Attributes:
        text: its characters, with the white space before it. May be blank, or marks only.
        start: its offset in all text added so far, in code points.
        words: what is said of it, by the tree of all text added so far, with offsets in `text`;
            None if the text is not Markdown.
        is_silent: whether it is nothing but signs of Markdown, and what is not read by choice.
    """

    text: str
    start: int
    words: TracedText | None = None
    is_silent: bool = False


class ClauseBuffer:
    """Collects text and returns it in clauses, which joined are the same text.

    Clauses are cut from what the text says, which `Stream` tells: signs of Markdown and targets of
    links do not count. A clause ends at a line break or after a sentence. It ends at a comma,
    semicolon, colon or dash if it has `min_length` characters by then, or `first_length` if it is
    the first one after construction, `flush` or `clear`. It ends before white space if it would
    otherwise be longer than `max_length`. It never ends inside a number, an abbreviation or an
    address, nor inside a word, markup, bracket or anything else that is open (see `Stream`) and
    shorter than `max_length`. The clauses depend only on the whole text, not on how it was split
    between calls of `add`.

    Args:
        choices: what is read of the text; None if it is not Markdown.
        first_length: see above.
        min_length: likewise.
        max_length: likewise.
    """

    def __init__(
        self,
        choices: Choices | None = USUAL,
        *,
        first_length: int = FIRST_LENGTH,
        min_length: int = MIN_LENGTH,
        max_length: int = MAX_LENGTH,
    ) -> None:
        self._choices = choices
        self._first_length = first_length
        self._min_length = min_length
        self._max_length = max_length
        self._text = ""  # that is in no clause yet
        self._start = 0  # its offset
        self._held = ""  # the end of it that may be markup, which the tree has not seen
        self._restart()

    def _restart(self) -> None:
        """Begin another tree with what is added next."""
        self._tree = Stream(markdown=self._choices is not None)
        self._writer = Writer(self._choices or USUAL)
        self._is_first = True
        self._is_undecided = False  # whether the next character may tell that a clause has ended
        self._is_waiting = False  # whether a clause has ended, but may still change
        self._n_shown = 0  # characters that are said, at most, and in no clause yet
        # From which offset in the tree's text on the offset in all text is how much larger.
        self._seen = [0]
        self._moves = [self._start]
        self._n_seen = self._n_taken = 0
        self._is_half = False  # whether the text ends with what may be half of a line's end

    @property
    def pending(self) -> int:
        """Return the number of characters that are not in a clause yet.

        Of those that are said there are at most `max_length`, and few thousands of others.
        """
        return len(self._text)

    def choose(self, choices: Choices | None) -> None:
        """Change what is read of the text that is added after all of this one is flushed."""
        if choices != self._choices:
            self._choices = choices
            if not self._text:
                self._restart()

    def add(self, text: str) -> list[Clause]:
        """Add text and return the clauses that it completes."""
        clauses: list[Clause] = []
        at = 0
        while at < len(text):
            # No more than it takes to be forced to end a clause.
            end = at + max(1, self._max_length + 1 - self._n_shown - len(self._held))
            self._text += text[at:end]
            self._held += text[at:end]
            found = _UNFINISHED_MARKUP.search(self._held)
            n_open = 0 if found is None else len(self._held) - found.start()
            self._show(len(self._held) - (n_open if n_open <= self._max_length else 0))
            is_full = self._n_shown > self._max_length
            is_word = self._is_waiting and any(map(str.isspace, text[at:end]))
            if self._tree.is_worth_it(is_full or is_word or self._is_undecided):
                clauses += self._take(is_final=False)
            at = end
        return clauses

    def flush(self, *, is_end: bool = True) -> list[Clause]:
        """Return the remaining text in clauses, as if the text ended here.

        Args:
            is_end: whether what is added next is another text. Otherwise signs that were opened in
                this one may be closed there.
        """
        self._show(len(self._held))
        clauses = self._take(is_final=True)
        self._is_first = True
        if is_end:
            self._restart()
        return clauses

    def skip(self, n_characters: int) -> None:
        """Count characters that are in no clause of this buffer; all before them is flushed."""
        self._start += n_characters
        self._restart()

    def clear(self) -> None:
        """Discard the remaining text. Offsets continue after it."""
        self._start += len(self._text)
        self._text = self._held = ""
        self._restart()

    def _show(self, length: int) -> None:
        """Let the tree see the beginning of what was held back, without its markup."""
        part, self._held = self._held[:length], self._held[length:]
        at = self._start + len(self._text) - len(self._held) - length
        for start, end in without_markup(part):
            for line in _LINE.finditer(part, start, end):
                # Of `\r\n` the tree sees one sign, even if its second half comes later.
                is_half = self._is_half and line[0] == "\n"
                self._is_half = line[0] == "\r"
                if is_half:
                    continue
                move = at + line.start() - self._n_seen
                if move != self._moves[-1]:
                    self._seen.append(self._n_seen)
                    self._moves.append(move)
                shown, _ = plain(replaced(line[0]))
                self._tree.feed(shown)
                self._n_seen += len(shown)
                self._n_shown += len(shown)

    def _place(self, at: int) -> int:
        """Return the offset in all text of a character that the tree has seen."""
        return at + self._moves[bisect_right(self._seen, at) - 1]

    def _place_of_end(self, at: int) -> int:
        """Return the offset in all text of the end of what the tree has seen."""
        return self._place(at - 1) + 1 if at else self._moves[0]

    def _take(self, *, is_final: bool) -> list[Clause]:
        clauses: list[Clause] = []
        look = self._tree.look(is_end=is_final)
        said = self._said(look)
        while self._text:
            end = self._end(said, look, is_final=is_final)
            if end is None:
                break
            said = said[said.within(0, end)[1] :]
            is_line = _LINE_END.match(said.text) is not None
            clauses.append(self._clause(look, end, is_line=is_line))
            self._is_first = False
        self._n_shown = len(said)
        return clauses

    def _said(self, look: Look) -> TracedText:
        """Return what is said of some leaves, with white space where it separates words."""
        parts: list[TracedText] = []
        left_out = self._writer.left_out(look.leaves, look.blocks, look.regions)
        for leaf, is_left_out in zip(look.leaves, left_out, strict=True):
            if leaf.kind in SAID and not is_left_out:
                parts.append(leaf.text)
                continue
            written = self._written(leaf)
            if written.isspace() and len(written) == leaf.end - leaf.start:
                parts.append(
                    TracedText(
                        written, range(leaf.start, leaf.end), range(leaf.start + 1, leaf.end + 1)
                    )
                )
            elif leaf.kind == "tag" and elements.breaks(leaf.spans[-1].value):
                parts.append(TracedText("\n", [leaf.start], [leaf.end]))
            elif space := "".join(filter(str.isspace, written)):
                is_line = _LINE_END.search(space) is not None
                parts.append(TracedText("\n" if is_line else " ", [leaf.start], [leaf.end]))
        return concatenate(parts)

    def _written(self, leaf: Leaf) -> str:
        start, end = self._place(leaf.start), self._place_of_end(leaf.end)
        return self._text[start - self._start : end - self._start]

    def _end(self, said: TracedText, look: Look, *, is_final: bool) -> int | None:
        """Return where the next clause ends in the tree's text, None if it may continue."""
        minimum = self._first_length if self._is_first else self._min_length
        text = said.text[: self._max_length + 1]
        length = clause_length(text, minimum, self._max_length, is_final=is_final)
        self._is_undecided = length == 0
        if is_final and (length or 0) == len(said):
            return self._n_seen
        if length:
            end = self._with_marks(said, look, length)
            if end <= look.certain or is_final or len(said) > self._max_length:
                return end
        self._is_waiting = bool(length)
        # What is silent need not wait; a mark must, or where it ends would tell how the text came.
        is_long = len(self._text) > (LONGEST_HIDDEN if said.text.strip() else self._max_length)
        return look.certain if is_long and look.certain > self._n_taken else None

    def _with_marks(self, said: TracedText, look: Look, length: int) -> int:
        """Return where some words end, with the marks that close behind them."""
        end = said[:length].span[1]
        if not said.text[length : length + 1].isspace():
            return end
        index = bisect_left(look.leaves, end, key=lambda leaf: leaf.start)
        for leaf in look.leaves[index:]:
            written = self._written(leaf)
            if leaf.start > end or leaf.kind != "mark" or not written or written[0].isspace():
                break
            end += len(written.split(maxsplit=1)[0])
            if end < leaf.end:
                break
        return min(end, max(look.certain, said[:length].span[1]))

    def _clause(self, look: Look, end: int, *, is_line: bool) -> Clause:
        """Take what is before an offset in the tree's text.

        Args:
            look: at that text.
            end: the offset.
            is_line: whether a line ends there.
        """
        start, first = self._start, self._n_taken
        is_rest = end == self._n_seen and not self._held
        length = len(self._text) if is_rest else self._place_of_end(end) - start
        text, self._text = self._text[:length], self._text[length:]
        self._start += length
        self._n_taken = end
        self._tree.take(end)
        if not self._tree.is_markdown:
            return Clause(text, start)
        leaves = [
            leaf.cut(first, end) for leaf in look.leaves if first < leaf.end and leaf.start < end
        ]
        self._writer.write(leaves, look.blocks, look.regions)
        if is_line:
            self._writer.end_line()
        words = self._writer.take().text.moved(
            lambda at: self._place(at) - start, lambda at: self._place_of_end(at) - start
        )
        return Clause(text, start, words, is_blank(words.text) and length == end - first)


def clause_length(text: str, minimum: int, max_length: int, *, is_final: bool) -> int | None:
    """Return the length of the first clause of a text.

    Args:
        text: at most one character longer than the longest clause. Later text has no influence.
        minimum: characters after which a comma may end it.
        max_length: of the longest clause.
        is_final: whether nothing follows.

    Returns:
        None if it goes on, 0 if that depends on the next characters.
    """
    is_full = len(text) > max_length
    said = _first_said(text)
    for match in _BREAK.finditer(text):
        if match.start() <= said:
            continue
        if match.lastgroup == "line":
            return match.start()
        end = match.end()
        if end == len(text) and (is_full or not is_final):
            # The run of marks, a number or an address may continue.
            break
        ends = _ends(match, minimum, is_whole=is_full or is_final)
        if ends is None:
            return 0
        if ends:
            return end
    if is_full:
        return _forced(text, max_length)
    return len(text) if is_final else None


def _ends(match: re.Match[str], minimum: int, *, is_whole: bool) -> bool | None:
    """Tell whether a run of marks ends a clause; None if more text is needed to decide."""
    text, end, kind = match.string, match.end(), match.lastgroup or ""
    if not kind.startswith("solid") and not text[end : end + 1].isspace() and end < len(text):
        return False
    if _OPEN_MARKUP.search(text, 0, end):
        return False
    if kind.endswith("phrase"):
        return len(text[:end].strip()) >= minimum
    if match[kind] == ".":
        if _ITEM_NUMBER.fullmatch(text, 0, match.end(kind)):
            return False
        return ends_sentence(text, match.end(kind), is_whole=is_whole)
    return True


def _forced(text: str, max_length: int) -> int:
    """Return the length of a clause that has to end without a mark."""
    spaces = [match.start() for match in _SPACE_AFTER_WORD.finditer(text)]
    outside = [space for space in spaces if not _OPEN_MARKUP.search(text, 0, space)]
    if spaces:
        return (outside or spaces)[-1]
    for length in range(max_length, 0, -1):
        # Letters keep their accents, and emoji their parts.
        if unicodedata.category(text[length])[0] != "M" and "\u200d" not in (
            text[length - 1],
            text[length],
        ):
            return length
    return max_length


def _first_said(text: str) -> int:
    """Return the position of the first character that is neither a mark nor white space."""
    said = (i for i, character in enumerate(text) if unicodedata.category(character)[0] in "LNS")
    return next(said, len(text))
