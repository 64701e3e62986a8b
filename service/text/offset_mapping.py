"""Text that knows where it came from, through every rewriting."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

_WHITE_SPACE = re.compile(r"\s+")

# No character before this one joins the one before it.
_FIRST_COMBINING = "\u0300"


class TracedText:
    """A text, and for each of its characters the span of the caller's text that it stands for.

    Spans are offsets of code points. They never go backwards from one character to the next, and
    several characters may share one: `fi` from a ligature, `five dollars` from `$5`. Every method
    returns another text; none changes its own. `TracedText(text)` is the caller's text itself.
    """

    __slots__ = ("_ends", "_starts", "text")

    def __init__(
        self, text: str, starts: Sequence[int] | None = None, ends: Sequence[int] | None = None
    ) -> None:
        self.text = text
        self._starts = range(len(text)) if starts is None else starts
        self._ends = range(1, len(text) + 1) if ends is None else ends

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, part: slice) -> TracedText:
        return TracedText(self.text[part], self._starts[part], self._ends[part])

    def __repr__(self) -> str:
        return f"TracedText({self.text!r}, {list(self._starts)}, {list(self._ends)})"

    @property
    def span(self) -> tuple[int, int]:
        """Return start and end in the caller's text; ValueError if this text is empty."""
        if not self.text:
            raise ValueError("an empty text comes from nowhere")
        return self._starts[0], self._ends[-1]

    def within(self, start: int, end: int) -> tuple[int, int]:
        """Return which of its characters lie in a span of the caller's text, as a range."""
        first = bisect_left(self._starts, start)
        return first, max(first, bisect_right(self._ends, end))

    def rewritten(self, text: str) -> TracedText:
        """Return other words for the whole of this text, which is where each of them comes from.

        Raises ValueError if this text is empty.
        """
        start, end = self.span
        return TracedText(text, [start] * len(text), [end] * len(text))

    def respelled(self, characters: Sequence[str]) -> TracedText:
        """Return the text with a string of any length for each of its characters, in order."""
        text = "".join(characters)
        if len(text) == len(characters) and "" not in characters:
            return TracedText(text, self._starts, self._ends)
        return TracedText(text, _spread(self._starts, characters), _spread(self._ends, characters))

    def translate(self, table: Mapping[int, str]) -> TracedText:
        """Return the text with the table's string for each code point that it has."""
        if self.text.translate(table) == self.text:
            return self
        return self.respelled([table.get(ord(character), character) for character in self.text])

    def sub(
        self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | TracedText]
    ) -> TracedText:
        """Return the text with each match replaced.

        A replacement that is a plain string comes from the whole match, which must not be empty
        then; a traced one keeps its own origins, which should lie in the match, in order.
        """
        return self._edited(
            [(*match.span(), replace(match)) for match in pattern.finditer(self.text)]
        )

    def composed(self) -> TracedText:
        """Return the text in Unicode's normalization form C."""
        if unicodedata.is_normalized("NFC", self.text):
            return self
        return self._edited(list(_compositions(self.text)))

    def folded(self) -> TracedText:
        """Return the text with one space for each run of white space, and none at its ends."""
        text = self.stripped()
        if text.text == " ".join(text.text.split()):
            return text
        return text.sub(_WHITE_SPACE, lambda match: " ")

    def stripped(self) -> TracedText:
        """Return the text without white space at its ends."""
        kept = self.text.strip()
        if kept == self.text:
            return self
        start = len(self.text) - len(self.text.lstrip())
        return self[start : start + len(kept)]

    def matches(self, pattern: re.Pattern[str]) -> list[TracedText]:
        """Return what the pattern matches, in order."""
        return [self[match.start() : match.end()] for match in pattern.finditer(self.text)]

    def _edited(self, edits: Sequence[tuple[int, int, str | TracedText]]) -> TracedText:
        if not edits:
            return self
        parts: list[TracedText] = []
        done = 0
        for start, end, new in edits:
            parts.append(self[done:start])
            parts.append(self[start:end].rewritten(new) if isinstance(new, str) else new)
            done = end
        parts.append(self[done:])
        return concatenate(parts)


def concatenate(parts: Iterable[TracedText]) -> TracedText:
    """Return the parts, which are in the order of the caller's text, as one text."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for part in parts:
        texts.append(part.text)
        starts.extend(part._starts)
        ends.extend(part._ends)
    return TracedText("".join(texts), starts, ends)


def _spread(offsets: Sequence[int], characters: Sequence[str]) -> list[int]:
    return [
        offset
        for offset, character in zip(offsets, characters, strict=True)
        for _ in range(len(character))
    ]


def _compositions(text: str) -> Iterable[tuple[int, int, str]]:
    """Yield the clusters that normalization form C changes: start, end and what they become."""
    start = 0
    for position in range(1, len(text) + 1):
        if position < len(text) and _joins(text, start, position):
            continue
        cluster = text[start:position]
        composed = unicodedata.normalize("NFC", cluster)
        if composed != cluster:
            yield start, position, composed
        start = position


def _joins(text: str, start: int, position: int) -> bool:
    """Tell whether the character at `position` may compose or reorder with those from `start`."""
    character = text[position]
    if character < _FIRST_COMBINING or text[position - 1].isspace():
        return False
    if unicodedata.combining(character):
        return True
    # Letters of Hangul and vowel signs of Indic scripts compose, though they do not combine.
    apart = unicodedata.normalize("NFC", text[start:position]) + unicodedata.normalize(
        "NFC", character
    )
    return unicodedata.normalize("NFC", text[start : position + 1]) != apart
