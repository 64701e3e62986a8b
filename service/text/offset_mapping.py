"""Text with an offset mapping to the caller's text, which every rewriting keeps."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_WHITE_SPACE = re.compile(r"\s+")

# No character below this one composes with the character before it.
_FIRST_COMBINING = "\u0300"


class TracedText:
    """A text with its offset mapping: for each character, a span of the caller's text.

    Spans are offsets in code points. They never go backwards from one character to the next.
    Several characters may share a span: `fi` from a ligature, `five dollars` from `$5`. The class
    is immutable: every method returns a new text. `TracedText(text)` is the caller's text itself.
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
        """Return start and end in the caller's text. Raises ValueError if this text is empty."""
        if not self.text:
            raise ValueError("an empty text has no span")
        return self._starts[0], self._ends[-1]

    def characters(self) -> Iterator[tuple[str, int, int]]:
        """Return each character with the start and end of its span."""
        return zip(self.text, self._starts, self._ends, strict=True)

    def within(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of characters that lie in a span of the caller's text."""
        starts, ends = self._starts, self._ends
        if isinstance(starts, range) and isinstance(ends, range):
            length = len(starts)
            first = min(max(start - starts.start, 0), length)
            return first, max(first, min(end + 1 - ends.start, length))
        first = bisect_left(starts, start)
        return first, max(first, bisect_right(ends, end))

    def moved(
        self, place: Callable[[int], int], place_of_end: Callable[[int], int] | None = None
    ) -> TracedText:
        """Return the text with other spans: `place` gives for each offset another one.

        It must never go backwards; nor `place_of_end`, if the ends of spans have one of their own.
        """
        starts = list(map(place, self._starts))
        return TracedText(self.text, starts, list(map(place_of_end or place, self._ends)))

    def of(self, source: TracedText) -> TracedText:
        """Return this text, which was made of another one, with the spans that one has."""
        starts, ends = source._starts, source._ends
        if starts == range(len(source)) and ends == range(1, len(source) + 1):
            return self
        return TracedText(
            self.text,
            [starts[start] for start in self._starts],
            [ends[end - 1] for end in self._ends],
        )

    def rewritten(self, text: str) -> TracedText:
        """Return a new text, each of whose characters has the span of this whole text.

        Raises ValueError if this text is empty.
        """
        start, end = self.span
        return TracedText(text, [start] * len(text), [end] * len(text))

    def respelled(self, characters: Sequence[str]) -> TracedText:
        """Return the text with each character replaced by a string of any length."""
        text = "".join(characters)
        if len(text) == len(characters) and "" not in characters:
            return TracedText(text, self._starts, self._ends)
        return TracedText(text, _spread(self._starts, characters), _spread(self._ends, characters))

    def translate(self, table: Mapping[int, str]) -> TracedText:
        """Return the text with each code point in the table replaced by its string."""
        if self.text.translate(table) == self.text:
            return self
        return self.respelled([table.get(ord(character), character) for character in self.text])

    def sub(
        self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | TracedText]
    ) -> TracedText:
        """Return the text with each match replaced.

        A plain string gets the span of the whole match, which must not be empty. A `TracedText`
        keeps its own spans, which should lie in the match, in order.
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
        """Return the text with each run of white space as one space, and none at the ends."""
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
        """Return the matches of the pattern, in order."""
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
    """Return the parts as one text. They must be in the order of the caller's text."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
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
    """Yield the clusters that normalization form C changes: start, end and new characters."""
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
    """Tell whether the character at `position` may compose or reorder with those since `start`."""
    character = text[position]
    if character < _FIRST_COMBINING or text[position - 1].isspace():
        return False
    if unicodedata.combining(character):
        return True
    # Hangul letters and Indic vowel signs compose, although their combining class is 0.
    apart = unicodedata.normalize("NFC", text[start:position]) + unicodedata.normalize(
        "NFC", character
    )
    return unicodedata.normalize("NFC", text[start : position + 1]) != apart
